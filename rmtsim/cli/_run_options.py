"""Options of commands that compute: where batches run, where they are kept, what is shown meanwhile."""

from __future__ import annotations

import argparse
import contextlib
import math
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rmtsim._internal import validate
from rmtsim._internal.text import plain
from rmtsim.errors import ReadOnlyStoreError, StoreError

if TYPE_CHECKING:
    from rich.console import Console

    from rmtsim.cli._progress import ProgressDisplay, ProgressLines
    from rmtsim.runs._runner import StoredRunner
    from rmtsim.runs._store.store import Store
    from rmtsim.verdicts import ClaimResult, Progress


def add_store_option(parser: argparse.ArgumentParser, *, default: Any = None) -> None:
    """The ``--store PATH`` option."""
    parser.add_argument(
        "--store",
        metavar="PATH",
        default=default,
        help="file that keeps finished batches (default: rmtsim/runs.sqlite in the user's data directory)",
    )


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """``--workers``, ``--dask``, ``--store``, ``--no-store``, ``--any-environment``, ``--check``, ``--quiet``."""
    group = parser.add_argument_group("running", "none of these changes a verdict")
    where = group.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="worker processes, one BLAS thread each (default: one per core if the work is worth it)",
    )
    where.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="a Dask scheduler (tcp://host:port or its scheduler file), rmtsim[dask]",
    )
    keep = group.add_mutually_exclusive_group()
    keep.add_argument(
        "--store",
        metavar="PATH",
        help="file that keeps finished batches; those that still apply are reused "
        "(default: rmtsim/runs.sqlite in the user's data directory)",
    )
    keep.add_argument("--no-store", action="store_true", help="keep nothing and reuse nothing")
    group.add_argument(
        "--any-environment",
        action="store_true",
        help="also reuse batches computed with other libraries or on another processor (last bits may differ)",
    )
    group.add_argument(
        "--check",
        type=check_count,
        metavar="N",
        help="compute N stored batches of every size again (or all) before stored ones are reused (default: one of "
        "every size for your own claims, as far as that costs little for those of rmtsim; 0: for yours as well)",
    )
    group.add_argument("--quiet", action="store_true", help="no progress display and no notices")


def check_count(text: str) -> float:
    """The number of ``--check``; infinite for ``all``.

    >>> check_count("0"), check_count("3"), check_count("all")
    (0, 3, inf)
    """
    if text == "all":
        return math.inf
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number of batches from 0 on, or all")
    return int(text)


@contextlib.contextmanager
def run_from(
    arguments: argparse.Namespace,
    console: Console | None = None,
    show: Callable[[ClaimResult], Any] | None = None,
    *,
    claims: int = 1,
) -> Iterator[tuple[StoredRunner, Callable[[Progress], None] | None]]:
    """Runner and progress display that the options ask for.

    Results are shown (``show``) as they fall on ``console``, if that is a terminal; else progress goes to standard
    error: updated in place if that is one, a line per verdict of several ``claims`` if it is a log.
    """
    from rmtsim.runs._process.memory import keep_freed_memory
    from rmtsim.runs._replay import Check
    from rmtsim.runs._session import run_session

    keep_freed_memory()  # short work is done in this process
    streamed = console is not None and console.is_terminal
    live = streamed or (sys.stderr is not None and sys.stderr.isatty())
    with contextlib.ExitStack() as stack:
        store = _store(arguments, stack)
        executor = _executor(arguments, stack)
        display: ProgressDisplay | ProgressLines | None = None
        if live and not arguments.quiet:
            from rmtsim.cli._progress import ProgressDisplay

            made = ProgressDisplay(console, show) if streamed else ProgressDisplay()
            display = stack.enter_context(made)
        elif claims > 1 and sys.stderr is not None and not arguments.quiet:
            from rmtsim.cli._progress import ProgressLines

            display = ProgressLines(claims, sys.stderr)
        runner = stack.enter_context(
            run_session(
                executor,
                store,
                any_environment=arguments.any_environment,
                watcher=display,
                command=shlex.join(["rmtsim", *arguments.command_line]),
                check=Check(batches=arguments.check),
            )
        )
        yield runner, display.report if display is not None else None


def _store(arguments: argparse.Namespace, stack: contextlib.ExitStack) -> Store | None:
    """The store asked for; without one asked for, the default one if this user can write it."""
    from rmtsim.runs._store.location import default_path
    from rmtsim.runs._store.store import Store

    if arguments.no_store:
        return None
    if arguments.store == "":
        raise ValueError("--store '': expected the path of a file (or --no-store)")
    try:
        return stack.enter_context(Store(Path(arguments.store or default_path())))
    except StoreError as error:
        # A missing or read-only home is no reason to refuse work; a damaged or foreign file is.
        if arguments.store is not None or type(error) not in (StoreError, ReadOnlyStoreError):
            raise
        if not arguments.quiet:
            print(f"rmtsim: note: nothing will be kept: {plain(error)}", file=sys.stderr)
        arguments.no_store = True
        return None


def _executor(arguments: argparse.Namespace, stack: contextlib.ExitStack) -> Any:
    if arguments.dask is not None:
        from rmtsim.runs._pools.dask import connect

        return stack.enter_context(connect(arguments.dask))
    if arguments.workers is not None:
        return validate.integer(
            "--workers", arguments.workers, minimum=1, maximum=4096, meaning="worker processes"
        )
    from rmtsim.runs._pools.auto import AutoPool

    pool = AutoPool()
    stack.callback(pool.close)
    return pool


def closing_words(
    arguments: argparse.Namespace, runner: StoredRunner, *, interrupted: bool, code: int
) -> int:
    """Notices about stored batches, and after Ctrl-C how to go on, on standard error; returns ``code``."""
    if not arguments.quiet:
        for notice in runner.tally.notices():
            print(f"rmtsim: note: {plain(notice)}", file=sys.stderr)
    if interrupted:
        kept = runner.tally.computed + runner.tally.reused
        command = shlex.join(["rmtsim", *arguments.command_line])
        if arguments.no_store:
            print(f"rmtsim: interrupted; nothing is kept (--no-store). Again: {command}", file=sys.stderr)
        else:
            print(
                f"rmtsim: interrupted; {kept} finished batches are kept. To go on: {command}", file=sys.stderr
            )
    return code
