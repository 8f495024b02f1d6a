"""Twins of the statements about weights and inputs alone."""

import numpy as np

from tests.papers.twinning import twin

TWO = [(10, {"alpha": 0.3, "classes": 4}), (16, {"alpha": 0.6, "classes": 2})]


def dimension(n, alpha):
    return round(n ** (1 + alpha))


def first(n, alpha, rng):
    d = dimension(n, alpha)
    return rng.normal(size=(n, d)) / np.sqrt(d)


def last(n, classes, rng):
    return rng.normal(size=(classes, n)) / np.sqrt(n)


@twin(
    {"wu.lemmaB.1": {}, "wu.lemmaB.1/corrected": {}},
    [(8, {"epsilon": 0.5, "alpha": 0.3, "classes": 4}), (20, {"epsilon": 1.0, "alpha": 0.3, "classes": 4})],
)
def row_sums(size, rng, epsilon, alpha, classes):
    return np.mean(np.abs((rng.normal(size=(64, size)) / np.sqrt(size)).sum(axis=1)) >= epsilon)


@twin("wu.lemmaB.3", TWO, replicates=3000)
def norm(size, rng, alpha, classes):
    return (np.sum(last(size, classes, rng) ** 2) - classes) ** 2


@twin("wu.lemmaB.3.row", TWO, replicates=3000)
def row_norm(size, rng, alpha, classes):
    return (np.sum(last(size, 1, rng) ** 2) - 1) ** 2


@twin("wu.lemmaB.4", [(3, {"alpha": 0.3, "classes": 4}), (2, {"alpha": 1.0, "classes": 2})], replicates=4000)
def short_columns(size, rng, alpha, classes):
    return float(np.linalg.norm(first(size, alpha, rng), axis=0).max() < 5 * size ** (-alpha / 2))


@twin("wu.lemmaB.5", [(8, {"alpha": 1.0, "classes": 4}), (12, {"alpha": 0.6, "classes": 4})], replicates=600)
def first_gram(size, rng, alpha, classes):
    w = first(size, alpha, rng)
    return np.sqrt(1 + np.linalg.norm(w @ w.T - np.eye(size), 2)) - 1


@twin({"wu.lemmaB.7": {}, "wu.lemmaB.25": {}}, TWO, replicates=2000)
def projection(size, rng, alpha, classes):
    w = last(size, classes, rng)
    return np.sum((w.T @ w - np.linalg.pinv(w) @ w) ** 2)


@twin("wu.corB.1", TWO, replicates=2000)
def last_gram(size, rng, alpha, classes):
    w = last(size, classes, rng)
    return np.linalg.norm(w @ w.T - np.eye(classes), 2) ** 2


@twin({"wu.lemmaB.8": {}, "wu.corB.2": {}}, TWO, replicates=3000)
def first_entries(size, rng, alpha, classes):
    w = first(size, alpha, rng)
    return float(np.abs(w).max() <= 2 * w.shape[1] ** (-1 / 3))


@twin("wu.corB.2.last", TWO, replicates=3000)
def last_entries(size, rng, alpha, classes):
    return float(np.abs(last(size, classes, rng)).max() <= 2 * size ** (-1 / 3))


@twin(
    {"wu.eq86": {"scaled": False}, "wu.eq86/corrected": {"scaled": True}},
    [(8, {"alpha": 1.0, "classes": 4}), (12, {"alpha": 0.6, "classes": 4})],
    replicates=1000,
    accuracy=1e-5,
)
def fourth_moments(size, rng, alpha, classes, scaled):
    grid = np.linspace(0, 12, 200001)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    mean = 1 / np.sqrt(2 * np.pi)
    central = np.trapezoid((grid - mean) ** 4 * density, grid) + mean**4 / 2
    w = first(size, alpha, rng)
    return central * np.sum(np.sum(w**2, axis=0) ** 2) * (size ** (alpha - 1) if scaled else 1)


@twin({"wu.eq159": {"less": False}, "wu.eq159/corrected": {"less": True}}, TWO, replicates=3000)
def fourth_powers(size, rng, alpha, classes, less):
    w = last(size, classes, rng)
    event = np.sum(np.sum(w**2, axis=0) ** 2) >= (classes**2 + 3 * classes) / size
    return float(not event if less else event)


def inputs(count, n, alpha, rng):
    return np.maximum(rng.normal(size=(count, dimension(n, alpha))), 0)


INPUTS = [(8, {"alpha": 0.3, "classes": 4}), (12, {"alpha": 0.6, "classes": 4})]


@twin(
    {"wu.lemmaB.24": {"less": True}, "wu.eq249": {"less": False}, "wu.eq249/corrected": {"less": False}},
    INPUTS,
    replicates=400,
)
def along_ones(size, rng, alpha, classes, less):
    x = inputs(64, size, alpha, rng)
    d = x.shape[1]
    return np.mean(x.sum(axis=1) ** 2) / d**2 - ((np.pi - 1) / (2 * np.pi * d) if less else 0)


@twin("wu.lemmaB.24.bulk", INPUTS, replicates=400)
def across_ones(size, rng, alpha, classes):
    x = inputs(64, size, alpha, rng)
    d = x.shape[1]
    return np.mean(np.sum(x**2, axis=1) - x.sum(axis=1) ** 2 / d) / (d - 1)


@twin({"wu.eq186": {}, "wu.eq186/corrected": {}}, INPUTS, replicates=1500)
def energy(size, rng, alpha, classes):
    x, other = inputs(64, size, alpha, rng), inputs(64, size, alpha, rng)
    d = x.shape[1]
    return np.mean((np.sum(x * other, axis=1) ** 2 - (d / (2 * np.pi)) ** 2) / d)


@twin("wu.eq183", INPUTS, replicates=400)
def sum_of_input(size, rng, alpha, classes):
    x = inputs(64, size, alpha, rng)
    d = x.shape[1]
    return np.mean((x.sum(axis=1) - d / np.sqrt(2 * np.pi)) ** 2) / d
