"""Batches on a Dask cluster. Imported only if Dask is used (extra ``rmtsim[dask]``)."""

from __future__ import annotations

import contextlib
import json
import queue
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from rmtsim._internal.files import read_text
from rmtsim.errors import ExecutorError
from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._pools.messages import Finished, orders, run_orders
from rmtsim.runs._pools.pool import Arrival, Costs, Pool, groups
from rmtsim.runs._work import BatchKey, LostBatch, Measured

_BETWEEN_MESSAGES = 0.005
"""Seconds, at least, from one message of the whole cluster to the next: twice what one costs the coordinator."""

_LEAST_SECONDS = 0.25
"""Batches are put together up to this many seconds even if some workers get none: a hundred times that cost."""

_MESSAGE_SECONDS = 1.0
_CONNECT_SECONDS = 10
_GLANCE_SECONDS = 5.0
_SUSPECT_SECONDS = 0.5
_DEATHS = 3
"""A batch under which this many workers died is given up, as in rmtsim's own pool."""
_PATIENCE_SECONDS = 120.0
"""How long a cluster may be without any worker before the run gives up (new ones may be starting)."""


def _tell_environment() -> Environment:
    """Sent by value, so that a worker without rmtsim reports it (Dask requires :mod:`cloudpickle`)."""
    from rmtsim.runs._identity.environment import this_environment

    return this_environment()


_tell_environment.__module__ = "__main__"


def connect(address: str) -> Any:
    """A client of the scheduler at ``address`` (``tcp://host:port``, or the path of a scheduler file)."""
    try:
        import distributed
    except ImportError:
        raise ExecutorError(
            "Dask is not installed here; install the extra: rmtsim[dask], or use --workers"
        ) from None
    if address.endswith(".json"):
        address = _address_in(address)
    try:
        client: Any = distributed.Client
        return client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TypeError, ImportError, TimeoutError) as error:
        raise ExecutorError(
            f"--dask {address}: no scheduler answers there ({error}); expected tcp://host:port, or the scheduler's file"
        ) from error


def _address_in(path: str) -> str:
    """The address in a scheduler file. Dask itself would wait for the file for ever."""
    try:
        content = json.loads(read_text(path))
        return str(content["address"])
    except OSError as error:
        raise ExecutorError(
            f"--dask {path}: cannot be read ({error.strerror or error}); expected the file that `dask scheduler "
            "--scheduler-file` writes, or tcp://host:port"
        ) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ExecutorError(
            f"--dask {path}: holds no address of a scheduler ({type(error).__name__}: {error}); expected the file "
            "that `dask scheduler --scheduler-file` writes, or tcp://host:port"
        ) from error


class DaskPool(Pool):
    """Hands batches to a Dask cluster, small ones several at a time. The caller closes the client.

    Dask reassigns the work of a dead worker. After the second death of a worker during a message, Dask is made to
    give up on it; its batches are then run one at a time with no other batch running, and the batch that runs when a
    third worker dies is reported as the cause. If the scheduler does not allow its count to be lowered, Dask's
    ``allowed-failures`` applies in place of the first two deaths.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._costs = Costs()
        self._blamed = 0
        self._lowered: set[str] = set()
        self._asked = False

    def environments(self) -> set[Environment]:
        """Where the cluster's workers are; this process's environment if it has none yet."""
        with self._connected():
            replies = self._client.run(_tell_environment, on_error="return")
        self._asked = bool(replies)
        found = set()
        for worker, reply in replies.items():
            if isinstance(reply, Environment):
                found.add(reply)
            elif not isinstance(reply, OSError):
                # A worker that dies during the request answers with a closed connection; Dask replaces it.
                raise ExecutorError(
                    f"the Dask worker {worker} cannot run rmtsim ({type(reply).__name__}: {reply}); install the same "
                    "version of rmtsim on all workers"
                )
        return found or {this_environment()}

    def completed(self, keys: Sequence[BatchKey]) -> Generator[Arrival | None, None, None]:
        """Batches as they finish, in any order; ``keys`` may grow."""
        if not self._asked:
            self.environments()  # reports a worker without rmtsim at once instead of after the timeout
        with self._connected():
            sent = 0
            suspects: list[int] = []
            while sent < len(keys) or suspects:
                if sent < len(keys):
                    sent = yield from self._together(keys, sent, suspects)
                else:
                    yield self._alone(keys, suspects.pop())

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """Turn errors of a closed client or cluster into an :class:`ExecutorError`."""
        import distributed
        from distributed.client import ClosedClientError

        try:
            yield
        except ExecutorError:
            raise
        except Exception as error:
            # Methods of a closed client fail in many ways, some with AttributeError.
            gone = isinstance(error, (ClosedClientError, distributed.CancelledError, OSError))
            if not gone and self._client.status == "running":
                raise
            raise ExecutorError(
                f"the Dask client or its cluster is closed, or cannot be reached ({type(error).__name__}: "
                f"{error}); connect to a running cluster and run again"
            ) from error

    def _alone(self, keys: Sequence[BatchKey], suspect: int) -> Arrival:
        """Run a suspected batch with no other batch running, until it is done or has killed too many workers."""
        deaths = self._blamed
        while True:
            outcome = self._once(keys[suspect])
            if isinstance(outcome, Finished):
                return Arrival(suspect, outcome.outcomes[0], outcome.environment)
            deaths += outcome
            if deaths >= _DEATHS:
                return Arrival(suspect, LostBatch(keys[suspect], deaths, "workers of the Dask cluster"), None)

    def _once(self, key: BatchKey) -> Finished | int:
        """One batch until it is done, or until a worker has died meanwhile."""
        (order,) = orders([key])
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._wait_for_workers()
        before = set(self._client.nthreads())
        name = f"rmtsim-suspect-{uuid.uuid4().hex}"
        future = self._client.submit(run_orders, [order], key=name, pure=False)
        future.add_done_callback(lambda finished: done.put(finished.key))
        try:
            while True:
                try:
                    done.get(timeout=_SUSPECT_SECONDS)
                    return self._outcome(future)
                except queue.Empty:
                    if not before <= set(self._client.nthreads()):
                        return 1
        finally:
            self._client.cancel([future], force=True)

    def _lower_allowance(self, names: list[str]) -> None:
        """Make Dask give up on these messages at the second death; its own limit applies to the whole scheduler.

        Each message starts with a count of one death less than the scheduler allows. Tasks of other users keep the
        limit. A scheduler that refuses to run functions applies its own limit here too.
        """

        def suspect(dask_scheduler: Any, names: list[str], already: int) -> list[str]:
            start = dask_scheduler.allowed_failures - already
            found = [name for name in names if name in dask_scheduler.tasks]
            for name in found:
                task = dask_scheduler.tasks[name]
                task.suspicious = max(task.suspicious, start)
            return found

        # By value: the scheduler's machine need not have rmtsim.
        suspect.__module__ = "__main__"
        left = set(names)
        for _ in range(20):
            try:
                found = self._client.run_on_scheduler(suspect, names=sorted(left), already=_DEATHS - 2)
            except Exception:
                return
            self._lowered.update(found)
            left -= set(found)
            if not left:
                return
            # Messages use another connection than this call and may arrive after it.
            time.sleep(0.01)

    def _wait_for_workers(self) -> None:
        """Until the cluster has a worker again, as long as its patience lasts."""
        import distributed

        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE_SECONDS)
        except (TimeoutError, distributed.TimeoutError):
            raise ExecutorError(
                f"the Dask cluster has had no workers for {_PATIENCE_SECONDS:.0f} s; "
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
                added: list[str] = []
                for name, message in self._messages(keys, fresh):
                    future = self._client.submit(
                        run_orders, orders(keys[index] for index in message), key=name, pure=False
                    )
                    futures[name], members[name] = future, message
                    future.add_done_callback(lambda finished: done.put(finished.key))
                    added.append(name)
                if added:
                    self._lower_allowance(added)
                yield None
                if sent < len(keys):
                    continue
                ready = self._ready(done)
                for name, outcome in zip(
                    ready, self._outcomes([futures[name] for name in ready]), strict=True
                ):
                    message = members.pop(name)
                    # The cluster can release a finished message after this.
                    futures.pop(name).release()
                    self._lowered.discard(name)
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
        target = max(_MESSAGE_SECONDS, workers * _BETWEEN_MESSAGES)
        for members in groups(expected, target=target, workers=workers, least=_LEAST_SECONDS):
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
                        f"the connection to the Dask scheduler is {self._client.status}"
                    ) from None
                if self._client.nthreads():
                    alone_since = None
                    continue
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > _PATIENCE_SECONDS:
                    raise ExecutorError(
                        f"the Dask cluster has had no workers for {_PATIENCE_SECONDS:.0f} s; start "
                        "workers and run again"
                    ) from None

    def _ready(self, done: queue.SimpleQueue[Any]) -> list[str]:
        """Names of all messages that have finished, at least one."""
        found = [self._next(done)]
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(str(done.get_nowait()))
        return found

    def _outcomes(self, futures: list[Any]) -> list[Finished | int]:
        """What became of several messages; results are fetched together, which takes one exchange instead of many."""
        if len(futures) > 1 and all(future.status == "finished" for future in futures):
            try:
                return list(self._client.gather(futures))
            except (
                Exception
            ):  # a worker died with results that were not fetched yet: fetch results separately
                pass
        return [self._outcome(future) for future in futures]

    def _outcome(self, future: Any) -> Finished | int:
        """The message's batches, or the number of workers that died under it."""
        import distributed

        try:
            finished: Finished = future.result()
            return finished
        except distributed.scheduler.KilledWorker as error:
            allowed = int(error.allowed_failures)
            return 1 + (min(allowed, _DEATHS - 2) if future.key in self._lowered else allowed)

    def close(self) -> None:
        """Do nothing: the client belongs to the caller."""
