"""BLAS on one thread: the number of threads changes the last bits of sums and eigenvalues."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

import threadpoolctl

__all__ = ["PINNED", "single_threaded_blas"]

PINNED = dict.fromkeys(
    (
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)
"""Environment of a spawned worker, read by the libraries when they are loaded."""


class _Pin:
    """One limit for the whole process, however many threads ask for it.

    The limit belongs to the process, not to a thread: if each thread set and restored it by itself, the
    first to finish would unpin the others in the middle of their batches.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._limit: Any = None
        self._controller: Any = None
        self._modules = -1

    def take(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._limit = self._current_controller().limit(limits=1)
            self._holders += 1

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._limit.restore_original_limits()
                self._limit = None

    def _current_controller(self) -> Any:
        # SciPy carries a BLAS of its own, which must be loaded to be pinned. Looking for libraries takes a
        # millisecond, so it is done again only when modules (and perhaps libraries with them) came in.
        import scipy.linalg  # noqa: F401

        if len(sys.modules) != self._modules:
            self._controller = threadpoolctl.ThreadpoolController()
            self._modules = len(sys.modules)
        return self._controller


_PIN = _Pin()


@contextlib.contextmanager
def single_threaded_blas() -> Iterator[None]:
    """BLAS on one thread while the block runs, in every thread of the process."""
    _PIN.take()
    try:
        yield
    finally:
        _PIN.release()
