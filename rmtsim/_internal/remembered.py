"""A cache for public functions: what cannot be a key is still checked, and 3, 3.0 and True are three things."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["remembered"]

Function = TypeVar("Function", bound=Callable[..., Any])


def remembered(maxsize: int) -> Callable[[Function], Function]:
    """``functools.lru_cache`` that distinguishes types, and calls the function itself with what it cannot hash.

    The function then says in its own words what it expected, as it does for everything else.

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
