"""Papers: how they are cited, where their statements are declared, and which papers are installed.

A paper is a Python package whose ``__init__.py`` defines ``PAPER``, a :class:`Paper`. Its distribution names it in the
entry-point group ``rmtsim.claims``; built-in papers and those of other distributions are found in the same way.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim.errors import PaperError, PaperWarning

GROUP = "rmtsim.claims"
"""Entry-point group: each entry names a :class:`Paper`, or a module with claims, a claim, or a list of claims."""

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_ARXIV = re.compile(r"\d{4}\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7}(v\d+)?")
_RESERVED = "user"
"""The paper of claims that belong to none."""


def check_key(key: Any) -> str:
    """``key`` if it can name a paper.

    >>> check_key("dong")
    'dong'
    """
    if not isinstance(key, str) or not _KEY.fullmatch(key) or key == _RESERVED:
        raise ValueError(
            f"key={key!r}: expected a letter followed by letters, digits, - or _ (and not {_RESERVED!r})"
        )
    return key


@frozen(kw_only=True)
class Paper:
    """A paper whose statements are tested: its citation, its statement modules and its quick sets.

    Raises
    ------
    ValueError
        If the key or the arXiv identifier is malformed, ``headlines`` names a claim that ``quick`` does not, or an
        alias does not belong to the paper.

    Examples
    --------
    >>> paper = Paper(key="mine", package="my_package", authors="A. Author", title="On means", year="2026")
    >>> paper.citation
    'A. Author: On means. 2026'
    """

    key: str
    """Short name; ids of the paper's claims start with ``KEY.``."""
    package: str
    """Name of the package that holds the paper, ``__name__`` in its ``__init__.py``. The files ``errata.md`` and
    ``verdicts.json`` are looked for in its folder."""
    authors: str
    title: str
    """As printed in the paper."""
    year: str = ""
    venue: str = ""
    """Date and place of publication."""
    arxiv: str = ""
    """Identifier such as ``"2010.04261"`` or ``"2505.02809v2"``."""
    also: str = ""
    """Full citation of another publication of the same results."""
    modules: Sequence[str] = ()
    """Modules of the subpackage ``statements`` that declare claims, in the order of the listings. Without any, the
    package itself declares them."""
    quick: Sequence[str] = ()
    """Ids of the paper's quick set (``rmtsim verify --quick --paper KEY``)."""
    headlines: Sequence[str] = ()
    """The part of ``quick`` that ``rmtsim verify --quick`` runs among all papers; all of it if left out."""
    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Former ids of claims and the ids that replace them; a former id keeps working."""

    def __post_init__(self) -> None:
        check_key(self.key)
        for name in ("package", "authors", "title", "year", "venue", "arxiv", "also"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name}={getattr(self, name)!r}: expected text (paper {self.key})")
        if self.arxiv and not _ARXIV.fullmatch(self.arxiv):
            raise ValueError(
                f"arxiv={self.arxiv!r}: expected an identifier such as '2010.04261' or '2505.02809v2'"
            )
        for name in ("modules", "quick", "headlines"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(each, str) for each in value):
                raise TypeError(f"{name}={value!r}: expected a sequence of names (paper {self.key})")
            object.__setattr__(self, name, tuple(value))
        if not self.headlines:
            object.__setattr__(self, "headlines", self.quick)
        for name in self.headlines:
            if name not in self.quick:
                raise ValueError(f"headlines: {name!r} is not in quick (paper {self.key})")
        if not isinstance(self.aliases, Mapping):
            raise TypeError(f"aliases={self.aliases!r}: expected former ids and the ids that replace them")
        for name in (*self.aliases, *self.aliases.values()):
            if not str(name).startswith(f"{self.key}."):
                raise ValueError(f"aliases: {name!r}: expected ids that start with {self.key}.")

    @property
    def citation(self) -> str:
        """Authors, title, venue, date, arXiv number and other publications; empty without a title."""
        if not self.title:
            return ""
        arxiv = f"arXiv:{self.arxiv}" if self.arxiv else ""
        where = ", ".join(part for part in (self.venue, self.year, arxiv) if part)
        head = f"{self.authors}: {self.title}" if self.authors else self.title
        cited = f"{head}. {where}" if where else head
        return f"{cited}; also {self.also}" if self.also else cited

    @property
    def statements(self) -> tuple[str, ...]:
        """Full names of the modules that declare the paper's claims."""
        return tuple(f"{self.package}.statements.{name}" for name in self.modules) or (self.package,)

    @property
    def folder(self) -> Path:
        """The folder of the paper's package."""
        package = importlib.import_module(self.package)
        if package.__file__ is not None:
            return Path(package.__file__).parent
        return Path(next(iter(package.__path__)))

    def file(self, name: str) -> Path | None:
        """Find a file in the folder of the paper.

        Parameters
        ----------
        name : str
            Name of the file, for instance ``errata.md``.

        Returns
        -------
        pathlib.Path or None
            The file, or None if it does not exist.
        """
        path = self.folder / name
        return path if path.is_file() else None

    def module(self, name: str) -> ModuleType | None:
        """Import a module of the paper's package.

        Parameters
        ----------
        name : str
            Name of the module, for instance ``hessian``: what the paper says about a Hessian that a user measured.

        Returns
        -------
        module or None
            The module, or None if the paper has none of that name.
        """
        return (
            importlib.import_module(f"{self.package}.{name}") if self.file(f"{name}.py") is not None else None
        )


class Papers(Mapping[str, Paper]):
    """The installed papers by key, built-in ones first.

    Keys come from the entry points, which are read without importing a paper; a paper is imported when its value is
    accessed. A paper that cannot be imported raises :class:`PaperError` then.

    >>> list(PAPERS)[:3], "dong" in PAPERS
    (['dong', 'wu', 'li'], True)
    >>> PAPERS["liu"].arxiv
    '2010.01092'
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything, for instance after a package was installed."""
        self._read: dict[str, EntryPoint] | None = None
        self._papers: dict[str, Paper] = {}
        self._named: dict[str, Any] = {}
        self._records: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        self._faults: dict[str, PaperError] = {}
        self._refused: list[PaperError] = []
        self._reported: set[str] = set()

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def __contains__(self, key: object) -> bool:
        return key in self._entries()

    def __getitem__(self, key: str) -> Paper:
        entry = self._entries()[key]
        if key in self._faults:
            raise self._faults[key]
        if key not in self._papers:
            self._papers[key] = self._loaded(entry)
        return self._papers[key]

    def usable(self, key: str) -> Paper | None:
        """The paper, or None if there is none of this key or it is broken (which is then reported)."""
        if key not in self:
            return None
        try:
            return self[key]
        except PaperError as error:
            self.report(error)
            return None

    def records(self, key: str, name: str) -> dict[str, dict[str, Any]]:
        """Entries by claim of a paper's ``verdicts.json``; none without the file.

        A file that cannot be read is reported like a broken paper.

        >>> PAPERS.records("dong", "verdicts.json")["dong.eq5"]["verdict"]
        'CONFIRMED'
        """
        if (key, name) not in self._records:
            self._records[key, name] = {}
            paper = self.usable(key)
            path = None if paper is None else paper.file(name)
            try:
                if path is not None:
                    self._records[key, name] = _entries_of(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, RecursionError) as error:
                self.remark(key, f"{name} is not used: {_in_one_line(error)}")
        return self._records[key, name]

    def loose_claims(self, key: str) -> Any:
        """What an entry names that is no :class:`Paper`: a module, a claim or claims; None for a paper."""
        return self._named.get(key)

    def fault(self, key: str, reason: str) -> PaperError:
        """Record that a paper cannot be used, and return the error to raise now and at every later use."""
        self._faults[key] = _fault(self._entries()[key], reason)
        return self._faults[key]

    def remark(self, key: str, text: str) -> None:
        """Warn about a paper that is used nevertheless, once for each text."""
        self._warn(str(_fault(self._entries()[key], text)))

    def report(self, *errors: PaperError) -> None:
        """Warn about papers that are left out, once about each."""
        for error in (*self._refused, *errors):
            self._warn(f"{error}; left out")

    def _warn(self, text: str) -> None:
        if text not in self._reported:
            self._reported.add(text)
            warnings.warn(PaperWarning(text), stacklevel=3)

    def _entries(self) -> dict[str, EntryPoint]:
        if self._read is None:
            self._read = self._sorted(list(importlib.metadata.entry_points(group=GROUP)))
        return self._read

    def _sorted(self, installed: list[EntryPoint]) -> dict[str, EntryPoint]:
        found = _built_in(installed)
        built_in = set(found)
        for entry in installed:
            known = found.get(entry.name)
            if known is not None and known.value == entry.value:
                continue  # the same metadata, seen twice
            try:
                check_key(entry.name)
            except ValueError as error:
                self._refused.append(_fault(entry, str(error)))
                continue
            if entry.name in built_in:
                self._refused.append(_fault(entry, f"{entry.name} is the key of a built-in paper"))
            elif known is not None:
                reason = f"{_origin(known)} has the same key; uninstall one of them"
                self._faults[entry.name] = _fault(entry, reason)
            else:
                found[entry.name] = entry
        return found

    def _loaded(self, entry: EntryPoint) -> Paper:
        try:
            named = entry.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # third-party code may raise anything
            raise self.fault(entry.name, f"cannot be imported: {_in_one_line(error)}") from error
        if isinstance(named, ModuleType):
            named = getattr(named, "PAPER", named)
        if not isinstance(named, Paper):
            self._named[entry.name] = named
            return Paper(key=entry.name, package=entry.module, authors="", title="")
        if named.key != entry.name:
            raise self.fault(entry.name, f"its PAPER has the key {named.key!r}, the entry point another")
        return named


def _built_in(installed: Sequence[EntryPoint]) -> dict[str, EntryPoint]:
    """Entries of the papers inside rmtsim, in the order of the listings."""
    papers = importlib.import_module("rmtsim.papers")
    own = {entry.name: entry for entry in installed if entry.module == f"{papers.__name__}.{entry.name}"}
    # The metadata of an editable installation may be outdated, and a source tree on the path has none: missing papers
    # are found by their folders.
    for folder in sorted(
        file.parent for place in papers.__path__ for file in Path(place).glob("*/__init__.py")
    ):
        value = f"{papers.__name__}.{folder.name}:PAPER"
        own.setdefault(folder.name, EntryPoint(name=folder.name, value=value, group=GROUP))
    order = {key: rank for rank, key in enumerate(papers.ORDER)}
    return {key: own[key] for key in sorted(own, key=lambda key: (order.get(key, len(order)), key))}


def _origin(entry: EntryPoint) -> str:
    dist = getattr(entry, "dist", None)
    return f"{entry.value} of {dist.name}" if dist is not None else entry.value


def _fault(entry: EntryPoint, reason: str) -> PaperError:
    return PaperError(f"paper {entry.name} ({_origin(entry)}): {reason}")


def _entries_of(document: Any) -> dict[str, dict[str, Any]]:
    """Entries by claim of a document ``{"claims": {ID: {...}}}``."""
    entries = document.get("claims") if isinstance(document, dict) else None
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise ValueError('expected {"claims": {"ID": {...}, ...}}')
    return entries


def _in_one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


PAPERS = Papers()
"""Installed papers by key, in the order of all listings."""
