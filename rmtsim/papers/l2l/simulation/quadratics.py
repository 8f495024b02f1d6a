"""Random quadratics, and the slope of their meta-objective."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from rmtsim._internal.docstrings import frozen
from rmtsim.papers.l2l.simulation.unrolled import Quadratic, scaled_tangent


@frozen
class Instance:
    """A drawn quadratic, its extreme eigenvalues, and the coordinates of w₀ along their eigenvectors."""

    problem: Quadratic
    smallest: float
    largest: float
    along_smallest: float
    along_largest: float
    steps: int

    @property
    def c_min(self) -> float:
        """min(|c₁|, |c_d|)."""
        return min(self.along_smallest, self.along_largest)

    def slope(self, step: float) -> float:
        """Derivative of (1/t) log f(w_t), by carrying dw/dη along the descent."""
        return scaled_tangent(self.problem, step, self.steps).ratio


def draw(size: int, rng: np.random.Generator, longest: int = 20, spread: float = 3.0) -> Instance:
    """Eigenvalues log-uniform within ``spread`` factors of e, eigenvectors and w₀ uniform, up to ``longest`` steps."""
    values = np.sort(np.exp(spread * rng.uniform(-1, 1, size)))
    basis = np.linalg.qr(rng.standard_normal((size, size)))[0]
    start = rng.standard_normal(size)
    start /= np.linalg.norm(start)
    along = np.abs(basis.T @ start)
    problem = Quadratic((basis * values) @ basis.T, start)
    return Instance(
        problem,
        float(values[0]),
        float(values[-1]),
        float(along[0]),
        float(along[-1]),
        int(rng.integers(1, longest + 1)),
    )


def minimiser(instance: Instance) -> float:
    """η*: where the slope changes sign between 1/L and 1/α (that it does is l2l.claimD.1.1.interval)."""
    low, high = (1 - 1e-9) / instance.largest, (1 + 1e-9) / instance.smallest
    return float(brentq(instance.slope, low, high, xtol=1e-12 * high, rtol=1e-12))


@frozen
class Pair:
    """Two directions of weight one half: constants stay moderate, and a meta-iteration costs microseconds."""

    smallest: float
    largest: float
    steps: int = 3
    c_min: float = math.sqrt(0.5)

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Pair:
        """Eigenvalues near 0.6 and 1.4."""
        return cls(0.5 + 0.2 * rng.random(), 1.3 + 0.2 * rng.random())

    def slope(self, step: float) -> float:
        """Equation (5.2): the meta-gradient, scaled by the larger factor."""
        a, b = 1 - step * self.smallest, 1 - step * self.largest
        top = max(abs(a), abs(b))
        a, b = a / top, b / top
        low, high = a ** (2 * self.steps - 1), b ** (2 * self.steps - 1)
        upper = self.smallest**2 * low + self.largest**2 * high
        return -2 * upper / (self.smallest * a * low + self.largest * b * high) / top

    def minimiser(self) -> float:
        """η* by bisection."""
        low, high = 1 / self.largest, 1 / self.smallest
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.slope(middle) < 0 else (low, middle)
        return (low + high) / 2
