"""Ctrl-C that finishes the commit in hand: the signal waits for the end of a shielded block."""

from __future__ import annotations

import contextlib
import signal
import threading
import types
from collections.abc import Iterator

__all__ = ["gentle_interrupts", "shielded"]


class _Shield:
    """State shared by the handler and the blocks it must not cut."""

    depth = 0
    waiting = False


@contextlib.contextmanager
def shielded() -> Iterator[None]:
    """A block that the first Ctrl-C does not cut, if :func:`gentle_interrupts` is in force."""
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


def _first(number: int, frame: types.FrameType | None) -> None:
    # The second Ctrl-C ends the process where it stands; what was acknowledged is on disk already.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if _Shield.depth:
        _Shield.waiting = True
    else:
        raise KeyboardInterrupt


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
    signal.signal(signal.SIGINT, _first)
    try:
        yield
    finally:
        _Shield.waiting = False
        signal.signal(signal.SIGINT, signal.default_int_handler)
