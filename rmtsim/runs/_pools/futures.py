"""Batches on any ``concurrent.futures.Executor`` the caller has."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import warnings
from collections.abc import Generator, Iterator, Sequence

from rmtsim.errors import ExecutorError
from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._pools.messages import Finished, orders, run_orders
from rmtsim.runs._pools.pool import Arrival, Costs, Pool, groups
from rmtsim.runs._pools.spawned import SpawnedPool
from rmtsim.runs._work import BatchKey, Measured

_MESSAGE_SECONDS = 1.0


class FuturesPool(Pool):
    """Hands batches to an executor, small ones several at a time. The caller shuts the executor down."""

    def __init__(self, executor: concurrent.futures.Executor) -> None:
        self._executor = executor
        self._workers = int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
        self._costs = Costs()
        self._successor: SpawnedPool | None = None

    def environments(self) -> set[Environment]:
        """Environment of the executor's workers, as reported by one of them."""
        if self._successor is not None:
            return self._successor.environments()
        try:
            return {self._executor.submit(this_environment).result()}
        except concurrent.futures.BrokenExecutor as error:
            raise ExecutorError(f"executor={self._executor!r}: it is broken already ({error})") from error

    def completed(self, keys: Sequence[BatchKey]) -> Generator[Arrival | None, None, None]:
        """Batches as they finish, in any order; ``keys`` may grow."""
        answered: set[int] = set()
        while len(answered) < len(keys):
            missing = [index for index in range(len(keys)) if index not in answered]
            one_way = self._from_executor if self._successor is None else self._from_successor
            for arrival in one_way(keys, missing):
                if arrival is not None:
                    answered.add(arrival.index)
                yield arrival

    def _from_executor(self, keys: Sequence[BatchKey], missing: list[int]) -> Iterator[Arrival | None]:
        futures: dict[concurrent.futures.Future[Finished], list[int]] = {}
        known = len(keys)
        try:
            while missing or futures:
                expected = [self._costs.seconds(keys[index]) for index in missing]
                for members in groups(expected, target=_MESSAGE_SECONDS, workers=self._workers):
                    numbers = [missing[member] for member in members]
                    future = self._executor.submit(run_orders, orders(keys[index] for index in numbers))
                    futures[future] = numbers
                yield None
                if len(keys) == known:
                    first = concurrent.futures.FIRST_COMPLETED
                    for future in concurrent.futures.wait(futures, return_when=first).done:
                        finished = future.result()
                        for index, outcome in zip(futures.pop(future), finished.outcomes, strict=True):
                            if isinstance(outcome, Measured):
                                self._costs.learn(keys[index], outcome.seconds)
                            yield Arrival(index, outcome, finished.environment)
                missing, known = list(range(known, len(keys))), len(keys)
        except concurrent.futures.BrokenExecutor as error:
            self._replace(error)
        finally:
            for future in futures:
                future.cancel()

    def _replace(self, error: Exception) -> None:
        """Replace a process pool that lost a process, which accepts no more work, by workers of rmtsim."""
        if not isinstance(self._executor, concurrent.futures.ProcessPoolExecutor):
            raise ExecutorError(
                f"executor={self._executor!r}: it broke while computing ({error}); "
                "start again with a new executor, or give a number of workers, which replaces those that die"
            ) from error
        warnings.warn(
            f"a process of the executor died ({error}); going on with {self._workers} workers of rmtsim's own",
            RuntimeWarning,
            stacklevel=2,
        )
        self._successor = SpawnedPool(self._workers)

    def _from_successor(self, keys: Sequence[BatchKey], missing: list[int]) -> Iterator[Arrival | None]:
        assert self._successor is not None
        for arrival in self._successor.completed([keys[index] for index in missing]):
            yield arrival and dataclasses.replace(arrival, index=missing[arrival.index])

    def close(self) -> None:
        """End the workers that replaced a broken pool, if any."""
        if self._successor is not None:
            self._successor.close()
