"""Predictors that take arrays: one decorator turns a function of numbers into one of arrays, entry by entry.

A function that answers a number answers an array; one that answers an :class:`Estimate` answers :class:`Estimates`, an
array of values and one of standard errors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Estimate", "Estimates", "estimates_take_arrays", "takes_arrays"]


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class Estimates:
    """Values with their standard errors, arrays of one shape; an entry is an :class:`Estimate`."""

    value: NDArray[np.float64]
    error: NDArray[np.float64]

    def __getitem__(self, index: int | tuple[int, ...]) -> Estimate:
        """One entry.

        >>> Estimates(np.array([1.0, 2.0]), np.array([0.1, 0.2]))[1]
        Estimate(value=2.0, error=0.2)
        """
        return Estimate(float(self.value[index]), float(self.error[index]))


class Elementwise(Protocol):
    """A function of numbers that also takes arrays, which are broadcast against each other."""

    @overload
    def __call__(self, *arguments: float, **options: Any) -> float: ...

    @overload
    def __call__(self, *arguments: ArrayLike, **options: Any) -> NDArray[np.float64]: ...


class ElementwiseEstimates(Protocol):
    """The same for a function that answers an estimate."""

    @overload
    def __call__(self, *arguments: float, **options: Any) -> Estimate: ...

    @overload
    def __call__(self, *arguments: ArrayLike, **options: Any) -> Estimates: ...


def takes_arrays(function: Callable[..., float]) -> Elementwise:
    """``function`` with arrays allowed for its arguments, given by position or by name; numbers are answered as before.

    >>> @takes_arrays
    ... def power(base, exponent):
    ...     return float(base) ** exponent
    >>> power(2, 3), power(2, exponent=[1, 2, 3])
    (8.0, array([2., 4., 8.]))
    """

    @functools.wraps(function)
    def elementwise(*arguments: Any, **options: Any) -> Any:
        if not _any_array(arguments, options):
            return function(*arguments, **options)
        found = _each(function, arguments, options)
        return np.array([float(each) for each in found.ravel()]).reshape(found.shape)

    return cast("Elementwise", elementwise)


def estimates_take_arrays(function: Callable[..., Estimate]) -> ElementwiseEstimates:
    """The same for a function that answers an :class:`Estimate`; of arrays it answers :class:`Estimates`.

    >>> @estimates_take_arrays
    ... def third(number):
    ...     return Estimate(number / 3, 1e-16)
    >>> third(3.0), third([3.0, 6.0]).value
    (Estimate(value=1.0, error=1e-16), array([1., 2.]))
    """

    @functools.wraps(function)
    def elementwise(*arguments: Any, **options: Any) -> Any:
        if not _any_array(arguments, options):
            return function(*arguments, **options)
        found = _each(function, arguments, options)
        pairs = np.array([(each.value, each.error) for each in found.ravel()]).reshape(*found.shape, 2)
        return Estimates(pairs[..., 0], pairs[..., 1])

    return cast("ElementwiseEstimates", elementwise)


def _is_array(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or bool(getattr(value, "ndim", 0))


def _any_array(arguments: tuple[Any, ...], options: dict[str, Any]) -> bool:
    return any(map(_is_array, arguments)) or any(map(_is_array, options.values()))


def _each(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> NDArray[np.object_]:
    """``function`` at every entry of its arguments, broadcast against each other."""
    given = [*arguments, *options.values()]
    try:
        arrays = iter(np.broadcast_arrays(*(np.asarray(each) for each in given if _is_array(each))))
    except ValueError as error:
        names = ", ".join(inspect.signature(function).parameters)
        raise ValueError(f"{names}: expected numbers, or arrays that fit together ({error})") from None
    spread = [next(arrays) if _is_array(each) else None for each in given]
    result = np.empty(next(each.shape for each in spread if each is not None), dtype=object)
    for index in np.ndindex(result.shape):
        numbers = [
            value if array is None else _plain(array[index])
            for value, array in zip(given, spread, strict=True)
        ]
        named = dict(zip(options, numbers[len(arguments) :], strict=True))
        result[index] = function(*numbers[: len(arguments)], **named)
    return result


def _plain(number: Any) -> Any:
    """Python's own number: an integer stays one, and caches know it again."""
    return number.item() if isinstance(number, np.generic) else number
