"""The default at the command line: all cores for long work, this process alone for short work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from rmtsim.runs.environment import Environment
from rmtsim.runs.pools import Arrival, SerialPool
from rmtsim.runs.spawned import SpawnedPool
from rmtsim.runs.work import BatchKey

__all__ = ["AutoPool", "available_cores"]

_WORTH_SECONDS = 2.0
"""Expected work above which starting processes (about a second each) pays."""


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class AutoPool:
    """Computes here until there is enough to do for worker processes. Values do not depend on the choice."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = available_cores() if workers is None else workers
        self._here = SerialPool()
        self._spawned: SpawnedPool | None = None

    def environments(self) -> set[Environment]:
        """Here."""
        return self._here.environments()

    def completed(self, keys: Sequence[BatchKey]) -> Iterator[Arrival]:
        """Batches as they finish, in any order."""
        if self._spawned is None and self._workers > 1 and len(keys) > 1:
            expected = [key.nominal_seconds for key in keys]
            if sum(expected) - max(expected) > _WORTH_SECONDS:
                self._spawned = SpawnedPool(self._workers)
        return (self._spawned or self._here).completed(keys)

    def close(self) -> None:
        """End the workers, if there are any."""
        if self._spawned is not None:
            self._spawned.close()
