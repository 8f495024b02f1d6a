"""Predictors that take arrays: a decorator turns a function of numbers into one of arrays, entry by entry.

The decorator depends on what the function returns: numbers become an array (:func:`takes_arrays`), records (an
:class:`Estimate`, a minimum with its place) become :class:`Records`, whose every field is an array
(:func:`records_take_arrays`), tuples a tuple of arrays (:func:`tuples_take_arrays`). Two options name parameters:
``whole`` are arrays by their meaning (a matrix, a list of widths) and enter every call as they are; ``native`` are
those that the function takes as arrays by itself, faster than entry by entry, as long as the others are numbers. With
an option the static type stays as it was.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal.docstrings import frozen

Array: TypeAlias = NDArray[np.float64]
"""An array of real numbers."""
FloatArray: TypeAlias = Array
ComplexArray: TypeAlias = NDArray[np.complex128]
IndexArray: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Matrix: TypeAlias = NDArray[Any]
"""A real or complex matrix."""
Record = TypeVar("Record")
Function = TypeVar("Function", bound=Callable[..., Any])
Number: TypeAlias = float | str | Callable[..., Any]
"""Types without entries: numbers, names of activations, functions to be averaged."""


@frozen
class Estimate:
    """A value with its standard error."""

    value: float
    error: float


@frozen(eq=False)
class Records(Generic[Record]):
    """Records, one an entry of the arguments: a field is an array, an entry is a record.

    >>> found = Records(np.array([Estimate(1.0, 0.1), Estimate(2.0, 0.2)]))
    >>> found.value, found[1]
    (array([1., 2.]), Estimate(value=2.0, error=0.2))
    """

    entries: NDArray[np.object_]

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):  # pickle and copy ask before there are entries
            raise AttributeError(name)
        return _stack([getattr(each, name) for each in self.entries.ravel()], self.entries.shape, np.float64)

    def __getitem__(self, index: int | tuple[int, ...]) -> Record:
        """One record."""
        return cast("Record", self.entries[index])


class Elementwise(Protocol):
    """A function of numbers that also takes arrays, which are broadcast against each other."""

    @overload
    def __call__(self, *arguments: Number, **options: Any) -> float: ...

    @overload
    def __call__(self, *arguments: ArrayLike, **options: Any) -> NDArray[np.float64]: ...


class ElementwiseRecords(Protocol[Record]):
    """The same for a function that returns a record."""

    @overload
    def __call__(self, *arguments: Number, **options: Any) -> Record: ...

    @overload
    def __call__(self, *arguments: ArrayLike, **options: Any) -> Records[Record]: ...


class ElementwiseTuples(Protocol):
    """The same for a function that returns a tuple of numbers."""

    @overload
    def __call__(self, *arguments: Number, **options: Any) -> tuple[float, ...]: ...

    @overload
    def __call__(self, *arguments: ArrayLike, **options: Any) -> tuple[NDArray[np.float64], ...]: ...


@overload
def takes_arrays(function: Callable[..., float]) -> Elementwise: ...


@overload
def takes_arrays(
    *, whole: Sequence[str] = (), native: Sequence[str] = ()
) -> Callable[[Function], Function]: ...


def takes_arrays(
    function: Callable[..., Any] | None = None, *, whole: Sequence[str] = (), native: Sequence[str] = ()
) -> Any:
    """``function`` with arrays allowed for its arguments, given by position or by name; for numbers it returns a
    number.

    >>> @takes_arrays
    ... def power(base, exponent):
    ...     return float(base) ** exponent
    >>> power(2, 3), power(2, exponent=[1, 2, 3])
    (8.0, array([2., 4., 8.]))
    >>> @takes_arrays(whole=("weights",))
    ... def total(weights, scale):
    ...     return float(scale * sum(weights))
    >>> total([1, 2], 3.0), total([1, 2], [3.0, 4.0])
    (9.0, array([ 9., 12.]))
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        counts = function.__annotations__.get("return") in ("int", int)
        kind = np.int64 if counts else np.float64
        return _elementwise(function, lambda found: _stack(found.ravel(), found.shape, kind), whole, native)

    return decorate if function is None else decorate(function)


@overload
def records_take_arrays(function: Callable[..., Record]) -> ElementwiseRecords[Record]: ...


@overload
def records_take_arrays(*, whole: Sequence[str]) -> Callable[[Function], Function]: ...


def records_take_arrays(function: Callable[..., Any] | None = None, *, whole: Sequence[str] = ()) -> Any:
    """The same for a function that returns a record; for arrays it returns :class:`Records`.

    >>> @records_take_arrays
    ... def third(number):
    ...     return Estimate(number / 3, 1e-16)
    >>> third(3.0), third([3.0, 6.0]).value
    (Estimate(value=1.0, error=1e-16), array([1., 2.]))
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return _elementwise(function, Records, whole)

    return decorate if function is None else decorate(function)


def tuples_take_arrays(function: Callable[..., tuple[float, ...]]) -> ElementwiseTuples:
    """The same for a function that returns two numbers; for arrays it returns two arrays.

    >>> @tuples_take_arrays
    ... def square_and_cube(number):
    ...     return number**2, number**3
    >>> square_and_cube(2.0), square_and_cube([2.0, 3.0])
    ((4.0, 8.0), (array([4., 9.]), array([ 8., 27.])))
    """

    def gather(found: NDArray[np.object_]) -> tuple[NDArray[Any], ...]:
        columns = zip(*found.ravel(), strict=True) if found.size else [(), ()]
        return tuple(_stack(column, found.shape, np.float64) for column in columns)

    return cast("ElementwiseTuples", _elementwise(function, gather))


_PLAIN = frozenset({float, int, str, bool, np.float64, np.int64})
"""Types that are passed on without checks, because predictors call each other many times."""


def _elementwise(
    function: Callable[..., Any],
    gather: Callable[[NDArray[np.object_]], Any],
    whole: Sequence[str] = (),
    native: Sequence[str] = (),
) -> Callable[..., Any]:
    names = list(inspect.signature(function).parameters)
    kept = frozenset(whole)

    @functools.wraps(function)
    def elementwise(*arguments: Any, **options: Any) -> Any:
        if _PLAIN.issuperset(map(type, arguments)) and _PLAIN.issuperset(map(type, options.values())):
            return function(*arguments, **options)
        arguments = tuple(map(_without_axes, arguments))
        options = {name: _without_axes(value) for name, value in options.items()}
        given = [*zip(names, arguments, strict=False), *options.items()]
        arrays = [name for name, value in given if _is_array(value) and name not in kept]
        if not arrays or all(name in native for name in arrays) or len(arguments) > len(names):
            return function(*arguments, **options)
        return gather(_each(function, arguments, options, frozenset(arrays)))

    return elementwise


def _is_array(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or bool(getattr(value, "ndim", 0))


def _without_axes(value: Any) -> Any:
    """The number in an array that has no axes; everything else as it is."""
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _each(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    spread: frozenset[str],
) -> NDArray[np.object_]:
    """``function`` at every entry of the arguments named in ``spread``, broadcast against each other."""
    names = list(inspect.signature(function).parameters)
    given = dict(zip(names, arguments, strict=False)) | options
    masked = [name for name in spread if isinstance(given[name], np.ma.MaskedArray)]
    if masked:
        raise TypeError(f"{masked[0]}: expected numbers, or arrays of numbers, not a masked array")
    try:
        arrays = dict(zip(spread, np.broadcast_arrays(*(given[name] for name in spread)), strict=True))
    except ValueError as error:
        raise ValueError(
            f"{', '.join(names)}: expected numbers, or arrays that fit together ({error})"
        ) from None
    result = np.empty(next(iter(arrays.values())).shape, dtype=object)
    for index in np.ndindex(result.shape):
        entry = given | {name: _plain(array[index]) for name, array in arrays.items()}
        numbers = [entry.pop(name) for name in names[: len(arguments)]]
        result[index] = function(*numbers, **entry)
    return result


def _plain(number: Any) -> Any:
    """Python's own number: an integer stays one, and caches know it again."""
    return number.item() if isinstance(number, np.generic) else number


def _stack(values: Sequence[Any] | NDArray[np.object_], shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    """Numbers as an array of that shape; if they are rows of numbers, these come last."""
    table = np.array([np.asarray(each, dtype=kind) for each in values], dtype=kind)
    return table.reshape(shape + table.shape[1:])
