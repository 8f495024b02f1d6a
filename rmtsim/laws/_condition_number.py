"""Condition numbers of Gaussian matrices that are square or nearly so."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._distribution import Distribution, Interval
from rmtsim.laws._hard_edge import HardEdge


@frozen
class ConditionNumber(Distribution):
    """Limit law of the condition number σ_max/σ_min, divided by n, of matrices of shape (n, n + excess).

    Entries are independent and standard, real or complex.

    Raises
    ------
    ValueError
        If ``beta`` is not 1 or 2, or ``excess`` not an integer in [0, 40].

    See Also
    --------
    HardEdge : The smallest eigenvalue of the same matrices.

    Notes
    -----
    σ_max/√n tends to 2 and nσ_min² to the law :class:`HardEdge`, hence P(σ_max/σ_min ≤ n x) → P(t > 4/x²). For square
    matrices the densities are (2x + 4)x⁻³exp(−2/x − 2/x²) and 8x⁻³exp(−4/x²) [1]_. The tail of the law is that of
    x^(−β(1 + excess)): a moment of that order or above is infinite.

    References
    ----------
    .. [1] A. Edelman, "Eigenvalues and condition numbers of random matrices", SIAM J. Matrix Anal. Appl. 9 (1988).

    Examples
    --------
    >>> import math
    >>> from rmtsim.laws import ConditionNumber
    >>> law = ConditionNumber(1)
    >>> round(law.cdf(2.0), 12) == round(math.exp(-1.5), 12), law.mean()
    (True, inf)
    >>> round(ConditionNumber(2).mean(), 9) == round(2 * math.sqrt(math.pi), 9)
    True
    """

    beta: Literal[1, 2] = 1
    """Real (default) or complex entries."""
    excess: int = 0
    """Number of columns more than rows, 0 to 40."""

    def __post_init__(self) -> None:
        validate.integer("beta", self.beta, minimum=1, maximum=2, meaning="1 or 2: real or complex entries")
        _ = self._edge

    @cached_property
    def _edge(self) -> HardEdge:
        return HardEdge(self.beta, self.excess)

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """The positive axis."""
        return ((0.0, math.inf),)

    _argument = "condition number over n"

    def _reciprocal(self, x: FloatArray) -> FloatArray:
        """4/x², infinite for x ≤ 0."""
        with np.errstate(divide="ignore", over="ignore"):
            inverse = (2 / np.where(x > 0, x, 1.0)) ** 2
        return np.where(x > 0, inverse, np.inf)

    def _pdf(self, x: FloatArray) -> FloatArray:
        t = self._reciprocal(x)
        inside = np.isfinite(t) & (t > 0)
        values = np.zeros(x.shape)
        # dt/dx = 8/x³ = t^{3/2}.
        values[inside] = self._edge._pdf(t[inside]) * t[inside] ** 1.5
        return values

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._edge._sf(self._reciprocal(x))

    def _sf(self, x: FloatArray) -> FloatArray:
        return self._edge._cdf(self._reciprocal(x))

    def _ppf(self, q: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(2 / np.sqrt(self._edge._isf(q)))

    def _isf(self, q: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(2 / np.sqrt(self._edge._ppf(q)))

    def moment(self, order: int) -> float:
        """Moment of an order up to 30, infinite from order β(1 + excess) on."""
        k = validate.integer("order", order, minimum=0, maximum=30, meaning="order of the moment")
        if k == 0:
            return 1.0
        gap = self.beta * (1 + self.excess) - k
        if gap <= 0:
            return math.inf
        # In y = log(x/2) the density vanishes fast on the left and like e^(-gap·y) on the right: the trapezoidal rule
        # converges exponentially.
        y, step = np.linspace(-0.5 * math.log(self._edge._largest), 37 / gap + 5, 400, retstep=True)
        x = 2 * np.exp(y)
        return float(step * np.sum(x ** (k + 1) * self.density(x)))

    def _central_moment(self, order: int) -> float:
        moments = [self.moment(j) for j in range(order + 1)]
        if math.isinf(moments[-1]):
            return math.inf
        return math.fsum(
            math.comb(order, j) * moments[j] * (-moments[1]) ** (order - j) for j in range(order + 1)
        )
