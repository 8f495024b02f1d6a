"""One claim on the page: both statements, figure, reasoning, erratum, evidence, how to reproduce it, citation."""

from __future__ import annotations

import datetime
import json
import math
import shlex
from typing import Any

from rmtsim.claims._papers import PAPERS
from rmtsim.report._entries import Entry
from rmtsim.report._errata import errata_of
from rmtsim.report._figure import figures
from rmtsim.report._markup import Markup, code, joined, tag
from rmtsim.report._typeset import typeset
from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict
from rmtsim.verdicts._severity import severity_words
from rmtsim.verdicts._words.numbers import (
    counted,
    estimate_words,
    parameter_words,
    predicted_words,
    standing_and_evidence,
)
from rmtsim.verdicts._words.reasons import evidence_base

_MARKS = {Verdict.CONFIRMED: "✓", Verdict.REFUTED: "✗", Verdict.INCONCLUSIVE: "?", Verdict.UNTESTED: "○"}
"""Signs in addition to the colours, for readers who cannot distinguish them."""
WORDS = {verdict: verdict.value.lower() for verdict in Verdict}
_MOST_ROWS = 40
"""Rows of a table in a card; more are counted."""

Statements = tuple[str, Verdict | None, str]
"""A statement, its verdict if it has one, and the anchor of its own card (or nothing)."""


def badge(verdict: Verdict) -> Markup:
    """A verdict: sign, word and colour."""
    return tag(
        "span",
        tag("span", _MARKS[verdict], aria_hidden="true"),
        f" {WORDS[verdict]}",
        class_=f"v {WORDS[verdict]}",
    )


def card(entry: Entry, twin: Statements | None) -> Markup:
    """Everything about one claim; ``twin`` is the corrected statement of a printed one, or the other way round."""
    result = entry.result
    parts = [
        _statements(result, twin),
        _differences(entry),
        _figures(result),
        _section("Reasoning", _reasoning(result)),
        _section("Erratum", *_erratum(result)),
        _section("What was found at each parameter point", _points(result)),
        _section(f"Sizes and values{_where(result)}", _sizes(result)),
        _section("Error budget", _budget(result)),
        _section("To repeat it", _reproduce(entry)),
        _section("Recorded with the paper", _recorded(result)),
        _section("Also in the store", _others(entry)) if entry.others else "",
        tag(
            "details", tag("summary", "The whole reasoning, as ", code("--explain"), " prints it"),
            tag("pre", result.explain()), class_="whole",
        ),
        _section("Paper", tag("p", result.citation)) if result.citation else "",
    ]  # fmt: skip
    return joined(parts)


def _section(title: str, *content: object) -> Markup:
    filled = joined(content)
    return tag("section", tag("h4", title), filled) if filled else Markup("")


def _where(result: ClaimResult) -> str:
    name = parameter_words(result.deciding.parameters)
    return f" at the deciding point, {name}" if name and len(result.points) > 1 else ""


def _statements(result: ClaimResult, twin: Statements | None) -> Markup:
    """Printed and corrected side by side, whichever of them the card is about."""
    own: Statements = (result.statement, result.verdict, "")
    if result.form == "corrected":
        columns = [("As printed", twin), ("Corrected (this entry)", own)]
    else:
        of_paper = "Ours" if result.form == "ours" else "As printed"
        name = of_paper if result.citation else "As stated"
        columns = [(f"{name} (this entry)" if twin else name, own), ("Corrected", twin)]
    return tag(
        "div", *(_statement(name, found) for name, found in columns if found is not None), class_="two"
    )


def _statement(name: str, found: Statements) -> Markup:
    statement, verdict, anchor = found
    verdict_words = (
        badge(verdict) if verdict is not None else tag("span", "not in this report", class_="quiet")
    )
    title = tag("a", name, href=f"#{anchor}") if anchor else name
    return tag("div", tag("h4", title, " ", verdict_words), tag("p", typeset(statement), class_="statement"))


def _differences(entry: Entry) -> Markup:
    """Note about other results of the same claim with a different verdict."""
    found = [
        other for other in entry.others
        if other.result.verdict is not entry.result.verdict
    ]  # fmt: skip
    if not found:
        return Markup("")
    words = joined(
        (joined([badge(other.result.verdict), f" at {_at(other.result)}"]) for other in found[:5]), ", "
    )
    return tag(
        "p",
        "Another result of this claim differs: ",
        words,
        ". The counts use the one shown here.",
        class_="warn",
    )


def _at(result: ClaimResult) -> str:
    names = [parameter_words(point.parameters) for point in result.points[:3]]
    more = len(result.points) - 3
    return " | ".join(name or "the statement" for name in names) + (f" and {more} more" if more > 0 else "")


def _figures(result: ClaimResult) -> Markup:
    drawn = figures(result)
    if not drawn:
        return Markup("")
    quantities = {point.quantity for point in result.points}
    shown = (
        "squares: computed values"
        if result.evidence == "computed"
        else "dots: simulated, ± 2 standard errors"
    )
    if "relative error" in quantities:
        legend = ["dots: largest relative error", "strip: rounding that is allowed"]
    elif "extreme value" in quantities:
        legend = ["dots: most extreme value", "dashed: the bound"]
    elif "exponent" in quantities:
        legend = [shown, "dashed: the stated power", "wedge: the interval for the exponent"]
    else:
        legend = [shown, "curve and band: best and all admissible models", "dashed, strip: prediction ± tolerance",
                  "bracket: interval for the limit (an arrow: it extends further)"]  # fmt: skip
    hidden = len(result.points) - len(drawn)
    if hidden > 0:
        legend.append(f"{counted(hidden, 'further point')} below")
    panels = [tag("div", tag("p", caption), picture) for caption, picture in drawn]
    return tag("figure", tag("div", *panels, class_="panels"), tag("figcaption", "; ".join(legend), "."))


def _reasoning(result: ClaimResult) -> Markup:
    point = result.deciding
    name = parameter_words(point.parameters)
    lines: list[object] = [
        joined([tag("b", f"At {name}: ") if name and len(result.points) > 1 else "", typeset(point.reason)])
    ]
    if point.warned:
        lines.insert(0, tag("b", f"Warning: {point.warned}."))
    base = evidence_base(result, point)
    if base:
        lines.append(f"Evidence base: {'; '.join(base)}.")
    if point.needs:
        lines.append(f"What would decide it: {point.needs}.")
    if result.declared.get("because"):
        exponents = ", ".join(f"{exponent:.3g}" for exponent in result.declared["exponents"])
        lines.append(joined([f"Finite-size exponents {exponents}, declared before the run: ",
                             typeset(str(result.declared["because"])), "."]))  # fmt: skip
    if result.chain:
        lines.append(
            joined(["Compared with simulated models by ", joined(map(code, result.chain), ", "), "."])
        )
    if result.same_as:
        lines.append(joined(["The same statement as ", code(result.same_as), "; the two are counted once."]))
    if result.interrupted:
        lines.append("The run was interrupted; this is the verdict so far.")
    return joined(tag("p", line) for line in lines if line)


def _erratum(result: ClaimResult) -> list[Markup]:
    """Cause, note and credit as declared, and the section of the errata; nothing where nothing is wrong."""
    wrong = (
        result.form == "corrected" or result.cause or result.correction or result.verdict is Verdict.REFUTED
    )
    rows = [("Cause", result.declared_cause if wrong else ""), ("What fails", result.note),
            ("In the paper's favour", result.credit), ("Weak because", result.why_weak)]  # fmt: skip
    told = [tag("p", tag("b", f"{name}: "), typeset(text)) for name, text in rows if text]
    sections = errata_of(result.claim) if wrong else []
    return [*told, *(tag("div", section, class_="erratum") for section in sections)]


def _recorded(result: ClaimResult) -> Markup:
    """The verdict in the ``verdicts.json`` of the claim's paper; nothing without one, or for a claim of a file."""
    key = result.source.partition(" ")[0]
    kept = {} if "::" in result.target else PAPERS.records(key, "verdicts.json").get(result.claim, {})
    if str(kept.get("verdict")) not in WORDS:
        return Markup("")
    interval, point = kept.get("interval"), kept.get("parameters")
    words = []
    if (
        isinstance(interval, list)
        and len(interval) == 2
        and all(isinstance(end, (int, float)) for end in interval)
    ):
        words.append(f"in [{interval[0]:.6g}, {interval[1]:.6g}]")
    if isinstance(point, dict) and point:
        words.append("at " + ", ".join(f"{name} = {value}" for name, value in point.items()))
    words.append(f"seed {kept.get('seed')}, {kept.get('nominal_seconds')} nominal seconds")
    return tag("p", badge(Verdict(kept["verdict"])), f" {'; '.join(words)}")


def _table(head: list[object], rows: list[list[object]], total: int) -> Markup:
    more = tag("p", f"… and {total - len(rows)} more", class_="quiet") if total > len(rows) else ""
    header = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in head)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows))
    return tag("div", tag("table", header, body), more, class_="wide")


def _points(result: ClaimResult) -> Markup:
    points = sorted(result.points, key=lambda point: point is not result.deciding)
    rows: list[list[object]] = [
        [
            joined([parameter_words(point.parameters) or "the statement", " (drawn)" if point.drawn else ""]),
            badge(point.verdict),
            point.quantity,
            predicted_words(point) or "–",
            estimate_words(point),
            "–" if point.breakdown is None else joined(["size", tag("sup", f"−{point.breakdown:.2g}")]),
        ]
        for point in points[:_MOST_ROWS]
    ]
    head: list[object] = ["at", "verdict", "quantity", "predicted", "found", "holds for corrections down to"]
    return _table(head, rows, len(points))


def _sizes(result: ClaimResult) -> Markup:
    point = result.deciding
    random = result.evidence == "simulated"
    rows: list[list[object]] = []
    for index, size in enumerate(point.sizes[:_MOST_ROWS]):
        value = f"{point.values[index]:.7g}" if index < len(point.values) else "–"
        row: list[object] = [size, value]
        if random:
            error = point.errors[index] if index < len(point.errors) else math.nan
            count = point.replicates[index] if index < len(point.replicates) else "–"
            row += [f"{error:.2g}" if math.isfinite(error) and error > 0 else "–", count]
        rows.append(row)
    head: list[object] = [
        typeset(result.size_name),
        "value",
        *(["standard error", "replicates"] if random else []),
    ]
    return _table(head, rows, len(point.sizes)) if rows else Markup("")


def _budget(result: ClaimResult) -> Markup:
    point = result.deciding
    low, high = point.interval
    chance = "chance" if result.evidence == "simulated" else "extrapolation"
    pairs: list[tuple[str, object]] = []
    if point.models:
        admissible = sum(row.interval is not None for row in point.models)
        pairs += [
            (f"half-width due to {chance}", _number(point.statistical)),
            (f"added by the choice among {counted(admissible, 'admissible model')}", _number(point.model)),
            ("best model", point.best_model or "–"),
        ]
    pairs += [
        ("interval", f"[{low:.6g}, {high:.6g}]"),
        ("tolerance, fixed before the run", _number(point.tolerance)),
        ("error level of this point", _level(result, point)),
    ]
    if point.severity is not None and severity_words(point.severity):
        grade = f"{point.severity.grade}; " if point.severity.grade else ""
        pairs.append(("severity", f"{grade}{severity_words(point.severity)}"))
    optional = [
        ("e-value against the statement", point.e_value),
        ("e-value for it", point.e_value_for),
        ("violations more frequent than this are excluded", point.excluded_rate),
    ]
    pairs += [(name, _number(value)) for name, value in optional if value is not None]
    return tag("dl", *(joined([tag("dt", name), tag("dd", value)]) for name, value in pairs))


def _number(value: float) -> str:
    return f"{value:.3g}"


def _level(result: ClaimResult, point: PointResult) -> str:
    if result.evidence == "computed":
        return "none is spent: nothing here is random"
    family = counted(result.family_size, "claim")
    return f"{point.level:.3g} (the family of {family} has {result.family_level:g}, Bonferroni)"


def _reproduce(entry: Entry) -> Markup:
    result = entry.result
    call = ", ".join([json.dumps(result.claim, ensure_ascii=False), *_arguments(entry.settings)])
    # A seed of zero is the default; a name is quoted, so that a shell does not interpret it.
    alone = shlex.join(
        ["rmtsim", "verify", result.target or result.claim, "--seed", str(result.seed), "--explain"]
    )
    pairs: list[tuple[str, object]] = [
        ("the run", tag("code", entry.command or f"verify({call})", class_="command")),
        ("seed", str(result.seed)),
        ("the claim alone", joined([tag("code", alone, class_="command"),
                                    " (the level and the budget are then its own: the interval differs)"])),
        ("settings", ", ".join(_arguments(entry.settings)) or "–"),
        ("rmtsim", result.version),
        ("environment", ", ".join(f"{name} {value}" for name, value in list(entry.environment.items())[:20]) or "–"),
        ("batches", f"{result.batches}, {result.seconds:.1f} s of computing in that run"),
        ("SHA-256 of the result", code(result.digest)),
    ]  # fmt: skip
    if entry.code:
        pairs.append(("version of the sampler's code", code(entry.code)))
    if entry.finished is not None:
        pairs.append(("finished", date_words(entry.finished)))
    return tag("dl", *(joined([tag("dt", name), tag("dd", value)]) for name, value in pairs))


def _arguments(settings: dict[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in settings.items()]


def date_words(seconds: float) -> str:
    """A moment to the minute."""
    try:
        return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"


def _others(entry: Entry) -> Markup:
    rows: list[list[object]] = [
        [
            _at(other.result),
            badge(other.result.verdict),
            estimate_words(other.result.deciding),
            tag("code", other.command) if other.command else "–",
        ]
        for other in entry.others[:_MOST_ROWS]
    ]
    return _table(["at", "verdict", "found", "run"], rows, len(entry.others))


def row_words(result: ClaimResult) -> str:
    """Text that the search of the page examines."""
    texts = (
        result.claim,
        result.statement,
        result.source,
        standing_and_evidence(result),
        result.declared_cause,
    )
    return " ".join(texts).casefold()
