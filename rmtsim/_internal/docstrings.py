"""Descriptions of parameters that several functions share, written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def describes(**shared: str) -> Callable[[Function], Function]:
    r"""Decorator that writes the section "Parameters" of a docstring from shared descriptions.

    ``shared`` has type and description by the name of a parameter. The section precedes the first other section.

    >>> print(describes(x="float\n    A number.")(lambda x: x).__doc__)
    None
    """

    def complete(function: Function) -> Function:
        if function.__doc__:
            names = function.__code__.co_varnames[: function.__code__.co_argcount]
            entries = [f"{name} : {shared[name]}" for name in names if name in shared]
            summary, *rest = re.split(
                r"\n\n(?=[A-Z][\w ]+\n---)", inspect.cleandoc(function.__doc__), maxsplit=1
            )
            section = "\n".join(["Parameters", "----------", *entries])
            function.__doc__ = "\n\n".join([summary, section, *rest])
        return function

    return complete
