"""The words of a paper's statements: the file ``statements.toml`` in the folder of the paper.

Each table is named by an id as the declaration writes it, templates of families included, and says what the paper
states there and where. ``{name}`` in a text is replaced by the passage ``name`` of the table ``passages``; line breaks
in a text count as spaces. A declaration reads its own table alone, so that loading one statement does not parse all.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rmtsim.claims._papers import Paper

FILE = "statements.toml"
_OPTIONS = {
    "at": "source", "qualifier": "qualifier", "same_as": "same_as", "standing": "standing", "printed": "statement",
    "note": "note", "cause": "cause", "credit": "credit", "because": "because", "theory": "theory_in_sampler",
}  # fmt: skip
"""Words of the printed form, by the option of a declaration that they fill."""
_OF_CORRECTION = {
    "corrected": "statement", "corrected_note": "note", "corrected_same_as": "same_as",
    "corrected_because": "because",
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
