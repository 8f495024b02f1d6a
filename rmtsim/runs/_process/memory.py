"""Memory of this process: peak of a batch, freed blocks that are kept, and pauses of the garbage collector."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from collections.abc import Iterator

_TRIM, _MAP = -1, -3
"""Names of the two settings in malloc.h: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD."""
_KEPT, _BLOCK = 2**26, 2**22
"""Bytes of freed memory that are kept, and the size from which a block is still returned to the system."""


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Pause the garbage collector during short work that creates many lasting objects.

    Modules, claims and syntax trees are hundreds of thousands of objects. The collector would traverse all of them
    whenever a quarter of the objects is new and find nothing, which takes half of the time of parsing.

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


def keep_freed_memory() -> bool:
    """Let this process keep up to 64 MiB of freed memory; False if the C library has no such setting.

    By default the C library of Linux returns blocks of 128 KiB and more to the system at once. Allocating them again
    clears every page, which takes up to half of the processor time of a batch with arrays of some hundred KiB.

    >>> keep_freed_memory() in (True, False)
    True
    """
    try:
        setting = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # the last on Windows
        return False
    return bool(setting(_TRIM, _KEPT)) and bool(setting(_MAP, _BLOCK))


class PeakMemory:
    """Peak of resident memory above the level at which this object was made.

    Linux lets a process reset its high-water mark; on other systems nothing is measured.
    The mark belongs to the process: with several threads computing, it is the peak of all of them.
    """

    def __init__(self) -> None:
        self._start: float | None = None
        try:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as handle:
                handle.write("5")
            self._start = _status("VmRSS")
        except OSError:
            pass

    def extra(self) -> float | None:
        """Bytes above the starting level at the highest point since; None where the system does not report it."""
        if self._start is None:
            return None
        peak = _status("VmHWM")
        return None if peak is None else max(0.0, peak - self._start)


def _status(field: str) -> float | None:
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith(field + ":"):
                return float(line.split()[1]) * 1024
    return None
