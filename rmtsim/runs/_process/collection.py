"""Python's search for circular garbage, put off while much is built that stays.

Modules, claims and syntax trees are hundreds of thousands of objects. While they come into being Python goes through
all that are there again and again (whenever a quarter is new), and finds nothing: half of the time that parsing takes.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

__all__ = ["without_collection"]


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """No search inside; for short work only, since circles that hold arrays would stay as well.

    >>> with without_collection():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
