"""``rmtsim plan``: forecast of the budget of a verdict, from a few draws."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from rmtsim.cli._common import (
    add_json,
    add_set,
    command,
    nothing_else_printed,
    print_json,
    settings,
    wide_console,
)
from rmtsim.cli._options import add_selection, selected

if TYPE_CHECKING:
    from rmtsim.verdicts import ClaimResult, PointResult

PILOT = 2.0
"""Seconds that are spent on each claim by default."""

_HELP = """\
predict the budget that would decide claims, from a few draws

Predict the budget, the sizes and the interval with which claims would be decided.

examples:
  rmtsim plan my_claims.py                 which budget would decide each claim, and what interval to expect
  rmtsim plan my_claims.py::goe.edge --seconds 10      the same from more draws

Each claim is sampled for a few seconds. From these draws the command predicts the budget that would decide it, the
expected interval, and alternatives that are cheaper than time (declared exponents, larger sizes). Nothing is kept.
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "plan", _HELP)
    add_selection(parser, targets="(one or more)")
    parser.add_argument(
        "--seconds", type=float, default=PILOT, help=f"seconds of draws for each claim (default {PILOT:g})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="root seed (default 0)")
    add_set(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Draw some replicates and print the forecast."""
    from rmtsim.claims._papers import PAPERS
    from rmtsim.verdicts import verify

    if not (arguments.claims or arguments.paper or arguments.search):
        raise ValueError("plan: expected one or more claims")
    if not 0 < arguments.seconds < math.inf:
        raise ValueError(f"--seconds {arguments.seconds}: expected a finite number of seconds > 0")
    with nothing_else_printed():
        claims = selected(arguments, quick=False)
        values = settings(arguments.settings, claims)
        results = [
            verify(
                claim,
                seed=arguments.seed,
                budget=arguments.seconds,
                # The unit of the budget is that of rmtsim verify: nominal seconds for claims of papers.
                plan="declared" if claim.paper in PAPERS else "measured",
                points=[values] if values else None,
                progress=False,
            )[0]
            for claim in claims
        ]
    foreseen = [outlook(result) for result in results]
    if arguments.json:
        print_json(foreseen)
        return 0
    console = wide_console()
    for result, each in zip(results, foreseen, strict=True):
        for line in _lines(result, each):
            console.print(line, soft_wrap=True, markup=False, highlight=False)
    return 0


def outlook(result: ClaimResult) -> dict[str, Any]:
    """The forecast for a claim, as plain data."""
    from rmtsim.verdicts._words.summary import deciding_budget, exploring_budget

    point = result.deciding
    decided = str(result.verdict) != "INCONCLUSIVE"
    spent = sum(each.nominal for each in result.points)
    budget = spent if decided else deciding_budget(result)
    explored = exploring_budget(result) if budget is None else None
    return {
        "claim": result.claim,
        "verdict_so_far": str(result.verdict),
        "spent": spent,
        "budget": budget,
        "seconds_to_forecast": explored,
        "interval_so_far": [end if math.isfinite(end) else None for end in point.interval],
        "interval_expected": None if budget is None else _expected(point, budget / len(result.points)),
        "predicted": point.predicted,
        "tolerance": point.tolerance,
        "sizes": list(point.sizes),
        "seconds_per_replicate": _costs(result),
        "unmeasured_sizes": [size for size in point.declared_sizes if size not in point.sizes],
        "more_seconds_range": None
        if point.more_range is None
        else [end if math.isfinite(end) else None for end in point.more_range],
        "remedies": point.needs or None,
        "plan": result.declared.get("plan"),
    }


def _costs(result: ClaimResult) -> list[float]:
    from rmtsim.verdicts._timing import STEP

    declared = result.declared.get("seconds_per_replicate", [])
    steps = result.declared.get("plan") or [0] * len(declared)
    # Coupled sizes have one cost, that of a row.
    return [float(f"{cost * STEP**step:.2g}") for cost, step in zip(declared, steps, strict=False)]


def _expected(point: PointResult, seconds: float) -> list[float] | None:
    """The interval around the same estimate after so many seconds: chance shrinks, the model part less."""
    low, high = point.interval
    if not math.isfinite(high - low) or point.estimate is None or point.nominal <= 0:
        return None
    shrink = math.sqrt(min(1.0, point.nominal / seconds))
    kept = min(point.model, (high - low) / 2)
    half = kept * max(shrink, 0.5) + ((high - low) / 2 - kept) * shrink
    return [point.estimate - half, point.estimate + half]


def _lines(result: ClaimResult, foreseen: dict[str, Any]) -> list[str]:
    from rmtsim.runs._pools.pool import available_cores
    from rmtsim.verdicts._words.numbers import duration, ends_words

    pairs = zip(result.declared["sizes"], foreseen["seconds_per_replicate"], strict=False)
    costs = ", ".join(f"{size}: {cost:.2g} s" for size, cost in pairs)
    lines = [
        f"{result.claim}: {result.verdict} after {duration(foreseen['spent'])} of draws",
        f"  a replicate at size {costs}",
        f"  interval so far {ends_words(result.deciding.interval)}; stated {result.deciding.predicted} ± "
        f"{result.deciding.tolerance:.3g}",
    ]
    if foreseen["verdict_so_far"] != "INCONCLUSIVE":
        return [*lines, "  a few draws decide it: rmtsim verify needs no more than this"]
    budget, expected = foreseen["budget"], foreseen["interval_expected"]
    if budget is not None:
        cores = available_cores()
        shown = f"; interval to expect {ends_words(tuple(expected))}" if expected else ""
        lines.append(
            f"  budget that is expected to decide it: --budget {budget:g} ({duration(budget / cores)} of the clock "
            f"with {cores} workers){shown}"
        )
    elif foreseen["seconds_to_forecast"] is not None:
        lines.append(
            f"  budget that decides it: {duration(foreseen['spent'])} of draws do not show it; rmtsim plan --seconds "
            f"{foreseen['seconds_to_forecast']:g} will show more"
        )
    if foreseen["remedies"]:
        lines.append(f"  what would decide it: {foreseen['remedies']}")
    return lines
