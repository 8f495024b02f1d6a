"""Twins of statements about one hidden layer and about the bottleneck's block."""

import math

import numpy as np

from tests.papers.twinning import twin

ERF = np.vectorize(math.erf)


def value(activation, u):
    if activation == "tanh":
        return np.tanh(u)
    if activation == "sigmoid":
        return 1 / (1 + np.exp(-u))
    return u * (1 + ERF(u / np.sqrt(2))) / 2


def derivative(activation, u, order):
    """First or second derivative by central differences of sixth order."""
    one = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    two = {0: -49 / 18, 1: 3 / 2, 2: -3 / 20, 3: 1 / 90}
    h = 2e-2
    if order == 1:
        return (
            sum(c * (value(activation, u + k * h) - value(activation, u - k * h)) for k, c in one.items()) / h
        )
    total = two[0] * value(activation, u)
    for k in (1, 2, 3):
        total = total + two[k] * (value(activation, u + k * h) + value(activation, u - k * h))
    return total / h**2


TWO = [(8, {"activation": "tanh", "x": 1.0}), (12, {"activation": "gelu", "x": 2.0})]


@twin("liu.eq10", TWO, replicates=600, accuracy=1e-7)
def kernel(size, rng, activation, x):
    w, v = rng.normal(size=size), rng.choice([-1.0, 1.0], size=size)
    return np.sum((v * derivative(activation, w * x, 1) * x / np.sqrt(size)) ** 2)


@twin(
    {"liu.eq13": {"corrected": False}, "liu.eq13/corrected": {"corrected": True}},
    TWO,
    replicates=400,
    accuracy=1e-6,
)
def tensor(size, rng, activation, x, corrected):
    w = rng.normal(size=size)
    true = derivative(activation, w * x, 2) * x**2
    u = w * x
    if not corrected:
        stated = derivative(activation, u, 1) * x
    elif activation == "tanh":
        stated = -2 * np.tanh(u) * (1 - np.tanh(u) ** 2) * x**2
    else:  # (uΦ(u))'' = φ(u)(2 - u²)
        stated = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi) * (2 - u**2) * x**2
    return np.abs(stated - true).max() / np.abs(true).max()


@twin("liu.eq15", TWO, replicates=20, accuracy=1e-12)
def norms(size, rng, activation, x):
    g = rng.choice([-1.0, 1.0], size=size) / np.sqrt(size)
    return max(abs(np.sqrt(size) * np.abs(g).max() - 1), abs(np.linalg.norm(g) - 1))


@twin("liu.eq9.constant", TWO, replicates=1000, accuracy=1e-6)
def constant(size, rng, activation, x):
    return x**2 * np.abs(derivative(activation, rng.normal(size=size) * x, 2)).max()


def block(w1, w3, w4, x):
    """∂²f/∂(w²)² of the bottleneck network with σ(u) = u²/2, differentiated by hand from its definition."""
    m = len(w1)
    features = (w1 * x) ** 2 / 2 / np.sqrt(m)
    return np.sum(w4 * w3**2) / np.sqrt(m) * np.outer(features, features)


@twin("liu.eq109.mean", [(8, {"x": 1.0}), (12, {"x": 0.5})], replicates=4000)
def block_norm(size, rng, x):
    w1, w3, w4 = rng.normal(size=(3, size))
    return np.linalg.norm(block(w1, w3, w4, x), 2)


@twin(
    {"liu.appH.activations": {"corrected": False}, "liu.appH.activations/corrected": {"corrected": True}},
    [(3, {}), (7, {})],
    replicates=4000,
    accuracy=1e-12,
)
def activations(size, rng, corrected):
    w, x = rng.normal(size=size), rng.choice([0.5, 2.0, 3.0])
    exact = np.sum(((w * x) ** 2 / 2) ** 2)
    stated = x**4 / 4 * np.sum(w**4) if corrected else x**2 / 4 * np.sum(w**2)
    return abs(exact - stated) / exact
