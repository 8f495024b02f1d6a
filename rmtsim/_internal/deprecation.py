"""Warnings about public names that a later release removes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)


def deprecated(name: str, *, removed: str, instead: str = "") -> Callable[[Function], Function]:
    """Decorator: a function warns whenever it is called that release ``removed`` removes it.

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


def renamed_parameter(old: str, new: str, *, removed: str) -> Callable[[Kind], Kind]:
    """Let a class accept the older name of a parameter, as keyword and as attribute, with a warning.

    The decorator is applied after the one that makes the class a dataclass; release ``removed`` removes the older name.

    >>> import warnings
    >>> from rmtsim.laws import Semicircle
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     Semicircle(variance=4.0).entry_variance
    4.0
    >>> str(caught[0].message)
    'Semicircle(variance=...) is deprecated and will be removed in rmtsim 0.2; use entry_variance='
    """

    def decorate(kind: Kind) -> Kind:
        construct: Callable[..., None] = kind.__init__  # type: ignore[misc]

        @functools.wraps(construct)
        def initialise(self: Any, *arguments: Any, **options: Any) -> None:
            if old in options:
                if new in options:
                    raise TypeError(f"{old}, {new}: two names of one parameter; expected {new}")
                message = f"{kind.__name__}({old}=...) is deprecated and will be removed in rmtsim {removed}"
                warnings.warn(f"{message}; use {new}=", DeprecationWarning, stacklevel=2)
                options[new] = options.pop(old)
            construct(self, *arguments, **options)

        def value(self: Any) -> Any:
            return getattr(self, new)

        value.__doc__ = f"Older name of ``{new}``."
        name = f"{kind.__name__}.{old}"
        setattr(
            kind, old, property(deprecated(name, removed=removed, instead=f"{kind.__name__}.{new}")(value))
        )
        setattr(kind, "__init__", initialise)  # noqa: B010
        return kind

    return decorate
