"""Batches on a Dask cluster. Imported only when Dask is asked for (extra ``rmtsim[dask]``)."""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from rmtsim.errors import ExecutorError
from rmtsim.runs.costs import Costs, groups
from rmtsim.runs.environment import Environment, this_environment
from rmtsim.runs.pools import Arrival
from rmtsim.runs.shipping import Finished, orders, run_orders
from rmtsim.runs.work import BatchKey, LostBatch, Measured

__all__ = ["DaskPool", "connect"]

_MESSAGE_SECONDS = 1.0
_CONNECT_SECONDS = 10
_GLANCE_SECONDS = 5.0
_SUSPECT_SECONDS = 0.5
_PATIENCE_SECONDS = 120.0
"""How long a cluster may be without any worker before the run gives up (new ones may be starting)."""


def connect(address: str) -> Any:
    """A client of the scheduler at ``address`` (``tcp://host:port``, or the path of a scheduler file)."""
    try:
        import distributed
    except ImportError:
        raise ExecutorError(
            "Dask is not installed here; install the extra: rmtsim[dask], or use --workers"
        ) from None
    try:
        client: Any = distributed.Client
        if address.endswith(".json"):
            return client(scheduler_file=address, timeout=_CONNECT_SECONDS)
        return client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise ExecutorError(f"--dask {address}: no scheduler answers there ({error})") from error


class DaskPool:
    """Hands batches to a Dask cluster, small ones several at a time. The client stays the caller's to close.

    Dask itself gives the work of a dead worker to others. When workers keep dying under a message, Dask
    gives up on it (its ``allowed-failures``); its batches are then tried one at a time with nothing else
    running, and the one under which a worker dies again is the culprit.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._costs = Costs()
        self._blamed = 0

    def environments(self) -> set[Environment]:
        """Where the cluster's workers are; this process's environment if it has none yet."""
        try:
            answers = self._client.run(this_environment)
        except Exception as error:
            raise ExecutorError(
                f"a Dask worker cannot run rmtsim ({type(error).__name__}: {error}); install the same version "
                "of rmtsim on all workers"
            ) from error
        return set(answers.values()) or {this_environment()}

    def completed(self, keys: Sequence[BatchKey]) -> Iterator[Arrival | None]:
        """Batches as they finish, in any order; ``keys`` may grow."""
        sent = 0
        suspects: list[int] = []
        while sent < len(keys) or suspects:
            if sent < len(keys):
                sent = yield from self._together(keys, sent, suspects)
            else:
                yield self._alone(keys, suspects.pop())

    def _alone(self, keys: Sequence[BatchKey], suspect: int) -> Arrival:
        """Try a suspect with nothing else of ours running: one more death and it is convicted."""
        (order,) = orders([keys[suspect]])
        name = f"rmtsim-suspect-{uuid.uuid4().hex}"
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._wait_for_workers()
        before = set(self._client.nthreads())
        future = self._client.submit(run_orders, [order], key=name, pure=False)
        future.add_done_callback(lambda finished: done.put(finished.key))
        try:
            while True:
                try:
                    done.get(timeout=_SUSPECT_SECONDS)
                    outcome = self._outcome(future)
                except queue.Empty:
                    if before <= set(self._client.nthreads()):
                        continue
                    outcome = 1
                if isinstance(outcome, Finished):
                    return Arrival(suspect, outcome.outcomes[0], outcome.environment)
                deaths = self._blamed + outcome
                return Arrival(suspect, LostBatch(keys[suspect], deaths, "workers of the Dask cluster"), None)
        finally:
            self._client.cancel([future], force=True)

    def _wait_for_workers(self) -> None:
        """Until the cluster has a worker again, as long as its patience lasts."""
        import distributed

        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE_SECONDS)
        except (TimeoutError, distributed.TimeoutError):
            raise ExecutorError(
                f"the Dask cluster has had no workers for {_PATIENCE_SECONDS:.0f} s; what is finished is kept, "
                "start workers and run again"
            ) from None

    def _together(
        self, keys: Sequence[BatchKey], sent: int, suspects: list[int]
    ) -> Generator[Arrival | None, None, int]:
        """Batches from number ``sent`` on, several to a message; returns how many were sent in the end."""
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        members: dict[Any, list[int]] = {}
        futures: dict[str, Any] = {}
        try:
            while sent < len(keys) or futures:
                fresh = range(sent, len(keys))
                sent = len(keys)
                for name, message in self._messages(keys, fresh):
                    future = self._client.submit(
                        run_orders, orders(keys[index] for index in message), key=name, pure=False
                    )
                    futures[name], members[name] = future, message
                    future.add_done_callback(lambda finished: done.put(finished.key))
                yield None
                if sent < len(keys):
                    continue
                name = self._next(done)
                future, message = futures.pop(name), members.pop(name)
                outcome = self._outcome(future)
                # Nothing holds a finished message on the cluster after this.
                future.release()
                if isinstance(outcome, int):
                    suspects += message
                    self._blamed = outcome
                    continue
                for index, content in zip(message, outcome.outcomes, strict=True):
                    if isinstance(content, Measured):
                        self._costs.learn(keys[index], content.seconds)
                    yield Arrival(index, content, outcome.environment)
        finally:
            if futures:
                self._client.cancel(list(futures.values()), force=True)
        return sent

    def _messages(self, keys: Sequence[BatchKey], numbers: range) -> Iterator[tuple[str, list[int]]]:
        if not numbers:
            return
        expected = [self._costs.seconds(keys[index]) for index in numbers]
        workers = max(1, sum(self._client.nthreads().values()))
        for members in groups(expected, target=_MESSAGE_SECONDS, workers=workers):
            message = [numbers[member] for member in members]
            yield f"rmtsim-{keys[message[0]].claim.id}-{uuid.uuid4().hex}", message

    def _next(self, done: queue.SimpleQueue[Any]) -> str:
        """Name of the next finished message; an error if the cluster is gone."""
        alone_since: float | None = None
        while True:
            try:
                return str(done.get(timeout=_GLANCE_SECONDS))
            except queue.Empty:
                if self._client.status != "running":
                    raise ExecutorError(
                        f"the connection to the Dask scheduler is {self._client.status}; what is finished is kept"
                    ) from None
                if self._client.nthreads():
                    alone_since = None
                    continue
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > _PATIENCE_SECONDS:
                    raise ExecutorError(
                        f"the Dask cluster has had no workers for {_PATIENCE_SECONDS:.0f} s; what is finished is "
                        "kept, start workers and run again"
                    ) from None

    def _outcome(self, future: Any) -> Finished | int:
        """The message's batches, or the number of workers that died under it."""
        import distributed
        from distributed.comm.core import CommClosedError

        try:
            finished: Finished = future.result()
            return finished
        except distributed.scheduler.KilledWorker as error:
            return int(error.allowed_failures) + 1
        except (distributed.CancelledError, CommClosedError, OSError) as error:
            raise ExecutorError(
                f"the Dask cluster dropped the work ({type(error).__name__}: {error}); what is finished is kept"
            ) from error

    def close(self) -> None:
        """Nothing of ours to end."""
