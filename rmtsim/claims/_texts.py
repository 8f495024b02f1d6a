"""Information from the files of a paper without importing it: words of statements, and the module of each id.

The words are in ``statements.toml`` in the folder of the paper. Each table is named by an id as the declaration writes
it, templates of families included, and says what the paper states there and where. ``{name}`` in a text is replaced by
the passage ``name`` of the table ``passages``; line breaks in a text count as spaces. A declaration reads its own table
alone, so that loading one statement does not parse all.

The module of an id is found in the sources of the paper. A call whose first positional argument is a string literal
that starts with ``KEY.`` declares the claim of that id and its correction ``ID/corrected``. In a literal such as
``"li.thm2.c.{ensemble}"`` each ``{name}`` matches one or more characters other than ``.`` and ``/``.
"""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rmtsim.claims._papers import Paper

FILE = "statements.toml"
_OPTIONS = {
    "at": "source", "qualifier": "qualifier", "same_as": "same_as", "standing": "standing", "printed": "statement",
    "note": "note", "cause": "cause", "credit": "credit", "weak": "weak", "vacuous": "vacuous",
    "because": "because", "theory": "theory_in_sampler", "form": "form",
}  # fmt: skip
"""Words of the printed form, by the option of a declaration that they fill."""
_OF_CORRECTION = {
    "corrected": "statement", "corrected_note": "note", "corrected_same_as": "same_as",
    "corrected_because": "because", "corrected_weak": "weak",
}  # fmt: skip
"""Words of the corrected form; what is left out is as in the printed one."""
_HEADER = re.compile(r'^\[(?:"([^"\n]+)"|(\w+))\][ \t]*$', re.MULTILINE)
_PASSAGES = "passages"


def words_of(paper: Paper | None, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Options that the words of a declaration fill, of the printed form and of the corrected one.

    >>> from rmtsim.claims._papers import PAPERS
    >>> words_of(PAPERS["dong"], "dong.eq5")[0]["standing"]
    'equation'
    """
    path = None if paper is None else paper.file(FILE)
    if path is None:
        return {}, {}
    tables = _tables(path, path.stat().st_mtime_ns)
    if name not in tables:
        return {}, {}
    entry = _parsed(path, name, tables[name])
    passages = _parsed(path, _PASSAGES, tables.get(_PASSAGES, ""))
    unknown = sorted(set(entry) - set(_OPTIONS) - set(_OF_CORRECTION))
    if unknown:
        accepted = ", ".join((*_OPTIONS, *_OF_CORRECTION))
        raise ValueError(f"{path}: {name}: unexpected {unknown[0]!r}; expected {accepted}")
    return _filled(entry, passages, _OPTIONS), _filled(entry, passages, _OF_CORRECTION)


def entries(paper: Paper) -> list[str]:
    """Ids that the file has words for, in its order; none without a file.

    >>> from rmtsim.claims._papers import PAPERS
    >>> entries(PAPERS["textbook"])[0]
    'textbook.wigner'
    """
    path = paper.file(FILE)
    tables = {} if path is None else _tables(path, path.stat().st_mtime_ns)
    return [name for name in tables if name != _PASSAGES]


@functools.lru_cache(maxsize=32)
def _tables(path: Path, changed: int) -> dict[str, str]:
    """Texts of the tables of a file by name; ``changed`` is the time of its last change."""
    text = path.read_text(encoding="utf-8")
    headers = list(_HEADER.finditer(text))
    found: dict[str, str] = {}
    for header, end in zip(headers, [*(each.start() for each in headers[1:]), len(text)], strict=True):
        name = header[1] or header[2]
        if name in found:
            raise ValueError(f"{path}: [{name!r}] occurs twice")
        found[name] = text[header.end() : end]
    return found


def _parsed(path: Path, name: str, table: str) -> dict[str, str]:
    try:
        found: dict[str, Any] = tomllib.loads(table)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(
            f"{path}: {name}: {error} (lines are counted from the header of the table)"
        ) from None
    for key, value in found.items():
        if not isinstance(value, str):
            raise ValueError(f"{path}: {name}: {key}={value!r}: expected text")
    return {key: " ".join(value.split()) for key, value in found.items()}


def _filled(
    entry: Mapping[str, str], passages: Mapping[str, str], options: Mapping[str, str]
) -> dict[str, str]:
    return {
        option: re.sub(r"\{(\w+)\}", lambda found: passages.get(found[1], found[0]), entry[key])
        for key, option in options.items()
        if key in entry
    }


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
