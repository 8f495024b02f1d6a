"""Verdicts as a table for people."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from rmtsim.verdicts.results import ClaimResult, PointResult, Verdict
from rmtsim.verdicts.words.standing import standing_and_evidence

__all__ = ["plus_minus", "verdict_table"]

_COLOURS = {Verdict.CONFIRMED: "bold green", Verdict.REFUTED: "bold red", Verdict.INCONCLUSIVE: "yellow"}


def plus_minus(interval: tuple[float, float]) -> str:
    """An interval as middle ± half-width, to the half-width's second digit.

    >>> plus_minus((1.98712, 2.00135))
    '1.9942 ± 0.0071'
    >>> plus_minus((-math.inf, math.inf))
    'unknown'
    """
    low, high = interval
    if math.isinf(low) and math.isinf(high):
        return "unknown"
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"[{low:.4g}, {high:.4g}]"
    middle, half = (low + high) / 2, (high - low) / 2
    if half == 0:
        return f"{middle:.6g}"
    digits = 1 - math.floor(math.log10(half))
    if 0 <= digits <= 9 and abs(middle) < 1e6:
        return f"{middle:.{digits}f} ± {half:.{digits}f}"
    return f"{middle:.{max(1, digits + (math.floor(math.log10(abs(middle))) if middle else 0) + 1)}g} ± {half:.2g}"


def _parameters(point: PointResult) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in point.parameters.items())


def _estimate(point: PointResult) -> str:
    """The interval; for identities and bounds, which have none, the extreme value met."""
    if point.quantity not in ("relative error", "extreme value"):
        return plus_minus(point.interval)
    if point.estimate is None:
        return "unknown"
    return f"≤ {point.estimate:.2g}" if point.quantity == "relative error" else f"{point.estimate:.5g}"


def _verdict(verdict: Verdict, point: PointResult) -> Text:
    """The verdict over what it rests on: the slowest correction that leaves it, or the violations it excludes."""
    text = Text(str(verdict), style=_COLOURS[verdict])
    if point.breakdown is not None:
        text.append(f"\nto size^-{point.breakdown:.2g}", style="dim")
    if point.excluded_rate is not None:
        text.append(f"\nrate < {point.excluded_rate:.1g}", style="dim")
    return text


def verdict_table(results: Sequence[ClaimResult], width: int = 120) -> Table:
    """One row per claim: that of its deciding parameter point; heuristics apart, after everything else.

    Under its name each row says what the statement is in its paper and whether its quantity was simulated or computed;
    where it is refuted also why, and whether the paper has it right elsewhere.
    Under the verdict stands what it rests on. Where there are fewer than 100 columns the level is left out, and below
    80 the sizes, rather than digits.
    """
    table = Table(show_lines=False, pad_edge=False)
    table.add_column("claim", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("predicted", justify="right", overflow="fold")
    table.add_column("estimate", justify="right", overflow="fold")
    if width >= 80:
        table.add_column("sizes")
    if width >= 100:
        table.add_column("level", justify="right")
    table.add_column("time", justify="right", no_wrap=True)
    heuristics = [result for result in results if result.standing == "heuristic"]
    for result in (*(each for each in results if each.standing != "heuristic"), *heuristics):
        if heuristics and result is heuristics[0] and len(heuristics) < len(results):
            table.add_section()
        point = result.deciding
        name = Text(result.claim)
        name.append(f"\n{standing_and_evidence(result)}", style="dim")
        if point.parameters:
            name.append(f"\n{_parameters(point)}", style="dim")
        if result.cause:
            elsewhere = "; right elsewhere in the paper" if result.credit else ""
            name.append(f"\n{result.cause}{elsewhere}", style="dim")
        if point.needs:
            name.append(f"\nneeds {point.needs}", style="dim")
        predicted = "" if point.predicted is None else f"{point.predicted:.5g}\n± {point.tolerance:.2g}"
        sizes = "…".join(dict.fromkeys(str(size) for size in point.sizes[:: max(1, len(point.sizes) - 1)]))
        table.add_row(
            name,
            _verdict(result.verdict, point),
            predicted,
            _estimate(point),
            *((sizes,) if width >= 80 else ()),
            *((f"{point.level:.2g}" if result.evidence == "simulated" else "–",) if width >= 100 else ()),
            f"{result.seconds:.1f} s",
        )
    return table
