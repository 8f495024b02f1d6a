"""Options that commands share: which claims, and how a run is made (workers, store, progress)."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import math
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from rmtsim._internal import plain, validate
from rmtsim.claims._model import Claim, Kind, Standing
from rmtsim.claims._papers import PAPERS
from rmtsim.errors import ReadOnlyStoreError, StoreError

if TYPE_CHECKING:
    from rich.console import Console

    from rmtsim.cli._progress import ProgressDisplay, ProgressLines
    from rmtsim.runs._runner import StoredRunner
    from rmtsim.runs._store.store import Store
    from rmtsim.verdicts import ClaimResult, Progress


def add_selection(parser: argparse.ArgumentParser, *, targets: str) -> None:
    """Options that select claims: names or patterns, ``--paper``, ``-k``, ``--kind``, ``--standing``."""
    parser.add_argument(
        "claims",
        nargs="*",
        metavar="CLAIM",
        help="names of claims, beginnings of names (dong.thm1), keys of papers, patterns such as 'dong.*-limit', or "
        f"FILE.py[::NAME] {targets}",
    )
    group = parser.add_argument_group("which claims", "together they narrow the choice")
    group.add_argument(
        "--paper",
        metavar="KEY",
        action="append",
        help=f"only the claims of one paper, repeatable ({', '.join(PAPERS)})",
    )
    group.add_argument(
        "-k",
        "--search",
        metavar="WORD",
        action="append",
        default=[],
        help="only claims with this word in name, statement or place, repeatable (all of them must occur)",
    )
    group.add_argument("--kind", choices=get_args(Kind), help="only statements of this kind")
    group.add_argument(
        "--standing", choices=get_args(Standing), help="only statements of this standing in their paper"
    )


def names_several(target: str) -> bool:
    """Whether a target is a pattern, the key of a paper or the beginning of ids, rather than one claim or a file.

    >>> [names_several(target) for target in ("dong.thm1.*", "dong", "dong.thm1", "dong.eq5")]
    [True, True, True, False]
    """
    from rmtsim.claims._files import is_file_target, resolve

    if _is_pattern(target):
        return True
    return not is_file_target(target) and [claim.id for claim in resolve(target)] != [target]


def _is_pattern(target: str) -> bool:
    return target in PAPERS or any(letter in target for letter in "*?[")


def selected(arguments: argparse.Namespace, *, quick: bool = False) -> list[Claim]:
    """The selected claims, each once, in the order of the targets, else of the papers.

    With ``quick``, claims that are not named individually come from a quick set: that of all papers where nothing was
    chosen, that of each claim's own paper otherwise.
    """
    from rmtsim.claims._files import is_file_target, resolve

    named: list[Claim] = []
    broad = not arguments.claims
    found: list[Claim] = _of_papers(arguments.paper) if broad else []
    for target in arguments.claims:
        if is_file_target(target):
            path, _, name = target.partition("::")
            matched = _matching(name, resolve(path), target) if _is_pattern(name) else resolve(target)
            named += matched
            found += matched
        elif _is_pattern(target):
            found += _matching(target, _candidates(target), target)
        else:
            matched = resolve(target)
            named += [claim for claim in matched if claim.id == target]
            found += matched
    for name, test in _conditions(arguments, broad):
        kept = [claim for claim in found if test(claim)]
        if found and not kept:
            raise ValueError(f"{name}: none of the {len(found)} claims chosen so far matches")
        found = kept
    if quick:
        narrowed = bool(arguments.claims or arguments.paper or arguments.search)
        exempt = {id(claim) for claim in named}
        kept = [
            claim
            for claim in found
            if id(claim) in exempt or (claim.quick_in_paper if narrowed else claim.quick)
        ]
        if not kept:
            raise ValueError(
                f"--quick: none of the {len(found)} claims chosen is in its paper's quick set; leave it out, and set "
                "--budget SECONDS if it should be short"
            )
        found = kept
    return list({claim.id: claim for claim in found}.values())


def _of_papers(keys: list[str] | None) -> list[Claim]:
    from rmtsim.claims._registry import all_claims

    return [claim for key in keys for claim in all_claims(key)] if keys else all_claims()


def _candidates(pattern: str) -> list[Claim]:
    """Claims that a pattern could mean: of one paper only, where it begins with its key."""
    from rmtsim.claims._registry import all_claims

    key = pattern.partition(".")[0]
    return all_claims(key) if key in PAPERS else all_claims()


def _matching(pattern: str, claims: list[Claim], target: str) -> list[Claim]:
    if pattern in PAPERS:
        return [claim for claim in claims if claim.paper == pattern]
    found = [claim for claim in claims if fnmatch.fnmatchcase(claim.id, pattern)]
    if not found:
        raise ValueError(f"{target}: no claim has a name like this; `rmtsim claims` lists them")
    return found


def _conditions(arguments: argparse.Namespace, broad: bool) -> list[tuple[str, Callable[[Claim], bool]]]:
    """Conditions on the selected claims, as (text of the option, test)."""
    from rmtsim.claims._registry import all_claims

    conditions: list[tuple[str, Callable[[Claim], bool]]] = []
    if arguments.paper and not broad:
        for key in arguments.paper:
            all_claims(key)  # an unknown key is an error of its own
        keys = tuple(arguments.paper)
        conditions.append((f"--paper {' '.join(keys)}", lambda claim: claim.paper in keys))
    for word in arguments.search:
        conditions.append((f"-k {word}", lambda claim, word=word: word.casefold() in _words(claim)))  # type: ignore[misc]
    if arguments.kind:
        conditions.append((f"--kind {arguments.kind}", lambda claim: claim.kind == arguments.kind))
    if arguments.standing:
        conditions.append(
            (f"--standing {arguments.standing}", lambda claim: claim.standing == arguments.standing)
        )
    return conditions


def _words(claim: Claim) -> str:
    texts = (claim.id, claim.statement, claim.source, claim.qualifier, claim.cause, claim.note, claim.credit)
    return "\n".join(texts).casefold()


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
        help="worker processes, one BLAS thread each (default: one per core if there is enough work)",
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
    """Runner and progress display for the given options.

    Results are printed (``show``) on ``console`` as they become known, if that is a terminal; else progress goes to
    standard error: updated in place if that is one, a line per verdict of several ``claims`` if it is a log.
    """
    from rmtsim.runs._process import keep_freed_memory
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
    """The store named by the options, else the default one if this user can write it."""
    if arguments.no_store:
        return None
    if arguments.store == "":
        raise ValueError("--store '': expected the path of a file (or --no-store)")
    from rmtsim.runs._store.schema import default_path
    from rmtsim.runs._store.store import Store

    try:
        return stack.enter_context(Store(Path(arguments.store or default_path())))
    except StoreError as error:
        # A missing or read-only home folder is tolerated; a damaged or foreign file is an error.
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
    from rmtsim.runs._pools.pool import AutoPool

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
