"""Laws of the gap between neighbouring eigenvalues in the bulk, in units of the mean gap.

Gaudin and Mehta: with K± the even and odd halves of the sine kernel on (0, s/2),
K±(x, y) = sinc(x - y) ± sinc(x + y), D± = det(1 - K±), and ρ± = R±(s/2, s/2) the resolvent K(1 - K)⁻¹ at the moving
end, the probability that an interval of length s is empty is D₊D₋ (β = 2), D₊ (β = 1), (D₊(2s) + D₋(2s))/2 (β = 4).
Minus its slope is the survival function of the gap, its second derivative the density; both are sums of positive
terms: -2D±' = D±ρ±, D±'' = -½D±∂R±(x, s/2) at x = s/2, and (D₊D₋)'' = D₊D₋ρ₊ρ₋.
"""

from __future__ import annotations

import abc
import functools
import math
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, gammaln

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.deprecation import deprecated
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._distribution import Distribution, Interval
from rmtsim.laws._fitting import data_array, most_likely
from rmtsim.laws._painleve import nodes, to_coefficients
from rmtsim.laws._piecewise import evaluate
from rmtsim.laws._roots import increasing_root

Beta = Literal[1, 2, 4]


def _checked(beta: Any) -> Beta:
    if isinstance(beta, bool) or not isinstance(beta, (int, np.integer)) or beta not in (1, 2, 4):
        raise ValueError(
            f"beta={validate.shown(beta)}: expected 1, 2 or 4 (real, complex, quaternion entries)"
        )
    return beta  # type: ignore[return-value]


class SpacingLaw(Distribution):
    """A law of the gap between neighbouring eigenvalues, in units of the mean gap.

    Base class; the law is supported on [0, ∞) and has mean one.

    Attributes
    ----------
    support : tuple of (float, float)
        The half line.

    Examples
    --------
    >>> from rmtsim.laws import WignerSurmise
    >>> law = WignerSurmise(2)
    >>> round(law.mean(), 12), round(law.cdf(1.0) + law.sf(1.0), 12)
    (1.0, 1.0)
    """

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """The half line."""
        return ((0.0, math.inf),)

    beta: Beta

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", _checked(self.beta))

    _broadcast = ("beta",)

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        return most_likely([cls(beta=1), cls(beta=2), cls(beta=4)], data_array(data))

    _argument = "a gap in units of the mean gap"

    def _pdf(self, x: FloatArray) -> FloatArray:
        return self._mapped(x, self._gap_density, below=0.0)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._mapped(x, self._gap_cdf, below=0.0)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self._mapped(x, self._gap_sf, below=1.0)

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q, lower=True)

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q, lower=False)

    def _central_moment(self, order: int) -> float:
        # The mean is one and the spread is not small beside it: the binomial sum loses no digits.
        return math.fsum(
            math.comb(order, j) * (-1.0) ** (order - j) * self.moment(j) for j in range(order + 1)
        )

    @property
    @deprecated("variance of a spacing law", removed="0.2", instead="var()")
    def variance(self) -> float:
        """Deprecated; use ``var()``."""
        return self.var()

    @abc.abstractmethod
    def _gap_cdf(self, s: FloatArray) -> FloatArray:
        """The cdf at gaps s ≥ 0."""

    @abc.abstractmethod
    def _gap_sf(self, s: FloatArray) -> FloatArray:
        """The survival function at gaps s ≥ 0."""

    @abc.abstractmethod
    def _gap_density(self, s: FloatArray) -> FloatArray:
        """The density at gaps s ≥ 0."""

    @abc.abstractmethod
    def _solve(self, q: FloatArray, *, lower: bool) -> FloatArray:
        """Gaps with the cdf (or the survival function) q, in (0, 1)."""

    def _mapped(
        self, x: FloatArray, function: Callable[[FloatArray], FloatArray], *, below: float
    ) -> FloatArray:
        values = np.full(x.shape, below)
        values[x == np.inf] = function(np.array([np.inf]))[0] if (x == np.inf).any() else 0.0
        inside = (x >= 0) & (x < np.inf)
        if inside.any():
            values[inside] = function(x[inside])
        return values

    def _quantile(self, q: FloatArray, *, lower: bool) -> FloatArray:
        x = np.where((q == 0) == lower, 0.0, np.inf)
        inside = (q > 0) & (q < 1)
        if inside.any():
            x[inside] = self._solve(q[inside], lower=lower)
        return x


@frozen
class WignerSurmise(SpacingLaw):
    """Wigner surmise: gap distribution a s^β exp(−b s²) with mean one, exact for 2×2 Gaussian matrices.

    See Also
    --------
    GaudinMehta : The law of large matrices; the cdfs differ by less than 0.007.

    Examples
    --------
    >>> import math
    >>> from rmtsim.laws import WignerSurmise
    >>> law = WignerSurmise(1)
    >>> round(law.cdf(1.0), 12) == round(1 - math.exp(-math.pi / 4), 12)
    True
    >>> round(law.var(), 9), round(law.ppf(0.5), 9)
    (0.273239545, 0.939437279)
    """

    beta: Beta = 1
    """Dyson index."""

    @property
    def _shape(self) -> float:
        return 0.5 * (self.beta + 1)

    @property
    def _rate(self) -> float:
        return math.exp(2 * (gammaln(self._shape + 0.5) - gammaln(self._shape)))

    def _gap_cdf(self, s: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(gammainc(self._shape, self._rate * s**2))

    def _gap_sf(self, s: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(gammaincc(self._shape, self._rate * s**2))

    def _gap_density(self, s: FloatArray) -> FloatArray:
        near = np.minimum(s, 1e3)
        constant = math.log(2) + self._shape * math.log(self._rate) - float(gammaln(self._shape))
        return np.asarray(math.exp(constant) * near**self.beta * np.exp(-self._rate * near**2))

    def _solve(self, q: FloatArray, *, lower: bool) -> FloatArray:
        inverse = gammaincinv if lower else gammainccinv
        return np.asarray(np.sqrt(inverse(self._shape, q) / self._rate))

    def moment(self, order: int) -> float:
        """Moment ``b^(−k/2) Γ((β+1+k)/2)/Γ((β+1)/2)``."""
        k = validate.integer("order", order, minimum=0, maximum=200, meaning="order of the moment")
        logarithm = gammaln(self._shape + 0.5 * k) - gammaln(self._shape) - 0.5 * k * math.log(self._rate)
        return float(math.exp(logarithm))


LAST = 8.0
"""Longest interval of the kernel: determinants near 1e-17·e^{πt} of their factors' size have few digits left beyond."""
_FIRST = 0.5
"""Up to here densities, differences of order t^β, are found in many digits."""
_NODES = 28
_DEGREE = 17


@frozen
class GaudinMehta(SpacingLaw):
    """Gaudin–Mehta law: gap between neighbouring eigenvalues in the bulk of large matrices.

    See Also
    --------
    WignerSurmise : A simple approximation.

    Notes
    -----
    Computed from Fredholm determinants of the sine kernel by Gauss quadrature [1]_. Relative errors of cdf, sf and
    density are below 1e-12 up to s = 3 (s = 2 for β = 4) and grow like exp(πs) (exp(2πs)) beyond; absolute errors
    stay below 1e-14. The tail beyond s = 8 (s = 4 for β = 4) is returned as zero; it is below 1e-19 (1e-13).

    References
    ----------
    .. [1] F. Bornemann, "On the numerical evaluation of Fredholm determinants", Math. Comp. 79 (2010).

    Examples
    --------
    >>> from rmtsim.laws import GaudinMehta
    >>> law = GaudinMehta(2)
    >>> round(law.cdf(1.0), 12), round(law.moment(2), 12)
    (0.533898566668, 1.179993877692)
    >>> round(GaudinMehta(1).density(1.0), 10), round(law.ppf(law.cdf(0.7)), 12)
    (0.7018226476, 0.7)
    """

    beta: Beta = 2
    """Dyson index: GOE, GUE (default) or GSE."""

    @property
    def _stretch(self) -> float:
        """Length of the kernel's interval over the gap."""
        return 2.0 if self.beta == 4 else 1.0

    def _gap_sf(self, s: FloatArray) -> FloatArray:
        return self._tail(np.minimum(s * self._stretch, LAST), s)

    def _tail(self, t: FloatArray, s: FloatArray) -> FloatArray:
        ends, tail, _ = _tables(self.beta)
        return np.where(s * self._stretch < LAST, np.exp(evaluate(ends, tail, t)), 0.0)

    def _gap_density(self, s: FloatArray) -> FloatArray:
        ends, _, shape = _tables(self.beta)
        t = np.minimum(s * self._stretch, LAST)
        values = t**self.beta * np.exp(evaluate(ends, shape, t))
        return np.where(s * self._stretch < LAST, values, 0.0)

    def _gap_cdf(self, s: FloatArray) -> FloatArray:
        values = 1 - self._gap_sf(s)
        small = s * self._stretch < 1
        if small.any():
            # Integrated from zero: 1 - sf has no digits left for the cube of a small gap.
            u, w = np.polynomial.legendre.leggauss(20)
            end = s[small, None]
            density = self._gap_density((0.5 * end * (u + 1)).ravel()).reshape(-1, w.size)
            values[small] = (density * w).sum(axis=1) * 0.5 * s[small]
        return np.asarray(values)

    def _solve(self, q: FloatArray, *, lower: bool) -> FloatArray:
        from_below = (q < 0.5) == lower
        level = np.where((q < 0.5), q, 1 - q)

        def excess(s: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            value = np.where(from_below[k], self._gap_cdf(s) - level[k], level[k] - self._gap_sf(s))
            return value, self._gap_density(s)

        end = LAST / self._stretch
        noise = 2e-16 * np.maximum(level, 1e-290)
        return increasing_root(excess, np.zeros(q.shape), np.full(q.shape, end), np.full(q.shape, 0.4), noise)

    def moment(self, order: int) -> float:
        """Moment by Gauss quadrature of the density, to about thirteen digits for moderate k."""
        k = validate.integer("order", order, minimum=0, maximum=20, meaning="order of the moment")
        u, w = np.polynomial.legendre.leggauss(24)
        ends = np.linspace(0.0, LAST / self._stretch, 13)
        half = 0.5 * np.diff(ends)[:, None]
        x = (ends[:-1, None] + half * (u + 1)).ravel()
        return math.fsum((half * w).ravel() * x**k * self._gap_density(x))


@functools.cache
def _tables(beta: Beta) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends of elements in the kernel's length t, Chebyshev coefficients of log sf and of log(density/t^β) on them."""
    ends = np.arange(0.0, LAST + _FIRST, _FIRST)
    t = ends[:-1, None] + 0.5 * _FIRST * (nodes(_DEGREE) + 1)
    tail, density = _at(t[1:].ravel(), beta)
    shape = np.log(density) - beta * np.log(t[1:].ravel())
    first = np.array([_small(each, beta) for each in t[0]])
    matrix = to_coefficients(_DEGREE).T
    return (
        ends,
        np.vstack([first[:, 0], np.log(tail).reshape(-1, _DEGREE + 1)]) @ matrix,
        np.vstack([first[:, 1], shape.reshape(-1, _DEGREE + 1)]) @ matrix,
    )


def _small(t: float, beta: Beta) -> tuple[float, float]:
    """log sf and log(density/t^β) at a small t, in sixty digits: for β = 4 the density is a difference of order t⁴."""
    import mpmath

    with mpmath.workdps(60):
        length = mpmath.mpf(max(t, 1e-9))
        found = [_precise_half_kernel(length, sign) for sign in (1, -1)]
        (plus, end_plus, slope_plus), (minus, end_minus, slope_minus) = found
        if beta == 2:
            tail, density = plus * minus * (end_plus + end_minus) / 2, plus * minus * end_plus * end_minus
        elif beta == 1:
            tail, density = plus * end_plus / 2, -plus * slope_plus / 2
        else:
            tail = (plus * end_plus + minus * end_minus) / 2
            density = -(plus * slope_plus + minus * slope_minus)
        return (float(mpmath.log(tail)) if t else 0.0), float(mpmath.log(density / length**beta))


def _precise_half_kernel(t: Any, sign: int) -> tuple[Any, Any, Any]:
    """Determinant, end and slope of :func:`_half_kernel` in mpmath's numbers."""
    import mpmath as mp

    a = t / 2
    x = [a * (u + 1) / 2 for u, _ in _precise_legendre()]
    root = [mp.sqrt(a * w / 2) for _, w in _precise_legendre()]

    def kernel(u: Any, v: Any) -> Any:
        return mp.sincpi(u - v) + sign * mp.sincpi(u + v)

    def slope(u: Any) -> Any:
        return (mp.cospi(u) - mp.sincpi(u)) / u if u else mp.mpf(0)

    count = len(x)
    matrix = mp.matrix(count, count)
    for i in range(count):
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = (i == j) - root[i] * kernel(x[i], x[j]) * root[j]
    at_end = mp.matrix([root[i] * kernel(x[i], a) for i in range(count)])
    resolvent = mp.lu_solve(matrix, at_end)
    slopes = [root[i] * (slope(a - x[i]) + sign * slope(a + x[i])) for i in range(count)]
    return (
        mp.det(matrix),
        kernel(a, a) + mp.fdot(at_end, resolvent),
        sign * slope(2 * a) + mp.fdot(slopes, resolvent),
    )


@functools.cache
def _precise_legendre() -> tuple[tuple[Any, Any], ...]:
    """Twelve Gauss–Legendre nodes and weights in sixty digits: error (πt/4)²⁴/24! for t ≤ 1/2."""
    import mpmath as mp

    rule = []
    with mp.workdps(70):
        for start in np.polynomial.legendre.leggauss(12)[0]:
            x = mp.mpf(float(start))
            for _ in range(4):
                value, before = mp.legendre(12, x), mp.legendre(11, x)
                slope = 12 * (x * value - before) / (x**2 - 1)
                x -= value / slope
            slope = 12 * (x * mp.legendre(12, x) - mp.legendre(11, x)) / (x**2 - 1)
            rule.append((x, 2 / ((1 - x**2) * slope**2)))
    return tuple(rule)


def _at(t: FloatArray, beta: Beta) -> tuple[FloatArray, FloatArray]:
    """Survival function and density of the gap at kernel lengths t > 0."""
    plus, minus = _half_kernel(t, even=True), _half_kernel(t, even=False)
    if beta == 2:
        both = plus.determinant * minus.determinant
        return 0.5 * both * (plus.end + minus.end), both * plus.end * minus.end
    if beta == 1:
        return 0.5 * plus.determinant * plus.end, -0.5 * plus.determinant * plus.slope
    tail = 0.5 * (plus.determinant * plus.end + minus.determinant * minus.end)
    density = -(plus.determinant * plus.slope + minus.determinant * minus.slope)
    return tail, density


@frozen
class _HalfKernel:
    determinant: FloatArray
    end: FloatArray
    """ρ = R(a, a), a = t/2."""
    slope: FloatArray
    """∂R(x, a)/∂x at x = a."""


def _half_kernel(t: FloatArray, *, even: bool) -> _HalfKernel:
    u, w = np.polynomial.legendre.leggauss(_NODES)
    a = 0.5 * t[:, None]
    x, weight = 0.5 * a * (u + 1), 0.5 * a * w
    root = np.sqrt(weight)
    sign = 1.0 if even else -1.0
    kernel = _kernel(x[:, :, None], x[:, None, :], sign)
    matrix = np.eye(_NODES) - root[:, :, None] * kernel * root[:, None, :]
    at_end = _kernel(x, a, sign)
    # R(x, a) at the nodes, then continued to x = a and differentiated by R = K + KR.
    resolvent = np.linalg.solve(matrix, (root * at_end)[:, :, None])[:, :, 0] / root
    end = _kernel(a, a, sign)[:, 0] + (weight * at_end * resolvent).sum(axis=1)
    slope = _kernel_slope(a, a, sign)[:, 0] + (weight * _kernel_slope(a, x, sign) * resolvent).sum(axis=1)
    return _HalfKernel(np.linalg.det(matrix), end, slope)


def _kernel(x: FloatArray, y: FloatArray, sign: float) -> FloatArray:
    return np.asarray(np.sinc(x - y) + sign * np.sinc(x + y))


def _kernel_slope(x: FloatArray, y: FloatArray, sign: float) -> FloatArray:
    return np.asarray(_sinc_slope(x - y) + sign * _sinc_slope(x + y))


def _sinc_slope(x: FloatArray) -> FloatArray:
    """d/dx sin(πx)/(πx), = -π j₁(πx)."""
    from scipy.special import spherical_jn

    return np.asarray(-np.pi * np.sign(x) * spherical_jn(1, np.pi * np.abs(x)))
