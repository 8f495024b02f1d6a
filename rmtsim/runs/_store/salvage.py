"""Recovery of a damaged store: every batch whose row is undamaged, anywhere in the file."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim.errors import NotAStoreError
from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._store.pages import Pages
from rmtsim.runs._store.results import LARGEST_CONTENT, MOST_RESULTS, StoredResult, put_result
from rmtsim.runs._store.store import Store, StoredBatch

_TOGETHER = 500
_MUCH = 0.01


@frozen
class Salvage:
    """Outcome for the batches that the damaged file mentions."""

    copied: int
    missing: tuple[str, ...]
    """Names of batches that are mentioned (in a row or in the index) and of which no whole row was found."""

    @property
    def much_is_missing(self) -> bool:
        """Whether more than one batch in a hundred is gone, or nothing was found at all."""
        return not self.copied or len(self.missing) > _MUCH * (self.copied + len(self.missing))


def salvage(path: str | Path, sound: Store) -> Salvage:
    """Copy every batch of the file at ``path`` whose row has its SHA-256 to ``sound``, and say which are missing.

    The file is only read, page by page (:mod:`rmtsim.runs._store.pages`), so only the rows of a damaged page are
    lost. Removed rows whose pages have not been overwritten are found again; they are valid.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise NotAStoreError(f"{file}: no such file; expected a damaged store")
    pages = Pages(file)
    environments = _environments(pages)
    copied: set[tuple[bytes, str]] = set()
    named: dict[bytes, str] = {}
    whole = _whole_rows(pages, environments, copied, named)
    while together := list(itertools.islice(whole, _TOGETHER)):
        sound.put_rows(together)
    for record in pages.records():
        match record:
            case [str() as claim, str() as code, str() as origin]:
                sound.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", claim, code, origin)
    for result in _results(pages):
        put_result(sound, result)
    found = {key for key, _ in copied}
    return Salvage(len(copied), tuple(name for key, name in named.items() if key not in found))


def _results(pages: Pages) -> list[StoredResult]:
    """Results whose row is whole: of each claim and points the newest."""
    found: dict[tuple[str, str], StoredResult] = {}
    for record in pages.records():
        match record:
            case [str(), str(), str(), str(), finished, str() as content, bytes()]:
                if len(content) > LARGEST_CONTENT or not isinstance(finished, (int, float)):
                    continue
                claim, points, verdict, code, _, _, digest = record
                row = StoredResult(claim, points, verdict, code, float(finished), content, digest)
                key = (claim, points)
                if row.fault() is None and (key not in found or found[key].finished < row.finished):
                    found[key] = row
    return list(found.values())[:MOST_RESULTS]


def _environments(pages: Pages) -> dict[int, list[str]]:
    """Descriptions of environments by number; a number may have several, in old versions of its page."""
    found: dict[int, list[str]] = {}
    for record in pages.records():
        match record:
            # From the table and from the index of descriptions: if one of the two pages is lost, the other is used.
            case [int() as number, None, str() as description, str()] | [
                str() as description,
                int() as number,
            ]:
                with contextlib.suppress(TypeError, ValueError, RecursionError):
                    found.setdefault(number, []).append(Environment.parse(description).text)
    # Most stores are recovered where they were written.
    found.setdefault(-1, []).append(this_environment().text)
    return found


def _whole_rows(
    pages: Pages,
    environments: dict[int, list[str]],
    copied: set[tuple[bytes, str]],
    named: dict[bytes, str],
) -> Iterator[StoredBatch]:
    everywhere = list(dict.fromkeys(text for texts in environments.values() for text in texts))
    for record in pages.records():
        match record:
            case [
                str() as claim,
                str() as parameters,
                int() as size,
                int() as batch,
                str() as seed,
                bytes() as key,
                int(),
            ]:
                named.setdefault(key, f"{claim}, size {size}, batch {batch} at {parameters} (seed {seed})")
            case [bytes() as key, int() as number, *_] if len(record) == 15:
                row = _row(record, [*environments.get(number, []), *everywhere])
                if row is None:
                    named.setdefault(key, f"a batch whose row is damaged (key {key.hex()[:16]})")
                elif (row.key, row.environment) not in copied:
                    copied.add((row.key, row.environment))
                    yield row


def _row(record: list[Any], environments: list[str]) -> StoredBatch | None:
    """The row of a record, if it has its SHA-256 with one of the environments."""
    key, _, *between, seconds, memory, finished, digest = record
    # SQLite keeps whole numbers of real columns as integers.
    numbers = [float(each) if isinstance(each, int) else each for each in (seconds, memory, finished)]
    for description in environments:
        columns: tuple[Any, ...] = (key, description, *between, *numbers, digest)
        row = StoredBatch(*columns)
        if row.fault() is None:
            return row
    return None
