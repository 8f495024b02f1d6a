"""Tasks, gradient descent and the Marchenko-Pastur law, for the twins of Sections D.2 to D.4."""

import numpy as np

LIPSCHITZ = 100
"""The constant L of the appendix."""


def unit(rng, *shape):
    """Uniform points on the unit sphere of the last axis."""
    v = rng.normal(size=shape)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def samples(size, ratio):
    return round(size / ratio)


def tasks(rng, lead, d, n, noise):
    """Samples, true weights and labels of tasks, with the shape lead in front."""
    x = rng.normal(size=(*lead, n, d))
    truth = unit(rng, *lead, d)
    y = np.einsum("...nd,...d->...n", x, truth) + noise * rng.normal(size=(*lead, n))
    return x, truth, y


def descend(x, y, rates, steps, noise, rng):
    """Step by step from zero with truncation: weights at the rates of the last axis, shape (..., rates, d)."""
    n, d = x.shape[-2:]
    hessian = np.swapaxes(x, -1, -2) @ x / n
    pull = np.einsum("...nd,...n->...d", x, y)[..., None, :] / n
    rates = np.asarray(rates)[..., :, None]
    w = np.zeros(np.broadcast_shapes((*x.shape[:-2], rates.shape[-2], d), rates.shape))
    reached = np.zeros(w.shape[:-1], dtype=bool)
    for _ in range(steps):
        w = w - rates * (w @ hessian - pull)
        reached |= np.sum(w**2, axis=-1) >= (40 * noise) ** 2
        w[reached] = 0
    away = np.broadcast_to(40 * noise * unit(rng, *x.shape[:-2], 1, d), w.shape)
    return np.where(reached[..., None], away, w)


def small_steps(x, y, rates, steps, noise, rng):
    """The same for n ≤ d and rates below one over the largest eigenvalue, where norms grow with the steps."""
    n = x.shape[-2]
    values, vectors = np.linalg.eigh(x @ np.swapaxes(x, -1, -2) / n)
    assert np.max(rates) * values.max() < 1
    labels = np.einsum("...ni,...n->...i", vectors, y)[..., None, :]
    with np.errstate(divide="ignore"):
        moved = -np.expm1(steps * np.log1p(-np.asarray(rates)[..., :, None] * values[..., None, :]))
    w = (moved / (n * values[..., None, :]) * labels) @ (np.swapaxes(vectors, -1, -2) @ x)
    reached = np.linalg.norm(w, axis=-1, keepdims=True) >= 40 * noise
    return np.where(reached, 40 * noise * unit(rng, *x.shape[:-2], 1, x.shape[-1]), w)


def train_loss(x, y, w):
    """‖Xw - y‖²/(2n) at the weights of the last axis but one."""
    return np.sum((w @ np.swapaxes(x, -1, -2) - y[..., None, :]) ** 2, axis=-1) / (2 * x.shape[-2])


def validation_loss(rng, truth, w, n, noise):
    """Loss on fresh samples, the same for all rates of a task."""
    x = rng.normal(size=(*truth.shape[:-1], n, truth.shape[-1]))
    errors = (w - truth[..., None, :]) @ np.swapaxes(x, -1, -2)
    return np.sum((errors - noise * rng.normal(size=(*truth.shape[:-1], 1, n))) ** 2, axis=-1) / (2 * n)


def marchenko_pastur(y, nodes=4000):
    """Points and weights of the part above zero, and the mass at zero."""
    angle = (np.arange(nodes) + 0.5) * np.pi / nodes
    points = 1 + y + 2 * np.sqrt(y) * np.cos(angle)
    return points, 2 * np.sin(angle) ** 2 / (np.pi * points) * np.pi / nodes, max(0.0, 1 - 1 / y)


def flow_error(times, y, noise):
    """∫ e^{-2τλ} dμ + σ²y ∫ (1 - e^{-τλ})²/λ dμ at the times."""
    points, weights, zero = marchenko_pastur(y)
    left = np.exp(-np.multiply.outer(times, points))
    return zero + left**2 @ weights + noise**2 * y * ((1 - left) ** 2 @ (weights / points))


def best_time(y, noise):
    """The minimiser of the flow's error, by golden-section-like refinement of grids."""
    low, high = 1e-4, 1e3
    for _ in range(12):
        grid = np.geomspace(low, high, 41)
        best = int(np.argmin(flow_error(grid, y, noise)))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 40)]
    return np.sqrt(low * high)
