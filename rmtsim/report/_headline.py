"""The head of the page: how many statements of which standing, with which verdicts, refuted from how many causes."""

from __future__ import annotations

from collections.abc import Sequence

import rmtsim
from rmtsim.report._card import WORDS, date_words
from rmtsim.report._entries import Entry
from rmtsim.report._markup import Markup, joined, tag
from rmtsim.report._typeset import typeset
from rmtsim.verdicts._results import ClaimResult, Verdict
from rmtsim.verdicts._words.numbers import counted
from rmtsim.verdicts._words.summary import by_standing, refutations


def _stated(entries: Sequence[Entry]) -> list[ClaimResult]:
    """Results of the entries."""
    return [entry.result for entry in entries]


def headline(entries: Sequence[Entry], origin: str) -> Markup:
    """The counts at the top of the page."""
    results = _stated(entries)
    rows = [those for _, those in by_standing(results)]
    once = [each for those in rows for each in those if isinstance(each, ClaimResult)]
    own = [each for each in once if not each.citation]
    printed = [each for each in once if each.form == "printed" and each.citation]
    corrected = [each for each in once if each.form == "corrected" and each.citation]
    shown_verdicts = printed or own
    tiles: list[tuple[int, str, str]] = []
    if printed:
        tiles.append((len(printed), "statements as printed", _of_papers(entries, printed)))
    if own:
        tiles.append((len(own), "own claims", _verdicts(own)))
    tiles += [
        (sum(WORDS[each.verdict] == word for each in shown_verdicts), word, _held(shown_verdicts, word))
        for word in ("confirmed", "refuted", "inconclusive")
    ]
    if corrected:
        confirmed = sum(each.verdict is Verdict.CONFIRMED for each in corrected)
        tiles.append((len(corrected), "corrections", f"{confirmed} of them confirmed"))
    computed = sum(each.evidence == "computed" for each in once)
    tiles.append((len(once) - computed, "simulated", f"{computed} computed, without chance"))
    shown = [
        tag("div", tag("b", number), tag("span", name), tag("small", words), class_=f"tile {name}")
        for number, name, words in tiles
    ]
    of_papers = [each for each in results if each.citation]
    sentence = " ".join(refutations(of_papers)) or ("No printed statement is refuted." if of_papers else "")
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


def _of_papers(entries: Sequence[Entry], printed: Sequence[ClaimResult]) -> str:
    """What the printed statements are, and of how many papers."""
    apart = {name: sum(each.standing == name for each in printed) for name in ("remark", "heuristic")}
    stated = [f"{len(printed) - sum(apart.values())} that the papers hold to be true"]
    stated += [counted(number, name) for name, number in apart.items() if number]
    papers = len({entry.paper for entry in entries if entry.result.citation})
    return f"{', '.join(stated)}; {counted(papers, 'paper')}"


def _verdicts(results: Sequence[ClaimResult]) -> str:
    """Numbers of verdicts, those that occur."""
    found = [
        (sum(WORDS[each.verdict] == word for each in results), word) for word in dict.fromkeys(WORDS.values())
    ]
    return ", ".join(f"{number} {word}" for number, word in found if number)


def _held(results: Sequence[ClaimResult], word: str) -> str:
    """Grades of confirmed statements, and how many of a verdict are heuristics."""
    mine = [each for each in results if WORDS[each.verdict] == word]
    grades = [(sum(str(each.grade) == grade for each in mine), grade) for grade in ("sharp", "weak")]
    heuristics = sum(each.standing == "heuristic" for each in mine)
    words = [f"{number} {grade}" for number, grade in grades if number]
    words += [f"of them {counted(heuristics, 'heuristic')}"] if heuristics else []
    return ", ".join(words)


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
    """Refuted statements by cause."""
    found: dict[tuple[str, str], list[ClaimResult]] = {}
    for entry in entries:
        result = entry.result
        if result.verdict is Verdict.REFUTED and result.form == "printed" and result.citation:
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
