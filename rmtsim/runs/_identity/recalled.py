"""What the package's own functions reach, kept from one process to the next.

Following names through the sources takes most of a second for the claims of one paper, in the coordinator and again in
every worker. What is reached depends on the package's text alone (and on which other packages there are), so it is kept
under a digest of every file of the package, in the folder where compiled kernels are kept: this user's alone, see
:mod:`rmtsim._internal.folders`. Nothing that a user wrote is looked up here. A file that cannot be read, or
holds something else than expected, costs reading the sources, nothing more.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rmtsim
from rmtsim._internal.folders import private_folder
from rmtsim.runs._identity.source_files import FOREIGN, file_of, is_ours

__all__ = ["Reached", "Root", "keep", "recall"]

Root = tuple[str, ...]
"""Where following begins: ``("function", module, file, line, *names it closes over)``, ``("named", module, *path)``."""

Reached = tuple[dict[str, str], list[str]]
"""Digests by module, and the names of installed packages."""

_KEPT_FILES = 8
"""Of the versions of the package that were used last."""


def recall(roots: Sequence[Root]) -> Reached | None:
    """What these roots reach, if that is known."""
    key = _key(roots)
    return None if key is None else _Memory.of_this_process().entries.get(key)


def keep(roots: Sequence[Root], reached: Reached) -> None:
    """Remember what these roots reach, if that depends on the package alone."""
    key = _key(roots)
    if key is not None:
        _Memory.of_this_process().add(key, reached)


def _key(roots: Sequence[Root]) -> str | None:
    """A name for roots in the package; None if one of them is elsewhere."""
    steps = []
    for kind, module, *rest in roots:
        if kind != "package" and module.partition(".")[0] != "rmtsim":
            return None
        if kind == "function":
            try:
                rest[0] = str(Path(rest[0]).relative_to(_FOLDER))
            except ValueError:
                return None
        steps.append((kind, module, *rest))
    return hashlib.sha256(json.dumps(steps).encode()).hexdigest()


_FOLDER = Path(rmtsim.__file__).parent


def _package_digest() -> str | None:
    """Of every source file of the package, and of Python; None where the sources are not files."""
    found = hashlib.sha256(sys.version.encode())
    count = 0
    for folder, inner, names in os.walk(_FOLDER):
        inner.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    content = file.read()
                found.update(f"{os.path.relpath(path, _FOLDER)}\0{len(content)}\0".encode() + content)
                count += 1
    return found.hexdigest() if count else None


class _Memory:
    """Entries of one version of the package, as a file has them and as this process added."""

    def __init__(self) -> None:
        self.entries: dict[str, Reached] = {}
        self._added = False
        self._digest = None
        with contextlib.suppress(OSError):
            self._digest = _package_digest()
            if self._digest is not None:
                self.entries = _read(self._path)

    @staticmethod
    @functools.cache
    def of_this_process() -> _Memory:
        """Read once."""
        return _Memory()

    @property
    def _path(self) -> Path:
        return private_folder("reached") / f"{self._digest}.json"

    def add(self, key: str, reached: Reached) -> None:
        """One more entry; all are written when the process ends."""
        self.entries[key] = reached
        if not self._added:
            self._added = True
            atexit.register(self._write)

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            # A file edited meanwhile may have been read before or after: then nobody knows whose these entries are.
            if self._digest is None or _package_digest() != self._digest or not _plain():
                return
            others = _read(self._path)  # of a process that ended before
            _replace(self._path, json.dumps({"foreign": _foreign(), "entries": others | self.entries}))
            files = sorted(self._path.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)
            for old in files[:-_KEPT_FILES]:
                old.unlink()


def _replace(path: Path, text: str) -> None:
    """Write a file that others read at the same time: they find the old one or the new one, whole."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise


def _foreign() -> dict[str, bool]:
    """Packages of others that sources name, and whether they are there."""
    return {name: not is_ours(name) for name in sorted({each.partition(".")[0] for each in FOREIGN})}


def _plain() -> bool:
    """Whether every module of others is installed, or missing, with its package: no text of the user's counts.

    A process that met modules of the user's, even in claims of theirs, writes nothing: that is the simpler rule.
    """
    there = _foreign()
    return all(
        there[name.partition(".")[0]] is not is_ours(name)
        and (there[name.partition(".")[0]] or _missing(name))
        for name in FOREIGN
    )


def _missing(name: str) -> bool:
    return file_of(name) is None


def _read(path: Path) -> dict[str, Reached]:
    """Entries of a file, if it is whole and the packages around are those of whoever wrote it."""
    try:
        contents: Any = json.loads(path.read_text(encoding="utf-8"))
        # Packages alone, by their names: looking for a module inside one would import it.
        unchanged = all(
            name.isidentifier() and is_ours(name) is not there and (there or _missing(name))
            for name, there in contents["foreign"].items()
        )
        return {key: _checked(*each) for key, each in contents["entries"].items()} if unchanged else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _checked(modules: Any, packages: Any) -> Reached:
    if not isinstance(modules, dict) or not isinstance(packages, list):
        raise TypeError("not what was written")
    if not all(isinstance(each, str) for each in (*modules, *modules.values(), *packages)):
        raise TypeError("not what was written")
    return modules, packages
