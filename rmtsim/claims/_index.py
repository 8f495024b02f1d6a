"""Which statement module of a paper declares an id, found in the source without importing it.

A call whose first positional argument is a string literal that starts with ``KEY.`` declares the claim of that id and
its correction ``ID/corrected``. In a literal such as ``"li.thm2.c.{ensemble}"`` each ``{name}`` stands for one or more
characters other than ``.`` and ``/``.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable
from pathlib import Path

from rmtsim.claims._papers import Paper

_CORRECTED = "/corrected"
_CHOICE = r"[^./]+"


def modules_of(paper: Paper, name: str) -> list[str]:
    """Statement modules whose source declares ``name``, in the paper's order; usually one.

    An id that is written out is preferred to families whose templates would match it.

    >>> from rmtsim.claims._papers import PAPERS
    >>> modules_of(PAPERS["dong"], "dong.thm1.diagonal/corrected")
    ['rmtsim.papers.dong.statements.theorem_1']
    """
    printed = name.removesuffix(_CORRECTED)
    return _modules(paper, lambda literal: literal == printed) or _modules(
        paper, lambda literal: _pattern(literal).fullmatch(printed) is not None
    )


def modules_below(paper: Paper, prefix: str) -> list[str]:
    """Statement modules whose source declares ids that start with ``prefix.``, in the paper's order.

    >>> from rmtsim.claims._papers import PAPERS
    >>> modules_below(PAPERS["wu"], "wu.lemmaB")[0]
    'rmtsim.papers.wu.statements.weights'
    """
    parts = prefix.split(".")

    def below(literal: str) -> bool:
        own = literal.split(".")
        return len(own) > len(parts) and all(
            _pattern(each).fullmatch(part) for each, part in zip(own, parts, strict=False)
        )

    return _modules(paper, below)


def declared_ids(paper: Paper) -> list[str]:
    """Ids that the source of a paper declares, in order, without corrections; templates as they are written.

    >>> from rmtsim.claims._papers import PAPERS
    >>> declared_ids(PAPERS["textbook"])[0]
    'textbook.wigner'
    """
    return [name for source in sources(paper).values() for name in _declarations(source, paper.key)]


def declares(source: str, name: str) -> bool:
    """Whether the source of a module declares the claim ``name``.

    >>> declares('claim("mine.{kind}.mean")', "mine.old.mean")
    True
    """
    return any(_pattern(each).fullmatch(name) for each in _declarations(source, name.partition(".")[0]))


def source_of(path: Path | str | None) -> str:
    """The text of a source file; empty if there is none."""
    file = Path(path or "")
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def _modules(paper: Paper, wanted: Callable[[str], bool]) -> list[str]:
    """Modules with a wanted declaration; the text is searched first, because parsing it takes longer."""
    return [
        module
        for module, source in sources(paper).items()
        if any(map(wanted, _quoted(source, paper.key))) and any(map(wanted, _declarations(source, paper.key)))
    ]


@functools.cache
def sources(paper: Paper) -> dict[str, str]:
    """Sources of the statement modules, by module."""
    folder = paper.folder / "statements" if paper.modules else paper.folder
    names = paper.modules or ("__init__",)
    return {
        module: source_of(folder.joinpath(*name.split(".")).with_suffix(".py"))
        for module, name in zip(paper.statements, names, strict=True)
    }


@functools.cache
def _quoted(source: str, key: str) -> tuple[str, ...]:
    """Everything in quotes that looks like an id of the paper."""
    return tuple(re.findall(rf"""["']({re.escape(key)}\.[^"'\s]+)["']""", source))


@functools.cache
def _declarations(source: str, key: str) -> tuple[str, ...]:
    """Ids that a source declares, in order; those that look like one if it cannot be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return _quoted(source, key)
    literals = [
        (node.args[0].lineno, node.args[0].col_offset, node.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
    ]
    found = [
        value
        for *_, value in sorted(literals, key=lambda each: each[:2])
        if isinstance(value, str) and value.startswith(f"{key}.") and not value.endswith(_CORRECTED)
    ]
    return tuple(dict.fromkeys(found))


@functools.cache
def _pattern(literal: str) -> re.Pattern[str]:
    pieces = re.split(r"\{\w*\}", literal)
    return re.compile(_CHOICE.join(map(re.escape, pieces)))
