"""Verdicts as rows for people: name, statement, what it is, prediction, estimate, and what the verdict rests on."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict
from rmtsim.verdicts._severity import severity_words
from rmtsim.verdicts._words.numbers import (
    counted,
    estimate_words,
    parameter_words,
    predicted_words,
    standing_and_evidence,
    time_words,
)
from rmtsim.verdicts._words.reasons import evidence_base

COLOURS = {
    Verdict.CONFIRMED: "bold green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.UNTESTED: "yellow",
}
_WIDE = 170
"""Terminal width from which numbers have separate columns; on narrower ones they are labelled on a separate line."""
_VERDICT = 12
_COLUMNS = (("predicted", 22), ("estimate", 50), ("sizes", 13), ("level", 7), ("core time", 9))
_STATEMENT_LINES = 2
_GAP = "  "


def verdict_table(results: Sequence[ClaimResult], width: int = 120, *, points: bool = False) -> Text:
    """All results, heuristics apart and after everything else; with ``points`` every parameter point of each.

    >>> from rmtsim import verify
    >>> print(verdict_table(verify("dong.thm1.diagonal-limit"), 80).plain.splitlines()[0])
    CONFIRMED     dong.thm1.diagonal-limit  theorem (printed), computed
    """
    heuristics = [result for result in results if result.standing == "heuristic"]
    others = [result for result in results if result.standing != "heuristic"]
    table = Text()
    for number, result in enumerate((*others, *heuristics)):
        if heuristics and others and result is heuristics[0]:
            table.append("\n\nheuristics, which their papers call so, counted apart:", style="dim")
        table.append("\n" if number else "").append_text(verdict_row(result, width, points=points))
    return headed(table, width)


def headed(rows: Text, width: int) -> Text:
    """Rows under the names of the columns, where the terminal is wide enough for columns."""
    if width < _WIDE:
        return rows
    names = "".join(f"{_GAP}{name:<{room}}" for name, room in _COLUMNS)
    head = f"{'verdict':<{_VERDICT}}{_GAP}{'claim':<{_claim_column(width)}}{names}"
    return Text(head.rstrip(), style="dim").append("\n").append_text(rows)


def _claim_column(width: int) -> int:
    return width - _VERDICT - sum(room + len(_GAP) for _, room in _COLUMNS) - len(_GAP)


def verdict_row(result: ClaimResult, width: int = 120, *, points: bool = False) -> Text:
    """One result: of its deciding parameter point, or with ``points`` of each of them.

    The name is on a line of its own and never wrapped. Below it: the statement; its standing, printed or corrected,
    simulated or computed; prediction and estimate; breakdown point; cause of a refutation; what an INCONCLUSIVE
    verdict needs.
    """
    point = result.deciding
    wide = width >= _WIDE
    row = Text()
    row.append(f"{result.verdict!s:<{_VERDICT}}{_GAP}", style=COLOURS[result.verdict])
    row.append(result.claim, style="bold")
    if point.warned:
        row.append(f"{_GAP}(warning: {point.warned})", style="red")
    numbers = _numbers(result, point)
    if wide:
        # A long number may extend into the column of the name.
        room = _claim_column(width) - sum(max(0, len(numbers[name]) - space) for name, space in _COLUMNS)
        row.append(" " * max(0, room - cell_len(result.claim)))
        for name, space in _COLUMNS:
            row.append(f"{_GAP}{numbers[name]:<{space}}")
    indent = " " * (_VERDICT + len(_GAP)) if width >= 70 else "  "
    space = max(20, width - len(indent))
    what, rest = standing_and_evidence(result), _point_parts(result, point)
    if result.batches and result.reused:
        rest.append(f"{result.reused} of {counted(result.batches, 'batch')} reused")
    if not wide and cell_len(row.plain) + len(_GAP) + cell_len(what) <= width:
        row.append(f"{_GAP}{what}", style="dim")
    else:
        rest = [what, *rest]
    for line in _clipped(result.statement, space, _STATEMENT_LINES):
        row.append(f"\n{indent}{line}")
    if not wide:
        named = [
            f"{name} {numbers[name]}" for name in ("predicted", "estimate", "sizes", "level") if numbers[name]
        ]
        for line in _flowed(named, space):
            row.append(f"\n{indent}{line}")
        rest.append(f"{numbers['core time']} of one core")
    for line in _flowed(rest, space):
        row.append(f"\n{indent}{line}", style="dim")
    for name, words in _remarks(result, point):
        for line in _wrapped(f"{name}: {words}", space):
            row.append(f"\n{indent}{line}", style="dim")
    if points and len(result.points) > 1:
        for each in result.points:
            row.append_text(_point_row(result, each, indent, space))
    return row


def _numbers(result: ClaimResult, point: PointResult) -> dict[str, str]:
    sizes = dict.fromkeys(str(size) for size in point.sizes[:: max(1, len(point.sizes) - 1)])
    return {
        "predicted": predicted_words(point),
        "estimate": estimate_words(point),
        "sizes": "…".join(sizes),
        "level": f"{point.level:.2g}" if result.evidence == "simulated" else "",
        "core time": time_words(result.seconds),
    }


def _point_parts(result: ClaimResult, point: PointResult) -> list[str]:
    """The deciding parameter point and the breakdown point."""
    parts = []
    if point.parameters:
        number = len(result.points)
        parts.append(
            f"at {parameter_words(point.parameters)}{f' (1 of {number} points)' if number > 1 else ''}"
        )
    found = result.severity
    if found is not None and severity_words(found):
        parts.append(f"{found.grade}: {severity_words(found)}" if found.grade else severity_words(found))
    if point.breakdown is not None:
        parts.append(f"holds for corrections size^-{point.breakdown:.2g} and faster")
    if point.excluded_rate is not None:
        parts.append(f"violations rarer than {point.excluded_rate:.1g}")
    parts += evidence_base(result, point)
    return parts


def _remarks(result: ClaimResult, point: PointResult) -> list[tuple[str, str]]:
    found = []
    if result.cause:
        favour = "; in the paper's favour: see --explain" if result.credit else ""
        found.append(("cause", f"{result.cause}{favour}"))
    if result.chain:
        found.append(("compared with simulation by", ", ".join(result.chain)))
    if result.same_as:
        found.append(("the same statement as", result.same_as))
    if result.why_weak:
        found.append(("weak because", result.why_weak))
    if result.failed:
        found.append(("failed", result.failed))
    elif point.needs:
        found.append(("needs", point.needs))
    return found


def _point_row(result: ClaimResult, point: PointResult, indent: str, space: int) -> Text:
    numbers = _numbers(result, point)
    parts = [f"{name} {numbers[name]}" for name in ("predicted", "estimate", "sizes") if numbers[name]]
    drawn = " (drawn)" if point.drawn else ""
    row = Text(f"\n{indent}")
    row.append(f"{point.verdict!s:<{_VERDICT}}{_GAP}", style=COLOURS[point.verdict])
    row.append(f"{parameter_words(point.parameters)}{drawn}")
    for line in _flowed(parts, space - 2):
        row.append(f"\n{indent}  {line}", style="dim")
    return row


def _flowed(parts: Sequence[str], space: int) -> list[str]:
    """Parts joined by semicolons into lines; a part is broken only if it is longer than a line."""
    lines: list[str] = []
    for part in parts:
        if lines and cell_len(lines[-1]) + 2 + cell_len(part) <= space:
            lines[-1] += f"; {part}"
        else:
            lines += _wrapped(part, space)
    return lines


def _wrapped(text: str, space: int) -> list[str]:
    """Lines broken at spaces; a word that is longer than a line stays whole, so that names can be copied."""
    lines: list[str] = []
    for word in text.split():
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= space:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _clipped(text: str, space: int, most: int) -> list[str]:
    """The first lines of a text; an ellipsis marks what is left out (``--explain`` shows it)."""
    lines = _wrapped(text, space)
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while cell_len(last) > space - 2 and " " in last:
        last = last.rpartition(" ")[0]
    return [*lines[: most - 1], f"{last} …"]
