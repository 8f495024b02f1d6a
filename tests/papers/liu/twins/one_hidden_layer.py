"""Twins of statements about one hidden layer of fixed signs: Hessian, kernel and training."""

import numpy as np

from tests.papers.liu.twins._models_b import CURVATURE, LIPSCHITZ, expand, sigma, size_of
from tests.papers.twinning import twin


def drawn(size, rng, count=None):
    shape = size if count is None else (count, size)
    return rng.normal(size=shape), rng.choice([-1.0, 1.0], size=shape)


def hessian(w, v, activation, x):
    """Gradients and Hessians of f in w alone."""
    _, g, h = expand([w[..., None]], v, np.array([x]), [activation], [1.0], w.shape[-1] ** -0.5, head=False)
    return g, h


@twin(
    "liu.eq9",
    [(3, {"activation": "tanh", "x": 1.0}), (6, {"activation": "gelu", "x": 2.0})],
    replicates=600,
    accuracy=1e-12,
)
def dense(size, rng, activation, x):
    w, v = drawn(size, rng, 100)
    c = x**2 * np.abs(sigma(activation, w * x, 2)).max(axis=1)
    n = np.sqrt(size) * size_of(hessian(w, v, activation, x)[1])
    return n / (CURVATURE[activation] * x**2) + np.abs(n - c) / c


def rate(activation, x):
    """Λ, the places of the maxima of |σ''| found on a grid and κ by differences."""
    u = np.linspace(-30, 30, 600_001)
    bend = np.abs(sigma(activation, u, 2))
    high = (bend[1:-1] >= bend[:-2]) & (bend[1:-1] > bend[2:]) & (bend[1:-1] > (1 - 1e-6) * bend.max())
    total = 0.0
    for z in u[1:-1][high]:
        h = 1e-3
        sides = np.abs(sigma(activation, z + h * np.array([-1.0, 0.0, 1.0]), 2))
        kappa = -(sides[0] - 2 * sides[1] + sides[2]) / h**2 / bend.max()
        total += 2 * np.sqrt(2 / kappa) * np.exp(-((z / x) ** 2) / 2) / np.sqrt(2 * np.pi) / x
    return total


@twin(
    "liu.eq9.law",
    [(20, {"activation": "tanh", "x": 1.0}), (40, {"activation": "sin", "x": 2.0})],
    replicates=4000,
    accuracy=1e-4,  # Λ from a grid
)
def law(size, rng, activation, x):
    w = rng.normal(size=(1000, size))
    largest = np.abs(sigma(activation, w * x, 2)).max(axis=1)
    return rate(activation, x) * size * np.sqrt(np.maximum(1 - largest / CURVATURE[activation], 0))


@twin(
    "liu.eq12",
    [(2, {"activation": "tanh", "x": 1.0}), (4, {"activation": "swish", "x": 2.0})],
    replicates=30,
    accuracy=1e-12,  # both sides are equal, and the value is one up to rounding
)
def quotient(size, rng, activation, x):
    w, v = drawn(size, rng)
    bends = [
        expand([w[k : k + 1, None]], np.ones(1), np.array([x]), [activation], [1.0], 1.0, head=False)[2]
        for k in range(size)
    ]
    return size_of(hessian(w, v, activation, x)[1]) / (np.abs(bends).max() * np.abs(v).max() / np.sqrt(size))


@twin(
    {"liu.eq13.norm": {"corrected": False}, "liu.eq13.norm/corrected": {"corrected": True}},
    [(4, {"activation": "tanh", "x": 2.0}), (8, {"activation": "gelu", "x": 1.0})],
    replicates=2000,
)
def tensor(size, rng, activation, x, corrected):
    norms = x**2 * np.abs(sigma(activation, rng.normal(size=(500, size)) * x, 2)).max(axis=1)
    return norms / (CURVATURE[activation] * x**2 if corrected else LIPSCHITZ[activation] * abs(x))


def fitted(size, rng, activation, x, label, count=100):
    """w₀ - w* and f(w₀) - f(w*) of networks trained one by one."""
    w, v = drawn(size, rng, count)

    def f(w):
        return np.sum(v * sigma(activation, w * x), axis=1) / np.sqrt(size)

    start, first = w.copy(), f(w)
    for _ in range(200):
        gap = f(w) - label
        going = np.abs(gap) >= 1e-11
        if not going.any():
            break
        g = v * sigma(activation, w * x, 1) * x / np.sqrt(size)
        w = w - np.where(going, gap / 2 / np.sum(g**2, axis=1), 0)[:, None] * g
    assert not going.any()
    return start - w, first - f(w)


FITS = [
    (30, {"activation": "tanh", "x": 1.0, "label": 1.0}),
    (50, {"activation": "gelu", "x": 0.7, "label": 0.5}),
]


@twin("liu.eq2", FITS, replicates=600)
def bounded(size, rng, activation, x, label):
    change, gap = fitted(size, rng, activation, x, label)
    return np.linalg.norm(change, axis=1) * LIPSCHITZ[activation] * abs(x) / np.abs(gap)


@twin("liu.sec1.1.distance", FITS, replicates=600)
def distance(size, rng, activation, x, label):
    change, gap = fitted(size, rng, activation, x, label)
    return np.linalg.norm(change, axis=1) / np.abs(gap)


@twin("liu.sec1.1.entry", FITS, replicates=600)
def entry(size, rng, activation, x, label):
    change, gap = fitted(size, rng, activation, x, label)
    return np.abs(change).max(axis=1) / np.abs(gap)


@twin(
    "liu.eq3",
    [(8, {"activation": "tanh", "x": 1.0}), (12, {"activation": "softplus", "x": 2.0})],
    replicates=800,
)
def ratio(size, rng, activation, x):
    g, h = hessian(*drawn(size, rng, 100), activation, x)
    return size_of(h) / np.sum(g**2, axis=1)
