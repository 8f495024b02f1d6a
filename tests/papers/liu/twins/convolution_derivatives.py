"""Twins of statements about derivatives of convolutional layers (appendix G.1)."""

import numpy as np

from tests.papers.liu.twins._models_b import second_along, sigma
from tests.papers.twinning import twin


def shifted(image):
    """The three shifted images."""
    wide = np.pad(image, ((0, 0), (1, 1)))
    return [wide[:, k : k + 4] for k in range(3)]


def convolve(filters, image):
    return sum(w @ a for w, a in zip(filters, shifted(image), strict=True))


@twin("liu.sec-g1.infinity", [(5, {"activation": "tanh"}), (8, {"activation": "sin"})], replicates=300)
def largest_entry(size, rng, activation):
    one, two = rng.normal(size=(3, size, 2)), rng.normal(size=(3, size, size))
    v = rng.normal(size=(size, 4))
    image = sigma(activation, convolve(one, np.ones((2, 4))) / np.sqrt(2))

    def f(a):
        return np.sum(v * sigma(activation, convolve(two, a) / np.sqrt(size))) / np.sqrt(size)

    h = 1e-30
    below = np.empty((size, 4))
    for i in range(size):
        for q in range(4):
            step = np.zeros((size, 4), dtype=complex)
            step[i, q] = 1j * h
            below[i, q] = f(image + step).imag / h
    return max(np.abs(below).max(), np.abs(v).max() / np.sqrt(size)) / np.sqrt(np.log(size))


SMALL = [(2, {"activation": "tanh"}), (3, {"activation": "sin"})]


@twin("liu.sec-g1.mixed", SMALL, replicates=120, accuracy=1e-9)
def mixed_printed(size, rng, activation):
    return mixed(size, rng, activation, False)


@twin(
    "liu.sec-g1.mixed/corrected",
    SMALL,
    replicates=30,
    accuracy=1e-9,  # rounding in Cauchy's formula, up to a division by a small largest entry
)
def mixed_corrected(size, rng, activation):
    return mixed(size, rng, activation, True)


def mixed(size, rng, activation, corrected):
    w, v = rng.normal(size=(2, 3, size, size))
    a, c = rng.normal(size=(2, size, 4))
    count = w.size
    point = np.concatenate([w.ravel(), a.ravel()])

    def layer(move):
        at = point + move
        z = convolve(at[:count].reshape(w.shape), at[count:].reshape(a.shape)) / np.sqrt(size)
        return sigma(activation, z)

    in_filters = np.concatenate([v.ravel(), np.zeros(a.size)])
    in_image = np.concatenate([np.zeros(count), c.ravel()])
    true = second_along(layer, in_filters, in_image)
    z = convolve(w, a) / np.sqrt(size)
    stated = sigma(activation, z, 2) * convolve(v, a) * convolve(w, c) / size
    if corrected:
        stated = stated + sigma(activation, z, 1) * convolve(v, c) / np.sqrt(size)
    return np.abs(stated - true).max() / np.abs(true).max()
