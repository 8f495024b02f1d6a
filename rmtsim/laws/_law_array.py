"""Laws of one kind for an array of parameters, with SciPy's rules of broadcasting."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.randomness import RandomSource, one_source

if TYPE_CHECKING:
    from rmtsim.laws._distribution import Distribution


Method = TypeVar("Method", bound=Callable[..., Any])

_POINTWISE = """{summary}

Parameters
----------
{argument} : array_like
    {points}, broadcast against the array.

Returns
-------
ndarray
    Values, in the broadcast shape.
"""

_EACH = """{summary}

Returns
-------
ndarray
    One number for each law.
"""


def _pointwise(name: str, summary: str, argument: str = "x") -> Callable[[LawArray, ArrayLike], FloatArray]:
    """The method of this name of every law, its argument broadcast against the array."""

    def method(self: LawArray, x: ArrayLike) -> FloatArray:
        return self._pointwise_with(lambda law, points: getattr(law, name)(points), x, argument)

    def quantile(self: LawArray, q: ArrayLike) -> FloatArray:
        return method(self, q)

    points = "Points" if argument == "x" else "Probabilities in [0, 1]"
    doc = _POINTWISE.format(summary=summary, argument=argument, points=points)
    return _named(method if argument == "x" else quantile, name, doc)


def _for_each(name: str, summary: str) -> Callable[[LawArray], FloatArray]:
    """The method of this name of every law, without arguments."""

    def method(self: LawArray) -> FloatArray:
        return self._each(lambda law: getattr(law, name)())

    return _named(method, name, _EACH.format(summary=summary))


def _named(method: Method, name: str, doc: str) -> Method:
    method.__name__, method.__qualname__, method.__doc__ = name, f"LawArray.{name}", doc
    return method


class LawArray:
    """An array of laws whose methods broadcast points against it.

    ``MarchenkoPastur([0.5, 1.0, 2.0])`` is such an array of shape (3,), and ``pdf(x[:, None])`` has one column for
    each law, as for distributions of ``scipy.stats`` with arrays of parameters.

    Parameters
    ----------
    laws : array_like of laws
        Laws on the real line.

    Attributes
    ----------
    laws : ndarray of object
        The laws.
    shape : tuple of int
        Shape of the array.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws import MarchenkoPastur
    >>> laws = MarchenkoPastur([0.5, 1.0, 2.0])
    >>> laws.shape, laws[1]
    ((3,), MarchenkoPastur(ratio=1.0, entry_variance=1.0))
    >>> laws.mean(), laws.var()
    (array([1., 1., 1.]), array([0.5, 1. , 2. ]))
    >>> x = np.linspace(0.1, 5.0, 4)
    >>> laws.pdf(x[:, None]).shape
    (4, 3)
    """

    def __init__(self, laws: Any) -> None:
        from rmtsim.laws._distribution import Distribution

        self.laws: NDArray[Any] = np.asarray(laws, dtype=object)
        for law in self.laws.flat:
            validate.instance("laws", law, Distribution, meaning="a law on the real line")  # type: ignore[type-abstract]

    @classmethod
    def of(cls, kind: Callable[..., Distribution], /, *arguments: Any, **options: Any) -> LawArray:
        """Laws for arrays of parameters, which are broadcast against each other.

        Parameters
        ----------
        kind : callable
            Class or function that makes a law, such as :class:`MarchenkoPastur`.
        *arguments, **options
            Parameters, numbers or arrays.

        Returns
        -------
        LawArray
            One law for each element.

        Examples
        --------
        >>> from rmtsim.laws import LawArray, MarchenkoPastur
        >>> LawArray.of(MarchenkoPastur, [[0.5], [2.0]], entry_variance=[1.0, 4.0]).shape
        (2, 2)
        """
        names = list(options)
        given = np.broadcast_arrays(*(np.asarray(each) for each in (*arguments, *options.values())))
        laws = np.empty(given[0].shape if given else (), dtype=object)
        for index in np.ndindex(laws.shape):
            values = [each[index].item() for each in given]
            laws[index] = kind(
                *values[: len(arguments)], **dict(zip(names, values[len(arguments) :], strict=True))
            )
        return cls(laws)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.laws.shape

    def __len__(self) -> int:
        return len(self.laws)

    def __getitem__(self, index: Any) -> Any:
        found = self.laws[index]
        return LawArray(found) if isinstance(found, np.ndarray) else found

    def __repr__(self) -> str:
        kinds = sorted({type(law).__name__ for law in self.laws.flat})
        return f"LawArray of shape {self.shape} ({', '.join(kinds)})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LawArray)
            and self.shape == other.shape
            and bool((self.laws == other.laws).all())
        )

    __hash__ = None  # type: ignore[assignment]

    pdf = _pointwise("pdf", "Densities of the continuous parts.")
    logpdf = _pointwise("logpdf", "Logarithms of the densities.")
    cdf = _pointwise("cdf", "Cumulative distribution functions.")
    logcdf = _pointwise("logcdf", "Logarithms of the cumulative distribution functions.")
    sf = _pointwise("sf", "Survival functions.")
    logsf = _pointwise("logsf", "Logarithms of the survival functions.")
    ppf = _pointwise("ppf", "Quantiles.", "q")
    isf = _pointwise("isf", "Inverses of the survival functions.", "q")

    mean = _for_each("mean", "Means.")
    var = _for_each("var", "Variances.")
    std = _for_each("std", "Standard deviations.")
    median = _for_each("median", "Medians.")
    entropy = _for_each("entropy", "Differential entropies.")

    def moment(self, order: int) -> NDArray[np.float64]:
        """Moments about zero.

        Parameters
        ----------
        order : int
            Order, at least 0.

        Returns
        -------
        ndarray
            One number for each law.
        """
        return self._each(lambda law: law.moment(order))

    def stats(self, moments: str = "mv") -> Any:
        """Mean, variance, skewness and kurtosis, as selected by the letters ``m``, ``v``, ``s``, ``k``.

        Parameters
        ----------
        moments : str, optional
            Letters.

        Returns
        -------
        ndarray or tuple of ndarray
            The selected numbers, one for each law.
        """
        rows = [np.atleast_1d(law.stats(moments)) for law in self.laws.flat]
        parts = tuple(np.array(column).reshape(self.shape) for column in zip(*rows, strict=True))
        return parts if len(parts) > 1 else parts[0]

    def expect(
        self,
        func: Callable[[float], float] | None = None,
        lb: float | None = None,
        ub: float | None = None,
        conditional: bool = False,
    ) -> NDArray[np.float64]:
        """Expectations of a function.

        Parameters
        ----------
        func : callable, optional
            Function of one number; the identity by default.
        lb, ub : float, optional
            Integrate over [lb, ub] only.
        conditional : bool, optional
            Divide by the probability of [lb, ub].

        Returns
        -------
        ndarray
            One number for each law.
        """
        return self._each(lambda law: law.expect(func, lb, ub, conditional))

    def support(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Smallest and largest points of the laws.

        Returns
        -------
        lower, upper : ndarray
            Ends of each law, atoms included.
        """
        return self._each(lambda law: law.support()[0]), self._each(lambda law: law.support()[1])

    def interval(self, confidence: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Intervals between two quantiles with equal tails.

        Parameters
        ----------
        confidence : array_like
            Probability of the interval, broadcast against the array.

        Returns
        -------
        lower, upper : ndarray
            Ends of the intervals.
        """
        level = np.asarray(confidence)
        return self._pointwise_with(
            lambda law, c: law.interval(c)[0], level, "confidence"
        ), self._pointwise_with(lambda law, c: law.interval(c)[1], level, "confidence")

    def rvs(
        self,
        size: int | tuple[int, ...] | None = None,
        random_state: RandomSource | np.random.RandomState = None,
        *,
        rng: RandomSource = None,
    ) -> NDArray[np.float64]:
        """Draw independent numbers.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result, to which the shape of the array is broadcast; that shape by default.
        random_state, rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
            Source of randomness; at most one of the two is given.

        Returns
        -------
        ndarray
            Draws.
        """
        shape = self.shape if size is None else size if isinstance(size, tuple) else (size,)
        shape = tuple(validate.integer("size", length, minimum=0) for length in shape)
        try:
            fits = np.broadcast_shapes(shape, self.shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"size={size}: expected a shape to which laws of shape {self.shape} broadcast")
        return self.ppf(one_source(random_state, rng).random(shape))

    def plot(self, y: str = "pdf", *, ax: Any = None) -> Any:
        """Draw one curve for each law.

        Parameters
        ----------
        y : str, optional
            Name of the method that is drawn.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from rmtsim.laws._drawing import draw

        for law in self.laws.flat:
            ax = draw(law, y, ax)
        return ax

    def _each(self, function: Callable[[Any], float]) -> NDArray[np.float64]:
        return np.array([function(law) for law in self.laws.flat], dtype=np.float64).reshape(self.shape)

    def _pointwise_with(
        self, function: Callable[[Any, Any], Any], points: ArrayLike, name: str
    ) -> NDArray[np.float64]:
        """``function(law, points)``, one call for each law; ``name`` is that of the argument."""
        try:
            array = np.asarray(points)
        except ValueError:
            raise ValueError(f"{name}: expected an array of numbers, not lists of unequal lengths") from None
        try:
            shape = np.broadcast_shapes(array.shape, self.shape)
        except ValueError:
            raise ValueError(
                f"{name} of shape {array.shape}: expected a shape that broadcasts with the laws' {self.shape}"
            ) from None
        spread = np.broadcast_to(array, shape)
        number = np.broadcast_to(np.arange(self.laws.size).reshape(self.shape), shape)
        values = np.empty(shape)
        for index, law in enumerate(self.laws.flat):
            here = number == index
            values[here] = function(law, spread[here])
        return values


def array_of_laws(kind: type, names: tuple[str, ...], arguments: Any, options: Any) -> LawArray | None:
    """A LawArray if one of the named parameters is an array, otherwise None.

    The parameters that are not named are the same for every law.
    """
    try:
        bound = inspect.signature(kind).bind(*arguments, **options).arguments
    except TypeError:
        return None  # the constructor raises the error
    arrays = {}
    for name in names:
        if isinstance(bound.get(name), np.ma.MaskedArray):
            return None  # a mask would be lost silently
        try:
            value = np.asarray(bound.get(name, 0.0))
        except ValueError:
            return None
        if value.ndim and value.dtype.kind in "iuf":
            arrays[name] = value
    if not arrays:
        return None
    rest = {name: value for name, value in bound.items() if name not in arrays}
    return LawArray.of(lambda **varied: kind(**rest, **varied), **arrays)
