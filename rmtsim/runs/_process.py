"""Process control: signals deferred during a commit, BLAS threads, memory, and the description of the current work."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import os
import signal
import sys
import threading
import time
import types
from collections.abc import Iterator
from typing import Any

from rmtsim._internal.threads import set_threads
from rmtsim.errors import ExecutorError

_ONE_PRESS = 0.3
"""Seconds within which a second signal counts as the first: the terminal and the parent may both send one."""


class _Shield:
    """State shared by the handler and the blocks that it must not interrupt."""

    depth = 0
    waiting = False
    received: int | None = None
    since = 0.0


@contextlib.contextmanager
def shielded() -> Iterator[None]:
    """Context manager: the first signal does not interrupt the block, within :func:`gentle_interrupts`."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled in the main thread only
        return
    _Shield.depth += 1
    try:
        yield
    finally:
        _Shield.depth -= 1
    if _Shield.depth == 0 and _Shield.waiting:
        _Shield.waiting = False
        raise KeyboardInterrupt


def _handle(number: int, frame: types.FrameType | None) -> None:
    now = time.monotonic()
    if _Shield.received is None:
        _Shield.received, _Shield.since = number, now
        if _Shield.depth:
            _Shield.waiting = True
            return
        raise KeyboardInterrupt
    if now - _Shield.since > _ONE_PRESS:
        # The second signal ends the process immediately; acknowledged batches are on disk already.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def accept_termination() -> None:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, from now on; for commands.

    A signal that the process was started to ignore (``nohup``) stays ignored.
    """
    if threading.current_thread() is threading.main_thread():
        # Windows has no SIGHUP.
        for number in (signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _handle)


def exit_code() -> int:
    """Exit code of a process that a signal has interrupted: 128 and its number, as shells have it.

    >>> exit_code()
    130
    """
    return 128 + (_Shield.received or signal.SIGINT)


@contextlib.contextmanager
def gentle_interrupts() -> Iterator[None]:
    """While the block runs, the first Ctrl-C lets a commit finish and raises; the second kills at once.

    Only the main thread can hold signals; elsewhere, and where a program has its own handler for Ctrl-C,
    the block changes nothing.
    """
    usable = threading.current_thread() is threading.main_thread()
    if not usable or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _Shield.received = None
    signal.signal(signal.SIGINT, _handle)
    try:
        yield
    finally:
        _Shield.waiting = False
        signal.signal(signal.SIGINT, signal.default_int_handler)


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


_SIZE = 4096
_DONE = b"d"


class Board:
    """Memory shared between a process and the process that supervises it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)

    def write(self, text: str) -> None:
        """Replace what is being done."""
        content = text.encode("utf-8", "replace")[: _SIZE - 5]
        self._memory[1 : 5 + len(content)] = len(content).to_bytes(4, "little") + content

    def read(self) -> str:
        """What is being done; empty if it is nothing in particular."""
        length = int.from_bytes(self._memory[1:5], "little")
        return self._memory[5 : 5 + length].decode("utf-8", "replace")

    def sign_off(self, code: int) -> None:
        """The work has ended properly, with this exit code."""
        self._memory[0:1] = _DONE
        self.write(str(code))

    def exit_code(self) -> int | None:
        """The exit code, if the work has ended properly."""
        return int(self.read()) if self._memory[0:1] == _DONE else None


_BOARD: Board | None = None


def share(board: Board | None) -> None:
    """Use ``board`` from now on."""
    global _BOARD
    _BOARD = board


def begin(text: str) -> None:
    """Record the current work."""
    if _BOARD is not None:
        _BOARD.write(text)


def end() -> None:
    """Record that the current work has ended."""
    begin("")


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
    """One limit for the whole process, shared by all threads that request it.

    Where the limit belongs to the process (OpenBLAS with threads of its own), the first thread sets it and the last
    one restores it; if each thread did so, the first to finish would change the limit during the batches of the
    others. Where it belongs to each thread (OpenMP), each sets and restores its own.
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
            # Only libraries that are not limited yet are set: process-wide ones by the first thread, others by each
            # thread.
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
        # SciPy has its own BLAS, which must be loaded to be limited. Searching for libraries takes a millisecond, so
        # it is repeated only after further imports.
        import scipy.linalg  # noqa: F401

        if len(sys.modules) != self._modules:
            import threadpoolctl

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
