"""Tracy–Widom laws: fluctuations of the k-th largest eigenvalue for any β > 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.deprecation import deprecated
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws import _airy_tails as tails
from rmtsim.laws._distribution import Distribution, Interval, pointwise
from rmtsim.laws._piecewise import evaluate
from rmtsim.laws._roots import increasing_root

if TYPE_CHECKING:
    from rmtsim.laws._airy_counts import EdgeTable

Convention = Literal["tracy-widom", "stochastic-airy", "determinant"]

_STRETCH = {"tracy-widom": math.sqrt(2.0), "stochastic-airy": 2 ** (2 / 3), "determinant": 1.0}
"""t/x for β = 4 in each convention."""
_SMALLEST, _LARGEST, _MOST = 1e-3, 100.0, 20


@frozen
class TracyWidom(Distribution):
    """Tracy–Widom law of the largest eigenvalue, or of the k-th largest.

    Raises
    ------
    ValueError
        If a parameter is outside its range, or the convention is not defined for this β.
    ConvergenceError
        By the methods, if the law cannot be computed to 1e-8, or if a probability is too small for its accuracy.

    See Also
    --------
    wigner_edge, wishart_edge : Centre and scale of the largest eigenvalue.

    Notes
    -----
    The limit law of (λ − centre)/scale [1]_. Conventions for β = 4, with D∓ = det(1 ∓ V_t), V_t the operator with
    kernel Ai(x + y + t):

    ==================  =================================  ========
    convention          F₄                                 mean
    ==================  =================================  ========
    tracy-widom         F₄(t/√2) = (D₋ + D₊)/2 [1]_        −2.3069
    stochastic-airy     F₄(t/2^(2/3)) = (D₋ + D₊)/2 [2]_   −2.0552
    determinant         F₄(t) = (D₋ + D₊)/2 [3]_           −3.2624
    ==================  =================================  ========

    For β = 1, 2, 4 and k = 1, relative errors are about 1e-13 for cdf and sf, down to 1e-300, and 1e-12 for the
    density; ``logcdf`` and ``logsf`` are accurate where the probabilities themselves underflow. For k > 1 the law
    comes from Fredholm determinants [3]_ with absolute errors of about 1e-13. For other β it comes from the partial
    differential equation of Bloemendal and Virág [4]_; :attr:`error` estimates its absolute error, about 1e-10. One
    such table takes one to twenty seconds and is kept.

    References
    ----------
    .. [1] C. A. Tracy and H. Widom, "On orthogonal and symplectic matrix ensembles", Comm. Math. Phys. 177 (1996).
    .. [2] J. A. Ramírez, B. Rider and B. Virág, "Beta ensembles, stochastic Airy spectrum, and a diffusion", J. Amer.
       Math. Soc. 24 (2011).
    .. [3] F. Bornemann, "On the numerical evaluation of distributions in random matrix theory", Markov Process.
       Related Fields 16 (2010).
    .. [4] A. Bloemendal and B. Virág, "Limits of spiked random matrices II", Ann. Probab. 44 (2016).

    Examples
    --------
    >>> from rmtsim.laws import TracyWidom
    >>> law = TracyWidom(2)
    >>> round(law.cdf(0.0), 12), round(law.mean(), 10)
    (0.969372828355, -1.7710868074)
    >>> round(law.logcdf(-20.0), 6), round(law.logsf(40.0), 6)
    (-667.177667, -346.765986)
    >>> round(TracyWidom(1).ppf(0.95), 9)
    0.979316053
    >>> round(TracyWidom(2, k=2).mean(), 8), round(TracyWidom(4, convention="stochastic-airy").mean(), 8)
    (-3.6754373, -2.05520079)
    """

    beta: float = 1
    """Dyson index: 1 (default) for real, 2 for complex, 4 for quaternion entries, or any number in [0.001, 100]."""
    k: int = 1
    """Which eigenvalue, counted from the largest; 1 (default) to 20."""
    convention: Convention | None = None
    """Scale of x for β = 4 (see Notes). By default that of Tracy and Widom for β = 4 and that of the stochastic
    Airy operator for every other β; for β = 1 and 2 all conventions agree."""

    def __post_init__(self) -> None:
        meaning = "Dyson index: 1, 2, 4 for real, complex, quaternion entries, or any number between"
        value = validate.positive_number("beta", self.beta, meaning=meaning)
        if not _SMALLEST <= value <= _LARGEST:
            raise ValueError(
                f"beta={validate.shown(self.beta)}: expected a number in [{_SMALLEST:g}, {_LARGEST:g}]; the law tends "
                "to Gumbel's as beta tends to 0 and to a normal law as it tends to infinity"
            )
        validate.integer("k", self.k, minimum=1, maximum=_MOST, meaning="which eigenvalue, from the largest")
        if self.convention is not None:
            validate.choice("convention", self.convention, tuple(_STRETCH), meaning="scale for beta = 4")
            if self.convention != "stochastic-airy" and self.beta not in (1, 2, 4):
                raise ValueError(
                    f"convention={self.convention!r}: defined for beta = 1, 2 and 4; expected 'stochastic-airy' or "
                    f"None for beta={self.beta}"
                )

    _broadcast = ("beta", "k")

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        from rmtsim.laws._fitting import data_array, most_likely

        return most_likely([cls(1), cls(2), cls(4)], data_array(data))

    @property
    def _exact(self) -> bool:
        """Whether tails have relative accuracy."""
        return self.k == 1 and self.beta in (1, 2, 4)

    @property
    def error(self) -> float:
        """Estimated absolute error of cdf and sf; for β = 1, 2, 4 and k = 1 it is relative."""
        return 1e-13 if self._exact else self._table.error

    @property
    def _table(self) -> EdgeTable:
        if self.beta in (1, 2, 4):
            from rmtsim.laws._airy_counts import counted_table

            return counted_table(int(self.beta), self.k)
        from rmtsim.laws._airy_diffusion import diffused_tables

        return diffused_tables(float(self.beta), self.k)[-1]

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """The whole line."""
        return ((-math.inf, math.inf),)

    @property
    def _finite_range(self) -> Interval:
        """Ends of integrals: those of the table, if the law has one."""
        if self._exact:
            return super()._finite_range
        ends = self._table.ends / self._stretch
        return float(ends[0]), float(ends[-1])

    def _pdf(self, x: FloatArray) -> FloatArray:
        return self._density(x * self._stretch)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._tails(x * self._stretch)[0]

    def _sf(self, x: FloatArray) -> FloatArray:
        return self._tails(x * self._stretch)[1]

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q, lower=True)

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q, lower=False)

    @pointwise("")
    def logcdf(self, x: ArrayLike) -> Any:
        """Logarithm of the cdf, also where the cdf underflows."""
        return self._at_points(lambda x: self._log_tails(x * self._stretch)[0], x)

    @pointwise("")
    def logsf(self, x: ArrayLike) -> Any:
        """Logarithm of the survival function, also where it underflows."""
        return self._at_points(lambda x: self._log_tails(x * self._stretch)[1], x)

    def moment(self, order: int) -> float:
        """Moment of an order up to 40.

        Examples
        --------
        >>> round(TracyWidom(4).moment(1), 10)
        -2.3068848932
        """
        k = validate.integer("order", order, minimum=0, maximum=40, meaning="order of the moment")
        x, w = self._nodes
        return float(math.fsum(w * x**k * self._density(x * self._stretch)))

    @property
    @deprecated("TracyWidom.variance", removed="0.2", instead="TracyWidom.var()")
    def variance(self) -> float:
        """Deprecated; use ``var()``."""
        return self.var()

    @property
    @deprecated("TracyWidom.skewness", removed="0.2", instead='TracyWidom.stats("s")')
    def skewness(self) -> float:
        """Deprecated; use ``stats("s")``."""
        return float(self.stats("s"))

    @property
    @deprecated("TracyWidom.kurtosis", removed="0.2", instead='TracyWidom.stats("k")')
    def kurtosis(self) -> float:
        """Deprecated; use ``stats("k")``."""
        return float(self.stats("k"))

    def _central_moment(self, order: int) -> float:
        x, w = self._nodes
        return float(math.fsum(w * (x - self.mean()) ** order * self._density(x * self._stretch)))

    @property
    def _nodes(self) -> tuple[FloatArray, FloatArray]:
        """Nodes and weights of an integral over x."""
        if self._exact:
            x, w = tails.moment_nodes()
            scale = math.sqrt(2.0) / self._stretch if self.beta == 4 else 1.0
            return x * scale, w * scale
        return _table_nodes(self._table, self._stretch)

    @property
    def _stretch(self) -> float:
        """t/x: the convention of β = 4."""
        return _STRETCH[self.convention or "tracy-widom"] if self.beta == 4 else 1.0

    def _tails(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """F and 1 - F."""
        if self._exact:
            return tails.tails(t, int(self.beta))
        below = _tabulated(self._table, t)
        return below, 1 - below

    def _log_tails(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log F and log(1 - F)."""
        if self._exact:
            return tails.log_tails(t, int(self.beta))
        below = _tabulated(self._table, t)
        with np.errstate(divide="ignore"):
            return np.log(below), np.log1p(-below)

    def _density(self, t: FloatArray) -> FloatArray:
        """F'(x) at t = x·stretch."""
        if self._exact:
            return tails.density(t, int(self.beta)) * self._stretch
        return np.maximum(_tabulated(self._table, t, derivative=True), 0.0) * self._stretch

    def _quantile(self, q: FloatArray, *, lower: bool) -> FloatArray:
        x = np.where((q == 0) == lower, -np.inf, np.inf)
        inside = (q > 0) & (q < 1)
        if inside.any():
            x[inside] = self._solve(q[inside], lower=lower) / self._stretch
        return x

    def _solve(self, q: FloatArray, *, lower: bool) -> FloatArray:
        """t with the given tail: Newton on the logarithm of the smaller tail, which is nearly a power of t."""
        if not self._exact and float(np.minimum(q, 1 - q).min()) < 10 * self.error:
            raise ConvergenceError(
                f"q={float(q[np.argmin(np.minimum(q, 1 - q))])}: below the absolute accuracy of this law, "
                f"{self.error:.2g}; laws with beta = 1, 2, 4 and k = 1 have quantiles of every probability",
                residual=self.error,
                iterations=0,
            )
        from_left = (q < 0.5) == lower
        tail = np.where(q < 0.5, np.log(q), np.log1p(-q))

        def excess(t: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            below, above = self._log_tails(t)
            density = self._density(t) / self._stretch
            side = from_left[k]
            value = np.where(side, below - tail[k], tail[k] - above)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                slope = np.where(side, density / np.exp(below), density / np.exp(above))
            return value, np.where(np.isfinite(slope), slope, 0.0)

        low = np.where(from_left, -30.0, -10.0)
        high = np.where(from_left, 5.0, tails.FARTHEST - 1)
        start, noise = np.zeros(q.shape), 1e-15
        if not self._exact:
            ends = self._table.ends
            low, high = np.full(q.shape, ends[0]), np.full(q.shape, ends[-1])
            start, noise = 0.5 * (low + high), 1e-14
        return increasing_root(excess, low, high, start, np.full(q.shape, noise))


def _tabulated(table: EdgeTable, t: FloatArray, *, derivative: bool = False) -> FloatArray:
    """The distribution function of a table, or its slope; exactly 0 and 1 outside of it."""
    values = np.zeros(t.shape) if derivative else (t > table.ends[-1]).astype(np.float64)
    inside = (t >= table.ends[0]) & (t <= table.ends[-1])
    found = evaluate(table.ends, table.coefficients, t[inside], derivative=derivative)
    values[inside] = found if derivative else np.clip(found, 0.0, 1.0)
    return values


def _table_nodes(table: EdgeTable, stretch: float) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre nodes on every element of a table."""
    x, w = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(table.ends)[:, None]
    middle = 0.5 * (table.ends[:-1] + table.ends[1:])[:, None]
    return ((middle + half * x) / stretch).ravel(), (half * w / stretch).ravel()
