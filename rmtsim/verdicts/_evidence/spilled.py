"""Values in order of arrival; beyond a million they are kept on disk instead of in memory."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

_IN_MEMORY = 2**20
_CHUNK = 2**18


class Spilled:
    """An append-only sequence of doubles; the file has no name and is removed when the process ends.

    >>> kept = Spilled()
    >>> kept.append(np.arange(3.0))
    >>> kept.append(np.array([7.0]))
    >>> [chunk.tolist() for chunk in kept.chunks()]
    [[0.0, 1.0, 2.0, 7.0]]
    """

    def __init__(self) -> None:
        self._recent: list[NDArray[np.float64]] = []
        self._waiting = 0
        self._file: IO[bytes] | None = None

    def append(self, values: NDArray[np.float64]) -> None:
        """Further values."""
        self._recent.append(np.array(values, dtype=np.float64))
        self._waiting += len(values)
        if self._waiting > _IN_MEMORY:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="rmtsim-")  # noqa: SIM115  (kept as long as this object)
                weakref.finalize(self, self._file.close)
            self._file.seek(0, 2)
            for array in self._recent:
                self._file.write(array.tobytes())
            self._recent.clear()
            self._waiting = 0

    def chunks(self) -> Iterator[NDArray[np.float64]]:
        """All values in order, some at a time."""
        place = 0
        while self._file is not None:
            self._file.seek(place)
            read = self._file.read(8 * _CHUNK)
            if not read:
                break
            place += len(read)
            yield np.frombuffer(read, dtype=np.float64)
        if self._recent:
            self._recent = [np.concatenate(self._recent)]
            for start in range(0, len(self._recent[0]), _CHUNK):
                yield self._recent[0][start : start + _CHUNK]
