"""Rows of a damaged SQLite file, read page by page.

SQLite reads a table from its root downwards, so one damaged page hides all pages below it. But every leaf page
contains whole rows, and pages state their type: here each page of the file (and of its write-ahead log) is read
separately. The caller checks every row against its SHA-256.

The layout is SQLite's own file format (https://www.sqlite.org/fileformat2.html): a page is a header, an array of cell
pointers and cells; a cell holds a record, a record a list of types and the values; a long record goes on in a chain of
overflow pages.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE = 2, 10, 13
_LOG_HEADER, _FRAME_HEADER = 32, 24
_LARGEST_RECORD = 2**31


class _BrokenError(Exception):
    """Invalid content of a page."""


class Pages:
    """The pages of a database file, with those of its write-ahead log as further versions."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
        log = path.with_name(path.name + "-wal")
        frames = log.read_bytes() if log.exists() else b""
        self.size = _page_size(data, frames)
        # SQLite can reserve bytes at the end of each page; by default, as here, it does not.
        self.usable = self.size
        self._main = data
        self._frames: dict[int, list[bytes]] = {}
        step = _FRAME_HEADER + self.size
        for start in range(_LOG_HEADER, len(frames) - step + 1, step):
            (number,) = struct.unpack_from(">I", frames, start)
            self._frames.setdefault(number, []).append(frames[start + _FRAME_HEADER : start + step])
        self.count = max(len(data) // self.size, *self._frames, 0) if self._frames else len(data) // self.size

    def versions(self, number: int) -> list[bytes]:
        """Every version of a page: the newest of the log first, then the file's."""
        start = (number - 1) * self.size
        main = self._main[start : start + self.size]
        return [*reversed(self._frames.get(number, [])), *([main] if len(main) == self.size else [])]

    def records(self) -> Iterator[list[Any]]:
        """Every record that can be read, of tables and of indices alike; a table's rows begin with their number."""
        for number in range(1, self.count + 1):
            for page in self.versions(number):
                yield from self._records(page, 100 if number == 1 else 0)

    def _records(self, page: bytes, start: int) -> Iterator[list[Any]]:
        kind = page[start]
        if kind not in (_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE):
            return
        (cells,) = struct.unpack_from(">H", page, start + 3)
        pointers = start + (12 if kind == _INTERIOR_INDEX else 8)
        for index in range(cells):
            if pointers + 2 * index + 2 > self.size:
                return
            (place,) = struct.unpack_from(">H", page, pointers + 2 * index)
            try:
                yield self._cell(page, place, kind)
            except (_BrokenError, IndexError, struct.error, UnicodeDecodeError):
                continue

    def _cell(self, page: bytes, place: int, kind: int) -> list[Any]:
        if kind == _INTERIOR_INDEX:
            place += 4  # the page below it on the left
        length, place = _varint(page, place)
        row = None
        if kind == _LEAF_TABLE:
            row, place = _varint(page, place)
        if not 0 < length < _LARGEST_RECORD:
            raise _BrokenError
        longest = self.usable - 35 if kind == _LEAF_TABLE else (self.usable - 12) * 64 // 255 - 23
        local = length
        if length > longest:
            least = (self.usable - 12) * 32 // 255 - 23
            local = least + (length - least) % (self.usable - 4)
            local = local if local <= longest else least
        record = page[place : place + local]
        if length > local:
            (following,) = struct.unpack_from(">I", page, place + local)
            record += self._overflow(following, length - local)
        if len(record) != length:
            raise _BrokenError
        values = _values(record)
        return values if row is None else [row, *values]

    def _overflow(self, number: int, missing: int) -> bytes:
        parts: list[bytes] = []
        seen: set[int] = set()
        while missing > 0:
            versions = self.versions(number) if 0 < number <= self.count else []
            if not versions or number in seen:
                raise _BrokenError
            seen.add(number)
            page = versions[0]
            (number,) = struct.unpack_from(">I", page, 0)
            parts.append(page[4 : 4 + min(missing, self.usable - 4)])
            missing -= len(parts[-1])
        return b"".join(parts)


def _page_size(data: bytes | mmap.mmap, log: bytes) -> int:
    """Page size from the file's header, else from the log's, else the usual one."""
    candidates = []
    if len(data) >= 18:
        (size,) = struct.unpack_from(">H", data, 16)
        candidates.append(65536 if size == 1 else size)
    if len(log) >= 12:
        candidates.append(struct.unpack_from(">I", log, 8)[0])
    for size in candidates:
        if 512 <= size <= 65536 and size & (size - 1) == 0:
            return int(size)
    return 4096


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, seven bits each (eight in the ninth), and the place after it."""
    value = 0
    for index in range(9):
        byte = data[place + index]
        if index == 8:
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 127
        if byte < 128:
            return value, place + index + 1
    raise AssertionError("unreachable: the ninth byte ends a number")


_FIXED = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of the types of fixed length."""


def _values(record: bytes) -> list[Any]:
    """The values of a record: its header lists their types, its body holds them."""
    length, place = _varint(record, 0)
    if not 0 < length <= len(record):
        raise _BrokenError
    types = []
    while place < length:
        kind, place = _varint(record, place)
        types.append(kind)
    values: list[Any] = []
    place = length
    for kind in types:
        size = _FIXED[kind] if kind in _FIXED else (kind - 12) // 2
        if kind in (10, 11) or place + size > len(record):
            raise _BrokenError
        content = record[place : place + size]
        place += size
        if kind == 0:
            values.append(None)
        elif kind == 7:
            values.append(struct.unpack(">d", content)[0])
        elif kind in (8, 9):
            values.append(kind - 8)
        elif kind < 7:
            values.append(int.from_bytes(content, "big", signed=True))
        else:
            values.append(content.decode() if kind % 2 else content)
    return values
