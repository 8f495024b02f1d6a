"""The Kesten–McKay law of regular graphs."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Interval
from rmtsim.laws._edges import Edge, exact
from rmtsim.laws._fitting import data_array

_LARGEST = 10**12
"""Largest accepted degree."""


@frozen
class KestenMcKay(SpectralLaw):
    """Kesten–McKay law: limit spectrum of the adjacency matrix of a random regular graph.

    Notes
    -----
    The density is d√(4(d−1) − x²)/(2π(d² − x²)) on |x| ≤ 2√(d−1); it is the spectral measure of the d-regular tree
    [1]_ [2]_. Degree 2 gives the arcsine law; x/√(d−1) tends to the semicircle as d grows.

    References
    ----------
    .. [1] H. Kesten, "Symmetric random walks on groups", Trans. Amer. Math. Soc. 92 (1959).
    .. [2] B. D. McKay, "The expected eigenvalue distribution of a large regular graph", Linear Algebra Appl. 40
       (1981).

    Examples
    --------
    >>> from rmtsim.laws import KestenMcKay
    >>> law = KestenMcKay(3)
    >>> law.moment(4), round(law.support[0][1], 9), round(law.cdf(law.ppf(0.1)), 12)
    (15.0, 2.828427125, 0.1)
    """

    degree: int
    """Degree d ≥ 2."""

    def __post_init__(self) -> None:
        degree = validate.integer(
            "degree", self.degree, minimum=2, maximum=_LARGEST, meaning="neighbours of a vertex"
        )
        object.__setattr__(self, "degree", degree)

    _sharp_tails = True
    _broadcast = ("degree",)

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        # The second moment of the law is its degree.
        return cls(max(2, round(float((data_array(data) ** 2).mean()))))

    @cached_property
    def _edge(self) -> Edge:
        context = exact()
        return Edge.of(context.multiply(Decimal(2), context.sqrt(Decimal(self.degree - 1))))

    @cached_property
    def _gap(self) -> float:
        """degree - edge = (√(d-1) - 1)², without cancellation."""
        return ((self.degree - 2) / (math.sqrt(self.degree - 1) + 1)) ** 2

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """One interval, symmetric about zero."""
        return ((-self._edge.value, self._edge.value),)

    def _halves(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distances to the upper and the lower edge."""
        return np.maximum(self._edge.above(x), 0.0), np.maximum(self._edge.above(-x), 0.0)

    def _density_inside(self, x: FloatArray) -> FloatArray:
        right, left = self._halves(x)
        return self._at_distances(right, left)

    def _at_distances(self, right: FloatArray, left: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            value = (
                self.degree
                / (2 * np.pi)
                * np.sqrt(right)
                / (right + self._gap)
                * np.sqrt(left)
                / (left + self._gap)
            )
        # Degree 2 has hard edges, where the quotient above is 0/0.
        return np.where(np.isnan(value), np.inf, value)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        right, left = (np.sqrt(each) for each in self._halves(x))
        d = self.degree
        bent = np.arctan2((d - 2) * x, d * right * left)
        # d·arctan(x/S) - (d-2)·bent, S = right·left: for large d the angles cancel, their difference does not.
        difference = np.arctan2(2 * x * right * left, d * (right * left) ** 2 + (d - 2) * x**2)
        return np.asarray(0.5 + (d * difference + 2 * bent) / (2 * np.pi))

    def _edge_distance(self, x: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        return np.asarray(np.maximum(self._edge.above(np.where(upper, x, -x)), 0.0))

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        distance = np.maximum(distance, np.finfo(float).tiny)  # ∞ times zero is not a number
        return self._at_distances(distance, np.maximum(2 * self._edge.value - distance, 0.0))

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        end = self._edge.value + self._edge.rest
        root = np.sqrt(z - end) * np.sqrt(z + end)
        # Root and z point the same way, so nothing cancels; the two are divided by d before they are added.
        return np.asarray(-2 * (1 - 1 / self.degree) / (root + (1 - 2 / self.degree) * z))

    def moment(self, order: int) -> float:
        """Moment: the number of closed walks of length k from a vertex of the d-regular tree."""
        k = validate.integer("order", order, minimum=0, maximum=2000, meaning="order of the moment")
        if k % 2:
            return 0.0
        walks = [1]
        # (d²w² - 1)m² - (d - 2)m + d - 1 = 0 for m(w) = Σ walks·wᵏ, power by power of w².
        square = [1]
        for j in range(1, k // 2 + 1):
            inner = sum(walks[i] * walks[j - i] for i in range(1, j))
            walks.append((self.degree**2 * square[j - 1] - inner) // self.degree)
            square.append(2 * walks[j] + inner)
        with finite_moment(k):
            return float(walks[-1])
