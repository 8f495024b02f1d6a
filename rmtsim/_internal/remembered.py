"""A cache of function values that distinguishes types and passes unhashable arguments on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def remembered(maxsize: int) -> Callable[[Function], Function]:
    """Decorator like ``functools.lru_cache``, for functions that validate their arguments.

    Arguments of different types (3, 3.0 and True) are different keys. Arguments that cannot be hashed are passed to
    the function itself, whose error message names the parameter. ``maxsize`` values are kept.

    >>> @remembered(maxsize=4)
    ... def double(x):
    ...     return 2 * x
    >>> double(2), double([1])
    (4, [1, 1])
    """

    def decorate(function: Function) -> Function:
        cached = functools.lru_cache(maxsize=maxsize, typed=True)(function)

        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            try:
                hash((arguments, tuple(options.values())))
            except TypeError:
                return function(*arguments, **options)
            return cached(*arguments, **options)

        call.cache_clear = cached.cache_clear  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate
