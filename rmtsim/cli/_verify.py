"""``rmtsim verify``: verdicts on claims."""

from __future__ import annotations

import argparse
import collections
import contextlib
import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rmtsim._internal import plain
from rmtsim.claims._model import LEVEL, Claim
from rmtsim.claims._papers import PAPERS
from rmtsim.cli._common import (
    BAD_USAGE,
    UNWANTED,
    add_json,
    add_set,
    command,
    nothing_else_printed,
    output_path,
    print_json,
    settings,
    wide_console,
)
from rmtsim.cli._options import add_run_options, add_selection, closing_words, run_from, selected
from rmtsim.runs._process import exit_code, without_collection

if TYPE_CHECKING:  # scipy is not loaded for `rmtsim --help`
    from rich.console import Console

    from rmtsim.verdicts import ClaimResult, RunPlan

FAIL_ON = {"refuted": ("REFUTED",), "inconclusive": ("INCONCLUSIVE", "UNTESTED")}
"""Verdicts by the names that ``--fail-on`` has for them."""

ARTEFACTS = {
    "latex": "table of verdicts for \\input, with sentences to quote",
    "bibtex": "entries of the papers and of rmtsim, which the LaTeX table cites",
    "csv": "values at every size, for plots of your own",
    "markdown": "table of verdicts and sentences to quote",
    "junit": "test report; refuted claims are failures (with --fail-on inconclusive, undecided ones too)",
    "badge": "counts of verdicts as JSON of an endpoint badge",
}
"""Files that a run can write, by the name of their option."""

_HELP = """\
test claims, by simulation or computation, and print verdicts

Test claims and print a verdict for each, with interval, error level and the sizes it rests on.

examples:
  rmtsim verify --quick                          every claim of the quick set
  rmtsim verify --quick --paper dong             the quick set of one paper
  rmtsim verify dong.thm1 -k limit               claims by the beginning of their names and by word
  rmtsim verify dong.thm1.diagonal/corrected     one claim, at its declared grid of parameter points
  rmtsim verify dong.thm1.ratio --set gamma=0.5 --set classes=7
  rmtsim verify dong.thm1.ratio --draw 5         and at five points drawn from its domain
  rmtsim verify --explain dong.thm1.ratio        the full reasoning
  rmtsim verify dong.thm1.ratio --figures out    a figure: values against size, models, tolerance
  rmtsim verify dong.thm1.ratio --figures out --figure-format pdf --latex table.tex --bibtex refs.bib
  rmtsim verify --quick --report verdicts.html   a page of the run for a browser
  rmtsim verify my_claims.py                     your own claims (docs/your-own-claim.md)
  rmtsim verify my_claims.py::goe.edge           one of them
  rmtsim verify my_claims.py --fail-on refuted --fail-on inconclusive   for CI: exit code 3 unless all are confirmed
  rmtsim verify dong.thm1.ratio --json           everything, for machines (docs/verdict-json.md)

CONFIRMED: the whole interval lies within the tolerance of the prediction. REFUTED: under every admissible
finite-size model the interval excludes it. INCONCLUSIVE: neither, and the table says what would decide it.
UNTESTED: no outcome could have refuted the statement at the tested points. A CONFIRMED claim is sharp or weak.

Below each name are the statement, its standing in its paper (theorem, lemma, equation, remark, heuristic), whether it
is printed or corrected, and its evidence: "simulated" draws matrices or networks; "computed" evaluates a formula at
growing size, without chance. Statements that the paper itself calls informal or approximate are heuristics, quoted
and counted apart. The summary at the end counts refutations together with their causes: a mistake that several
equations inherit is one cause.

--budget is spent in seconds. For claims of papers these are nominal seconds of the declared costs, not of the clock,
so that the same seed and budget give the same result on every machine. For your own claims a short pilot compares
declared costs with the clock before the run; it prints a plan, and --plan PLAN repeats the run exactly.
"""


def positive_seconds(text: str) -> float:
    """A number of seconds above zero.

    >>> positive_seconds("90")
    90.0
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected a finite number of seconds > 0")
    return seconds


def _deadline(started: float, seconds: float | None) -> Callable[[], bool] | None:
    """Whether the time of the clock is up; None without a limit."""
    return None if seconds is None else lambda: time.monotonic() - started > seconds


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "verify", _HELP)
    add_selection(parser, targets="(default: all, or the quick set with --quick)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a small budget per claim, and the quick set: of all papers, or of those that are chosen",
    )
    parser.add_argument(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="seconds of one core, shared by all claims (for claims of papers, nominal ones: see --plan)",
    )
    parser.add_argument(
        "--plan",
        metavar="PLAN",
        default=os.environ.get("RMTSIM_PLAN", "auto"),
        help="unit of the budget: declared (nominal seconds of the declared costs, the same result on every machine), "
        "measured (seconds of this machine, by a timed pilot), a plan that an earlier run printed, or a file with its "
        "--json output, which repeats that run exactly (default: measured for your own claims, declared for papers)",
    )
    parser.add_argument(
        "--fdr",
        action="store_true",
        help="--level is the false discovery rate: the expected share of wrong verdicts among the decided ones",
    )
    parser.add_argument(
        "--max-wall",
        type=positive_seconds,
        metavar="SECONDS",
        help="stop after so many seconds of the clock, with the verdicts so far (checked after every round)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="root seed (default 0)")
    parser.add_argument(
        "--level", type=float, default=LEVEL, help=f"family-wise error probability (default {LEVEL})"
    )
    parser.add_argument(
        "--draw", type=int, default=0, metavar="K", help="K further parameter points drawn from each domain"
    )
    parser.add_argument("--explain", action="store_true", help="print the whole reasoning instead of a table")
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="the table of all claims; without it --quick prints one screen and writes the table as a page",
    )
    parser.add_argument(
        "--points", action="store_true", help="show every parameter point, not the deciding one alone"
    )
    parser.add_argument(
        "--fail-on",
        choices=tuple(FAIL_ON),
        action="append",
        default=[],
        help="end with exit code 3 if a claim has this verdict (repeatable)",
    )
    parser.add_argument(
        "--figures", metavar="FOLDER", help="write a figure per claim (values against size) there"
    )
    parser.add_argument(
        "--figure-format",
        choices=("png", "pdf", "svg"),
        action="append",
        help="format of --figures, repeatable (default png)",
    )
    parser.add_argument(
        "--preregistration",
        metavar="FILE.json",
        help="say whether this run matches a record of `rmtsim preregister`",
    )
    group = parser.add_argument_group("for papers and continuous integration")
    for name, words in ARTEFACTS.items():
        group.add_argument(f"--{name}", metavar="FILE", help=words)
    parser.add_argument(
        "--report",
        metavar="FILE.html",
        help="write a page of this run's verdicts (`rmtsim report`: of the store's)",
    )
    add_set(parser)
    add_json(parser)
    add_run_options(parser)
    parser.set_defaults(run=run)


def _figure_paths(folder: str | None, claims: list[Claim], formats: Sequence[str]) -> dict[str, list[Path]]:
    """Where each claim's figures go; the folder is checked before any work."""
    if folder is None:
        return {}
    if Path(folder).exists() and not Path(folder).is_dir():
        raise ValueError(f"--figures {folder}: expected a folder, and this is a file")
    Path(folder).mkdir(parents=True, exist_ok=True)
    drawable = [claim.id for claim in claims]
    names = collections.Counter(name.replace("/", "-") for name in set(drawable))
    # x/y and x-y would share a file: then the one with a slash says so.
    stems = {
        name: name.replace("/", "-" if names[name.replace("/", "-")] == 1 else "%2F") for name in drawable
    }
    paths = {
        name: [Path(folder) / f"{stem}.{ending}" for ending in dict.fromkeys(formats)]
        for name, stem in stems.items()
    }
    for path in (path for several in paths.values() for path in several):
        output_path(str(path))
    return paths


def run(arguments: argparse.Namespace) -> int:
    """Verify and print."""
    with without_collection():
        from rmtsim.verdicts import verify
        from rmtsim.verdicts._words.table import headed, verdict_row

        with nothing_else_printed():
            claims = selected(arguments, quick=arguments.quick)
    values = settings(arguments.settings, claims)
    paths = _figure_paths(arguments.figures, claims, arguments.figure_format or ["png"])
    outputs = {name: output_path(getattr(arguments, name)) for name in ARTEFACTS}
    registered = _preregistration(arguments, claims)
    report = _report_path(arguments.report)
    plan = _plan(arguments.plan, claims)
    announced = None if arguments.quiet or plan == "declared" else partial(_print_plan, arguments=arguments)
    started = time.monotonic()
    streamed: set[str] = set()
    console = wide_console()

    def row(result: ClaimResult) -> Any:
        streamed.add(result.claim)
        shown = verdict_row(result, console.width, points=arguments.points)
        return shown if len(streamed) > 1 else headed(shown, console.width)

    brief = _brief(arguments, claims)
    rows = None if arguments.json or arguments.explain or brief else row
    shown = console if rows or brief else None
    with nothing_else_printed(), run_from(arguments, shown, rows, claims=len(claims)) as (runner, progress):
        if len(claims) > 1 and not arguments.quiet:
            _print_known(runner.known_verdicts(claims), len(claims))
        results = verify(
            claims,
            seed=arguments.seed,
            level=arguments.level,
            budget=arguments.budget,
            quick=arguments.quick,
            points=[values] if values else None,
            draw=arguments.draw,
            runner=runner,
            progress=progress,
            stop=_deadline(started, arguments.max_wall),
            plan=plan,
            planned=announced,
            fdr=arguments.fdr,
        )
    for result in results:
        if result.claim in paths and any(point.values for point in result.points):
            from rmtsim.plots._style import save
            from rmtsim.plots._verdict import verdict_figure

            for path in paths[result.claim]:
                save(verdict_figure(result), path)
    _write_artefacts(results, outputs, arguments)
    if report is not None:
        _write_report(results, arguments, report)
    if arguments.json:
        print_json([result.as_json() for result in results])
    elif brief:
        _print_screen(results, arguments, console, time.monotonic() - started)
    else:
        _print_text(results, arguments, console, streamed, time.monotonic() - started)
    for line in registered:
        print(f"rmtsim: preregistration: {plain(line)}", file=sys.stderr)
    interrupted = any(result.interrupted for result in results)
    for result in results:
        if result.failed:
            print(f"rmtsim: error: {plain(result.failed)}", file=sys.stderr)
    return closing_words(arguments, runner, interrupted=interrupted, code=_code(results, arguments))


def _print_known(verdicts: Mapping[str, int], claims: int) -> None:
    """What the store says of the claims, before any work; on standard error."""
    if not verdicts:
        return
    from rmtsim.verdicts._words.numbers import counted

    known = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
    print(
        f"rmtsim: in the store: {sum(verdicts.values())} of {counted(claims, 'claim')} ({known}); batches are "
        "checked and reused",
        file=sys.stderr,
        flush=True,
    )


SCREEN = 40
"""Lines that the quick set prints at most."""
_FEWEST = 8
"""Largest number of claims that are printed in full."""


def _brief(arguments: argparse.Namespace, claims: Sequence[Claim]) -> bool:
    """Whether the run ends with one screen: a quick set of more claims than a screen holds."""
    wanted = arguments.verbose or arguments.points or arguments.explain or arguments.json
    return arguments.quick and not wanted and len(claims) > _FEWEST


def _print_screen(
    results: Sequence[ClaimResult], arguments: argparse.Namespace, console: Console, seconds: float
) -> None:
    """Counts, refutations and INCONCLUSIVE claims; a page next to the store, or ``-v``, has all claims."""
    from rmtsim.runs._store.schema import default_path
    from rmtsim.verdicts._words.screen import rows, screen
    from rmtsim.verdicts._words.summary import count_line, next_lines

    last = [count_line(results, seconds)]
    if arguments.report is None and not arguments.no_store:
        page = Path(arguments.store or default_path()).with_name("rmtsim-quick.html")
        with contextlib.suppress(OSError):
            last.append(f"page of all claims: {plain(_page(results, arguments, page))}")
    last.append(f"table of all claims: {plain(shlex.join(['rmtsim', *arguments.command_line, '-v']))}")
    last += [f"next: {line}" for line in next_lines(results)]
    console.print(screen(results, console.width, SCREEN - rows(last, console.width)), soft_wrap=True)
    for line in last:
        console.print(line, soft_wrap=True, markup=False, highlight=False)


def _plan(text: str, claims: list[Claim]) -> Any:
    """The requested plan: by default, costs are measured for claims that belong to no paper."""
    if text == "auto":
        return "measured" if all(claim.paper not in PAPERS for claim in claims) else "declared"
    if text in ("declared", "measured") or "=" in text:
        return text
    from rmtsim._internal.files import read_text

    if not Path(text).is_file():
        raise ValueError(
            f"--plan {text}: expected declared, measured, ID=STEP,STEP,... or a file with the --json output of a run"
        )
    return read_text(text)


def _print_plan(plan: RunPlan, arguments: argparse.Namespace) -> None:
    """Print on standard error how long the run may take."""
    if not plan.steps:
        return
    from rmtsim.runs._pools.pool import available_cores
    from rmtsim.verdicts._words.numbers import duration

    workers = arguments.workers or available_cores()
    shortest = duration(plan.seconds / workers)
    words = (
        f"at most about {duration(plan.seconds)} of one core"
        + f" ({shortest} with {workers} workers)" * (workers > 1)
    )
    again = f"; --plan '{plan.text}' repeats it exactly" if len(plan.text) <= _LONGEST_PLAN else ""
    print(f"rmtsim: plan: {words}, costs as measured now{plain(again)}", file=sys.stderr, flush=True)
    if plan.least > plan.seconds:
        print(
            f"rmtsim: this budget decides nothing: two replicates at each of two sizes take {duration(plan.least)}",
            file=sys.stderr,
            flush=True,
        )


_LONGEST_PLAN = 200
"""Longest plan that is printed; a longer one is in the --json output only."""


def _preregistration(arguments: argparse.Namespace, claims: list[Claim]) -> list[str]:
    """Whether the run matches its record, in lines; read before any work."""
    if arguments.preregistration is None:
        return []
    from rmtsim._internal.files import read_text
    from rmtsim.claims._preregistration import differences, read
    from rmtsim.cli._preregister import now, settings_of

    kept = read(read_text(arguments.preregistration), arguments.preregistration)
    changed = differences(kept, now(claims, settings_of(arguments)))
    for name in ("draw", "quick", "settings"):
        if getattr(arguments, name):
            changed.append(
                f"--{'set' if name == 'settings' else name} was given, and is not part of a record"
            )
    head = f"recorded {kept['date']} (SHA-256 {kept['sha256'][:16]}…)"
    return [f"{head}: this run matches it"] if not changed else [f"{head}: this run differs", *changed]


def _write_artefacts(
    results: Sequence[ClaimResult], outputs: dict[str, Path | None], arguments: argparse.Namespace
) -> None:
    """Files for a paper and for continuous integration; only JUnit and badge contain claims whose sampler failed."""
    if not any(outputs.values()):
        return
    from rmtsim import report

    examined = [result for result in results if not result.failed]
    makers = {
        "latex": lambda: report.latex_table(examined),
        "bibtex": lambda: report.bibtex(examined),
        "csv": lambda: report.csv_table(examined),
        "markdown": lambda: report.markdown_table(examined),
        "junit": lambda: report.junit(results, fail_open="inconclusive" in arguments.fail_on),
        "badge": lambda: report.badge_json(results),
    }
    for name, path in outputs.items():
        if path is not None:
            path.write_text(makers[name](), encoding="utf-8")


def _report_path(text: str | None) -> Path | None:
    """Where the page of this run goes, checked before any work."""
    if text is None:
        return None
    from rmtsim.cli._report import report_path

    return report_path(text, "--report")


def _write_report(results: Sequence[ClaimResult], arguments: argparse.Namespace, path: Path) -> None:
    """The page of this run; where it is goes to standard error, which is no part of the table or the JSON."""
    words = _page(results, arguments, path)
    if not arguments.quiet:
        print(f"rmtsim: report: {words}", file=sys.stderr)


def _page(results: Sequence[ClaimResult], arguments: argparse.Namespace, path: Path) -> str:
    """Write the page of this run; what it holds, in a line."""
    from rmtsim.cli._report import write_page
    from rmtsim.report import entries_of_results

    contents = entries_of_results(
        [result for result in results if not result.failed],
        command=shlex.join(["rmtsim", *arguments.command_line]),
        settings={name: getattr(arguments, name) for name in ("seed", "level", "budget", "quick", "draw")},
    )
    return write_page(contents, path)


def _code(results: Sequence[ClaimResult], arguments: argparse.Namespace) -> int:
    if any(result.interrupted for result in results):
        return exit_code()
    if any(result.failed for result in results):
        return BAD_USAGE
    unwanted = {verdict for word in arguments.fail_on for verdict in FAIL_ON[word]}
    return UNWANTED if any(str(result.verdict) in unwanted for result in results) else 0


def _print_text(
    results: Sequence[ClaimResult],
    arguments: argparse.Namespace,
    console: Console,
    streamed: set[str],
    seconds: float,
) -> None:
    from rmtsim.verdicts._words.summary import count_line, next_lines, summary
    from rmtsim.verdicts._words.table import verdict_table

    def say(text: str) -> None:
        console.print(text, soft_wrap=True, markup=False, highlight=False)

    if arguments.explain:
        from rmtsim.verdicts._words.explain import explain

        for number, result in enumerate(results):
            say(("\n" if number else "") + explain(result))
    else:
        left = [result for result in results if result.claim not in streamed]
        if left:
            console.print(verdict_table(left, console.width, points=arguments.points), soft_wrap=True)
    say("")
    say(summary(results))
    say(count_line(results, seconds))
    for line in next_lines(results):
        say(f"next: {line}")
