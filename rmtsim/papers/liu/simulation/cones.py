"""Functions whose gradient has a constant norm, and the flow along their gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array


def cone(size: int, rng: Generator) -> tuple[Callable[[Any], Any], Array, float]:
    """f(w) = c·(distance of w from a random subspace) + an offset, a start w₀ and c: ‖∇f‖ = c off the subspace."""
    constant, offset = np.exp(rng.standard_normal()), rng.standard_normal()
    frame = np.linalg.qr(rng.standard_normal((size, size)))[0][:, : rng.integers(1, size + 1)]
    centre = rng.standard_normal(size)

    def value(w: Any) -> Any:
        inside = (w - centre) @ frame
        return constant * np.sqrt((inside * inside).sum()) + offset

    return value, rng.standard_normal(size), float(constant)


def gradient(value: Callable[[Any], Any], w: Array) -> Array:
    """Complex steps: exact to rounding."""
    return np.array([value(w + 1e-30j * e).imag / 1e-30 for e in np.eye(len(w))])


def flow(value: Callable[[Any], Any], start: Array, time: float, steps: int = 4) -> Array:
    """w(t) of dw/dt = ∇f(w), by Runge–Kutta."""
    w, h = start, time / steps
    for _ in range(steps):
        a = gradient(value, w)
        b = gradient(value, w + h / 2 * a)
        c = gradient(value, w + h / 2 * b)
        d = gradient(value, w + h * c)
        w = w + h / 6 * (a + 2 * b + 2 * c + d)
    return w
