"""Long trials in pieces: answers are kept in a file, so that a trial can be stopped and resumed.

Records carry a fingerprint of the verdict engine; those of another engine are not used.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import rmtsim.verdicts

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def engine() -> str:
    """Fingerprint of the engine's source."""
    folder = Path(rmtsim.verdicts.__file__).parent
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:12]


def spread(function: Callable[[Job], Answer], jobs: Iterable[Job], processes: int) -> Iterator[Answer]:
    """Answers in order, from a few processes."""
    if processes < 2:
        yield from map(function, jobs)
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(function, jobs, chunksize=1)


class Pieces:
    """Answers to the jobs of one trial, from its records or computed now, for at most some seconds."""

    def __init__(self, records: str | None, seconds: float, processes: int) -> None:
        self._path = None if records is None else Path(records)
        self._end = time.monotonic() + seconds
        self._processes = processes
        self._engine = engine()
        self._known: dict[str, Any] = {}
        if self._path is not None and self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if row["engine"] == self._engine:
                    self._known[row["job"]] = row["answer"]

    def answers(self, part: str, function: Callable[[Job], Answer], jobs: Sequence[Job]) -> list[Any]:
        """All answers (plain data), in order; ends the program with a message when the time is up."""
        names = [f"{part} {job!r}" for job in jobs]
        missing = [(name, job) for name, job in zip(names, jobs, strict=True) if name not in self._known]
        computed = spread(function, [job for _, job in missing], self._processes)
        for number, (name, _) in enumerate(missing):
            if self._path is not None and time.monotonic() > self._end:
                sys.exit(
                    f"{part}: {len(jobs) - len(missing) + number} of {len(jobs)} on record; run it again to go on"
                )
            self._known[name] = next(computed)
            if self._path is not None:
                row = {"engine": self._engine, "job": name, "answer": self._known[name]}
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        return [self._known[name] for name in names]
