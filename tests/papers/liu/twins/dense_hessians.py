"""Twins of Theorems 3.2 and 3.3: Hessians and tangent kernels of dense, residual and convolutional networks."""

import numpy as np

from tests.papers.liu.twins._models_c import Dense, jacobian, largest, slope, value
from tests.papers.twinning import twin

BATCH = 25
# The samplers' eigenvalues have a residual of 10⁻³ of the value; their error is of the order of its square.
LANCZOS = 1e-4


@twin(
    "liu.thm3.2",
    [(4, {"activation": "tanh", "depth": 2}), (5, {"activation": "gelu", "depth": 3})],
    replicates=1500,
    accuracy=LANCZOS,
)
def at_start(size, rng, activation, depth):
    network = Dense([size] * depth, activation)
    return largest(network.hessian(network.draw(rng, BATCH))) / np.sqrt(np.log(size))


@twin(
    "liu.thm3.2.ball",
    [
        (4, {"activation": "tanh", "depth": 2, "radius": 2.0}),
        (5, {"activation": "swish", "depth": 3, "radius": 5.0}),
    ],
    replicates=1500,
    accuracy=LANCZOS,
)
def in_the_ball(size, rng, activation, depth, radius):
    network = Dense([size] * depth, activation)
    return largest(network.hessian(network.draw(rng, BATCH, radius))) / np.sqrt(np.log(size))


@twin(
    "liu.thm3.2.ascent",
    [
        (4, {"activation": "tanh", "depth": 2, "radius": 2.0}),
        (5, {"activation": "softplus", "depth": 1, "radius": 1.0}),
    ],
    replicates=600,
    accuracy=1e-3,  # Directions of the ascent have errors of the order of the residual of the sampler.
)
def ascent(size, rng, activation, depth, radius):
    network, h = Dense([size] * depth, activation), 0.01
    start = network.draw(rng, BATCH)
    theta, found = start, []
    for last in (False, False, False, True):
        values, vectors = np.linalg.eigh(network.hessian(theta))
        found.append(np.abs(values).max(axis=1))
        if last:
            break
        place = np.abs(values).argmax(axis=1)
        u = np.take_along_axis(vectors, place[:, None, None], axis=2)[..., 0]
        sign = np.sign(np.take_along_axis(values, place[:, None], axis=1))
        near = [network.gradient(theta + k * h * u) for k in (-1, 0, 1)]
        g = sign * (near[0] - 2 * near[1] + near[2])
        away = theta + radius * g / np.linalg.norm(g, axis=1, keepdims=True) - start
        distance = np.linalg.norm(away, axis=1, keepdims=True)
        theta = start + away * np.minimum(1, radius / distance)
    return np.max(found, axis=0) / np.sqrt(np.log(size))


@twin(
    "liu.thm3.2.kernel",
    [(4, {"activation": "tanh", "depth": 2}), (6, {"activation": "gelu", "depth": 3})],
    replicates=16000,
)
def kernel(size, rng, activation, depth):
    network = Dense([size] * depth, activation)
    return np.sum(network.gradient(network.draw(rng, 1000)) ** 2, axis=1)


@twin(
    "liu.thm3.2.kernel-change",
    [
        (4, {"activation": "tanh", "depth": 2, "radius": 1.0}),
        (6, {"activation": "sin", "depth": 3, "radius": 0.5}),
    ],
    replicates=16000,
)
def change(size, rng, activation, depth, radius):
    network = Dense([size] * depth, activation)
    theta = network.draw(rng, 1000)
    g = network.gradient(theta)
    first = np.sum(g**2, axis=1)
    moved = network.gradient(theta + radius * g / np.sqrt(first)[:, None])
    return np.abs(np.sum(moved**2, axis=1) - first) / np.sqrt(np.log(size))


@twin(
    "liu.thm3.3",
    [(2, {"activation": "tanh"}), (3, {"activation": "sin"})],
    replicates=1000,
    accuracy=LANCZOS,
)
def different_widths(size, rng, activation):
    network = Dense([size, 3 * size, 2 * size], activation)
    return largest(network.hessian(network.draw(rng, BATCH, 1.0)))


@twin(
    "liu.thm3.3.residual",
    [(4, {"activation": "tanh"}), (5, {"activation": "softplus"})],
    replicates=1000,
    accuracy=LANCZOS,
)
def residual(size, rng, activation):
    network = Dense([size] * 3, activation, skip=True)
    return largest(network.hessian(network.draw(rng, BATCH, 1.0)))


@twin(
    "liu.thm3.3.expanding",
    [(3, {"activation": "tanh"}), (4, {"activation": "sigmoid"})],
    replicates=500,
    accuracy=LANCZOS,
)
def expanding(size, rng, activation):
    network = Dense([size, size**2], activation)
    return largest(network.hessian(network.draw(rng, BATCH, 1.0))) / np.sqrt(np.log(size))


def windows(image):
    """Neighbours of each pixel, zeros beyond the ends: (..., channels, 3, pixels)."""
    room = np.zeros((*image.shape[:-1], 1))
    padded = np.concatenate([room, image, room], axis=-1)
    return np.stack([padded[..., k : k + 4] for k in range(3)], axis=-2)


def convolution_gradient(theta, m, activation):
    """Gradient of the convolutional network in its two layers of filters and in v; an image of ones."""
    one, two, v = np.split(theta, [6 * m, 6 * m + 3 * m * m], axis=-1)
    lead = theta.shape[:-1]
    one, two, v = one.reshape(*lead, m, 2, 3), two.reshape(*lead, m, m, 3), v.reshape(*lead, m, 4)
    first = windows(np.ones((2, 4)))
    z1 = np.einsum("...ijk,jkq->...iq", one, first) / np.sqrt(2)
    second = windows(value(activation, z1))
    z2 = np.einsum("...ijk,...jkq->...iq", two, second) / np.sqrt(m)
    back2 = v * slope(activation, z2) / m  # Output factor and that of the second layer.
    spread = np.einsum("...ijk,...iq->...jkq", two, back2)
    back1 = np.zeros_like(z1)
    for k in range(3):
        for q in range(4):
            if 0 <= q + k - 1 < 4:
                back1[..., q + k - 1] += spread[..., k, q]
    back1 *= slope(activation, z1) / np.sqrt(2)
    parts = [
        np.einsum("...iq,jkq->...ijk", back1, first),
        np.einsum("...iq,...jkq->...ijk", back2, second),
        value(activation, z2) / np.sqrt(m),
    ]
    return np.concatenate([part.reshape(*lead, -1) for part in parts], axis=-1)


@twin(
    "liu.thm3.3.convolution",
    [(4, {"activation": "tanh"}), (5, {"activation": "gelu"})],
    replicates=600,
    accuracy=LANCZOS,
)
def convolution(size, rng, activation):
    theta, step = rng.normal(size=(2, 10, 10 * size + 3 * size**2))
    theta += step / np.linalg.norm(step, axis=1, keepdims=True)
    hessians = jacobian(lambda rows: convolution_gradient(rows, size, activation), theta)
    return largest(hessians) / np.sqrt(np.log(size))
