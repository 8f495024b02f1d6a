"""Nodes and weights on the Marchenko–Pastur law that resolve (1 - ηλ)^t for any number of steps.

With r = √y and the angle φ from the lower edge, λ = (1 - r)² + 4r sin²(φ/2) and dμ = (2/π) sin²φ/λ dφ: there are no
square roots at the edges. The panels have to resolve the distance of the lower edge from zero and the boundary layers
of (1 - ηλ)^t at both edges and at λ = 2/η, so panels shrink geometrically towards these points.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import tuples_take_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim.laws import MarchenkoPastur

__all__ = ["Nodes", "edges", "nodes"]

ORDER = 20
"""Gauss–Legendre points per panel: exact to rounding on panels that double in length."""
_FINEST = 1e-13


@frozen
class Nodes:
    """The law of the non-zero eigenvalues as points and weights, and the mass at zero."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    atom: float

    def integral(self, integrand: NDArray[np.float64]) -> float:
        """∫ over the non-zero eigenvalues of a function given by its values at the nodes."""
        return float(self.weights @ integrand)


@tuples_take_arrays
def edges(ratio: float) -> tuple[float, float]:
    """λ₋ and λ₊ = (1 ± √ratio)², the ends of the non-zero spectrum.

    >>> edges(4.0)
    (1.0, 9.0)
    """
    return MarchenkoPastur(ratio).support[0]


def nodes(ratio: float, step: float = 0.0, steps: int = 1, *, order: int = ORDER) -> Nodes:
    """Nodes that integrate smooth functions of λ and of (1 - step·λ)^steps to rounding.

    >>> law = nodes(0.5, step=0.3, steps=1000)
    >>> round(law.integral(law.values**2), 12), law.atom
    (1.5, 0.0)
    """
    root = math.sqrt(ratio)
    decay = step * steps
    scale = math.pi
    if ratio != 1:
        scale = min(scale, abs(1 - ratio) / (1 + root) / math.sqrt(root))
    if decay > 0:
        scale = min(scale, 1 / math.sqrt(root * decay), 1 / (2 * root * decay))
    levels = max(2, math.ceil(math.log2(math.pi / max(scale / 4, _FINEST))))
    lower = edges(ratio)[0]
    inner = None
    if step > 0:
        square = (2 / step - lower) / (4 * root)
        if 0 < square < 1:
            inner = 2 * math.asin(math.sqrt(square))
    return _nodes(ratio, levels, inner, order)


@functools.lru_cache(maxsize=64)
def _nodes(ratio: float, levels: int, inner: float | None, order: int) -> Nodes:
    root = math.sqrt(ratio)
    points = [0.0, math.pi] if inner is None else [0.0, inner, math.pi]
    bounds = np.concatenate([_panels(left, right, levels) for left, right in itertools.pairwise(points)])
    left, right = bounds[:, 0], bounds[:, 1]
    places, masses = np.polynomial.legendre.leggauss(order)
    angle = (left + right)[:, None] / 2 + (right - left)[:, None] / 2 * places
    weight = (right - left)[:, None] / 2 * masses
    angle, weight = angle.ravel(), weight.ravel()
    gap = (1 - ratio) / (1 + root)
    values = gap * gap + 4 * root * np.sin(angle / 2) ** 2
    atom = (ratio - 1) / ratio if ratio > 1 else 0.0
    return Nodes(values, weight * (2 / np.pi) * np.sin(angle) ** 2 / values, atom)


def _panels(left: float, right: float, levels: int) -> NDArray[np.float64]:
    """Panels of [left, right] that halve towards both ends."""
    fractions = 0.5 ** np.arange(levels, 0, -1)
    knots = np.concatenate([[0.0], fractions, 1 - fractions[-2::-1], [1.0]])
    places = left + (right - left) * knots
    return np.stack([places[:-1], places[1:]], axis=1)
