"""A pool of worker processes on this machine that continues if workers die.

Each worker is a fresh Python (spawned, not forked: threads of BLAS and numba do not survive a fork) with one
BLAS thread. A worker holds a few batches at a time and returns each when it is done, so when one dies the batch being
computed is known: the death is counted for that batch, the other batches are reassigned, and a new worker is started.
A batch during which three workers died is given up and reported.

The pool of the standard library fails as a whole when one process dies, and does not report which task it was running.
"""

from __future__ import annotations

import collections
import contextlib
import heapq
import math
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from rmtsim.errors import ExecutorError
from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._pools.messages import orders
from rmtsim.runs._pools.pool import Arrival, Costs, Pool
from rmtsim.runs._process import PINNED
from rmtsim.runs._work import BatchKey, LostBatch, Measured

DEATHS_ALLOWED = 3
_QUEUED_SECONDS = 0.3
"""Work queued at a worker beyond the batch it computes, so that it is not idle while the coordinator is busy."""
_QUEUED_BATCHES = 64
_HEAD_START = 20.0
_PASSED_OVER = 64
"""Batches that a worker passes over at most, in search of one of a claim that no other worker is beginning."""
_START = "import sys; sys.path[:] = {path!r}; from rmtsim.runs._pools.worker import main; main({socket})"


class _Worker:
    """One process, its socket, and the numbers of the batches it holds (the first is being computed)."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            # In a separate process group, so that Ctrl-C in the terminal interrupts the coordinator only. The module
            # search path is passed on, so that a worker imports the same modules, and no main module is run twice.
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START.format(path=sys.path, socket=theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env={**os.environ, **PINNED},
                stdin=subprocess.DEVNULL,
                stdout=_standard_error(),  # output of a sampler is not output of the coordinator
                process_group=0,
            )
        except OSError as error:
            ours.close()
            raise ExecutorError(
                f"a worker process could not be started: {error.strerror or error}"
            ) from error
        finally:
            theirs.close()
        self.connection = Connection(ours.detach())
        self.held: collections.deque[int] = collections.deque()
        self.environment: Environment | None = None

    def end(self) -> int:
        """Stop the process and return its exit code."""
        self.connection.close()
        if self.process.poll() is None:
            self.process.kill()
        return self.process.wait()


def _standard_error() -> int:
    """File descriptor for error messages; the null device if standard error is closed."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


class _Waiting:
    """Batches that no worker holds, in the order in which they are handed out.

    Long batches precede short ones, so that no long one remains at the end, but within a limit: a batch overtakes at
    most ``_HEAD_START`` times its own length of earlier work. So cheap claims finish early in a long run, and their
    verdicts are known if it is stopped. Batches of a dead worker go first.
    """

    def __init__(self) -> None:
        self.expected: dict[int, float] = {}
        self._heap: list[tuple[float, int]] = []
        self._added = 0.0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, number: int, expected: float) -> None:
        self.expected[number] = expected
        heapq.heappush(self._heap, (self._added - _HEAD_START * expected, number))
        self._added += expected

    def give_back(self, *numbers: int) -> None:
        for number in numbers:
            heapq.heappush(self._heap, (-math.inf, number))

    @property
    def next_seconds(self) -> float:
        return self.expected[self._heap[0][1]]

    def take(self, avoided: Callable[[int], bool] = lambda number: False) -> int:
        """The next batch that is not ``avoided``; the very next one if all of the first few are."""
        passed: list[tuple[float, int]] = []
        chosen = None
        while self._heap and len(passed) < _PASSED_OVER:
            entry = heapq.heappop(self._heap)
            if not avoided(entry[1]):
                chosen = entry
                break
            passed.append(entry)
        if chosen is None:
            chosen = passed.pop(0)
        for entry in passed:
            heapq.heappush(self._heap, entry)
        return chosen[1]


class SpawnedPool(Pool):
    """``workers`` processes on this machine; close it, or use it as a context manager."""

    workers: int

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._alive: list[_Worker] = []
        # One for the whole run: multiprocessing's wait makes and fills a new one each time, twice for every batch.
        self._listener = selectors.PollSelector()
        self._costs = Costs()
        self._failed_starts = 0
        self._beginners: dict[str, _Worker | None] = {}
        """The worker that computes the first batch of a claim; None once it is done."""

    def __enter__(self) -> SpawnedPool:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def environments(self) -> set[Environment]:
        """Where batches are computed: here."""
        return {this_environment()}

    def processes(self) -> list[int]:
        """Process ids of the workers alive now."""
        return [worker.process.pid for worker in self._alive]

    def close(self) -> None:
        """End all workers."""
        while self._alive:
            self._dismiss(self._alive[-1])

    def completed(self, keys: Sequence[BatchKey], start: int = 0) -> Generator[Arrival | None, None, None]:
        """Batches from number ``start`` on as they finish, in any order; ``keys`` may grow."""
        wanted: dict[int, Any] = {}
        known = start
        waiting = _Waiting()
        deaths: collections.Counter[int] = collections.Counter()
        answered = start
        try:
            while answered < len(keys):
                added = range(known, len(keys))
                known = len(keys)
                wanted.update(zip(added, orders(keys[number] for number in added), strict=True))
                for number in added:
                    waiting.add(number, self._costs.seconds(keys[number]))
                self._start_missing(len(keys) - answered)
                for worker in list(self._alive):
                    self._feed(worker, keys, waiting, wanted)
                heard = self._listener.select(timeout=0)
                if not heard:
                    yield None  # the workers are busy: the caller can analyse results meanwhile
                    if answered < known < len(keys):
                        continue
                    heard = self._listener.select()
                for ready, _ in heard:
                    for arrival in self._listen(ready.data, keys, waiting, deaths):
                        answered += 1
                        wanted.pop(arrival.index)
                        waiting.expected.pop(arrival.index)
                        yield arrival
        finally:
            # Ended early (an error, Ctrl-C, a consumer that stopped): batches still held are not needed.
            if answered < len(keys):
                self.close()

    def _start_missing(self, open_batches: int) -> None:
        while len(self._alive) < min(self.workers, open_batches):
            worker = _Worker()
            self._alive.append(worker)
            self._listener.register(worker.connection, selectors.EVENT_READ, worker)

    def _dismiss(self, worker: _Worker) -> int:
        """End a worker; returns how it ended."""
        self._alive.remove(worker)
        self._listener.unregister(worker.connection)
        return worker.end()

    def _begun_elsewhere(self, worker: _Worker, claim: str) -> bool:
        """Whether another worker computes the first batch of a claim.

        The first batch compiles kernels and fills caches. Until it is done, other workers take other claims, so that
        the work is not done twice and no worker is idle.
        """
        beginner = self._beginners.get(claim)
        return beginner is not None and beginner is not worker and beginner in self._alive

    def _feed(
        self, worker: _Worker, keys: Sequence[BatchKey], waiting: _Waiting, wanted: Mapping[int, Any]
    ) -> None:
        """Hand out batches until the worker has one to compute and some queued."""
        beyond = sum(waiting.expected[number] for number in list(worker.held)[1:])
        # Near the end, no batch waits for a busy worker while another is idle.
        while waiting and (
            not worker.held
            or (
                len(worker.held) < _QUEUED_BATCHES
                and beyond + waiting.next_seconds <= _QUEUED_SECONDS
                and len(waiting) > len(self._alive)
            )
        ):
            number = waiting.take(lambda other: self._begun_elsewhere(worker, keys[other].claim.id))
            self._beginners.setdefault(keys[number].claim.id, worker)
            if worker.held:
                beyond += waiting.expected[number]
            worker.held.append(number)
            # Sending to a worker that just died fails; its death is handled when its socket is read.
            with contextlib.suppress(OSError):
                worker.connection.send((number, wanted[number]))

    def _listen(
        self,
        worker: _Worker,
        keys: Sequence[BatchKey],
        waiting: _Waiting,
        deaths: collections.Counter[int],
    ) -> Iterator[Arrival]:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._bury(worker, keys, waiting, deaths)
            return
        match message:
            case ("ready", environment):
                worker.environment = environment
                self._failed_starts = 0
            case ("done", number, values, seconds, memory, inputs):
                worker.held.remove(number)
                self._beginners[keys[number].claim.id] = None
                measured = Measured(np.frombuffer(values, dtype=np.float64), seconds, memory, inputs)
                self._costs.learn(keys[number], seconds)
                assert worker.environment is not None
                yield Arrival(number, measured, worker.environment)
            case ("failed", number, error):
                worker.held.remove(number)
                self._beginners[keys[number].claim.id] = None
                yield Arrival(number, error, None)

    def _bury(
        self,
        worker: _Worker,
        keys: Sequence[BatchKey],
        waiting: _Waiting,
        deaths: collections.Counter[int],
    ) -> Iterator[Arrival]:
        """Count a death for the batch that was being computed, return the others to the queue, drop the worker."""
        code = self._dismiss(worker)
        if worker.environment is None:
            # It ended before its first batch, so no batch caused it, and another worker would probably end too.
            waiting.give_back(*worker.held)
            self._failed_starts += 1
            if self._failed_starts >= DEATHS_ALLOWED:
                raise ExecutorError(
                    f"worker processes end while they start ({_ending(code)}); see their messages above"
                )
            time.sleep(0.1)
            return
        if not worker.held:
            return
        blamed = worker.held.popleft()
        waiting.give_back(*worker.held)
        deaths[blamed] += 1
        if deaths[blamed] < DEATHS_ALLOWED:
            waiting.give_back(blamed)
        else:
            yield Arrival(blamed, LostBatch(keys[blamed], deaths[blamed], _ending(code)), None)


def _ending(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"{name}, as when memory runs out" if name == "SIGKILL" else name
