"""Hard edge: the smallest eigenvalue of nearly square sample covariances and the condition number.

With T the operator on L²(0, 1) with kernel (√s/2) J_m(√(s x y)) and D∓ = det(1 ∓ T), an interval (0, s) at a hard
edge is empty with probability D₋D₊ for complex and D₋ for real matrices (Forrester 2006), s = 4nλ, and with
probability (D₋ + D₊)/2 for quaternion ones, whose m is twice the excess and s = 16nλ, because every second eigenvalue
of a real matrix is one of a quaternion matrix (Forrester and Rains 2001). For m = 0, D∓ = e^(-s/8 ∓ √s/2) (Edelman
1988).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import jv, jvp

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws._airy_counts import generated
from rmtsim.laws._distribution import Distribution, Interval
from rmtsim.laws._roots import increasing_root

_NODES = 40
_FINEST = 1e-12
_LARGEST = 400.0
"""Beyond this s/4 the smallest eigenvalue of square matrices has a tail below 1e-80."""
_MOST = 20


@frozen
class HardEdge(Distribution):
    """Limit law of the smallest eigenvalue of XX*, times n, for matrices that are square or nearly so.

    X has shape (n, n + excess) and independent standard entries, real, complex or quaternion (E|x|² = 1).

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    See Also
    --------
    ConditionNumber : Condition numbers of the same matrices.
    TracyWidom : The largest eigenvalue.

    Notes
    -----
    Probabilities are Fredholm determinants of a Bessel kernel [1]_ [2]_ by Gauss–Legendre quadrature [3]_; for
    square matrices they are 1 − exp(−t/2 − √t), 1 − exp(−t) [4]_ and 1 − exp(−2t)cosh(2√t). For k = 1 and β = 1, 2 the
    cdf has a relative, the sf an absolute accuracy of about 1e-13; otherwise both are absolute, and quantiles of
    probabilities below 1e-12 are refused.

    References
    ----------
    .. [1] C. A. Tracy and H. Widom, "Level spacing distributions and the Bessel kernel", Comm. Math. Phys. 161 (1994).
    .. [2] P. J. Forrester, "Hard and soft edge spacing distributions for random matrix ensembles with orthogonal and
       unitary symmetry", Nonlinearity 19 (2006).
    .. [3] F. Bornemann, "On the numerical evaluation of Fredholm determinants", Math. Comp. 79 (2010).
    .. [4] A. Edelman, "Eigenvalues and condition numbers of random matrices", SIAM J. Matrix Anal. Appl. 9 (1988).

    Examples
    --------
    >>> import math
    >>> from rmtsim.laws import HardEdge
    >>> law = HardEdge(1)
    >>> round(law.cdf(1.0), 12) == round(1 - math.exp(-1.5), 12)
    True
    >>> round(HardEdge(2, excess=1).median(), 6)
    2.311502
    >>> abs(HardEdge(4).sf(1.0) - math.exp(-2) * math.cosh(2)) < 1e-13
    True
    """

    beta: Literal[1, 2, 4] = 1
    """Real (default), complex or quaternion entries."""
    excess: int = 0
    """Number of columns more than rows, 0 to 40."""
    k: int = 1
    """Which eigenvalue, counted from the smallest; 1 (default) to 20."""

    def __post_init__(self) -> None:
        validate.integer("beta", self.beta, minimum=1, maximum=4, meaning="real, complex, quaternion entries")
        if self.beta not in (1, 2, 4):
            raise ValueError(f"beta={self.beta}: expected 1, 2 or 4 (real, complex, quaternion entries)")
        validate.integer("excess", self.excess, minimum=0, maximum=40, meaning="columns more than rows")
        validate.integer("k", self.k, minimum=1, maximum=_MOST, meaning="which eigenvalue, from the smallest")

    @property
    def _sharp(self) -> bool:
        """Whether small probabilities have relative accuracy."""
        return self.k == 1 and self.beta < 4

    @property
    def _order(self) -> int:
        """Order of the Bessel function."""
        return 2 * self.excess if self.beta == 4 else self.excess

    @property
    def _reach(self) -> float:
        """√(s/4) beyond which the tail is negligible: √s of the k-th eigenvalue is a bit above its order + πk."""
        return math.sqrt(_LARGEST) + self._order + 2 * math.pi * (self.k - 1) * (2 if self.beta == 4 else 1)

    @property
    def _largest(self) -> float:
        """The corresponding t."""
        return self._reach**2 / (4 if self.beta == 4 else 1)

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """The positive axis."""
        return ((0.0, math.inf),)

    def _logarithm(self, t: float) -> tuple[float, float]:
        """log of the survival function at t > 0, and its slope."""
        if self.excess == 0 and self.k == 1:
            return self._square(t)
        size = (4 if self.beta == 4 else 2) * math.sqrt(t)
        xi, rule = _rule(_NODES + math.ceil(self._reach))
        # x = ξ² makes the kernel smooth: dx = 2ξ dξ.
        root = np.sqrt(xi * rule)
        outer = np.outer(xi, xi)
        weight = np.outer(root, root)
        bessel = jv(self._order, size * outer)
        kernel = 0.5 * size * bessel * weight
        change = (0.5 * bessel + 0.5 * size * outer * jvp(self._order, size * outer)) * weight
        values, vectors = np.linalg.eigh(kernel)
        # d size/dt = size/(2t).
        slopes = np.einsum("ik,ij,jk->k", vectors, change, vectors) * size / (2 * t)
        if self.k > 1:
            total, moved = (
                math.fsum(each[: self.k]) for each in generated(values, self.beta, self.k, slopes)
            )
            # Rounding errors of the sum are about 1e-16: a smaller probability has no digits.
            total = min(max(total, 1e-17), 1 - 1e-17)
            return math.log(total) if total > 1e-17 else -math.inf, moved / total
        # Far out the outer eigenvalues are ±1 up to rounding, and the tail is negligible.
        values = np.clip(values, 2.0**-53 - 1, 1 - 2.0**-53)
        minus, plus = float(np.sum(np.log1p(-values))), float(np.sum(np.log1p(values)))
        minus_slope, plus_slope = float(np.sum(-slopes / (1 - values))), float(np.sum(slopes / (1 + values)))
        if self.beta == 1:
            return minus, minus_slope
        if self.beta == 2:
            return minus + plus, minus_slope + plus_slope
        share = 1 / (1 + math.exp(minus - plus))
        mean = float(np.logaddexp(minus, plus)) - math.log(2)
        return min(mean, 0.0), share * plus_slope + (1 - share) * minus_slope

    def _square(self, t: float) -> tuple[float, float]:
        """The same for the smallest eigenvalue of square matrices, in closed form."""
        root = math.sqrt(t)
        if self.beta == 1:
            return -t / 2 - root, -0.5 - 0.5 / root
        if self.beta == 2:
            return -t, -1.0
        # log cosh(2√t) − 2t without overflow.
        log = 2 * root + math.log1p(math.exp(-4 * root)) - math.log(2) - 2 * t
        return min(log, 0.0), math.tanh(2 * root) / root - 2

    _argument = "n times the smallest eigenvalue"

    def _mapped(
        self, x: FloatArray, value: Callable[[float], float], below: float, above: float
    ) -> FloatArray:
        return np.array(
            [below if t <= 0 else above if t >= self._largest else value(t) for t in x.tolist()], dtype=float
        )

    def _pdf(self, x: FloatArray) -> FloatArray:
        def value(t: float) -> float:
            log, slope = self._logarithm(t)
            return max(-slope * math.exp(log), 0.0)

        known = {(1, 0, 1): math.inf, (2, 0, 1): 1.0, (1, 1, 1): 0.5}
        at_zero = known.get((self.beta, self.excess, self.k), 0.0)
        return np.where(x == 0, at_zero, self._mapped(x, value, 0.0, 0.0))

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._mapped(x, lambda t: -math.expm1(self._logarithm(t)[0]), 0.0, 1.0)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self._mapped(x, lambda t: math.exp(self._logarithm(t)[0]), 1.0, 0.0)

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q, upper=False)

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q, upper=True)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        small = np.minimum(q, 1 - q)
        if not self._sharp and ((small > 0) & (small < _FINEST)).any():
            raise ConvergenceError(
                f"q={q[(small > 0) & (small < _FINEST)][0]}: below the absolute accuracy of this law, {_FINEST:g}",
                residual=_FINEST,
                iterations=0,
            )
        # In log(-log sf), which increases with log t, both tails are smooth.
        with np.errstate(divide="ignore"):
            target = np.log(-(np.log(q) if upper else np.log1p(-q)))
        values = np.where(target == -np.inf, 0.0, np.inf)
        open_ = np.flatnonzero(np.isfinite(target))

        def excess(x: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            pairs = [self._logarithm(math.exp(point)) for point in x]
            logs, slopes = np.array(pairs).T
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.log(-logs) - target[open_][k], slopes * np.exp(x) / logs

        if open_.size:
            low, high = np.full(open_.size, -80.0), np.full(open_.size, math.log(self._largest))
            values[open_] = np.exp(increasing_root(excess, low, high, np.zeros(open_.size)))
        return np.asarray(values)

    def moment(self, order: int) -> float:
        """Moment of an order up to 30, ``order ∫ t^(order − 1) sf(t) dt``."""
        k = validate.integer("order", order, minimum=0, maximum=30, meaning="order of the moment")
        if k == 0:
            return 1.0
        nodes, rule = np.polynomial.legendre.leggauss(120 + 6 * math.ceil(self._reach - math.sqrt(_LARGEST)))
        # t = τ² up to where the tail is negligible.
        end = math.sqrt(self._largest)
        tau = 0.5 * end * (1 + nodes)
        return float(np.sum(0.5 * end * rule * 2 * k * tau ** (2 * k - 1) * self.sf(tau**2)))


@functools.cache
def _rule(count: int) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre nodes on (0, 1), and their weights on (-1, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (1 + nodes), weights
