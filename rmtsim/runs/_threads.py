"""BLAS on one thread: the number of threads changes the last bits of sums and eigenvalues."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

import threadpoolctl

from rmtsim._internal.threads import set_threads
from rmtsim.errors import ExecutorError

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

    Where the limit belongs to the process (OpenBLAS with threads of its own), the first thread to come sets it and the
    last to leave takes it back: if each did so by itself, the first to finish would unpin the others in the middle of
    their batches. Where it belongs to each thread (OpenMP), each sets and restores its own.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holders = 0
        self._before: list[tuple[Any, int]] = []
        self._own = threading.local()
        self._controller: Any = None
        self._modules = -1

    def take(self) -> None:
        with self._lock:
            libraries = self._libraries()
            own = self._own.__dict__.setdefault("before", [])
            self._own.depth = getattr(self._own, "depth", 0) + 1
            self._holders += 1
            # Only libraries that are not held yet are set: the process's by the first thread, a thread's own by it.
            for library in libraries:
                if (count := library.get_num_threads()) != 1:
                    (own if _belongs_to_a_thread(library) else self._before).append((library, count))
                    set_threads(library, 1)
            loose = [library for library in libraries if _is_loose(library)]
            if loose:
                self.release()
                raise ExecutorError(
                    f"{loose[0].filepath}: this BLAS cannot be held to one thread here (it uses "
                    f"{loose[0].get_num_threads()}), and the number of threads changes the last bits; start Python "
                    "with OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1"
                )

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            self._own.depth -= 1
            if self._own.depth == 0:
                while self._own.before:
                    set_threads(*self._own.before.pop())
            if self._holders == 0:
                while self._before:
                    set_threads(*self._before.pop())

    def _libraries(self) -> list[Any]:
        # SciPy carries a BLAS of its own, which must be loaded to be pinned. Looking for libraries takes a
        # millisecond, so it is done again only when modules (and perhaps libraries with them) came in.
        import scipy.linalg  # noqa: F401

        if len(sys.modules) != self._modules:
            self._controller = threadpoolctl.ThreadpoolController()
            self._modules = len(sys.modules)
        return list(self._controller.lib_controllers)


def _belongs_to_a_thread(library: Any) -> bool:
    return "openmp" in (library.user_api, getattr(library, "threading_layer", ""))


def _is_loose(library: Any) -> bool:
    return bool(library.user_api == "blas" and library.get_num_threads() != 1)


_PIN = _Pin()


@contextlib.contextmanager
def single_threaded_blas() -> Iterator[None]:
    """BLAS on one thread while the block runs, in every thread of the process; an error where that fails."""
    _PIN.take()
    try:
        yield
    finally:
        _PIN.release()
