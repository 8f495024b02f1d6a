"""The default at the command line: all cores for long work, this process alone for short work."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from rmtsim.runs._identity.environment import Environment
from rmtsim.runs._pools.pool import Arrival, Pool, SerialPool
from rmtsim.runs._work import BatchKey

if TYPE_CHECKING:
    from rmtsim.runs._pools.spawned import SpawnedPool

_WORTH_SECONDS = 2.0
"""Expected work above which starting processes (about a second each) pays."""


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class AutoPool(Pool):
    """Computes here until there is enough to do for worker processes. Values do not depend on the choice."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = self._workers = available_cores() if workers is None else workers
        self._here = SerialPool()
        self._spawned: SpawnedPool | None = None

    def environments(self) -> set[Environment]:
        """Here."""
        return self._here.environments()

    def completed(self, keys: Sequence[BatchKey]) -> Generator[Arrival | None, None, None]:
        """Batches as they finish, in any order; ``keys`` may grow."""
        done = considered = 0
        while self._spawned is None and done < len(keys):
            if self._workers > 1 and considered < len(keys):
                considered = len(keys)
                expected = [keys[index].nominal_seconds for index in range(done, considered)]
                if sum(expected) - max(expected) > _WORTH_SECONDS:
                    from rmtsim.runs._pools.spawned import SpawnedPool

                    self._spawned = SpawnedPool(self._workers)
                    break
            for arrival in self._here.completed([keys[done]]):
                yield arrival and dataclasses.replace(arrival, index=done)
            done += 1
            yield None  # more to do may be found, and make workers worth their start
        if self._spawned is not None:
            yield from self._spawned.completed(keys, done)

    def close(self) -> None:
        """End the workers, if there are any."""
        if self._spawned is not None:
            self._spawned.close()
