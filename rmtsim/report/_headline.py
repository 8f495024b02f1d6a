"""The head of the page: how many statements of which standing, with which verdicts, refuted from how many causes."""

from __future__ import annotations

from collections.abc import Sequence

import rmtsim
from rmtsim.report._card import WORDS, date_words
from rmtsim.report._entries import Entry
from rmtsim.report._markup import Markup, joined, tag
from rmtsim.report._paper import OWN
from rmtsim.report._typeset import typeset
from rmtsim.verdicts._results import ClaimResult, Verdict
from rmtsim.verdicts._words.numbers import counted
from rmtsim.verdicts._words.summary import by_standing, refutations


def _stated(entries: Sequence[Entry]) -> list[ClaimResult]:
    """Results of the entries."""
    return [entry.result for entry in entries]


def headline(entries: Sequence[Entry], origin: str) -> Markup:
    """The counts that a reader wants first."""
    results = _stated(entries)
    rows = [those for _, those in by_standing(results)]
    once = [each for those in rows for each in those if isinstance(each, ClaimResult)]
    printed = [each for each in once if each.form == "printed"]
    apart = {name: sum(each.standing == name for each in printed) for name in ("remark", "heuristic")}
    corrected = [each for each in once if each.form == "corrected"]
    own = sum(each.source.partition(" ")[0] == OWN for each in printed)
    papers = len({entry.paper for entry in entries} - {OWN})
    of_papers = (
        len(printed)
        - own
        - sum(each.standing in apart and each.source.partition(" ")[0] != OWN for each in printed)
    )
    stated = [f"{of_papers} that the papers hold to be true"] if papers else []
    stated += [counted(own, "own claim")] if own else []
    tiles = [
        (len(printed), "statements as printed" if papers else "own claims",
         f"{', '.join([*stated, *(counted(n, name) for name, n in apart.items())])}; {counted(papers, 'paper')}"),
        *((sum(WORDS[each.verdict] == word for each in printed), word, _held(printed, word)) for word in
          ("confirmed", "refuted", "inconclusive")),
        (len(corrected), "corrections", f"{sum(each.verdict is Verdict.CONFIRMED for each in corrected)} "
         "of them confirmed"),
        (sum(each.evidence == "simulated" for each in once), "simulated",
         f"{sum(each.evidence == 'computed' for each in once)} computed, without chance"),
    ]  # fmt: skip
    shown = [
        tag("div", tag("b", number), tag("span", name), tag("small", words), class_=f"tile {name}")
        for number, name, words in tiles
    ]
    sentence = " ".join(refutations(results)) or "No printed statement is refuted."
    dates = [entry.finished for entry in entries if entry.finished is not None]
    newest = f", the newest of {_day(max(dates))}" if dates else ""
    return joined(
        [
            tag("p", f"{counted(len(entries), 'claim')}, {origin}{newest}. rmtsim {rmtsim.__version__}."),
            tag("div", *shown, class_="tiles"),
            tag("p", sentence, class_="refutations"),
        ]
    )


def _day(seconds: float) -> str:
    return date_words(seconds)[:10]


def _held(results: Sequence[ClaimResult], word: str) -> str:
    """How many of a verdict are theorems and the like, how many heuristics."""
    mine = [each for each in results if WORDS[each.verdict] == word]
    heuristics = sum(each.standing == "heuristic" for each in mine)
    rest = f"and {counted(heuristics, 'heuristic')}" if heuristics else "and no heuristic"
    return f"{len(mine) - heuristics} {rest}"


def counts(entries: Sequence[Entry]) -> Markup:
    """Verdicts and evidence by standing."""
    rows = []
    for name, those in by_standing(_stated(entries)):
        found = [each for each in those if isinstance(each, ClaimResult)]
        numbers = [sum(each.verdict is Verdict.CONFIRMED and (str(each.grade) == grade) for each in found)
                   for grade in ("sharp", "weak", "None")]  # fmt: skip
        numbers += [sum(each.verdict is verdict for each in found) for verdict in
                    (Verdict.UNTESTED, Verdict.REFUTED, Verdict.INCONCLUSIVE)]  # fmt: skip
        numbers += [
            sum(each.evidence == evidence for each in found) for evidence in ("simulated", "computed")
        ]
        rows.append(
            tag("tr", tag("th", name, scope="row"), *(tag("td", number, class_="n") for number in numbers))
        )
    names = ("", "sharp", "weak", "no grade", "untested", "refuted", "inconclusive", "simulated", "computed")
    head = [tag("th", name, scope="col") for name in names]
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows))
    note = "A statement that a paper has at two places counts once; heuristics, corrections and "
    note += "statements that no paper makes (ours) are counted apart. Sharp, weak and no grade are confirmed."
    return tag(
        "section", tag("h2", "By standing"), tag("div", table, class_="wide"), tag("p", note, class_="quiet")
    )


def causes(entries: Sequence[Entry], anchors: dict[str, str]) -> Markup:
    """Refuted statements by the slip behind them."""
    found: dict[tuple[str, str], list[ClaimResult]] = {}
    for entry in entries:
        result = entry.result
        if result.verdict is Verdict.REFUTED and result.form == "printed":
            # Without a declared cause each one is a cause of its own, as in the counts.
            found.setdefault((entry.paper, result.cause or f"not explained: {result.claim}"), []).append(
                result
            )
    if not found:
        return Markup("")
    rows = [
        tag(
            "tr",
            tag("td", paper),
            tag("td", typeset(cause)),
            tag("td", joined((tag("a", each.claim, href=f"#{anchors[each.claim]}") for each in those), ", ")),
            tag("td", ", ".join(dict.fromkeys(each.standing for each in those))),
        )
        for (paper, cause), those in found.items()
    ]
    head = [tag("th", name, scope="col") for name in ("paper", "cause", "claims", "standing")]
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows))
    summary = tag("summary", tag("h2", f"Refuted, by cause ({len(found)})"))
    return tag("details", summary, tag("div", table, class_="wide"), class_="causes")
