"""Warnings about public names that a later release removes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["deprecated"]

Function = TypeVar("Function", bound=Callable[..., Any])


def deprecated(name: str, *, removed: str, instead: str = "") -> Callable[[Function], Function]:
    """Let a function warn that it is deprecated whenever it is called.

    Parameters
    ----------
    name : str
        Public name of the function.
    removed : str
        Release that removes it.
    instead : str, optional
        What to use instead.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> import warnings
    >>> old = deprecated("rmtsim.old", removed="0.3", instead="rmtsim.new")(abs)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     old(-1.0)
    1.0
    >>> str(caught[0].message)
    'rmtsim.old is deprecated and will be removed in rmtsim 0.3; use rmtsim.new'
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            message = f"{name} is deprecated and will be removed in rmtsim {removed}"
            warnings.warn(
                f"{message}; use {instead}" if instead else message, DeprecationWarning, stacklevel=2
            )
            return function(*arguments, **options)

        return call  # type: ignore[return-value]

    return decorate
