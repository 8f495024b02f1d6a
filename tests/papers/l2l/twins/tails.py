"""Twins of the concentration inequalities of Section D.5 and of the remark about negative step sizes."""

import numpy as np

from tests.papers.l2l.twins._models_b import unit
from tests.papers.twinning import twin


@twin("l2l.lemmaD.5.1", [(3, {"distance": 0.5}), (6, {"distance": 1.0})], replicates=20000)
def shell(size, rng, distance, count=20000):
    lengths = np.linalg.norm(rng.normal(size=(count, size)), axis=1)
    return (np.abs(lengths - np.sqrt(size)) >= distance).astype(float)


@twin("l2l.lemmaD.5.3", [(3, {}), (6, {})], replicates=400)
def lipschitz(size, rng):
    x = rng.normal(size=(4096, size))
    kinds = (
        lambda: x[:, 0],
        lambda: x.max(axis=1),
        lambda: np.linalg.norm(x, axis=1),
        lambda: np.abs(x).sum(axis=1) / np.sqrt(size),
    )
    g, s = kinds[rng.integers(4)](), rng.uniform(0.25, 2)
    return np.mean(g - g.mean() >= s) * np.exp(s**2 / 2)


@twin("l2l.lemmaD.5.4", [(2, {}), (3, {})], replicates=600)
def extreme(size, rng):
    rows, s = rng.integers(size, 4 * size + 1), rng.uniform(0, 2)
    a = rng.normal(size=(200, rows, size))
    values = np.sqrt(np.maximum(np.linalg.eigvalsh(np.swapaxes(a, 1, 2) @ a), 0))
    low, high = np.sqrt(rows) - np.sqrt(size) - s, np.sqrt(rows) + np.sqrt(size) + s
    return np.mean((values[:, 0] < low) | (values[:, -1] > high)) * np.exp(s**2 / 2) / 2


@twin(
    "l2l.lemmaD.5.5",
    [(3, {"distance": 0.5, "share": 0.5}), (6, {"distance": 1.0, "share": 0.25})],
    replicates=20000,
)
def projected(size, rng, distance, share, count=20000):
    d = round(size / share)
    z = rng.normal(size=(count, d))
    quotient = np.sqrt(d / size * np.sum(z[:, :size] ** 2, axis=1) / np.sum(z**2, axis=1))
    return (np.abs(quotient - 1) >= distance / np.sqrt(size)).astype(float)


@twin("l2l.thm5.3.2.negative", [(2, {}), (5, {})], replicates=2000)
def negative(size, rng, count=2000):
    values = np.exp(3 * rng.uniform(-1, 1, size=(count, size)))
    start = unit(rng, count, size)
    steps = rng.integers(1, 21, size=(count, 1))
    top, least = values.max(axis=1), values.min(axis=1)
    rate = -np.exp(rng.uniform(-3, 3, size=count)) / top
    factor = 1 - rate[:, None] * values
    above = np.sum(start**2 * values**2 * factor ** (2 * steps - 1), axis=1)
    g = 2 * above / np.sum(start**2 * values * factor ** (2 * steps), axis=1)
    size_ = np.abs(rate)
    return np.maximum(g * (1 + size_ * top) / (2 * top), 2 * least / ((1 + size_ * least) * g))
