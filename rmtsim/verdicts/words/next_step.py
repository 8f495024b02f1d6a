"""What to do after a verdict: the exact command, or the call in Python for a claim that exists in memory only."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from rmtsim.claims.papers import PAPERS
from rmtsim.verdicts.results import ClaimResult, Verdict
from rmtsim.verdicts.words.numbers import counted

__all__ = ["deciding_budget", "next_lines", "next_step"]

_MARGIN = 2.0
"""A budget is named with this much to spare: the time to a verdict is a guess, as often too short as too long."""


def deciding_budget(result: ClaimResult) -> float | None:
    """Nominal seconds expected to decide an open claim when it is run alone, to two digits; None if time does not.

    A forecast from what is known so far, which a little evidence makes badly. Every point gets an equal share, so the
    neediest one sets it.
    """
    still_open = [point for point in result.points if point.verdict is Verdict.INCONCLUSIVE]
    needed = [point.nominal + point.more for point in still_open if point.more is not None]
    if not needed or len(needed) < len(still_open) or result.failed:
        return None
    total = _MARGIN * max(needed) * len(result.points)
    step = 10 ** (math.floor(math.log10(total)) - 1) if total > 0 else 1.0
    return float(f"{max(1.0, math.ceil(total / step) * step):.12g}")


def _typed(result: ClaimResult, *options: str) -> str:
    """The command for one claim at the points it was tested at, or the call that does the same."""
    if result.target:
        # Points that were set or drawn are not told from the claim's own: one point is named, several are its grid.
        point = result.points[0].parameters if len(result.points) == 1 else {}
        settings = [word for name, value in point.items() for word in ("--set", f"{name}={value}")]
        seed = ["--seed", str(result.seed)] if result.seed else []
        moved = ["--control", f"{result.control:g}"] if result.control else []
        return shlex.join(["rmtsim", "verify", result.target, *settings, *seed, *moved, *options])
    seed_word = f", seed={result.seed}" if result.seed else ""
    budget = f", budget={options[1]}" if options[:1] == ("--budget",) else ""
    return f"verify(claim{seed_word}{budget})"


def next_step(result: ClaimResult) -> str:
    """One line: what a reader would do next.

    >>> from rmtsim import verify
    >>> next_step(verify("dong.thm1.diagonal-limit")[0])
    'the reasoning: rmtsim verify dong.thm1.diagonal-limit --explain'
    """
    point = result.deciding
    if result.failed:
        return f"mend its sampler: {result.failed}"
    if result.interrupted and result.verdict is Verdict.INCONCLUSIVE:
        return f"the rest of its run: {_typed(result)}"
    if result.verdict is Verdict.REFUTED and result.correction and not result.control:
        target = f"{result.target}/corrected" if result.target else ""
        command = shlex.join(["rmtsim", "verify", target]) if target else "verify(claim.correction)"
        return f"the corrected statement: {command}{_erratum(result)}"
    if result.verdict is Verdict.INCONCLUSIVE:
        budget = deciding_budget(result)
        if budget is not None:
            return f"to decide it, as far as can be foreseen: {_typed(result, '--budget', f'{budget:g}')}"
        return f"it needs {point.needs}" if point.needs else "more evidence"
    if not result.target:
        return "the reasoning: result.explain()"
    return f"the reasoning: {_typed(result, '--explain')}"


def _erratum(result: ClaimResult) -> str:
    key = result.source.partition(" ")[0]
    return f" (what went wrong: docs/errata/{key}.md)" if key in PAPERS else ""


def next_lines(results: Sequence[ClaimResult]) -> list[str]:
    """At most two lines after a run: for the first refuted statement whose correction was not run, and the open ones.

    >>> from rmtsim import verify
    >>> next_lines(verify("dong.thm1.diagonal-limit"))
    ['the reasoning: rmtsim verify dong.thm1.diagonal-limit --explain']
    """
    ran = {result.claim for result in results}
    failed = [result for result in results if result.failed]
    refuted = [
        result
        for result in results
        if result.verdict is Verdict.REFUTED and result.correction and result.correction not in ran
    ]
    undecided = [result for result in results if result.verdict is Verdict.INCONCLUSIVE and not result.failed]
    by_time = sorted(
        (result for result in undecided if deciding_budget(result) is not None),
        key=lambda result: deciding_budget(result) or 0.0,
    )
    chosen = [*failed[:1], *refuted[:1], *(by_time[:1] or undecided[:1])]
    lines = [next_step(result) for result in chosen]
    others = len(refuted) - 1
    if others > 0 and lines:
        lines[len(failed[:1])] += f" (and {counted(others, 'other')})"
    if not lines and results:
        explained = [result for result in results if result.verdict is Verdict.REFUTED] or list(results)
        lines = [next_step(explained[0])]
    return lines[:2]
