"""Ctrl-C and SIGTERM that finish the commit in hand: the signal waits for the end of a shielded block."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import types
from collections.abc import Iterator

_ONE_PRESS = 0.3
"""Seconds in which a second signal is the same: a process may get one from the terminal and one from its parent."""


class _Shield:
    """State shared by the handler and the blocks it must not cut."""

    depth = 0
    waiting = False
    received: int | None = None
    since = 0.0


@contextlib.contextmanager
def shielded() -> Iterator[None]:
    """A block that the first signal does not cut, if :func:`gentle_interrupts` is in force."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
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
        # The second signal ends the process where it stands; what was acknowledged is on disk already.
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
