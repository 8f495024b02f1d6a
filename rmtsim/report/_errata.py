"""Sections of a paper's ``errata.md`` that name a claim, as markup.

Of the Markdown only what these pages use is read:
headings, paragraphs, lists, indented formulas, emphasis and names in backquotes.
"""

from __future__ import annotations

import functools
import re

from rmtsim.claims._papers import PAPERS
from rmtsim.report._markup import Markup, code, escaped, joined, tag
from rmtsim.report._typeset import typeset

_MOST = 2
"""Sections shown of one claim."""
_INLINE = re.compile(
    r"`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w*])\*([A-Za-z(][^*]*?[\w.:)])\*(?![\w*])|\[([^\]]+)\]\([^)]*\)"
)


def errata_of(claim: str) -> list[Markup]:
    """The sections that name a claim, or the printed statement that it corrects; none for a claim of one's own.

    >>> "lacks its square" in errata_of("dong.thm1.diagonal/corrected")[0]
    True
    >>> errata_of("goe.edge")
    []
    """
    key = claim.partition(".")[0]
    if key not in PAPERS:
        return []
    printed = claim.removesuffix("/corrected")
    return [shown for patterns, shown in _sections(key) if any(p.fullmatch(printed) for p in patterns)][
        :_MOST
    ]


def _page(key: str) -> str:
    """The paper's page of errata, which lies in its package; empty if it has none."""
    paper = PAPERS.usable(key)
    path = None if paper is None else paper.file("errata.md")
    try:
        return "" if path is None else path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        PAPERS.remark(key, f"errata.md is not used: {error}")
        return ""


@functools.cache
def _sections(key: str) -> list[tuple[list[re.Pattern[str]], Markup]]:
    """Each section with the names in it."""
    found = []
    for text in re.split(r"^## ", _page(key), flags=re.M)[1:]:
        title, _, body = text.partition("\n")
        found.append((_named(body, key), joined([tag("h5", _inline(title)), _blocks(body)])))
    return found


def _named(text: str, key: str) -> list[re.Pattern[str]]:
    """Names in backquotes; ``.18`` after ``wu.eq17.4`` continues it, ``*`` matches one part of a name."""
    found, last = [], ""
    for name in re.findall(rf"`((?:{key})?\.[\w./*-]+)`", text):
        last = name if not name.startswith(".") else f"{last.rpartition('.')[0]}{name}"
        pattern = re.escape(last.removesuffix("/corrected")).replace(r"\*", r"[\w-]+")
        found.append(re.compile(pattern))
    return found


def _blocks(text: str) -> Markup:
    parts: list[Markup] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if all(line.startswith("    ") for line in lines):
            parts.append(tag("p", typeset(" ".join(line.strip() for line in lines)), class_="display"))
        elif re.match(r"[-*] ", block):
            items = re.split(r"\n(?=[-*] )", block)
            parts.append(tag("ul", *(tag("li", _inline(item[2:])) for item in items)))
        elif block.strip():
            parts.append(tag("p", _inline(block)))
    return joined(parts)


def _inline(text: str) -> Markup:
    text = " ".join(text.split())
    parts: list[Markup] = []
    place = 0
    for found in _INLINE.finditer(text):
        parts.append(typeset(text[place : found.start()]))
        name, strong, emphasis, link = found.groups()
        if name is not None:
            parts.append(code(name))
        elif strong is not None:
            parts.append(tag("b", escaped(strong)))
        else:
            parts.append(tag("em", escaped(emphasis)) if emphasis is not None else typeset(link))
        place = found.end()
    return joined([*parts, typeset(text[place:])])
