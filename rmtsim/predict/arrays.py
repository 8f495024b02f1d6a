"""Predictors that take arrays: one decorator turns a function of numbers into one of arrays, entry by entry."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["takes_arrays"]


class Elementwise(Protocol):
    """A function of numbers that also takes arrays, which are broadcast against each other."""

    @overload
    def __call__(self, *arguments: float, **options: Any) -> float: ...

    @overload
    def __call__(self, *arguments: ArrayLike, **options: Any) -> NDArray[np.float64]: ...


def takes_arrays(function: Callable[..., float]) -> Elementwise:
    """``function`` with arrays allowed for its positional arguments; numbers are answered as before.

    >>> @takes_arrays
    ... def power(base, exponent):
    ...     return float(base) ** exponent
    >>> power(2, 3), power(2, [1, 2, 3])
    (8.0, array([2., 4., 8.]))
    """

    @functools.wraps(function)
    def elementwise(*arguments: Any, **options: Any) -> Any:
        if not any(isinstance(each, (list, tuple)) or getattr(each, "ndim", 0) for each in arguments):
            return function(*arguments, **options)
        arrays = np.broadcast_arrays(*(np.asarray(each) for each in arguments))
        result = np.empty(arrays[0].shape)
        for index in np.ndindex(result.shape):
            # item() gives Python's own numbers: an integer stays one, and caches know it again.
            numbers = (array[index] for array in arrays)
            plain = (number.item() if isinstance(number, np.generic) else number for number in numbers)
            result[index] = function(*plain, **options)
        return result

    return cast("Elementwise", elementwise)
