"""Twins of appendix G.1: convolutional layers as sums over shifted images."""

import numpy as np

from tests.papers.liu.twins import _models_a as net
from tests.papers.twinning import twin

COUNT = 50
EXACT = [(2, {"activation": "tanh"}), (3, {"activation": "sin"})]


def drawn(size, rng):
    """W¹ (k, m, 2), W² (k, m, m) and v with the networks first."""
    return [rng.normal(size=(COUNT, *s)) for s in ((3, size, 2), (3, size, size), (size, 4))]


def shifted(image):
    """a^[1], a^[2], a^[3] on the axis after the first."""
    nothing = np.zeros_like(image[..., :1])
    left = np.concatenate([nothing, image[..., :-1]], axis=-1)
    right = np.concatenate([image[..., 1:], nothing], axis=-1)
    return np.stack([left, image, right], axis=1)


def layer(w, image):
    return np.einsum("nkij,nkjq->niq", w, shifted(image)) / np.sqrt(image.shape[1])


def definition(w, image):
    """The same pixel by pixel."""
    z = np.zeros((*w.shape[:1], w.shape[2], 4), dtype=np.result_type(w, image))
    for q in range(4):
        for k in range(3):
            if 0 <= q + k - 1 < 4:
                z[:, :, q] += np.einsum("nij,nj->ni", w[:, k], image[:, :, q + k - 1])
    return z / np.sqrt(image.shape[1])


def relative(stated, true):
    return np.abs(stated - true).max(axis=(1, 2)) / np.abs(true).max(axis=(1, 2))


@twin("liu.eq92", EXACT, replicates=50, accuracy=1e-12)
def pixelwise(size, rng, activation):
    w1, w2, _ = drawn(size, rng)
    image = net.value(activation, definition(w1, rng.normal(size=(COUNT, 2, 4))))
    return relative(layer(w2, image), definition(w2, image))


@twin(
    {"liu.sec-g1.backward": {"corrected": False}, "liu.sec-g1.backward/corrected": {"corrected": True}},
    EXACT,
    replicates=400,
    accuracy=1e-10,
)
def backward(size, rng, activation, corrected):
    w1, w2, v = drawn(size, rng)
    image = net.value(activation, definition(w1, rng.normal(size=(COUNT, 2, 4))))
    true = np.empty_like(image)
    for i in range(size):
        for q in range(4):
            moved = image.astype(complex)
            moved[:, i, q] += 1j * net.STEP
            f = np.sum(v * net.value(activation, definition(w2, moved)), axis=(1, 2)) / np.sqrt(size)
            true[:, i, q] = f.imag / net.STEP
    g = shifted(v * net.slope(activation, definition(w2, image)) / np.sqrt(size))
    stated = np.einsum("nkji,nkjq->niq", w2, g[:, ::-1] if corrected else g) / np.sqrt(size)
    return relative(stated, true)


@twin("liu.sec-g1.slope", EXACT, replicates=300)
def slopes(size, rng, activation):
    w1, w2, _ = drawn(size, rng)
    image = net.value(activation, definition(w1, rng.normal(size=(COUNT, 2, 4))))
    norms = []
    for place in (0, 1):
        one = (image, w2)[place]
        total = one[0].size
        moved = one.reshape(COUNT, 1, total) + 1j * net.STEP * np.eye(total)
        moved = moved.reshape(COUNT * total, *one.shape[1:])
        other = np.repeat((w2, image)[place], total, axis=0)
        after = definition(*((other, moved), (moved, other))[place])
        rows = net.value(activation, after).imag.reshape(COUNT, total, 4 * size) / net.STEP
        norms.append(net.spectral(rows))
    scale = np.sqrt(size) / net.suprema(activation)[0]
    first = scale * norms[0] / net.spectral(w2).sum(axis=1)
    second = scale * norms[1] / np.linalg.norm(shifted(image), axis=(2, 3)).sum(axis=1)
    return np.maximum(first, second)


def in_the_ball(size, rng):
    before, step = drawn(size, rng), drawn(size, rng)
    total = np.sqrt(sum(np.sum(t**2, axis=tuple(range(1, t.ndim))) for t in step))
    return [w + t / total.reshape(-1, *[1] * (t.ndim - 1)) for w, t in zip(before, step, strict=True)]


SMALL = [(3, {"activation": "tanh"}), (5, {"activation": "sigmoid"})]


@twin("liu.lemmaG.2", SMALL, replicates=300)
def filters(size, rng, activation):
    return net.spectral(in_the_ball(size, rng)[1]).max(axis=1)


@twin("liu.lemmaG.3", SMALL, replicates=400)
def images(size, rng, activation):
    w1, w2, _ = in_the_ball(size, rng)
    one = net.value(activation, definition(w1, np.ones((COUNT, 2, 4))))
    two = net.value(activation, definition(w2, one))
    return np.maximum(*(np.linalg.norm(a, axis=(1, 2)) for a in (one, two)))
