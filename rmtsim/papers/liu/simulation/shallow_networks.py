"""Networks (8) with one hidden layer, in whole batches: values, derivatives, Hessian norms and training."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.networks import activation
from rmtsim.papers.liu.simulation.rank_one import rank_one_norms


@frozen
class Shallow:
    """A batch of networks (8) at one input: f (batch,), ∇f and the diagonal of H in w, both (batch, m)."""

    value: Array
    gradient: Array
    diagonal: Array

    @property
    def kernel(self) -> Array:
        """K(x, x)."""
        return np.asarray((self.gradient**2).sum(axis=1))

    def hessian_norms(self, slope: Array, bend: Array) -> Array:
        """‖φ''∇f∇fᵀ + φ'H‖, eq. (28)."""
        return rank_one_norms(slope[:, None] * self.diagonal, self.gradient, bend)


def shallow_at(w: Array, v: Array, name: str, x: float) -> Shallow:
    """Value, gradient and Hessian of m^{-1/2} Σ v_i σ(w_i x) in w."""
    sigma, scaled = activation(name), v / np.sqrt(w.shape[1])
    return Shallow(
        (scaled * sigma(w * x)).sum(axis=1),
        scaled * x * sigma.derivative(w * x, 1),
        scaled * x**2 * sigma.derivative(w * x, 2),
    )


def draw_shallow(
    size: int, rng: Generator, replicates: int, name: str, x: float
) -> tuple[Array, Array, Shallow]:
    """w ~ N(0, 1), v = ±1 and the networks (8) at x."""
    w = rng.standard_normal((replicates, size))
    v = rng.choice((-1.0, 1.0), size=(replicates, size))
    return w, v, shallow_at(w, v, name, x)


def largest_curvatures(size: int, rng: Generator, replicates: int, activation: str, x: float) -> Array:
    """√m‖H‖ of networks with fixed signs: x² max|σ''(w_i x)| (liu.eq9: H is diagonal with these entries)."""
    weights = rng.standard_normal((replicates, size))
    return np.asarray(x**2 * np.abs(_derivative(activation, weights * x, 2)).max(axis=1))


def trained_norms(weights: Array, outputs: Array, name: str, x: float) -> Array:
    """√m‖H‖ with both layers trained: the largest norm of the blocks [[a, b], [b, 0]] of the neurons, last axis."""
    a = outputs * _derivative(name, weights * x, 2) * x**2
    b = _derivative(name, weights * x, 1) * x
    return np.asarray((np.abs(a) / 2 + np.hypot(a / 2, b)).max(axis=-1))


def _derivative(name: str, z: Array, order: int) -> Array:
    return activation(name).derivative(z, order)


def trained_shift(
    size: int, rng: Generator, replicates: int, name: str, x: float, label: float
) -> tuple[Array, Array, Array]:
    """(w* - w₀, f(w₀), f(w*)) of networks trained by gradient descent on (f(x) - y)²/2, hidden weights only.

    For one input the step 1/K(w) is Newton's step along the gradient, and f = y is reached to rounding.
    """
    sigma = activation(name)
    start = rng.standard_normal((replicates, size))
    signs = rng.choice((-1.0, 1.0), (replicates, size)) / math.sqrt(size)
    weights, first = start.copy(), (signs * sigma(start * x)).sum(axis=1)
    output = first
    for _ in range(200):
        miss = output - label
        if np.abs(miss).max() < 1e-11:
            return weights - start, first, output
        gradient = signs * sigma.derivative(weights * x, 1) * x
        # Half of the Newton step stays close to gradient flow and converges geometrically.
        weights -= 0.5 * (miss / (gradient**2).sum(axis=1))[:, None] * gradient
        output = (signs * sigma(weights * x)).sum(axis=1)
    raise _not_fitted(miss, 200)


def trained_kernels(
    size: int,
    rng: Generator,
    replicates: int,
    x: float,
    label: float,
    *,
    both: bool = False,
    phi: Callable[[Array, int], Array] | None = None,
) -> tuple[Array, Array, Array, Array]:
    """K before and after, K̃ before and after gradient descent on (φ(f) - label)², one sample, in w.

    σ is tanh; ``phi`` gives φ and φ' for the orders 0 and 1 (by default the softplus). With ``both`` the networks
    with all signs reversed are appended to those that were drawn.
    """
    w, v, at = draw_shallow(size, rng, replicates, "tanh", x)
    if both:
        w, v = np.concatenate((w, w)), np.concatenate((v, -v))
        at = shallow_at(w, v, "tanh", x)
    phi = activation("softplus").derivative if phi is None else phi
    first, slope = at, phi(at.value, 1)
    start = slope**2 * at.kernel
    for _ in range(3000):
        residual = phi(at.value, 0) - label
        if np.abs(residual).max() < 1e-4:
            return first.kernel, at.kernel, start, slope**2 * at.kernel
        # Half of the step that makes the squared error fall fastest at this point.
        step = 0.5 / (slope**2 * at.kernel)
        w = w - (step * residual * slope)[:, None] * at.gradient
        at = shallow_at(w, v, "tanh", x)
        slope = phi(at.value, 1)
    raise _not_fitted(residual, 3000)


def _not_fitted(errors: Array, steps: int) -> ConvergenceError:
    worst = float(np.abs(errors).max())
    message = f"an error of {worst:.1e} after {steps} steps of gradient descent"
    return ConvergenceError(message, residual=worst, iterations=steps)
