"""Version of the code that a claim's sampler runs: the part of a batch's key that says when it is stale.

It is a digest of

- the files of rmtsim that all samplers share, and for a claim of a paper inside rmtsim all files of that paper;
- for any other claim, the file that declares it and every module that this file imports, directly or through others,
  outside of installed packages (:mod:`~rmtsim.runs._identity.sources`);
- the versions of the installed packages that these import;
- the files that the claim declares as its data;
- the sampler as it is in memory: bytecode, closures, defaults, values of globals
  (:mod:`~rmtsim.runs._identity.live_values`);
- the declared revision.

A file counts with every byte, so a changed comment makes batches stale as well.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
import stat
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim
from rmtsim.claims._papers import PAPERS
from rmtsim.errors import RunError
from rmtsim.runs._identity.inputs import Input, forget_samplers, named_files, note_held, noticed
from rmtsim.runs._identity.live_values import LiveValues
from rmtsim.runs._identity.sources import folder_digest, imported_from, kind_of, shared_digest, versions_of
from rmtsim.runs._process import without_collection


@frozen
class CodeVersion:
    """Digest of the code of one claim, with the modules and packages that it uses."""

    text: str
    """Digest of files and versions; the same in every process that has the same files."""
    live: str
    """Digest of the sampler in memory."""
    modules: tuple[str, ...]
    """Modules outside of rmtsim that define the sampler, or that these import."""
    defining: tuple[str, ...]
    """Modules outside of rmtsim that define the sampler."""
    packages: tuple[str, ...] = ()
    """Top-level names of installed packages that these modules import."""
    named: tuple[Input, ...] = ()
    """Files whose names are in the code or the values of the sampler."""


_KNOWN: dict[tuple[Any, ...], tuple[Any, CodeVersion]] = {}
_LOCK = threading.RLock()


def forget_versions() -> None:
    """Forget all versions, so that files and values are read again; called at the start of every run."""
    with _LOCK:
        _KNOWN.clear()
    forget_samplers()


def code_version(claim: Claim) -> str:
    """Version of the code of a claim's sampler, as it was at its first use in this run.

    >>> from rmtsim.claims import find
    >>> code_version(find("dong.thm1.diagonal")) == code_version(find("dong.thm1.diagonal"))
    True
    """
    found = version_of(claim)
    return _short(found.text, found.live)


def version_of(claim: Claim) -> CodeVersion:
    """The parts of :func:`code_version`."""
    with _LOCK:
        # Keyed by id; the sampler is kept alive, so that its id is not reused.
        key = (id(claim.sample), claim.revision, claim.origin, claim.data)
        known = _KNOWN.get(key)
        if known is None:
            with without_collection():
                known = _KNOWN[key] = (claim.sample, _found(claim))
    return known[1]


def inputs_of(claim: Claim) -> tuple[Input, ...]:
    """What the claim's modules have read in this process so far."""
    version = version_of(claim)
    if not version.modules:
        return ()
    note_held(version.modules[0])
    return noticed(version.modules, version.packages, version.named)


def dependencies_of(claim: Claim) -> tuple[dict[str, bytes], set[str], tuple[Input, ...]]:
    """Files of code by their path from the claim's folder, installed packages, and what was read so far."""
    folder = _folder_of(claim)
    found = imported_from(version_of(claim).defining, _own_packages(claim), folder or os.getcwd())
    declared = tuple(
        ("file", os.path.abspath(file), digest) for _, file, digest in _data_files(claim, folder)
    )
    return found.files, found.packages, (*declared, *inputs_of(claim))


_LOADED: dict[int, tuple[Any, str]] = {}
"""Samplers of claims loaded from files, with their digest at that time."""


def remember_loaded(claims: Iterable[Claim]) -> None:
    """Record the digests of samplers that were just loaded from a file."""
    for claim in claims:
        _LOADED[id(claim.sample)] = (claim.sample, version_of(claim).live)


def is_as_loaded(claim: Claim) -> bool:
    """Whether a process that loads the claim's file gets this sampler: no value has been changed since."""
    known = _LOADED.get(id(claim.sample))
    return known is None or known[1] == version_of(claim).live


def _found(claim: Claim) -> CodeVersion:
    own = _own_packages(claim)
    folder = _folder_of(claim)
    values = LiveValues(functools.partial(kind_of, own=own), folder)
    live = values.digest(claim.sample)
    defining = {name for name in values.modules if kind_of(name, own) == "own"}
    imported = imported_from(defining, own, folder or os.getcwd())
    papers = {name.split(".")[2] for name in values.modules if name.split(".")[:2] == ["rmtsim", "papers"]}
    text = {
        "revision": claim.revision,
        "shared": shared_digest(),
        "papers": {name: folder_digest(_paper_folder(name)) for name in papers},
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in imported.files.items()},
        "packages": versions_of(imported.packages),
        "data": _data_digests(claim, folder),
    }
    return CodeVersion(
        text=_short(json.dumps(text, sort_keys=True)),
        live=live,
        modules=tuple(sorted(defining | imported.modules)),
        defining=tuple(sorted(defining)),
        packages=tuple(sorted(imported.packages)),
        named=named_files(values.texts, folder) if defining else (),
    )


def _short(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:20]


def _own_packages(claim: Claim) -> set[str]:
    """Packages that belong to the claim although they may be installed."""
    if claim.origin is not None:
        module = getattr(_function_of(claim), "__module__", None) or ""
        return {module.partition(".")[0]} - {"rmtsim", ""}
    paper = PAPERS.usable(claim.paper)
    return {paper.package.partition(".")[0]} - {"rmtsim"} if paper is not None else set()


def _paper_folder(name: str) -> str:
    return os.path.dirname(str(sys.modules[".".join(("rmtsim", "papers", name))].__file__))


def _folder_of(claim: Claim) -> str:
    """The folder of the file that declares the claim; empty if there is no such file."""
    if claim.origin is not None:
        return os.path.dirname(claim.origin)
    code = getattr(_function_of(claim), "__code__", None)
    file = os.path.realpath(getattr(code, "co_filename", ""))
    return os.path.dirname(file) if os.path.isfile(file) else ""


def _function_of(claim: Claim) -> Any:
    function: Any = claim.sample if claim.measured is None else claim.measured
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    return inspect.unwrap(function) if callable(function) else function


def _data_digests(claim: Claim, folder: str) -> list[Any]:
    """Of the files and folders that a claim declares as its data, in the order of declaration."""
    return [
        [os.path.relpath(file, os.path.join(folder, os.path.expanduser(os.fspath(name)))), digest]
        for name, file, digest in _data_files(claim, folder)
    ]


def _data_files(claim: Claim, folder: str) -> list[tuple[str, str, str]]:
    """Declared name, path and digest of every file that a claim declares as its data."""
    found: list[tuple[str, str, str]] = []
    for name in claim.data:
        path = os.path.join(folder, os.path.expanduser(os.fspath(name)))
        for file in sorted(_inside(path)) or [path]:
            try:
                if not stat.S_ISREG(os.stat(file).st_mode):
                    raise OSError("it is no regular file")
                with open(file, "rb") as opened:
                    digest = hashlib.file_digest(opened, "sha256").hexdigest()
            except OSError as error:
                raise RunError(
                    f"{claim.id}: data={str(name)!r}: {file} cannot be read ({error.strerror or error})"
                ) from error
            found.append((os.fspath(name), file, digest))
    return found


def _inside(folder: str) -> Iterator[str]:
    """Files in a folder and in those below it, also by links; each folder once."""
    seen = set()
    for place, inner, names in os.walk(folder, followlinks=True):
        seen.add(os.path.realpath(place))
        inner[:] = [name for name in inner if os.path.realpath(os.path.join(place, name)) not in seen]
        yield from (os.path.join(place, name) for name in names)
