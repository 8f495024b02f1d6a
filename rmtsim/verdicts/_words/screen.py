"""The end of a run of many claims on one screen: counts, refutations with their corrections, INCONCLUSIVE claims."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from rmtsim.verdicts._results import ClaimResult, Verdict
from rmtsim.verdicts._words.numbers import PLURALS, counted
from rmtsim.verdicts._words.summary import summary
from rmtsim.verdicts._words.table import COLOURS

_ORDER = list(PLURALS)


def screen(results: Sequence[ClaimResult], width: int, lines: int) -> Text:
    """Counts, one line per cause of a refutation, one line per INCONCLUSIVE claim, in at most ``lines`` rows.

    Theorems come before lemmas and these before equations. As many INCONCLUSIVE claims and causes are listed as fit;
    the others are counted.

    >>> from rmtsim import verify
    >>> print(screen(verify(["dong.eq1", "dong.thm1.diagonal-limit"], budget=2), 100, 12).plain)
    REFUTED (cause, statement, corrected statement):
      labels 0, 1 in a formula for labels ±1: dong.eq1; correction not run
    <BLANKLINE>
               sharp  weak  refuted  inconclusive  simulated  computed
    theorems       1     0        0             0          0         1
    equations      0     0        1             0          1         0
    1 statement refuted, from 1 cause.
    """
    counts = summary(results).splitlines()
    undecided = [each for each in results if each.verdict is Verdict.INCONCLUSIVE]
    causes = _causes(results)
    heads = bool(undecided) + bool(causes)
    room = max(2, lines - rows(counts, width) - 1 - heads)
    for_open = min(len(undecided), max(8, room - len(causes)))
    text = Text()
    if causes:
        text.append("REFUTED", style=COLOURS[Verdict.REFUTED])
        text.append(" (cause, statement, corrected statement):\n")
        _listed(text, [_of_cause(cause, those, results) for cause, those in causes], room - for_open, width)
    if undecided:
        text.append("INCONCLUSIVE", style=COLOURS[Verdict.INCONCLUSIVE])
        text.append(" (claim, what it needs):\n")
        shown = [f"{each.claim}: {each.failed or each.deciding.needs}" for each in _by_standing(undecided)]
        _listed(text, shown, for_open, width)
    return text.append("\n" if heads else "").append("\n".join(counts))


def rows(lines: Sequence[str], width: int) -> int:
    """Rows that lines take on a terminal of this width, which wraps long ones.

    >>> rows(["short", "a line of 24 characters."], 12)
    3
    """
    return sum(max(1, -(-cell_len(line) // width)) for line in lines)


def _by_standing(results: Sequence[ClaimResult]) -> list[ClaimResult]:
    return sorted(results, key=lambda each: _ORDER.index(each.standing) if each.standing in _ORDER else 0)


def _causes(results: Sequence[ClaimResult]) -> list[tuple[str, list[ClaimResult]]]:
    """Refuted statements by paper and cause; those without a known cause separately."""
    found: dict[tuple[str, str], list[ClaimResult]] = {}
    for each in _by_standing([each for each in results if each.verdict is Verdict.REFUTED]):
        key = (each.source.partition(" ")[0], each.cause) if each.cause else ("", each.claim)
        found.setdefault(key, []).append(each)
    return [(cause if those[0].cause else "", those) for (_, cause), those in found.items()]


def _of_cause(cause: str, those: Sequence[ClaimResult], results: Sequence[ClaimResult]) -> str:
    verdicts = {each.claim: each.verdict for each in results}
    first = those[0]
    more = f" and {counted(len(those) - 1, 'other')}" if len(those) > 1 else ""
    corrections = [each.correction for each in those if each.correction]
    ran = [verdicts[name] for name in corrections if name in verdicts]
    if not corrections:
        words = "no correction"
    elif not ran:
        words = "correction not run"
    elif len(set(ran)) == 1:
        words = f"corrected: {ran[0]}"
    else:
        words = f"corrected: {sum(each is Verdict.CONFIRMED for each in ran)} of {len(ran)} CONFIRMED"
    return f"{cause}: {first.claim}{more}; {words}" if cause else f"{first.claim}{more}; {words}"


def _listed(text: Text, lines: Sequence[str], room: int, width: int) -> None:
    """As many lines as fit, each cut to the width."""
    shown = lines if len(lines) <= room else lines[: max(1, room - 1)]
    for line in shown:
        text.append(f"  {_cut(line, width - 2)}\n")
    if len(shown) < len(lines):
        text.append(f"  … and {len(lines) - len(shown)} more\n")


def _cut(line: str, width: int) -> str:
    """A line that fits: the words before the colon are shortened, so that the name after it can be copied.

    >>> _cut("a cause that is long: some.claim; corrected: CONFIRMED", 45)
    'a cause th…: some.claim; corrected: CONFIRMED'
    """
    if cell_len(line) <= width:
        return line
    start, separator, rest = line.rpartition(": ") if "; " not in line else _at_claim(line)
    room = width - cell_len(separator + rest) - 1
    if room >= 6:
        while cell_len(start) > room:
            start = start[:-1]
        return f"{start.rstrip()}…{separator}{rest}"
    while cell_len(line) > width - 1:
        line = line[:-1]
    return f"{line}…"


def _at_claim(line: str) -> tuple[str, str, str]:
    """The line divided before its claim: the last colon in front of the last semicolon."""
    before, _, after = line.rpartition("; ")
    start, separator, claim = before.rpartition(": ")
    return start, separator, f"{claim}; {after}"
