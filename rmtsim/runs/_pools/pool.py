"""Pools of workers: the interface, this process, the default, the choice by an argument, and costs of batches."""

from __future__ import annotations

import abc
import concurrent.futures
import dataclasses
import os
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._process import begin, end, single_threaded_blas
from rmtsim.runs._work import BatchKey, LostBatch, Measured, measured_batch

if TYPE_CHECKING:
    from rmtsim.runs._pools.spawned import SpawnedPool

_MEMORY = 0.7
"""Weight of earlier batches in the running mean, which follows the last few batches."""


class Costs:
    """Expected seconds per batch. They plan transport only; no result depends on them."""

    def __init__(self) -> None:
        self._ratios: dict[tuple[str, int], float] = {}

    def seconds(self, key: BatchKey) -> float:
        """Expected seconds of a batch."""
        nominal = max(key.nominal_seconds, 1e-6)
        return nominal * self._ratios.get((key.claim.id, key.size), 1.0)

    def learn(self, key: BatchKey, seconds: float) -> None:
        """Record the time that a batch took."""
        name = (key.claim.id, key.size)
        ratio = seconds / max(key.nominal_seconds, 1e-6)
        known = self._ratios.get(name)
        self._ratios[name] = ratio if known is None else _MEMORY * known + (1 - _MEMORY) * ratio


def groups(expected: Sequence[float], *, target: float, workers: int, least: float = 0.0) -> list[list[int]]:
    """Batches put together into messages of about ``target`` seconds, the longest messages first.

    With little work the messages are smaller, so that every worker gets several and all finish together, but not
    smaller than ``least`` seconds.

    >>> groups([3.0, 0.4, 0.4, 0.4], target=1.0, workers=1)
    [[0], [1, 2], [3]]
    """
    total = sum(expected)
    room = max(least, min(target, total / (4 * max(workers, 1)))) if total > 0 else target
    made: list[tuple[float, list[int]]] = []
    current: list[int] = []
    filled = 0.0
    for index in sorted(range(len(expected)), key=lambda each: (-expected[each], each)):
        if current and filled + expected[index] > room:
            made.append((filled, current))
            current, filled = [], 0.0
        current.append(index)
        filled += expected[index]
    if current:
        made.append((filled, current))
    return [members for _, members in sorted(made, key=lambda each: -each[0])]


@frozen
class Arrival:
    """Outcome of the batch at ``index``: values and environment, loss of the batch, or an error."""

    index: int
    content: Measured | LostBatch | Exception
    environment: Environment | None


class Pool(abc.ABC):
    """Computes batches somewhere."""

    workers: int | None = None
    """Batches that are computed at a time, if that is known."""

    @abc.abstractmethod
    def environments(self) -> set[Environment]:
        """Where batches are computed, as far as it is known now."""

    @abc.abstractmethod
    def completed(self, keys: Sequence[BatchKey]) -> Generator[Arrival | None, None, None]:
        """Batches as they finish, in any order; None while all workers are busy.

        ``keys`` may grow during the iteration; new entries are taken up at the next step. The iterator ends when all
        batches are answered.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """End what the pool itself started."""


class SerialPool(Pool):
    """Computes batches here, one after the other."""

    workers = 1
    with_inputs = True
    """Whether batches come with what the claims' code has read; a run without a store does not need it."""

    def environments(self) -> set[Environment]:
        """Here."""
        return {this_environment()}

    def completed(self, keys: Sequence[BatchKey]) -> Generator[Arrival | None, None, None]:
        """Batches in the order of the requests."""
        here = this_environment()
        with single_threaded_blas():
            for index, key in enumerate(keys):
                begin(key.name)
                try:
                    content: Measured | Exception = measured_batch(key, with_inputs=self.with_inputs)
                except Exception as error:
                    content = error
                end()
                yield Arrival(index, content, here)

    def close(self) -> None:
        """Nothing to end."""


_WORTH_SECONDS = 2.0
"""Expected work in seconds above which processes are started (about a second each)."""


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
            yield None  # further requests may make starting workers worthwhile
        if self._spawned is not None:
            yield from self._spawned.completed(keys, done)

    def close(self) -> None:
        """End the workers, if there are any."""
        if self._spawned is not None:
            self._spawned.close()


_ACCEPTED = (
    "expected None (here), a number of worker processes, a concurrent.futures.Executor "
    "or a dask.distributed.Client"
)


def open_pool(executor: Any = None) -> Pool:
    """Open the pool that an ``executor`` argument describes.

    With ``None`` batches are computed in this process; with an integer in that many spawned processes with one BLAS
    thread each, which are replaced when they die; otherwise by the given ``concurrent.futures.Executor`` or
    ``dask.distributed.Client``. Values do not depend on the choice.

    >>> type(open_pool(None)).__name__
    'SerialPool'
    >>> open_pool("four")
    Traceback (most recent call last):
        ...
    TypeError: executor='four': expected None (here), a number of worker processes, a ...
    """
    if executor is None:
        return SerialPool()
    if isinstance(executor, concurrent.futures.Executor):
        from rmtsim.runs._pools.futures import FuturesPool

        return FuturesPool(executor)
    if _is_dask(executor):
        from rmtsim.runs._pools.dask import DaskPool

        return DaskPool(executor)
    if isinstance(executor, Pool):
        return executor
    try:
        workers = validate.integer("executor", executor, minimum=1, maximum=4096, meaning="worker processes")
    except TypeError:
        raise TypeError(f"executor={executor!r}: {_ACCEPTED}") from None
    from rmtsim.runs._pools.spawned import SpawnedPool

    return SpawnedPool(workers)


def _is_dask(executor: Any) -> bool:
    """Whether it is a Dask client, judged by the name of its class, so that Dask need not be imported."""
    return any(
        kind.__module__.partition(".")[0] == "distributed" and kind.__name__ == "Client"
        for kind in type(executor).__mro__
    )
