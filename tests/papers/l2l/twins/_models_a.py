"""Samples, descent and the limit law that several twins of this folder share."""

import numpy as np

L = 100
"""The constant of the appendix."""


def unit(rng, *shape):
    """Uniform unit vectors along the last axis."""
    w = rng.normal(size=shape)
    return w / np.linalg.norm(w, axis=-1, keepdims=True)


def samples(size, ratio):
    return round(size / ratio)


def tasks(count, size, n, noise, rng):
    """Independent tasks: X (count, n, size), w* and y."""
    x = rng.normal(size=(count, n, size))
    truth = unit(rng, count, size)
    y = np.einsum("kni,ki->kn", x, truth) + noise * rng.normal(size=(count, n))
    return x, truth, y


def descend(x, y, rates, steps, level=np.inf):
    """Weights (count, rates, size) after the steps at rates (count, rates); whether a norm reached the level."""
    n = x.shape[1]
    transposed = np.swapaxes(x, 1, 2)
    w = np.zeros((len(x), x.shape[2], rates.shape[1]))
    reached = np.zeros(rates.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for _ in range(steps):
            w = w - rates[:, None, :] * (transposed @ (x @ w - y[:, :, None])) / n
            if np.isfinite(level):
                reached |= ~(np.linalg.norm(w, axis=1) < level)
                w = np.where(reached[:, None, :], 0.0, w)
    return np.swapaxes(w, 1, 2), reached


def truncated(x, y, rates, steps, noise, rng):
    """The same with truncation at 40σ: there the weights are 40σu, u once for each task."""
    w, reached = descend(x, y, rates, steps, 40 * noise)
    u = unit(rng, len(x), x.shape[2])
    return np.where(reached[:, :, None], 40 * noise * u[:, None, :], w), reached


def loss(x, y, w):
    """F of the weights (count, rates, size)."""
    return np.sum((np.einsum("kni,kri->krn", x, w) - y[:, None, :]) ** 2, axis=2) / (2 * x.shape[1])


def largest_eigenvalue(x):
    return np.linalg.norm(x, 2, axis=(1, 2)) ** 2 / x.shape[1]


def marchenko_pastur(ratio, points=20000):
    """Places and weights of the part of the Marchenko–Pastur law on λ > 0, and the mass of its atom at zero."""
    angles = np.pi * (np.arange(points) + 0.5) / points
    places = 1 + ratio - 2 * np.sqrt(ratio) * np.cos(angles)
    # λ₊ - λ and λ - λ₋ have the product (2√y sin θ)², and dλ = 2√y sin θ dθ.
    weights = (2 * np.sqrt(ratio) * np.sin(angles)) ** 2 / (2 * np.pi * ratio * places) * np.pi / points
    return places, weights, max(0.0, 1 - 1 / ratio)


def bisect(function, low, high, steps=100):
    """Where a function (of arrays) that is negative at low becomes positive."""
    for _ in range(steps):
        middle = (low + high) / 2
        above = function(middle) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2
