"""Twins of the statements about laws of activations and logits, and about spectra of the activations."""

import numpy as np
from scipy.special import gamma, ndtr

from tests.papers.twinning import twin
from tests.papers.wu.twins.networks import TWO, respond
from tests.papers.wu.twins.weights import dimension, first, inputs, last


def softmax(z):
    z = np.exp(z)
    return z / z.sum(axis=-1, keepdims=True)


def mean_length(classes):
    """E‖N(0, I_c)‖."""
    return np.sqrt(2) * gamma((classes + 1) / 2) / gamma(classes / 2)


def distances(one, two):
    gaps = np.sum(one**2, axis=1)[:, None] + np.sum(two**2, axis=1) - 2 * one @ two.T
    return np.sqrt(np.maximum(gaps, 0))


def within(points):
    """Mean distance of two different points."""
    gaps = distances(points, points)
    np.fill_diagonal(gaps, 0)
    return gaps.sum() / (len(points) * (len(points) - 1))


@twin({"wu.lemmaB.9": {}, "wu.lemmaB.9/corrected": {}}, TWO, replicates=600)
def activation_law(size, rng, alpha, classes):
    y = respond(size, alpha, classes, 48, rng)[2]
    s = np.sqrt((np.pi - 1) / (2 * np.pi))
    density = np.exp(-((y / s) ** 2) / 2) / np.sqrt(2 * np.pi)
    to_law = y * (2 * ndtr(y / s) - 1) + 2 * s * density - s / np.sqrt(2 * np.pi)  # E|y - r| given y
    pairs = np.abs(y[:, None] - y).sum(axis=(0, 1)) / (48 * 47)
    return np.mean(2 * to_law.mean(axis=0) - pairs - s / np.sqrt(np.pi))


@twin({"wu.lemmaB.10": {}, "wu.lemmaB.10/corrected": {}}, TWO, replicates=500)
def logit_law(size, rng, alpha, classes):
    y = respond(size, alpha, classes, 48, rng)[2]
    g = (np.pi - 1) ** 2 / (4 * np.pi**2)
    to_law = np.mean(np.sqrt(np.sum(y**2, axis=1) / size + g))
    return mean_length(classes) * (2 * to_law - within(y) / np.sqrt(size) - np.sqrt(2 * g))


@twin({"wu.lemmaB.12.limit": {}, "wu.lemmaB.12.limit/corrected": {}}, TWO, replicates=700)
def spread_of_curvature(size, rng, alpha, classes):
    y = respond(size, alpha, classes, 48, rng)[2]
    w = np.stack([last(size, classes, rng) for _ in range(24)])
    p = softmax(np.einsum("aki,bi->abk", w, y))
    a = p * (1 - p)
    one, two = a[:, :24].mean(axis=1), a[:, 24:].mean(axis=1)
    return np.mean(np.sum((one - one.mean(axis=0)) * (two - two.mean(axis=0)), axis=0) / 23)


def conditioned(size, rng, alpha, first_part, second_part):
    """Activations of the free inputs and of the kept ones."""
    a, b = (part * size ** (0.45 * alpha) for part in (first_part, second_part))
    while True:
        w1 = first(size, alpha, rng)
        free = inputs(128, size, alpha, rng) @ w1.T
        x = inputs(128, size, alpha, rng)
        x[:, 0], x[:, 1] = a, b
        fixed = x @ w1.T
        units = np.flatnonzero((free >= 0).mean(axis=0) > 0.2)[:2]
        kept = fixed[np.all(fixed[:, units] >= 0, axis=1)]
        if len(units) == 2 and len(kept) >= 8:
            return np.maximum(free, 0), np.maximum(kept, 0)


CONDITIONS = [
    (8, {"alpha": 0.3, "classes": 4, "first": 1.0, "second": 1.0}),
    (12, {"alpha": 0.6, "classes": 2, "first": -0.5, "second": 1.0}),
]


# The arguments of this function are those of the statement, so `first` hides the weights.
@twin("wu.lemmaB.11", CONDITIONS, replicates=500)
def conditioned_law(size, rng, alpha, classes, first, second):
    free, kept = conditioned(size, rng, alpha, first, second)
    energy = 2 * distances(free, kept).mean() - within(free) - within(kept)
    return mean_length(classes) * energy / np.sqrt(size)


@twin("wu.corB.3", CONDITIONS, replicates=400)
def conditioned_curvature(size, rng, alpha, classes, first, second):
    sets = conditioned(size, rng, alpha, first, second)
    values = []
    for _ in range(8):
        w = last(size, classes, rng)
        changes = []
        for part in (slice(0, None, 2), slice(1, None, 2)):
            free, kept = (softmax(y[part] @ w.T) for y in sets)
            changes.append(
                np.diag(kept.mean(axis=0) - free.mean(axis=0))
                - kept.T @ kept / len(kept)
                + free.T @ free / len(free)
            )
        values.append(np.mean(changes[0] * changes[1]))
    return np.mean(values)


def eigenvalues(matrix):
    return np.linalg.eigvalsh(matrix)[::-1]


def activations(count, n, alpha, rng):
    return np.maximum(inputs(count, n, alpha, rng) @ first(n, alpha, rng).T, 0)


@twin("wu.secG.4", TWO, replicates=100)
def normalised(size, rng, alpha, classes):
    y = activations(2 * size, size, alpha, rng)
    y = y - y.mean(axis=0)
    scale = y.std(axis=0)
    y = y / np.where(scale > 0, scale, 1)
    values = eigenvalues(y.T @ y)
    return values[1] / values[0]


@twin("wu.sec3.1.hidden", TWO, replicates=200)
def second_over_first(size, rng, alpha, classes):
    y = activations(2 * size, size, alpha, rng)

    def ratio(part):
        values = eigenvalues(part.T @ part)
        return values[1] / values[0]

    return 2 * ratio(y) - (ratio(y[:size]) + ratio(y[size:])) / 2


@twin("wu.sec3.1.direction", TWO, replicates=100)
def along_mean(size, rng, alpha, classes):
    y = activations(96, size, alpha, rng)
    a, b = y[:48].mean(axis=0), y[48:].mean(axis=0)
    v = np.linalg.svd(y[48:])[2][0]
    return (v @ a) ** 2 * (b @ b) / (a @ b) ** 2


@twin({"wu.eq264": {"less": 1}, "wu.eq264.sharp": {"less": 0}}, [(8, {}), (14, {})], replicates=2000)
def population(size, rng, less, **_):
    x = rng.normal(size=(2 * size, size)) * np.exp(rng.normal(size=size))
    x = x + rng.normal() * rng.normal(size=size)
    mean = x.mean(axis=0)
    values = eigenvalues(x.T @ x)
    ratio = mean @ mean / np.linalg.norm((x - mean).T @ (x - mean) / (2 * size), 2)
    return (ratio - less) / (values[0] / values[1])


@twin({"wu.eq217": {}, "wu.eq217/corrected": {}}, TWO, replicates=1000)
def norm_of_gram(size, rng, alpha, classes):
    w = last(size, classes, rng)
    return np.linalg.norm(w @ w.T)


@twin(
    {"wu.eq62": {"printed": True}, "wu.eq62/corrected": {"printed": False}},
    [(2, {"alpha": 0.5}), (3, {"alpha": 1.0})],
    replicates=2000,
)
def close_to_identity(size, rng, alpha, printed, **_):
    w = rng.normal(size=(size, dimension(size, alpha))) / np.sqrt(dimension(size, alpha))
    return float(np.linalg.norm(w @ w.T - np.eye(size), 2) < (1 / np.sqrt(size) if printed else 1))
