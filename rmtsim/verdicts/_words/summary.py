"""The end of a run in words: how many statements with which verdicts, and what to do next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from rmtsim.claims._model import LEVEL, SECONDS
from rmtsim.claims._papers import PAPERS
from rmtsim.verdicts._needs import TIMELY, Lack
from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict
from rmtsim.verdicts._severity import Grade
from rmtsim.verdicts._words.numbers import (
    OWN_CLAIM,
    PLURALS,
    PRACTICAL,
    Described,
    counted,
    duration,
    time_words,
)

_MARGIN = 2.0
"""Safety factor of a suggested budget: the predicted time to a verdict is as often too short as too long."""


_EXPLORED = 3.0
"""Additional nominal seconds, in units of those spent, after which an uncertain budget is predicted again."""


def deciding_budget(result: ClaimResult) -> float | None:
    """Nominal seconds expected to decide an INCONCLUSIVE claim run alone, to two digits; None if time does not decide
    it.

    Also None if it cannot be predicted within a factor of two, unless even the upper end of the range is at most the
    default budget. Every point gets an equal share, so the point with the largest need determines it.
    """
    still_open = [point for point in result.points if point.verdict is Verdict.INCONCLUSIVE]
    needed = [total for point in still_open if (total := _total(point)) is not None]
    if not needed or len(needed) < len(still_open) or result.failed:
        return None
    return _two_digits(max(needed) * len(result.points))


def _total(point: PointResult) -> float | None:
    """Nominal seconds that decide an open point: twice the figure that is expected, or the upper end of a range."""
    if point.more is None:
        return None
    if point.more_range is None or point.more_range[1] <= point.more_range[0]:
        return _MARGIN * (point.nominal + point.more)
    total = point.nominal + point.more_range[1]
    return total if total <= SECONDS else None


def exploring_budget(result: ClaimResult) -> float | None:
    """Nominal seconds after which the budget that decides is known better; None where time is not what is lacking."""
    still_open = [point for point in result.points if point.verdict is Verdict.INCONCLUSIVE]
    wanted = []
    for point in still_open:
        first = [need.seconds or 0.0 for need in point.lacks if need.lack is Lack.ESTIMATE]
        if not first and (point.more is None or point.nominal <= 0):
            return None
        further = max(first) if first else max(_EXPLORED * point.nominal, SECONDS - point.nominal)
        wanted.append(point.nominal + further)
    return _two_digits(max(wanted) * len(result.points)) if wanted and not result.failed else None


def _two_digits(total: float) -> float:
    """A budget rounded up to two digits, one second at least."""
    step = 10 ** (math.floor(math.log10(total)) - 1) if total > 0 else 1.0
    return float(f"{max(1.0, math.ceil(total / step) * step):.12g}")


def _typed(result: ClaimResult, *options: str, target: str | None = None) -> str:
    """The command for one claim at the points it was tested at, or the call that does the same.

    ``target`` is another claim, to be tested at the same points.
    """
    asked = [point.parameters for point in result.points if not point.drawn]
    target = result.target if target is None else target
    if not target or not _nameable(result):
        return _called(result, asked, options)
    # The declared grid needs no options, unless it is a single point, which is then named.
    point = asked[0] if len(asked) == 1 else {}
    words = [word for name, value in point.items() for word in ("--set", f"{name}={value}")]
    for option, value, usual in (
        ("--draw", f"{result.draw}", "0"),
        ("--seed", f"{result.seed}", "0"),
        ("--level", f"{result.family_level:g}", f"{LEVEL:g}"),
    ):
        words += [option, value] if value != usual else []
    return shlex.join(["rmtsim", "verify", target, *words, *options])


def _nameable(result: ClaimResult) -> bool:
    """Whether a command can select the points: those of the claim itself, or one that is set."""
    return result.own_grid or sum(not point.drawn for point in result.points) == 1


def _called(result: ClaimResult, asked: list[dict[str, Any]], options: Sequence[str]) -> str:
    """The same in Python, for a claim in memory, or for points that no command can name."""
    words = [repr(result.claim) if result.target else "claim"]
    if not result.own_grid:
        words.append(f"points={asked!r}")
    for name, value, usual in (
        ("draw", result.draw, 0),
        ("seed", result.seed, 0),
        ("level", result.family_level, LEVEL),
    ):
        words += [f"{name}={value!r}"] if value != usual else []
    if options[:1] == ("--budget",):
        words.append(f"budget={options[1]}")
    return f"verify({', '.join(words)})"


class Step(StrEnum):
    """What a reader would do next."""

    MEND = "mend"
    """The sampler failed."""
    RESUME = "resume"
    """The run was interrupted."""
    CORRECTION = "correction"
    """Verify the corrected statement."""
    BUDGET = "budget"
    """Spend the budget that is expected to decide."""
    EXPLORE = "explore"
    """Spend a budget after which the deciding one can be predicted."""
    REMEDY = "remedy"
    """Supply what the INCONCLUSIVE verdict lacks besides time; no practical budget decides it."""
    ALLOWANCE = "allowance"
    """Spend the rest of the default budget."""
    NEED = "need"
    """Supply what the INCONCLUSIVE verdict lacks, which is not time alone."""
    REASONING = "reasoning"
    """Read the reasoning."""


def step_after(result: ClaimResult) -> tuple[Step, float | None]:
    """The next step, with the budget that it takes (None where it takes none)."""
    undecided = result.verdict is Verdict.INCONCLUSIVE
    if result.failed:
        return Step.MEND, None
    if result.interrupted and undecided:
        return Step.RESUME, None
    if result.verdict is Verdict.REFUTED and result.correction:
        return Step.CORRECTION, None
    if not undecided:
        return Step.REASONING, None
    cheaper = any(
        need.lack in (Lack.EXPONENTS, Lack.FEWER_EXPONENTS, Lack.EDGE) for need in result.deciding.lacks[:1]
    )
    budget = deciding_budget(result)
    if budget is not None and not cheaper:
        return (Step.BUDGET, budget) if budget <= PRACTICAL else (Step.REMEDY, budget)
    explored = exploring_budget(result)
    if explored is not None and not cheaper:
        least = max((point.more_range[0] for point in result.points if point.more_range), default=0.0)
        return (Step.EXPLORE, explored) if least <= PRACTICAL else (Step.REMEDY, least)
    timely = any(need.lack in TIMELY for need in result.deciding.lacks[:1])
    if timely and sum(each.nominal for each in result.points) < SECONDS / 2:
        return Step.ALLOWANCE, None
    return Step.NEED, None


def next_step(result: ClaimResult) -> str:
    """One line: what a reader would do next.

    >>> from rmtsim import verify
    >>> next_step(verify("dong.thm1.diagonal-limit")[0])
    'the reasoning: rmtsim verify dong.thm1.diagonal-limit --explain'
    """
    step, budget = step_after(result)
    if step is Step.MEND:
        return f"correct its sampler: {result.failed}"
    if step is Step.RESUME:
        return f"the rest of its run: {_typed(result)}"
    if step is Step.CORRECTION:
        return f"the corrected statement: {_corrected(result)}{_erratum(result)}"
    if step is Step.BUDGET:
        return f"to decide it (predicted budget): {_typed(result, '--budget', f'{budget:g}')}{_share(result)}"
    if step is Step.EXPLORE:
        return (
            f"the deciding budget cannot be predicted yet ({result.deciding.needs}); with more draws: "
            f"{_typed(result, '--budget', f'{budget:g}')}"
        )
    if step is Step.REMEDY:
        return f"no practical budget decides it ({duration(budget or 0.0)} of one core): {_remedies(result)}"
    if step is Step.ALLOWANCE:
        spent = sum(each.nominal for each in result.points)
        return f"the rest of its default budget ({SECONDS:g} s, {spent:.2g} s spent): {_typed(result)}"
    if step is Step.NEED:
        needs = result.deciding.needs
        return f"it needs {needs}" if needs else "more evidence"
    return _reasoning(result)


def _remedies(result: ClaimResult) -> str:
    """What would decide an INCONCLUSIVE verdict other than time."""
    from rmtsim.verdicts._words.reasons import remedies_words

    return f"it needs {remedies_words(result.deciding.lacks)}"


def _share(result: ClaimResult) -> str:
    """How the budget of a claim with several points follows from what its points need."""
    number = len(result.points)
    if number == 1:
        return ""
    return f" (shared by {number} points; {_MARGIN:g} times what the neediest one is expected to need)"


def _corrected(result: ClaimResult) -> str:
    """How to verify the corrected statement."""
    if not result.target:
        return "verify(claim.correction)"
    # At the same points if they were chosen; a correction has a grid of its own.
    own = result if not result.own_grid else replace(result, points=(), own_grid=True)
    return _typed(own, target=f"{result.target}/corrected")


def _reasoning(result: ClaimResult) -> str:
    if not result.target or not _nameable(result):
        return "the reasoning: result.explain()"
    return f"the reasoning: {_typed(result, '--explain')}"


def _erratum(result: ClaimResult) -> str:
    key = result.source.partition(" ")[0]
    paper = PAPERS.usable(key)
    page = None if paper is None else paper.file("errata.md")
    if page is None:
        return ""
    here = Path.cwd()
    return f" (what went wrong: {page.relative_to(here) if page.is_relative_to(here) else page})"


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
        (result for result in undecided if step_after(result)[0] is Step.BUDGET),
        key=lambda result: deciding_budget(result) or 0.0,
    )
    chosen = [*failed[:1], *refuted[:1], *(by_time[:1] or undecided[:1])]
    lines = [next_step(result) for result in chosen]
    others = len(refuted) - 1
    if others > 0 and lines:
        lines[len(failed[:1])] += f" (and {counted(others, 'other')})"
    if not lines and results:
        explained = [result for result in results if result.verdict is Verdict.REFUTED] or list(results)
        first = explained[0]
        # The correction was run as well: suggest the reasoning.
        lines = [_reasoning(first) + _erratum(first) if first.correction in ran else next_step(first)]
    return lines[:2]


_APART = {"corrected": "corrections", "ours": "statements of ours"}
"""Rows of forms other than the printed one."""


def by_standing(members: Iterable[Described]) -> list[tuple[str, list[Described]]]:
    """Members by row: printed statements by standing, then heuristics, corrections, ours, own claims."""
    own = f"{OWN_CLAIM}s"
    found: dict[str, list[Described]] = {name: [] for name in (*PLURALS.values(), *_APART.values(), own)}
    for each in _once(members):
        found[_APART.get(each.form) or (PLURALS[each.standing] if each.citation else own)].append(each)
    return [(name, those) for name, those in found.items() if those]


def _name(each: Described) -> str:
    """Of a claim, or of the claim of a result."""
    return str(getattr(each, "claim", None) or getattr(each, "id", ""))


def _once(members: Iterable[Described]) -> list[Described]:
    """A statement that a paper makes at two places (``same_as``) counts once, at the first place."""
    found: dict[str, Described] = {}
    for each in members:
        found.setdefault(each.same_as or _name(each), each)
    return list(found.values())


def _table(rows: Sequence[tuple[str, Sequence[str]]], head: Sequence[str]) -> list[str]:
    lines = [("", head), *rows]
    first = max(len(name) for name, _ in lines)
    widths = [max(len(cells[column]) for _, cells in lines) for column in range(len(head))]
    return [
        f"{name:<{first}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        for name, cells in lines
    ]


def _count(members: Iterable[Described], *wanted: Callable[[Described], bool]) -> list[str]:
    members = list(members)
    return [str(sum(test(each) for each in members)) for test in wanted]


def _simulated(each: Described) -> bool:
    return each.evidence == "simulated"


def _computed(each: Described) -> bool:
    return each.evidence == "computed"


def counts(claims: Iterable[Described]) -> str:
    """Numbers of claims by standing and evidence.

    >>> from rmtsim.claims import all_claims
    >>> print(counts(all_claims("li")[:2]))
              statements  simulated  computed
    theorems           1          1         0
    lemmas             1          1         0
    """
    rows = [
        (name, [str(len(those)), *_count(those, _simulated, _computed)])
        for name, those in by_standing(claims)
    ]
    return "\n".join(_table(rows, ("statements", "simulated", "computed")))


def summary(results: Sequence[ClaimResult]) -> str:
    """Verdicts by standing and grade (sharp and weak are confirmed); refutations are counted with their causes.

    >>> from rmtsim import verify
    >>> print(summary(verify("dong.thm1.diagonal-limit")))
              sharp  weak  refuted  inconclusive  simulated  computed
    theorems      1     0        0             0          0         1
    """

    def verdict(wanted: Verdict) -> Callable[[Described], bool]:
        return lambda each: isinstance(each, ClaimResult) and each.verdict is wanted

    columns: dict[str, Callable[[Described], bool]] = {
        "sharp": lambda each: isinstance(each, ClaimResult) and each.grade is Grade.SHARP,
        "weak": lambda each: isinstance(each, ClaimResult) and each.grade is Grade.WEAK,
        "confirmed, no grade": lambda each: (
            isinstance(each, ClaimResult) and each.verdict is Verdict.CONFIRMED and each.grade is None
        ),
        "untested": verdict(Verdict.UNTESTED),
        "refuted": verdict(Verdict.REFUTED),
        "inconclusive": verdict(Verdict.INCONCLUSIVE),
        "simulated": _simulated,
        "computed": _computed,
    }
    for name in ("confirmed, no grade", "untested"):
        if not any(map(columns[name], results)):
            del columns[name]
    rows = [(name, _count(those, *columns.values())) for name, those in by_standing(results)]
    lines = _table(rows, tuple(columns))
    return "\n".join([*lines, *refutations(results)])


def count_line(results: Sequence[ClaimResult], seconds: float) -> str:
    """The last line of a run: verdicts, batches, clock time.

    >>> from rmtsim import verify
    >>> count_line(verify("dong.thm1.diagonal-limit"), 1.25)
    '1 claim in 1.2 s: 1 confirmed, 0 refuted, 0 inconclusive; 15 batches, 0 of them reused'
    """
    kinds = (
        (Verdict.CONFIRMED, "confirmed"),
        (Verdict.REFUTED, "refuted"),
        (Verdict.INCONCLUSIVE, "inconclusive"),
    )
    words = [f"{sum(each.verdict is kind for each in results)} {word}" for kind, word in kinds]
    untested = sum(each.verdict is Verdict.UNTESTED for each in results)
    words = words[:1] + ([f"{untested} untested"] if untested else []) + words[1:]
    failed = sum(bool(each.failed) for each in results)
    if failed:
        words[-1] += f" ({failed} failed)"
    batches, reused = (sum(getattr(each, name) for each in results) for name in ("batches", "reused"))
    return (
        f"{counted(len(results), 'claim')} in {time_words(seconds)}: {', '.join(words)}; "
        f"{counted(batches, 'batch')}, {reused} of them reused"
    )


def refutations(results: Sequence[ClaimResult]) -> list[str]:
    """How many printed statements were refuted, from how many causes.

    A statement is a place in a paper: claims that try it on several ensembles or parameters count once.
    """
    printed = [each for each in results if each.form == "printed" and each.verdict is Verdict.REFUTED]
    if not printed:
        return []
    text = _refuted(printed)
    others = [each for each in printed if each.standing != "heuristic"]
    if others and len(others) < len(printed):
        text += f"; without heuristics {_refuted(others)}"
    return [f"{text}."]


def _refuted(printed: Sequence[ClaimResult]) -> str:
    sources = {each.claim: each.source for each in printed}
    places = {sources.get(each.same_as, each.source) for each in printed}
    tried = f" (by {len(printed)} claims)" if len(places) < len(printed) else ""
    known = {(each.source.partition(" ")[0], each.cause) for each in printed if each.cause}
    unknown = sum(not each.cause for each in printed)
    causes = len(known) + unknown
    unexplained = f" ({unknown} not explained)" if unknown else ""
    return (
        f"{len(places)} statement{'s' if len(places) > 1 else ''} refuted{tried}, "
        f"from {causes} cause{'s' if causes > 1 else ''}{unexplained}"
    )
