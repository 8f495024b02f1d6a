"""The whole page: counts, causes, a table that sorts and filters, a card per claim. One file, nothing fetched.

Style and script are part of the page, and its policy names them by their SHA-256: no other script runs on it, even if
the escaping failed.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from importlib import resources

from rmtsim._internal import validate
from rmtsim.claims._papers import PAPERS
from rmtsim.claims._registry import find
from rmtsim.errors import PaperError, UnknownClaimError
from rmtsim.report._card import WORDS, Statements, badge, card, row_words
from rmtsim.report._entries import Contents, Entry
from rmtsim.report._headline import causes, counts, headline
from rmtsim.report._markup import Markup, code, joined, tag
from rmtsim.report._typeset import typeset
from rmtsim.verdicts._results import ClaimResult, Verdict
from rmtsim.verdicts._words.numbers import OWN_CLAIM, PLURALS, estimate_words, predicted_words

_COLUMNS = ("claim", "paper", "standing", "kind", "evidence", "verdict")
"""What the table is sorted by."""
_FILTERS = ("paper", "standing", "verdict", "kind", "evidence", "form")
_VERDICTS = ("refuted", "inconclusive", "untested", "confirmed")
"""In the order in which a reader wants to see them."""
_FAULTS = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError)
"""Errors of a malformed record; its card is left out and reported."""


@functools.cache
def _part(name: str) -> Markup:
    """A file of this package; its text is hashed for the policy of the page."""
    return Markup(resources.files("rmtsim.report").joinpath(name).read_text(encoding="utf-8").strip())


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_FLAG = Markup("document.documentElement.className='js'")
"""Cards start closed where there is a script to open them, and open where there is none."""


def report_page(contents: Contents) -> str:
    """HTML page of results, in one file without external resources.

    Parameters
    ----------
    contents : Contents
        Result of :func:`entries_of_results`.

    Returns
    -------
    str
        Text of the page.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import entries_of_results, report_page
    >>> text = report_page(entries_of_results(verify("dong.thm1.diagonal-limit")))
    >>> text.startswith("<!doctype html>"), "http:" in text or "https:" in text
    (True, False)
    """
    validate.instance("contents", contents, Contents, meaning="result of entries_of_results")
    anchors = _anchors(contents.entries)
    by_name = {entry.result.claim: entry for entry in contents.entries}
    left_out = list(contents.left_out)
    rows: list[Markup] = []
    shown: list[Entry] = []
    for entry in sorted(contents.entries, key=lambda entry: bool(entry.result.citation)):  # own claims first
        try:
            rows.append(_claim(entry, anchors, by_name))
        except _FAULTS as error:
            left_out.append((entry.result.claim, f"{type(error).__name__}: {error}"))
            continue
        shown.append(entry)
    style, script = _part("style.css"), _part("script.js")
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)} {_digest(_FLAG)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", "Verdicts of rmtsim"),
        tag("style", style),
        tag("script", _FLAG),
    )
    body = tag(
        "body",
        tag("a", "To the table", href="#table", class_="vh focusable"),
        tag("header", tag("h1", "Verdicts"), headline(shown, contents.origin), _theme()),
        tag(
            "main",
            counts(shown),
            causes(shown, anchors),
            _table(rows),
            _left_out(left_out),
        ),
        _papers(shown),
        tag("footer", _how_to_read()),
        tag("script", script),
    )
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _anchors(entries: Sequence[Entry]) -> dict[str, str]:
    """A name for each claim that an address can end with."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for entry in entries:
        name = "c-" + re.sub(r"[^\w.-]", "_", entry.result.claim, flags=re.A)[:120]
        while name in used:
            name += "_"
        used.add(name)
        found[entry.result.claim] = name
    return found


def _theme() -> Markup:
    options = [tag("option", name, value=value) for value, name in
               (("", "as the system"), ("light", "light"), ("dark", "dark"))]  # fmt: skip
    return tag("label", "Colours ", tag("select", *options, id="theme"), class_="theme")


def _table(rows: Sequence[Markup]) -> Markup:
    names = {"claim": "Claim and statement", "paper": "Place"}
    head = [
        tag(
            "th", tag("button", names.get(key, key.capitalize()), type="button", data_key=key),
            scope="col", aria_sort="ascending" if key == "claim" else "none",
        )
        for key in _COLUMNS
    ]  # fmt: skip
    head += [tag("th", name, scope="col") for name in ("Predicted", "Found")]
    table = tag("table", tag("thead", tag("tr", *head)), *rows, id="table", class_="claims")
    return tag(
        "section", tag("h2", "Claims"), _filters(), tag("p", role="status", id="count", class_="quiet"),
        tag("div", table, class_="wide claims"), class_="list",
    )  # fmt: skip


def _filters() -> Markup:
    """Empty lists; the script fills them with the values that occur, as text."""
    selects = [
        tag("label", name.capitalize(), " ", tag("select", tag("option", "all", value=""), data_filter=name))
        for name in _FILTERS
    ]
    buttons = [
        tag("button", words, type="button", id=name)
        for name, words in (("reset", "Clear"), ("open-all", "Open all shown"), ("close-all", "Close all"))
    ]
    search = tag(
        "label",
        "Search ",
        tag("input", type="search", id="search", placeholder="words, all of them", autocomplete="off"),
    )
    hint = tag(
        "p", "Keys: ", tag("kbd", "/"), " search, ", tag("kbd", "↑"), " ", tag("kbd", "↓"), " from claim to claim, ",
        tag("kbd", "Enter"), " open or close, ", tag("kbd", "Esc"), " close. Printed: table and unfolded claims.",
        class_="quiet hint",
    )  # fmt: skip
    return tag("form", search, *selects, *buttons, hint, class_="filters", id="filters")


def _claim(entry: Entry, anchors: dict[str, str], by_name: dict[str, Entry]) -> Markup:
    """The row of a claim and its card, sorted and hidden together."""
    result, anchor = entry.result, anchors[entry.result.claim]
    point = result.deciding
    toggle = tag(
        "button", tag("span", "▸", aria_hidden="true", class_="tri"), code(result.claim),
        type="button", class_="toggle", aria_expanded="false", aria_controls=f"{anchor}-card",
    )  # fmt: skip
    differs = any(other.result.verdict is not result.verdict for other in entry.others)
    cells = [
        tag("td", toggle, tag("p", typeset(result.statement), class_="statement"), class_="main"),
        tag("td", result.source if result.citation else "your file", data_label="Place"),
        tag(
            "td",
            _standing(result),
            tag("small", f" {result.form}") if result.citation else "",
            data_label="Standing",
        ),
        tag("td", result.kind, data_label="Kind"),
        tag("td", result.evidence, data_label="Evidence"),
        tag(
            "td",
            badge(result.verdict),
            tag("small", f" {result.grade}") if result.grade else "",
            tag("small", " but not at other points") if differs else "",
            data_label="Verdict",
        ),
        tag("td", predicted_words(point) or "–", data_label="Predicted"),
        tag("td", estimate_words(point), data_label="Found"),
    ]
    inside = card(entry, _twin(entry, anchors, by_name))
    return tag(
        "tbody",
        tag("tr", *cells, class_="row"),
        tag("tr", tag("td", inside, colspan=len(cells)), class_="card", id=f"{anchor}-card"),
        class_="claim", id=anchor, data_paper=entry.paper if result.citation else OWN_CLAIM,
        data_standing=_standing(result), data_kind=result.kind,
        data_evidence=result.evidence, data_form=result.form, data_verdict=WORDS[result.verdict],
        data_text=row_words(result),
    )  # fmt: skip


def _standing(result: ClaimResult) -> str:
    """What the statement is in its paper; a statement of no paper is an own claim."""
    return result.standing if result.citation else OWN_CLAIM


def _twin(entry: Entry, anchors: dict[str, str], by_name: dict[str, Entry]) -> Statements | None:
    """The other statement of a pair: from the page, else as it was kept, else as it is declared in the package."""
    result = entry.result
    if result.form == "corrected" and result.claim.endswith("/corrected"):
        name = result.claim.removesuffix("/corrected")
    else:
        name = result.correction
    if not name or name == result.claim:
        return None
    if name in by_name:
        other = by_name[name].result
        return other.statement, other.verdict, anchors[name]
    if entry.twin:
        return entry.twin, None, ""
    if name.partition(".")[0] not in PAPERS:
        return None
    try:
        return find(name).statement, None, ""
    except (UnknownClaimError, PaperError):
        return None


def _left_out(left_out: Sequence[tuple[str, str]]) -> Markup:
    if not left_out:
        return Markup("")
    items = [tag("li", code(name[:120]), f": {reason[:300]}") for name, reason in left_out[:50]]
    if len(left_out) > 50:
        items.append(tag("li", f"… and {len(left_out) - 50} more"))
    return tag("section", tag("h2", f"Left out ({len(left_out)})"), tag("ul", *items))


def _papers(entries: Sequence[Entry]) -> Markup:
    cited = {entry.paper: entry.result.citation for entry in entries if entry.result.citation}
    if not cited:
        return Markup("")
    items = [joined([tag("dt", key), tag("dd", citation)]) for key, citation in cited.items()]
    return tag("section", tag("h2", "Papers"), tag("dl", *items), class_="papers")


def _how_to_read() -> Markup:
    return tag(
        "p", tag("b", "How to read a verdict. "), badge(Verdict.CONFIRMED), ": the whole interval lies within the "
        "tolerance of the prediction. ", badge(Verdict.REFUTED), ": under every admissible finite-size model the "
        "interval excludes it. ", badge(Verdict.INCONCLUSIVE), ": neither, and the card says what would decide it. ",
        badge(Verdict.UNTESTED), ": no outcome could have refuted it at the tested points. A confirmed statement is "
        "sharp if a nearby wrong one would have been refuted, else weak. "
        "“Standings”: " + ", ".join(PLURALS.values()) + "; heuristics are what a paper itself calls informal "
        "or approximate. “Holds for corrections down to”: the verdict holds if finite-size corrections decay at least "
        "that fast.",
    )  # fmt: skip
