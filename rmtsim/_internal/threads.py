"""Number of threads of a product that is computed many times: one or all, whichever takes less time.

Threads cost more than they save where matrices are small or other programs use the cores, and no rule in the size alone
knows the second. So the first calls are timed both ways, and the choice is reviewed at doubling intervals.
"""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

_TRIALS = 3
"""Timed calls of each kind before the choice."""
_GAIN = 0.95
"""All threads are used where they take less than this share of the time of one."""
_SHORT = 1e-4
"""Seconds below which a call is left to one thread for good."""
_LONG = 1.0
"""Seconds beyond which one timed call of each kind is enough."""


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
    # threadpoolctl lets one thread alone change OpenBLAS, and others in silence not.
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


@dataclass
class _Times:
    """Durations of the last calls with one thread and with all, and what follows from them."""

    calls: int = 0
    next_review: int = 1
    taken: dict[bool, deque[float]] = field(
        default_factory=lambda: {False: deque(maxlen=_TRIALS), True: deque(maxlen=_TRIALS)}
    )
    """True: with all threads."""

    @property
    def all_threads(self) -> bool:
        one, several = self.taken[False], self.taken[True]
        return bool(one and several) and statistics.median(several) < _GAIN * statistics.median(one)

    def kind(self) -> tuple[bool, bool]:
        """Whether the next call uses all threads, and whether it is timed."""
        self.calls += 1
        if self.calls == 1:  # the first call warms up
            return False, False
        one, several = self.taken[False], self.taken[True]
        if one and statistics.median(one) < _SHORT:
            return False, False
        enough = 1 if one and one[0] > _LONG else _TRIALS
        if min(len(one), len(several)) < enough:
            return len(several) < len(one), True
        if self.next_review == 1:
            self.next_review = 4 * self.calls
        if self.calls < self.next_review:
            return self.all_threads, False
        # One call of each kind, the other kind first.
        if self.calls == self.next_review:
            return not self.all_threads, True
        self.next_review = 2 * self.calls
        return self.all_threads, True


class ThreadChoice:
    """Calls functions with one thread or with all that the library may use.

    A library that is held to one thread stays there, so that results which must not depend on the number of threads do
    not.

    Parameters
    ----------
    threads : Threads
        The library.
    clock : callable, optional
        Seconds.

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
    >>> choice.call("small", lambda: library.count)
    1
    >>> library.count
    4
    """

    def __init__(self, threads: Threads, clock: Callable[[], float] = time.perf_counter) -> None:
        self._threads = threads
        self._clock = clock
        self._times: dict[Hashable, _Times] = {}

    def call(self, key: Hashable, function: Callable[[], T]) -> T:
        """The function's result; calls with the same ``key`` are taken to cost the same.

        Parameters
        ----------
        key : hashable
            Names the amount of work.
        function : callable
            Called once.

        Returns
        -------
        object
            What the function returns.
        """
        available = self._threads.get()
        if available == 1:
            return function()
        times = self._times.setdefault(key, _Times())
        several, timed = times.kind()
        if not several:
            self._threads.set(1)
        try:
            start = self._clock()
            result = function()
            if timed:
                times.taken[several].append(self._clock() - start)
        finally:
            if not several:
                self._threads.set(available)
        return result
