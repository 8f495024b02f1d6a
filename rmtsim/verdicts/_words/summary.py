"""The end of a run: how many statements of which standing, with which verdicts, on which evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rmtsim.verdicts._results import ClaimResult, Verdict
from rmtsim.verdicts._words.numbers import counted, time_words
from rmtsim.verdicts._words.standing import PLURALS, Described

_CORRECTIONS = "corrections"


def by_standing(members: Iterable[Described]) -> list[tuple[str, list[Described]]]:
    """Members by row: printed statements by standing, heuristics after the rest, corrections last."""
    found: dict[str, list[Described]] = {name: [] for name in (*PLURALS.values(), _CORRECTIONS)}
    for each in _once(members):
        found[_CORRECTIONS if each.form == "corrected" else PLURALS[each.standing]].append(each)
    return [(name, those) for name, those in found.items() if those]


def _name(each: Described) -> str:
    """Of a claim, or of the claim of a result."""
    return str(getattr(each, "claim", None) or getattr(each, "id", ""))


def _once(members: Iterable[Described]) -> list[Described]:
    """A statement that a paper has at two places (``same_as``) counts once: where it stands first."""
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
    """What a list of claims holds: standings, and what their evidence is.

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
    """Verdicts counted by standing, heuristics and corrections apart; refutations counted with their causes.

    >>> from rmtsim import verify
    >>> print(summary(verify("dong.thm1.diagonal-limit")))
              confirmed  refuted  open  simulated  computed
    theorems          1        0     0          0         1
    """

    def verdict(wanted: Verdict) -> Callable[[Described], bool]:
        return lambda each: isinstance(each, ClaimResult) and each.verdict is wanted

    tests = (*map(verdict, (Verdict.CONFIRMED, Verdict.REFUTED, Verdict.INCONCLUSIVE)), _simulated, _computed)
    rows = [(name, _count(those, *tests)) for name, those in by_standing(results)]
    lines = _table(rows, ("confirmed", "refuted", "open", "simulated", "computed"))
    return "\n".join([*lines, *refutations(results)])


def count_line(results: Sequence[ClaimResult], seconds: float) -> str:
    """The last line of a run: verdicts, batches, clock time.

    >>> from rmtsim import verify
    >>> count_line(verify("dong.thm1.diagonal-limit"), 1.25)
    '1 claim in 1.2 s: 1 confirmed, 0 refuted, 0 open; 15 batches, 0 of them reused'
    """
    kinds = (
        (Verdict.CONFIRMED, "confirmed"),
        (Verdict.REFUTED, "refuted"),
        (Verdict.INCONCLUSIVE, "open"),
    )
    words = [f"{sum(each.verdict is kind for each in results)} {word}" for kind, word in kinds]
    failed = sum(bool(each.failed) for each in results)
    if failed:
        words[-1] += f" ({failed} failed)"
    batches, reused = (sum(getattr(each, name) for each in results) for name in ("batches", "reused"))
    return (
        f"{counted(len(results), 'claim')} in {time_words(seconds)}: {', '.join(words)}; "
        f"{counted(batches, 'batch')}, {reused} of them reused"
    )


def refutations(results: Sequence[ClaimResult]) -> list[str]:
    """How many printed statements were refuted, from how many causes; a negative control refutes no statement.

    A statement is a place in a paper: claims that try it on several ensembles or parameters count once.
    """
    printed = [
        each
        for each in results
        if each.form == "printed" and each.verdict is Verdict.REFUTED and not each.control
    ]
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
