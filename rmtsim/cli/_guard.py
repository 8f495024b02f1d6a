"""Runs a command in a child process, so that an unexpected end caused by the code of a claim is reported.

A sampler may end its process (``os._exit``), crash it, or exhaust the memory. The process that was started forks
before anything large is loaded, passes signals on, and waits: an unannounced exit of the child is reported with the
claim and the batch, and gives an exit code other than 0.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable

from rmtsim._internal import plain
from rmtsim.cli._common import FAILED
from rmtsim.runs._process import Board, share

_PASSED_ON = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)  # Windows has the first two
)
_PARENT_DEATH = 1
"""PR_SET_PDEATHSIG of Linux."""


def guarded(run: Callable[[], int]) -> int:
    """``run()`` in a child process; its exit code.

    Where a process cannot be forked safely (other threads, a debugger or a profiler), ``run()`` is called here.
    """
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    if not hasattr(os, "fork") or threading.active_count() > 1 or watched:
        return run()
    board = Board()
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError:
        return run()
    if child == 0:
        _end_with(parent)
        share(board)
        code = _code_of(run)
        board.sign_off(code)
        return code
    return _watched(child, board)


def _code_of(run: Callable[[], int]) -> int:
    """Exit code of a command; ``--help`` and bad usage end the parser of options with ``SystemExit``."""
    try:
        return run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else FAILED


def _end_with(parent: int) -> None:
    """Let this process end when its parent does, also if that is killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(FAILED)


def _watched(child: int, board: Board) -> int:
    for number in _PASSED_ON:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: os.kill(child, number))
    _, status = os.waitpid(child, 0)
    code = board.exit_code()
    if code is not None:
        return code
    return _report(os.waitstatus_to_exitcode(status), board.read())


def _report(code: int, activity: str) -> int:
    """Say how the child ended; the exit code of this process."""
    if -code in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        print("rmtsim: error: interrupted; finished batches are kept", file=sys.stderr)
        return 128 - code
    if code >= 0:
        how = f"the code of a claim ended the process (exit code {code})"
    else:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        how = f"the process was ended by {name}{', as when memory runs out' if name == 'SIGKILL' else ''}"
    during = f"{activity}: " if activity else ""
    advice = (
        "; finished batches are kept, and with --workers 1 such a batch is left out"
        if "batch" in activity
        else ""
    )
    print(f"rmtsim: error: {plain(' '.join(f'{during}{how}{advice}'.split()))}", file=sys.stderr)
    return FAILED
