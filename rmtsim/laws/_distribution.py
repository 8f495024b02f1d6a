"""The methods of ``scipy.stats`` that follow from a density, a cdf, quantiles, moments and atoms."""

from __future__ import annotations

import abc
import inspect
import math
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.randomness import RandomSource, one_source

Interval = tuple[float, float]
Atom = tuple[float, float]
_DRAW_BYTES = 64.0
"""Memory that one draw needs while quantiles are computed, in bytes."""
_FARTHEST = 1e-290
"""Tail mass at which integrals over an unbounded law stop."""


class Support(tuple[Interval, ...]):
    """Intervals that carry the density of a law; called, it returns the ends of the whole law.

    Examples
    --------
    >>> from rmtsim.laws import MarchenkoPastur
    >>> support = MarchenkoPastur(4.0).support
    >>> support, support()
    (((1.0, 9.0),), (0.0, 9.0))
    """

    ends: Interval

    def __new__(cls, intervals: tuple[Interval, ...], ends: Interval) -> Self:
        support = super().__new__(cls, intervals)
        support.ends = ends
        return support

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.ends

    def __call__(self) -> Interval:
        """Smallest and largest point of the law, atoms included, as ``support()`` of ``scipy.stats``."""
        return self.ends


def like(values: NDArray[Any], points: NDArray[Any]) -> Any:
    """``values`` in the shape of ``points``: a number for a number."""
    shaped = values.reshape(points.shape)
    return shaped if shaped.ndim else shaped.item()


class Pointwise(Protocol):
    """A method of one argument: a number for a number, an array for an array."""

    @overload
    def __call__(self, x: float, /) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, /) -> Any: ...


_ARGUMENTS = {
    "x": "x : float or array_like\n    Points.",
    "q": "q : float or array_like\n    Probabilities in [0, 1].",
    "z": "z : complex or array_like\n    Points of the plane.",
    "r": "r : float or array_like\n    Radii.",
}
"""Entries of the section "Parameters" by the name of the argument."""


def pointwise(values: str) -> Callable[[Callable[[Any, ArrayLike], Any]], Pointwise]:
    """Decorator of methods of one argument that map numbers to numbers and arrays to arrays.

    ``values`` says what the method returns: the sections "Parameters" and "Returns" are added to its docstring. It is
    empty for a method that overrides one with these sections.

    >>> pointwise("``log(x)``.")(lambda self, x: math.log(x))(None, 1.0)
    0.0
    """

    def decorate(method: Callable[[Any, ArrayLike], Any]) -> Any:
        if values and method.__doc__:
            summary, *rest = inspect.cleandoc(method.__doc__).split("\n\n", 1)
            argument = _ARGUMENTS[method.__code__.co_varnames[1]]
            added = f"Parameters\n----------\n{argument}\n\nReturns\n-------\nfloat or ndarray\n    {values}"
            method.__doc__ = "\n\n".join([summary, added, *rest])
        return method

    return decorate


def _without_nan(x: Any) -> tuple[Any, NDArray[np.bool_] | None]:
    """``x`` with 0.5, which is a point and a probability, for every NaN, and where these are; None if nowhere."""
    if isinstance(x, float):
        return (x, None) if x == x else (0.5, np.array(True))
    if isinstance(x, (np.ndarray, list, tuple)) and not isinstance(x, np.ma.MaskedArray):
        try:
            array = np.asarray(x)
        except ValueError:
            return x, None  # lists of unequal lengths, which the check of the argument refuses
        if array.dtype.kind == "f" and (missing := np.isnan(array)).any():
            return np.where(missing, 0.5, array), missing
    return x, None


class _ConstructorSignature:
    """Signature of a class: that of ``__init__``, although the base class defines ``__new__``."""

    def __get__(self, instance: Any, owner: type) -> inspect.Signature:
        signature = inspect.signature(owner.__init__)  # type: ignore[misc]
        return signature.replace(parameters=list(signature.parameters.values())[1:])


class Drawn(abc.ABC):
    """What laws on the line and in the plane have in common: independent draws, and a standard deviation."""

    @abc.abstractmethod
    def var(self) -> float: ...

    @abc.abstractmethod
    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[Any]:
        """Independent draws."""

    def std(self) -> float:
        """Standard deviation of the law, atoms included.

        Returns
        -------
        float
            Square root of :meth:`var`.
        """
        return math.sqrt(self.var())

    def rvs(
        self,
        size: int | tuple[int, ...] | None = None,
        random_state: RandomSource | np.random.RandomState = None,
        *,
        rng: RandomSource = None,
    ) -> Any:
        """Draw independent numbers from the law.

        Eigenvalues of one matrix are not independent; :func:`rmtsim.spectra.random_matrix` draws matrices.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; one number by default.
        random_state, rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
            Source of randomness, under SciPy's older or newer name; at most one of the two is given. None takes
            entropy from the operating system.

        Returns
        -------
        number or ndarray
            Draws: real, or complex for a law in the plane.

        Examples
        --------
        >>> from rmtsim.laws import Semicircle
        >>> Semicircle().rvs(3, random_state=1).shape, Semicircle().rvs(rng=1) == Semicircle().rvs(random_state=1)
        ((3,), True)
        """
        generator = one_source(random_state, rng)
        lengths = () if size is None else size if isinstance(size, tuple) else (size,)
        shape = tuple(validate.integer("size", length, minimum=0) for length in lengths)
        drawn = self._draw(shape, generator)
        return drawn.item() if size is None else drawn

    def sample(self, size: int | tuple[int, ...], rng: RandomSource = None) -> NDArray[Any]:
        """Draw independent numbers from the law; older name of :meth:`rvs`.

        Parameters
        ----------
        size : int or tuple of int
            Shape of the result.
        rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
            Source of randomness.

        Returns
        -------
        ndarray
            Draws.
        """
        return np.asarray(self.rvs(size, rng=rng))


class Distribution(Drawn):
    """A law on the real line with the methods of a frozen distribution of ``scipy.stats``.

    A subclass defines ``_intervals``, ``atoms``, ``moment`` and the hooks ``_pdf``, ``_cdf``, ``_sf``, ``_ppf`` and
    ``_isf``, which receive and return flat arrays, of points that may be infinite or of probabilities in [0, 1].
    """

    __signature__ = _ConstructorSignature()

    _broadcast: ClassVar[tuple[str, ...]] = ()
    """Parameters of the constructor that may be arrays."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """A law, or a :class:`LawArray` if one of its scalar parameters is an array."""
        given = (*arguments, *options.values())
        if cls._broadcast and any(isinstance(each, (list, tuple, np.ndarray)) for each in given):
            from rmtsim.laws._law_array import array_of_laws

            laws = array_of_laws(cls, cls._broadcast, arguments, options)
            if laws is not None:
                return laws  # type: ignore[return-value]
        return super().__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "support" in cls.__dict__ and "_intervals" not in cls.__dict__:
            # Classes written before `support` could be called define it as a plain tuple.
            type.__setattr__(cls, "_intervals", cls.__dict__["support"])
            type.__delattr__(cls, "support")

    @property
    @abc.abstractmethod
    def _intervals(self) -> tuple[Interval, ...]:
        """Closed intervals (lower, upper), in order, that support the continuous part."""

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Pairs (location, mass), in order of location."""
        return ()

    @property
    def support(self) -> Support:
        """Intervals (lower, upper) of the density; ``support()`` returns the two ends of the law, atoms included."""
        intervals = self._intervals
        ends = [*(end for interval in intervals for end in interval), *(place for place, _ in self.atoms)]
        return Support(intervals, (min(ends), max(ends)))

    _argument: ClassVar[str] = "where the law is evaluated"
    """What a point x is, in messages."""

    @abc.abstractmethod
    def _pdf(self, x: FloatArray) -> FloatArray:
        """Density of the continuous part."""

    @abc.abstractmethod
    def _cdf(self, x: FloatArray) -> FloatArray:
        """μ((−∞, x])."""

    @abc.abstractmethod
    def _sf(self, x: FloatArray) -> FloatArray:
        """μ((x, ∞))."""

    @abc.abstractmethod
    def _ppf(self, q: FloatArray) -> FloatArray:
        """Smallest x with cdf(x) ≥ q."""

    @abc.abstractmethod
    def _isf(self, q: FloatArray) -> FloatArray:
        """Smallest x with sf(x) ≤ q."""

    @abc.abstractmethod
    def moment(self, order: int) -> float:
        """Moment about zero, atoms included.

        Parameters
        ----------
        order : int
            Order, at least 0.

        Returns
        -------
        float
            ``∫ x^order dμ(x)``.

        Raises
        ------
        OverflowError
            If the moment exceeds the largest double.
        """

    def _at_points(self, hook: Callable[[FloatArray], FloatArray], x: ArrayLike) -> Any:
        """Values of a hook at points; NaN at points that are NaN, as ``scipy.stats`` has it."""
        given, missing = _without_nan(x)
        points = validate.real_array("x", given, infinite=True, meaning=self._argument)
        values = hook(points.ravel())
        return like(values if missing is None else np.where(missing.ravel(), math.nan, values), points)

    def _at_levels(self, hook: Callable[[FloatArray], FloatArray], q: ArrayLike) -> Any:
        """Values of a hook at probabilities; NaN at those that are NaN."""
        given, missing = _without_nan(q)
        levels = validate.real_array("q", given, meaning="a probability in [0, 1]")
        outside = (levels < 0) | (levels > 1)
        if outside.any():
            raise ValueError(f"q={levels[outside][0]}: expected probabilities in [0, 1]")
        values = hook(levels.ravel())
        return like(values if missing is None else np.where(missing.ravel(), math.nan, values), levels)

    @pointwise("Density; zero outside the support, infinite at a hard edge. Atoms are not included.")
    def density(self, x: ArrayLike) -> Any:
        """Density of the continuous part; ``pdf`` is SciPy's name of this method.

        Raises
        ------
        OverflowError
            If the density exceeds the largest double at a point that is not a hard edge.
        """
        return self._at_points(self._pdf, x)

    @pointwise("``μ((−∞, x])``.")
    def cdf(self, x: ArrayLike) -> Any:
        """Cumulative distribution function, atoms included."""
        return self._at_points(self._cdf, x)

    @pointwise("``μ((x, ∞)) = 1 − cdf(x)``.")
    def sf(self, x: ArrayLike) -> Any:
        """Survival function, with full relative accuracy in the upper tail where the law allows it."""
        return self._at_points(self._sf, x)

    @pointwise("Smallest x with ``cdf(x) >= q``; the lower end of the law for q = 0.")
    def ppf(self, q: ArrayLike) -> Any:
        """Quantile function, the inverse of the cdf.

        Raises
        ------
        ValueError
            If a probability lies outside [0, 1].
        """
        return self._at_levels(self._ppf, q)

    @pointwise("Smallest x with ``sf(x) <= q``: ``ppf(1 − q)`` without the rounding of 1 − q.")
    def isf(self, q: ArrayLike) -> Any:
        """Inverse of the survival function.

        Examples
        --------
        >>> from rmtsim.laws import MarchenkoPastur
        >>> law = MarchenkoPastur(1.0).scaled(-1.0)
        >>> round(law.sf(law.isf(1e-20)) * 1e20, 9)
        1.0
        """
        return self._at_levels(self._isf, q)

    @pointwise("As :meth:`density`; its integral is one minus the mass of the atoms.")
    def pdf(self, x: ArrayLike) -> Any:
        """Density of the continuous part."""
        return self.density(x)

    @pointwise("``log(pdf(x))``, −∞ where the density is zero.")
    def logpdf(self, x: ArrayLike) -> Any:
        """Logarithm of the density."""
        return _logarithm(self.density(x))

    @pointwise("``log(cdf(x))``, −∞ where the cdf is zero.")
    def logcdf(self, x: ArrayLike) -> Any:
        """Logarithm of the cumulative distribution function.

        Examples
        --------
        >>> from rmtsim.laws import MarchenkoPastur
        >>> law = MarchenkoPastur(1.0)
        >>> round(law.logcdf(1e-20), 9), law.logcdf(-1.0)
        (-23.477433635, -inf)
        """
        return _log_of_smaller(self.cdf(x), self.sf(x))

    @pointwise("``log(sf(x))``, −∞ where the survival function is zero.")
    def logsf(self, x: ArrayLike) -> Any:
        """Logarithm of the survival function."""
        return _log_of_smaller(self.sf(x), self.cdf(x))

    def mean(self) -> float:
        """Mean of the law, atoms included.

        Returns
        -------
        float
            ``∫ x dμ(x)``.

        Examples
        --------
        >>> from rmtsim.laws import MarchenkoPastur
        >>> law = MarchenkoPastur(0.5)
        >>> law.mean(), law.var()
        (1.0, 0.5)
        """
        return self.moment(1)

    def var(self) -> float:
        """Variance of the law, atoms included.

        Returns
        -------
        float
            ``∫ (x − mean)² dμ(x)``.
        """
        return self._central_moment(2)

    def median(self) -> float:
        """Median of the law.

        Returns
        -------
        float
            ``ppf(0.5)``.
        """
        return float(self.ppf(0.5))

    def stats(self, moments: str = "mv") -> Any:
        """Mean, variance, skewness and excess kurtosis.

        Parameters
        ----------
        moments : str, optional
            Any of the letters ``m``, ``v``, ``s`` and ``k``; each selects one of the four.

        Returns
        -------
        float or tuple of float
            The selected numbers, in the order mean, variance, skewness, excess kurtosis.

        Examples
        --------
        >>> from rmtsim.laws import Semicircle
        >>> Semicircle().stats("mvsk")
        (0.0, 1.0, 0.0, -1.0)
        """
        if not isinstance(moments, str) or not moments or set(moments) - set("mvsk"):
            raise ValueError(
                f"moments={validate.shown(moments)}: expected some of the letters m, v, s, k "
                "(mean, variance, skewness, kurtosis)"
            )
        known: dict[str, Callable[[], float]] = {
            "m": self.mean,
            "v": self.var,
            "s": lambda: self._standardised(3),
            "k": lambda: self._standardised(4) - 3,
        }
        values = tuple(function() for letter, function in known.items() if letter in moments)
        return values if len(values) > 1 else values[0]

    def _standardised(self, order: int) -> float:
        variance = self.var()
        if variance == 0:
            raise ValueError(
                "moments: the law has one point, so that its skewness and kurtosis are undefined"
            )
        return float(self._central_moment(order) / variance ** (0.5 * order))

    def _central_moment(self, order: int) -> float:
        mean = self.mean()
        return self.expect(lambda x: (x - mean) ** order)

    def interval(self, confidence: ArrayLike) -> tuple[Any, Any]:
        """Interval between two quantiles with equal tails.

        Parameters
        ----------
        confidence : float or array_like
            Probability of the interval, in [0, 1].

        Returns
        -------
        lower, upper : float or ndarray
            ``ppf((1 − confidence)/2)`` and ``isf((1 − confidence)/2)``.

        Examples
        --------
        >>> from rmtsim.laws import Semicircle
        >>> [round(end, 6) for end in Semicircle().interval(0.5)]
        [-0.807946, 0.807946]
        """
        level = validate.real_array("confidence", confidence, meaning="probability of the interval")
        outside = (level < 0) | (level > 1)
        if outside.any():
            raise ValueError(f"confidence={level[outside][0]}: expected probabilities in [0, 1]")
        tail = like(0.5 * (1 - level), level)
        return self.ppf(tail), self.isf(tail)

    def expect(
        self,
        func: Callable[[float], float] | None = None,
        lb: float | None = None,
        ub: float | None = None,
        conditional: bool = False,
    ) -> float:
        """Expectation of a function of a variable that follows the law, atoms included.

        Parameters
        ----------
        func : callable, optional
            Function of one number; the identity by default. It is evaluated at one point at a time.
        lb, ub : float, optional
            Integrate over [lb, ub] only; by default over the whole law.
        conditional : bool, optional
            Divide by the probability of [lb, ub].

        Returns
        -------
        float
            ``∫ func(x) dμ(x)`` over [lb, ub].

        Raises
        ------
        ConvergenceError
            If the estimated error exceeds 1e-8 of the integral of ``|func|``.
        ValueError
            If ``conditional`` is true and [lb, ub] has probability zero.

        Notes
        -----
        Adaptive Gauss–Kronrod quadrature in the angle θ, x = lower + (upper − lower) sin²(θ/2), on each interval of
        the support: the integrand is smooth at square-root edges and at hard edges.

        Examples
        --------
        >>> from rmtsim.laws import MarchenkoPastur
        >>> law = MarchenkoPastur(0.5)
        >>> round(law.expect(lambda x: 1 / x), 12)
        2.0
        >>> round(MarchenkoPastur(4.0).expect(lambda x: 1.0, ub=0.0), 12)
        0.75
        """
        from rmtsim.laws._expectation import expectation

        return expectation(self, func, lb, ub, conditional=conditional)

    def entropy(self) -> float:
        """Differential entropy of the law.

        Returns
        -------
        float
            ``−∫ p log p`` with the density p.

        Raises
        ------
        ValueError
            If the law has atoms: it has no density, and its differential entropy is not defined.

        Examples
        --------
        >>> import math
        >>> from rmtsim.laws import Semicircle
        >>> round(Semicircle().entropy(), 10) == round(math.log(2 * math.pi) - 0.5, 10)
        True
        """
        from rmtsim.laws._expectation import differential_entropy

        return differential_entropy(self)

    @classmethod
    def fit(cls, data: ArrayLike, **fixed: float) -> Self:
        """Law whose parameters are estimated from data.

        Parameters
        ----------
        data : array_like
            Observations; their order does not matter.
        **fixed : float
            Parameters that are kept, under SciPy's names: ``fratio=0.5`` or ``fix_ratio=0.5``.

        Returns
        -------
        law
            The law. SciPy's ``fit`` returns the parameters as a tuple; ``dataclasses.astuple(law)`` does too.

        Raises
        ------
        TypeError
            If this kind of law has no estimator.
        ValueError
            If the data cannot come from such a law.

        Notes
        -----
        Parameters are those whose first moments are the data's, which is consistent for the eigenvalues of one matrix
        although they are not independent; a Dyson index is chosen by likelihood.
        :func:`rmtsim.spectra.spectrum` fits a bulk in the presence of outliers and tests the fit.

        Examples
        --------
        >>> import numpy as np
        >>> from rmtsim.laws import MarchenkoPastur
        >>> law = MarchenkoPastur.fit(MarchenkoPastur(0.5, 3.0).rvs(20000, random_state=1))
        >>> round(law.ratio, 1), round(law.entry_variance, 1)
        (0.5, 3.0)
        """
        from rmtsim.laws._fitting import fixed_parameters

        return cls._fitted(data, fixed_parameters(cls._fit_names, fixed))

    _fit_names: ClassVar[tuple[str, ...]] = ()
    """Parameters that ``fit`` can keep."""

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        raise TypeError(
            f"{cls.__name__}.fit: this kind of law has no estimator; rmtsim.spectra.spectrum and "
            "rmtsim.spectra.deconvolve estimate bulks and populations"
        )

    def plot(self, y: str = "pdf", *, ax: Any = None) -> Any:
        """Draw the density, or another method, against x.

        Parameters
        ----------
        y : {"pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"}, optional
            Method that is drawn. In a plot of the density an atom is an arrow with its mass in the legend.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; ``ax.figure`` is the figure.

        Examples
        --------
        >>> from rmtsim.laws import MarchenkoPastur
        >>> MarchenkoPastur(0.5).plot("cdf").get_ylabel()
        'cdf'
        """
        from rmtsim.laws._drawing import draw

        return draw(self, y, ax)

    @property
    def _finite_range(self) -> Interval:
        """Ends of integrals over an unbounded law."""
        low, high = self.support()
        return (
            low if math.isfinite(low) else float(self.ppf(_FARTHEST)),
            high if math.isfinite(high) else float(self.isf(_FARTHEST)),
        )

    def _density_near(self, distance: FloatArray, number: int, upper: NDArray[np.bool_]) -> FloatArray:
        """Density at a distance from the lower (or upper) end of an interval of the support."""
        low, high = self._intervals[number]
        return np.asarray(self.density(np.where(upper, high - distance, low + distance)))

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        size = shape[0] if len(shape) == 1 else shape
        validate.memory(_DRAW_BYTES * math.prod(shape), f"size={size}: draws")
        return np.asarray(self.ppf(rng.random(shape)))


def _logarithm(values: Any) -> Any:
    array = np.asarray(values)
    with np.errstate(divide="ignore"):
        return like(np.log(array), array)


def _log_of_smaller(value: Any, rest: Any) -> Any:
    """log(value), by way of ``rest`` = 1 − value where that keeps the digits."""
    array, other = np.asarray(value), np.asarray(rest)
    with np.errstate(divide="ignore"):
        return like(np.where(array < 0.5, np.log(array), np.log1p(-np.minimum(other, 0.5))), array)
