"""Number of threads of a product: one where it is small, all where it is large.

Threads cost more than they save where matrices are small. The choice depends on the amount of work alone and not on
measured times, so that the same product has the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

LARGE = 1e7
"""Multiply-adds (samples × parameters × vectors) from which a product uses all threads.

With two threads, products of this size and more took 0.5 to 1.01 of the time of one thread for widths 64 … 2048 and
64, 256 and 1024 samples; smaller ones up to 1.16.
"""


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


@cache
def _numpy_libraries() -> tuple[Any, ...]:
    import threadpoolctl

    found = [each for each in threadpoolctl.ThreadpoolController().lib_controllers if each.user_api == "blas"]
    return tuple([each for each in found if "numpy" in each.filepath] or found)


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

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

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
        available = self._threads.get()
        if available == 1 or work >= LARGE:
            return function()
        self._threads.set(1)
        try:
            return function()
        finally:
            self._threads.set(available)
