"""Twins of the statements of Section 3.5 about numbers alone: the minimum over ε_p, its constants, and thresholds."""

import numpy as np

from tests.papers.twinning import twin

SIZES = [(8, {}), (20, {})]


def lower(k, third):
    """min(1 - e^{-Λ/3}, 2K sinh(Λ/3)) from K and Λ/3."""
    return np.minimum(1 - np.exp(-third), 2 * k * np.sinh(third))


@twin("loglinear.eq3.21", SIZES, replicates=2000)
def minimum(size, rng):
    k, margin = 10 ** rng.uniform(-5, 5, size), rng.uniform(0.003, 3, size)
    e = np.linspace(0, 1.25 * margin, 401)
    m = (1 - np.exp(-e) + k * np.exp(-e) * (np.exp(np.maximum(margin - e, 0)) - 1)).min(axis=0)
    return np.max(lower(k, margin / 3) / m)


@twin(
    {"loglinear.eq3.20.cases": {"corrected": False}, "loglinear.eq3.20.cases/corrected": {"corrected": True}},
    SIZES,
    replicates=5000,
)
def cases(size, rng, corrected):
    margin = rng.uniform(0.003, 3, size)
    e = rng.uniform(1e-3, 1, size) * margin / 3
    stated = 1 - np.exp(-margin / 3)
    if not corrected:
        return np.max(stated / (1 - np.exp(-e)))
    large = (1 + 5 * rng.uniform(size=size)) * margin / 3
    top = 2 * np.sinh(margin / 3) / (np.exp(-e) * (np.exp(margin - e) - 1))
    return max(np.max(stated / (1 - np.exp(-large))), np.max(top))


@twin(
    {"loglinear.eq3.20.sinh": {"c": 1}, "loglinear.eq3.20.sinh/corrected": {"c": 2}},
    SIZES,
    replicates=500,
    accuracy=1e-12,
)
def hyperbolic(size, rng, c):
    third = rng.uniform(0.003, 3, size) / 3
    return np.max(np.abs(np.exp(-third) * (np.exp(2 * third) - 1) / (c * np.sinh(third)) - 1))


@twin("loglinear.eq3.22.constants", SIZES, replicates=5000)
def constants(size, rng):
    margin = rng.uniform(0.006, 6, size)
    miss = margin / 8 * np.minimum(rng.uniform(0, 1.25, size), 1)
    k = np.exp(np.maximum(rng.normal(size=size), 0)) / 4
    return np.max(margin**2 / (576 * lower(k, (margin / 2 - 2 * miss) / 3) ** 2))


@twin("loglinear.eq3.19", [(2, {}), (5, {})], replicates=10000)
def no_margin(size, rng):
    h = 10 ** rng.uniform(-4, -2)
    p, q = (np.exp([s * h, -s * h, 0]) for s in (1, -1))
    p, q = p / p.sum(), q / q.sum()
    return 2 * (p[2] * lower(0.25, 1 / 6)) ** 2 / (p @ np.log(p / q))


@twin(
    {
        "loglinear.sec3.5.4.thresholds": {"corrected": False},
        "loglinear.sec3.5.4.thresholds/corrected": {"corrected": True},
    },
    [(4, {}), (6, {})],
    replicates=5000,
)
def thresholds(size, rng, corrected):
    m = rng.integers(1, size)
    signs = np.where(np.arange(size) < m, 1.0, -1.0)
    s = rng.uniform(0.1, 2)
    if rng.uniform() < 0.5:
        a = signs
        chosen = rng.choice([-1.0, 1.0], size=(8, 1))
        logits = np.where(signs == chosen, 1.0, -3.0)
    else:
        a = signs * rng.uniform(0.2, 1, size)
        logits = 2 * rng.normal(size=(8, size))

    def f(u):
        return np.maximum(logits + u, 0) @ a / (size * np.abs(a).max())

    y = np.where(f(0) < 0, -1, 1)
    c = np.min(y * f(s)) - np.min(np.abs(f(0)))
    return c * size / (s * max(m, size - m)) if corrected else abs(c / s - 1)
