"""``rmtsim runs``: contents of the store, checks, and removal of batches."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from rmtsim._internal import plain
from rmtsim.cli._common import FAILED, add_json, command, output_path, print_json, wide_console
from rmtsim.cli._options import add_store_option
from rmtsim.errors import CorruptedStoreError

if TYPE_CHECKING:
    from rmtsim.runs._store.results import StoredResult
    from rmtsim.runs._store.store import Store

_HELP = """\
list, check, export and prune stored batches

Maintain the store in which `rmtsim verify` keeps finished batches.

examples:
  rmtsim runs                               batches by claim, parameter point and seed
  rmtsim runs show dong.thm1.diagonal       one claim, size by size
  rmtsim runs --check                       verify the file and the SHA-256 of every batch
  rmtsim runs export --format csv --output runs.csv
  rmtsim runs cost dong.thm1.diagonal --at size=100000 --at classes=1000000
  rmtsim runs prune --stale                 batches of older versions of their samplers

state: current (reused by verify), stale (another version of the sampler), file (from a user's file, which is named),
       unknown (no such claim here)
exit codes: 0 sound, 1 --check found damage or salvage misses much, 2 bad usage or not a store
"""


def add_parser(subparsers: Any) -> None:
    """Register the command and its actions."""
    parser = command(subparsers, "runs", _HELP)
    add_store_option(parser)
    parser.add_argument("--check", action="store_true", help="verify the file and every batch's SHA-256")
    add_json(parser)
    parser.set_defaults(run=run, action=_list, claim=None)
    actions = parser.add_subparsers(title="actions", metavar="ACTION")

    def action(name: str, function: Any, words: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(
            name, help=words, description=words[0].upper() + words[1:]
        )
        # The same option before or after the action; the later one counts.
        add_store_option(made, default=argparse.SUPPRESS)
        made.set_defaults(action=function)
        return made

    listed = action("list", _list, "batches by claim, parameter point and seed")
    listed.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    shown = action("show", _show, "one claim, size by size, with environments and lost batches")
    shown.add_argument("claim", metavar="CLAIM")
    shown.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    action("check", _check, "verify the file and every batch's SHA-256")
    exported = action("export", _export, "all batches with their values")
    exported.add_argument("claim", metavar="CLAIM", nargs="?")
    exported.add_argument(
        "--format", choices=("csv", "json"), help="default: by the output's ending, else csv"
    )
    exported.add_argument("--output", "-o", metavar="PATH", help="default: standard output")
    cost = action("cost", _cost, "seconds and memory against size, fitted to the stored batches")
    cost.add_argument("claim", metavar="CLAIM", nargs="?")
    cost.add_argument(
        "--at", action="append", default=[], metavar="NAME=VALUE", help="predict here, repeatable"
    )
    cost.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    pruned = action("prune", _prune, "remove batches")
    pruned.add_argument(
        "claim", metavar="CLAIM", nargs="?", help="all of a claim, or the condition within it"
    )
    pruned.add_argument("--stale", action="store_true", help="those of other versions of their samplers")
    pruned.add_argument("--corrupted", action="store_true", help="those that fail their check")
    pruned.add_argument("--older-than", type=float, metavar="DAYS", help="those finished before that")
    pruned.add_argument("--all", action="store_true", help="everything")
    pruned.add_argument("--dry-run", action="store_true", help="say how many, remove nothing")
    saved = action("salvage", _salvage, "copy every whole batch of a damaged store to a new one")
    saved.add_argument("target", metavar="NEW")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the subcommand on the store."""
    from rmtsim.runs._store.schema import default_path

    if arguments.store == "":
        raise ValueError("--store '': expected the path of a store")
    arguments.path = Path(arguments.store or default_path())
    function = _check if arguments.check else arguments.action
    return int(function(arguments))


_REMEDY = (
    "`rmtsim runs prune --corrupted` removes damaged batches, `rmtsim runs salvage NEW` copies all whole ones out of a "
    "damaged file"
)


def _say(text: str) -> None:
    """Print a line; control characters in text from the store are escaped."""
    print(plain(text))


def _open(arguments: argparse.Namespace, *, read_only: bool = True) -> Store:
    from rmtsim.runs._store.store import Store

    return Store(arguments.path, read_only=read_only)


def _point(parameters: str) -> str:
    from rmtsim.runs._store.store import parsed_point

    return "".join(f"{name}={value}, " for name, value in parsed_point(parameters).items())


def _when(stamp: float) -> str:
    try:
        return datetime.fromtimestamp(stamp).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):  # of a damaged or foreign store
        return "?"


def _list(arguments: argparse.Namespace) -> int:
    from rmtsim.runs._store.report import lost, summaries
    from rmtsim.runs._store.results import stored_results

    with _open(arguments) as store:
        found, given_up = summaries(store, arguments.claim), lost(store)
        results = [_result_row(each) for each in stored_results(store, arguments.claim)]
    if arguments.json:
        print_json(
            {
                "store": str(arguments.path),
                "runs": [vars(each) for each in found],
                "lost": given_up,
                "results": results,
            }
        )
        return 0
    from rich.table import Table
    from rich.text import Text

    table = Table(pad_edge=False)
    table.add_column("claim", overflow="fold")
    for name in ("state", "sizes"):
        table.add_column(name)
    for name in ("batches", "values", "seconds"):
        table.add_column(name, justify="right")
    table.add_column("last", justify="right", no_wrap=True)
    for each in found:
        sizes = f"{each.sizes[0]}…{each.sizes[-1]}" if len(each.sizes) > 1 else str(each.sizes[0])
        origin = f"\n{Path(each.file).name}" if each.file is not None else ""
        table.add_row(
            Text.assemble(
                plain(each.claim), (plain(f"{origin}\n{_point(each.parameters)}seed {each.seed}"), "dim")
            ),
            each.state, sizes, str(each.batches), str(each.replicates),
            f"{each.seconds:.1f}", _when(each.finished),
        )  # fmt: skip
    console = wide_console()
    console.print(table)
    for gone in given_up:
        console.print(
            plain(
                f"lost: {gone['claim']}, size {gone['size']}, batch {gone['batch']} at {gone['parameters']}: killed "
                f"{gone['deaths']} workers ({gone['cause']})"
            ),
            markup=False,
        )
    if results:
        _say(
            "results, the newest of each claim and its parameter points (for reports; verdicts never use them):"
        )
    for kept in results:
        _say(f"  {_result_line(kept)}")
    _say(f"{arguments.path}: {sum(each.batches for each in found)} batches, {len(results)} results")
    return 0


def _result_row(stored: StoredResult) -> dict[str, Any]:
    """One stored result for a list; text of a foreign store is shown, never used."""
    content = stored.parsed
    settings = content.get("settings")
    known = settings if isinstance(settings, dict) else {}
    return {
        "claim": stored.claim,
        "points": stored.points,
        "verdict": stored.verdict,
        "code": stored.code,
        "finished": stored.finished,
        **{name: known.get(name) for name in ("seed", "level", "budget", "quick", "draw")},
        "command": content.get("command"),
    }


def _result_line(row: dict[str, Any]) -> str:
    points = row["points"] if len(row["points"]) <= 60 else f"{row['points'][:59]}…"
    return f"{row['verdict']:<12}  {row['claim']}  {points}  seed {row['seed']}  {_when(row['finished'])}"


def _show(arguments: argparse.Namespace) -> int:
    import numpy as np

    from rmtsim.runs._store.report import lost, summaries
    from rmtsim.runs._store.results import stored_results

    cells: dict[tuple[Any, ...], list[Any]] = {}
    with _open(arguments) as store:
        found = summaries(store, arguments.claim)
        states = {(each.parameters, each.seed, each.code): each.state for each in found}
        files = sorted({each.file for each in found if each.file is not None})
        for row in store.rows(arguments.claim):
            cells.setdefault((row.parameters, row.seed, row.code, row.size, row.environment), []).append(row)
        given_up = [each for each in lost(store) if each["claim"] == arguments.claim]
        results = [_result_row(each) for each in stored_results(store, arguments.claim)]
    if not cells and not given_up and not results:
        raise ValueError(f"claim={arguments.claim!r}: the store {arguments.path} has no batches of it")
    shown = []
    for (parameters, seed, code, size, environment), rows in cells.items():
        values = np.concatenate([row.values for row in rows])
        shown.append(
            {
                "parameters": parameters,
                "seed": seed,
                "code": code,
                "state": states[parameters, seed, code],
                "size": size,
                "batches": len(rows),
                "replicates": int(values.size),
                "mean": float(values.mean()),
                "standard_deviation": float(values.std()),
                "seconds": sum(row.seconds for row in rows),
                "memory": max((row.memory for row in rows if row.memory is not None), default=None),
                "environment": environment,
            }
        )
    if arguments.json:
        print_json({"claim": arguments.claim, "sizes": shown, "lost": given_up, "results": results})
        return 0
    _say(arguments.claim)
    for path in files:
        _say(f"  from {path}")
    for kept in results:
        _say(f"  result: {_result_line(kept)}")
    for each in shown:
        _say(
            f"  {each['parameters']} seed {each['seed']} size {each['size']:>7} {each['state']:<8} "
            f"{each['batches']:>6} batches {each['replicates']:>9} values  mean {each['mean']:.6g}  "
            f"sd {each['standard_deviation']:.3g}  {each['seconds']:.2f} s"
        )
    for text in sorted({each["environment"] for each in shown}):
        _say(f"  computed with {text}")
    for each in given_up:
        _say(f"  lost: size {each['size']}, batch {each['batch']} at {each['parameters']} ({each['cause']})")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from rmtsim.runs._store.report import check

    with _open(arguments) as store:
        problems = list(check(store))
        total = None if problems else store.count()
    for problem in problems:
        _say(problem)
    if problems:
        print(
            plain(f"rmtsim: error: {arguments.path}: {len(problems)} problems found; {_REMEDY}"),
            file=sys.stderr,
        )
        return FAILED
    _say(f"{arguments.path}: {total} batches, all sound")
    return 0


@contextlib.contextmanager
def _target(path: Path | None) -> Iterator[TextIO]:
    if path is None:
        yield sys.stdout
        return
    with path.open("w", encoding="utf-8", newline="") as target:
        yield target


def _export(arguments: argparse.Namespace) -> int:
    from rmtsim.runs._store.report import export_csv, export_json, summaries

    path = output_path(arguments.output)
    ending = path.suffix.lstrip(".").lower() if path is not None else ""
    kind = arguments.format or (ending if ending in ("csv", "json") else "csv")
    with _open(arguments) as store:
        if arguments.claim is not None and not summaries(store, arguments.claim):
            raise ValueError(f"claim={arguments.claim!r}: the store {arguments.path} has no batches of it")
        with _target(path) as target:
            (export_json if kind == "json" else export_csv)(store.rows(arguments.claim), target)
    return 0


def _cost(arguments: argparse.Namespace) -> int:
    from rmtsim.runs._store.cost_model import fit_costs

    at: dict[str, float] = {}
    for text in arguments.at:
        name, equals, value = text.partition("=")
        try:
            at[name] = float(value)
        except ValueError:
            equals = ""
        if not equals or at[name] <= 0:
            raise ValueError(f"--at {text}: expected NAME=VALUE with a number > 0 (for instance size=1000)")
    with _open(arguments) as store:
        fits = fit_costs(store, arguments.claim)
    if not fits:
        whose = f" of {arguments.claim}" if arguments.claim else ""
        raise ValueError(
            f"{arguments.path}: no batches{whose} to fit a cost to; verify with this store first (--store)"
        )
    answers = []
    for fit in fits:
        answer: dict[str, Any] = {"claim": fit.claim, "batches": fit.batches, "sizes": list(fit.sizes)}
        for what, law in (("seconds_per_replicate", fit.seconds), ("bytes_per_batch", fit.memory)):
            answer[what] = law and {
                "formula": law.text,
                "within_factor": law.spread,
                "points": law.points,
                "predicted": law(at) if at else None,
            }
        answers.append(answer)
    if arguments.json:
        print_json(answers)
        return 0
    for answer in answers:
        low, high = answer["sizes"]
        _say(f"{answer['claim']}  ({answer['batches']} batches, sizes {low}…{high})")
        for what in ("seconds_per_replicate", "bytes_per_batch"):
            law = answer[what]
            words = what.replace("_", " ")
            if law is None:
                _say(f"  {words}: too few, too short or too uniform batches for a fit")
                continue
            predicted = f"  ->  {law['predicted']:.3g}" if law["predicted"] is not None else ""
            _say(f"  {words}: {law['formula']}  (within a factor {law['within_factor']:.2g}){predicted}")
    return 0


def _prune(arguments: argparse.Namespace) -> int:
    from rmtsim.runs._store.report import check, prune

    conditions = (arguments.stale, arguments.corrupted, arguments.all, arguments.older_than is not None)
    if not any(conditions) and arguments.claim is None:
        raise ValueError(
            "prune: choose what to remove: CLAIM, --stale, --corrupted, --older-than DAYS or --all"
        )
    days = arguments.older_than
    if days is not None and not 0 <= days < math.inf:
        raise ValueError(f"--older-than {days:g}: expected a number of days >= 0")
    with _open(arguments, read_only=arguments.dry_run) as store:
        removed = prune(
            store,
            claim=arguments.claim,
            stale=arguments.stale,
            corrupted=arguments.corrupted,
            before=None if days is None else time.time() - 86400 * days,
            everything=arguments.all,
            dry_run=arguments.dry_run,
        )
        remaining = store.count()
        left = [] if arguments.dry_run or not arguments.corrupted else list(check(store))
    words = "would be removed" if arguments.dry_run else "removed"
    _say(f"{arguments.path}: {removed} batches {words}, {remaining - removed * arguments.dry_run} kept")
    if left:
        raise CorruptedStoreError(f"{arguments.path}: damage remains ({left[0]}); {_REMEDY}")
    return 0


def _salvage(arguments: argparse.Namespace) -> int:
    from rmtsim.runs._store.salvage import salvage
    from rmtsim.runs._store.store import Store

    target = Path(arguments.target)
    if target.exists():
        raise ValueError(f"{target}: exists already; expected the path of a new store")
    if not arguments.path.is_file():
        raise ValueError(f"{arguments.path}: no such file; expected a damaged store (--store PATH)")
    with Store(target) as sound:
        saved = salvage(arguments.path, sound)
    _say(f"{target}: {saved.copied} batches copied, {len(saved.missing)} missing")
    for name in saved.missing[:_SHOWN]:
        _say(f"  missing: {name}")
    if len(saved.missing) > _SHOWN:
        _say(f"  … and {len(saved.missing) - _SHOWN} more")
    if saved.much_is_missing:
        print(
            plain(
                f"rmtsim: error: {arguments.path}: "
                + (
                    "much of it cannot be read; a copy from a backup may hold more"
                    if saved.copied
                    else "no batch found in it; is this the store?"
                )
            ),
            file=sys.stderr,
        )
        return FAILED
    return 0


_SHOWN = 10
"""Missing batches named by ``runs salvage``; more are counted."""
