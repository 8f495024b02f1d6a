"""Number of threads of a product: one where it is small, all where it is large.

Threads cost more than they save where matrices are small. The choice depends on the amount of work alone and not on
measured times, so that the same product has the same bits in every run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

LARGE = 3e6
"""Multiply-adds (samples × parameters × vectors) from which a product uses all threads."""
TORCH_LARGE = 4e6
"""The same for PyTorch, where vectors do not count: several at once are no larger matrix products."""


class Threads(Protocol):
    """A library whose number of threads can be read and set."""

    def get(self) -> int:
        """Number of threads now."""
        ...

    def set(self, count: int) -> None:
        """Use so many threads."""
        ...


def set_threads(library: Any, count: int) -> None:
    """Set the threads of a library that threadpoolctl found, from any thread of Python."""
    # threadpoolctl lets only one thread change OpenBLAS and silently ignores others.
    clear = getattr(type(library), "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(count)
    if clear is not None:
        clear(force=True)


def _blas_libraries() -> tuple[Any, ...]:
    return _loaded("scipy.linalg" in sys.modules)


@cache
def _loaded(with_scipy: bool) -> tuple[Any, ...]:
    import threadpoolctl

    return tuple(
        each for each in threadpoolctl.ThreadpoolController().lib_controllers if each.user_api == "blas"
    )


def _numpy_libraries() -> tuple[Any, ...]:
    return tuple(each for each in _blas_libraries() if "numpy" in each.filepath) or _blas_libraries()


@contextmanager
def one_pool(*, numpy: bool) -> Iterator[None]:
    """Hold SciPy's BLAS to one thread, and NumPy's unless ``numpy`` says that the work is done by it.

    An idle OpenBLAS thread spins for about 50 ms after its last task and so takes a core from the threads of another
    library. The wheels of NumPy and SciPy have an OpenBLAS each, PyTorch has threads of its own.
    """
    others = {"scipy", "scipy.libs"} if numpy else {"numpy", "numpy.libs", "scipy", "scipy.libs"}
    held = [each for each in _blas_libraries() if others & set(Path(each.filepath).parts)]
    before = [each.get_num_threads() or 1 for each in held]
    try:
        for each, count in zip(held, before, strict=True):
            if count > 1:
                set_threads(each, 1)
        yield
    finally:
        for each, count in zip(held, before, strict=True):
            if count > 1:
                set_threads(each, count)


class NumpyThreads:
    """Threads of NumPy's BLAS."""

    def get(self) -> int:
        """Number of threads now; one if the library cannot be controlled."""
        return max((each.get_num_threads() or 1 for each in _numpy_libraries()), default=1)

    def set(self, count: int) -> None:
        """Use so many threads."""
        for each in _numpy_libraries():
            set_threads(each, count)


class TorchThreads:
    """Threads of PyTorch on the processor."""

    def __init__(self, torch: Any) -> None:
        self.get: Callable[[], int] = torch.get_num_threads
        self.set: Callable[[int], None] = torch.set_num_threads


class ThreadChoice:
    """Calls functions with one thread or with all that the library may use.

    A library that is held to one thread stays there, so that results which must not depend on the number of threads do
    not.

    Parameters
    ----------
    threads : Threads
        The library.
    large : float, optional
        Multiply-adds from which all threads are used.

    Examples
    --------
    >>> class Library:
    ...     count = 4
    ...     def get(self):
    ...         return self.count
    ...     def set(self, count):
    ...         self.count = count
    >>> library = Library()
    >>> choice = ThreadChoice(library)
    >>> choice.call(1e3, lambda: library.count), choice.call(1e12, lambda: library.count)
    (1, 4)
    >>> library.count
    4
    """

    def __init__(self, threads: Threads, large: float = LARGE) -> None:
        self._threads, self._large = threads, large
        self._kept: int | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Leave the number of threads of one call as it is until another call needs a different one.

        A change of the number costs PyTorch about 0.1 ms.
        """
        if self._kept is not None:
            yield
            return
        self._kept = self._threads.get()
        try:
            yield
        finally:
            available, self._kept = self._kept, None
            if self._threads.get() != available:
                self._threads.set(available)

    def call(self, work: float, function: Callable[[], T]) -> T:
        """The function's result.

        Parameters
        ----------
        work : float
            Multiply-adds of the call, roughly.
        function : callable
            Called once.

        Returns
        -------
        object
            What the function returns.
        """
        kept, now = self._kept, self._threads.get()
        available = now if kept is None else kept
        wanted = available if work >= self._large else 1
        if now != wanted:
            self._threads.set(wanted)
        try:
            return function()
        finally:
            if kept is None and wanted != available:
                self._threads.set(available)
