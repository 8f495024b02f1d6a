"""One decorator fixes the numba options of every kernel and makes its cache safe to share.

Options: cached on disk, IEEE division (``error_model="numpy"``), releases the GIL. No ``fastmath``: it
removes NaN checks. No ``parallel``: float sums would depend on the number of threads.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba

__all__ = ["kernel"]


def _cache_directory() -> Path | None:
    """A writable folder of its own for this numba and Python, or None where there is none."""
    label = f"numba-{numba.__version__}-py{sys.version_info.major}{sys.version_info.minor}"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for base in (home / "rmtsim", Path(tempfile.gettempdir()) / f"rmtsim-{os.getuid()}"):
        with contextlib.suppress(OSError):
            folder = base / label
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return None


_FOLDER = _cache_directory()
if _FOLDER is not None and not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(_FOLDER)  # type: ignore[attr-defined]


@contextlib.contextmanager
def _save_lock() -> Iterator[None]:
    if _FOLDER is None:
        yield
        return
    with open(_FOLDER / "save.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on first call, in nopython mode, with the options this module explains.

    >>> @kernel
    ... def total(values):
    ...     result = 0.0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> import numpy as np
    >>> float(total(np.ones(3)))
    3.0
    """
    # Functions typed at a prompt or in a doctest have no source file to cache beside.
    cacheable = _FOLDER is not None and os.path.exists(function.__code__.co_filename)
    dispatcher = numba.njit(cache=cacheable, error_model="numpy", nogil=True)(function)
    cache: Any = getattr(dispatcher, "_cache", None)
    if cacheable and hasattr(cache, "save_overload"):
        save = cache.save_overload

        # Two processes saving at once could give two overloads one file name (numba reads the index,
        # picks the next free number and writes, without a lock), and a later load would run the wrong code.
        def locked_save(signature: Any, data: Any) -> None:
            with _save_lock():
                save(signature, data)

        cache.save_overload = locked_save
    return dispatcher
