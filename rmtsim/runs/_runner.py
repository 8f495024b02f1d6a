"""The runner behind every verification: stored batches are reused, the others computed, committed, yielded.

A batch is committed to the store before its values are returned, in whatever order batches finish; values are returned
in the order of the requests. If the process is killed at any time, only values that were not returned are lost, and
results do not depend on which worker computed a batch, or when.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

import numpy as np

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim
from rmtsim.errors import ExecutorError, RunError, SamplerError, StoreError
from rmtsim.runs._identity.environment import Environment
from rmtsim.runs._identity.inputs import InputsNow
from rmtsim.runs._pools.pool import Arrival, Pool, SerialPool
from rmtsim.runs._replay import Check, Replay, Trust, chosen
from rmtsim.runs._work import (
    Answer,
    BatchKey,
    FailedBatch,
    LostBatch,
    Measured,
    Outcome,
    Runner,
    not_repeatable,
)

if TYPE_CHECKING:
    from rmtsim.runs._store.store import Store

_WINDOW = 2048
"""Batches looked ahead at most: memory stays flat however many there are."""

_COMMIT_SECONDS = 0.02
"""Batches that finish within this time share a commit; those that take longer get one each. Waiting for the disk
takes a millisecond or more, and no batch is used before its commit, so a killed process loses at most this much
work."""


class Watcher(Protocol):
    """Receives the progress of a run."""

    def planned(self, key: BatchKey) -> None:
        """``key`` is going to be computed."""

    def arrived(self, key: BatchKey, seconds: float) -> None:
        """``key`` is computed and stored; it took ``seconds`` where it ran."""


@dataclass
class Tally:
    """Counts of the batches of a run by outcome."""

    reused: int = 0
    computed: int = 0
    older: int = 0
    """Computed although the store has them from another version of the sampler."""
    foreign: int = 0
    """Computed although the store has them from another environment (processor or libraries)."""
    changed: collections.Counter[str] = field(default_factory=collections.Counter)
    """The same because of an input (a file, an environment variable) that has changed, by its name."""
    lost: list[LostBatch] = field(default_factory=list)
    unkept: list[str] = field(default_factory=list)
    """Why results were not kept."""
    replayed: int = 0
    """Stored batches that were computed again before others were reused."""
    discarded: list[str] = field(default_factory=list)
    """One line for each claim whose stored batches were discarded."""
    environments: set[str] = field(default_factory=set)
    """Digests of the environments that computed something in this run."""

    def notices(self) -> list[str]:
        """Messages for the user, if any."""
        lines = []
        if self.older:
            lines.append(
                f"{self.older} stored batches come from another version of their sampler and were computed again"
            )
        if self.foreign:
            lines.append(
                f"{self.foreign} stored batches come from another processor or other libraries and were computed "
                "again (--any-environment reuses them)"
            )
        if self.changed:
            others = f" and {len(self.changed) - 1} more" if len(self.changed) > 1 else ""
            lines.append(
                f"{self.changed.total()} stored batches were computed from what has changed since "
                f"({next(iter(self.changed))}{others}) and were computed again"
            )
        if len(self.environments) > 1:
            lines.append(
                f"workers of {len(self.environments)} different kinds (processor or libraries) took part: another "
                "run may differ in the last bits"
            )
        return [*lines, *self.discarded, *(lost.message for lost in self.lost), *self.unkept]


T = TypeVar("T")


class Forgetful(Sequence[T]):
    """A list that grows at its end and drops processed entries, so that the memory of a long run stays bounded."""

    def __init__(self) -> None:
        self._known: dict[int, T] = {}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._known[number] for number in range(*index.indices(self._length))]
        if not 0 <= index < self._length:
            raise IndexError(index)
        return self._known[index]

    def append(self, item: T) -> None:
        """One more at the end."""
        self._known[self._length] = item
        self._length += 1

    def forget(self, index: int) -> None:
        """Drop an item that will not be requested again."""
        del self._known[index]

    def clear(self) -> None:
        """Remove all entries."""
        self._known.clear()
        self._length = 0


@frozen
class _Expected:
    """A batch that is computed again, the stored bytes, and the environment they come from."""

    replay: Replay
    payload: bytes
    numerics: str
    differing: bytes | None = None
    """What the batch gave when it was computed again, if that was something else: it is computed once more."""


@frozen
class _Safe:
    """A batch that is in the store (or given up): its number, its values, and the time it took in this run."""

    index: int
    outcome: Outcome | Exception
    seconds: float = 0.0
    reused: bool = False


class StoredRunner(Runner):
    """Runs batches in a pool, with a store or without."""

    def __init__(
        self,
        pool: Pool,
        store: Store | None = None,
        *,
        any_environment: bool = False,
        watcher: Watcher | None = None,
        command: str = "",
        check: Check | None = None,
    ) -> None:
        self._pool = pool
        if isinstance(pool, SerialPool):
            pool.with_inputs = store is not None
        self._check = Check() if check is None else check
        self._trust: dict[str, Trust] = {}
        self._now = InputsNow()
        self._command = command
        self._store = store
        self.keeping = store is not None
        self.single = pool.workers == 1
        self._any_environment = any_environment
        self._watcher = watcher
        self._accepted: set[str] | None = None
        self._environments: set[str] = set()
        self.tally = Tally()

    def known_verdicts(self, claims: Sequence[Claim]) -> Mapping[str, int]:
        """Number of ``claims`` by the newest verdict in the store; empty without a store."""
        if self._store is None:
            return {}
        from rmtsim.runs._store.results import known_verdicts

        return known_verdicts(self._store, claims)

    def run(self, keys: Iterable[BatchKey]) -> Iterator[Outcome]:
        """Values of each batch, in the order of ``keys``, or its failure."""
        source = iter(keys)
        while window := list(itertools.islice(source, _WINDOW)):
            ready: dict[int, Outcome | Exception] = {}
            following = 0
            for safe in self._safe(window):
                if safe is None:
                    continue
                ready[safe.index] = safe.outcome
                while following in ready:
                    yield _valid(window[following], ready.pop(following))
                    following += 1

    def answers(self, requests: Sequence[Sequence[BatchKey]]) -> Generator[Answer | None, None, None]:
        """Each request's answer as soon as it is whole, in any order; None while all workers are busy.

        ``requests`` may grow on the way. Workers continue with other requests while the caller analyses one.
        """
        keys = Forgetful[BatchKey]()
        places: dict[int, tuple[int, int]] = {}
        parts: dict[int, dict[int, Outcome]] = {}
        lengths: list[int] = []
        seconds: list[float] = []
        reused: list[int] = []

        def take() -> None:
            for number in range(len(lengths), len(requests)):
                parts[number] = {}
                seconds.append(0.0)
                reused.append(0)
                lengths.append(len(requests[number]))
                for place, key in enumerate(requests[number]):
                    places[len(keys)] = (number, place)
                    keys.append(key)

        take()
        for safe in self._safe(keys):
            if safe is None:
                yield None
                take()
                continue
            number, place = places.pop(safe.index)
            parts[number][place] = _valid(keys[safe.index], safe.outcome)
            keys.forget(safe.index)
            seconds[number] += safe.seconds
            reused[number] += safe.reused
            if len(parts[number]) == lengths[number]:
                whole = parts.pop(number)
                outcomes = [whole[place] for place in sorted(whole)]
                yield Answer(number, outcomes, seconds[number], reused[number])
                take()

    def _safe(self, keys: Sequence[BatchKey]) -> Iterator[_Safe | None]:
        """Each batch once it is in the store; ``keys`` may grow."""
        ready: collections.deque[_Safe] = collections.deque()
        wanted = Forgetful[BatchKey]()
        numbers: dict[int, int] = {}
        replays: dict[int, _Expected] = {}
        missing: set[int] = set()
        unsafe: list[tuple[int, Measured, Environment]] = []
        looked_up = 0
        since = time.monotonic()

        def want(index: int) -> None:
            numbers[len(wanted)] = index
            missing.add(index)
            wanted.append(keys[index])
            if self._watcher is not None:
                self._watcher.planned(keys[index])

        def look_up() -> None:
            nonlocal looked_up
            while looked_up < len(keys):
                values = self._stored(keys[looked_up])
                if values is None:
                    want(looked_up)
                else:
                    trust = self._trust.setdefault(keys[looked_up].claim.id, Trust())
                    for expected in self._replays(keys[looked_up], trust):
                        replays[len(wanted)] = expected
                        wanted.append(expected.replay.key)
                    trust.held.append((looked_up, values))
                    settle(trust)
                looked_up += 1

        def compare(expected: _Expected, arrival: Arrival) -> None:
            again = self._compared(expected, arrival)
            if again is not None:
                replays[len(wanted)] = again
                wanted.append(again.replay.key)
            settle(self._trust[expected.replay.key.claim.id])

        def settle(trust: Trust) -> None:
            """Release the stored batches that waited, once all replays are done."""
            if trust.outstanding:
                return
            for index, values in trust.held:
                if trust.differs or trust.fault is not None:
                    self.tally.reused -= 1
                if trust.fault is not None:
                    ready.append(_Safe(index, trust.fault))
                elif trust.differs:
                    want(index)
                else:
                    ready.append(_Safe(index, values, reused=True))
                    trust.released = True
            trust.held.clear()

        def commit() -> None:
            nonlocal since
            batches, since = list(unsafe), time.monotonic()
            unsafe.clear()
            self._commit([(keys[index], measured, where) for index, measured, where in batches])
            ready.extend(_Safe(index, measured.values, measured.seconds) for index, measured, _ in batches)

        look_up()
        while ready or wanted:
            while ready:
                yield ready.popleft()
                look_up()
            with contextlib.ExitStack() as stack:
                stack.callback(commit)
                # In any case the pool must learn that the rest is not needed.
                for arrival in stack.enter_context(contextlib.closing(self._arrivals(wanted))):
                    if arrival is not None and arrival.index in replays:
                        compare(replays.pop(arrival.index), arrival)
                        wanted.forget(arrival.index)
                    elif arrival is not None:
                        index = numbers.pop(arrival.index)
                        wanted.forget(arrival.index)
                        missing.discard(index)
                        if isinstance(arrival.content, Measured):
                            assert arrival.environment is not None
                            unsafe.append((index, arrival.content, arrival.environment))
                        else:
                            ready.append(_Safe(index, self._give_up(arrival.content)))
                    if unsafe and (arrival is None or time.monotonic() - since > _COMMIT_SECONDS):
                        commit()
                    while ready:
                        yield ready.popleft()
                        look_up()
                    if arrival is None:
                        yield None
                        look_up()
            if missing:
                raise RunError(f"the pool ended without {keys[min(missing)].name}")
            # The pool has no more work; a further request starts it again.
            wanted.clear()
            numbers.clear()

    def _replays(self, key: BatchKey, trust: Trust) -> list[_Expected]:
        """Batches to compute again before stored ones of this claim and point are reused, with the stored values."""
        point = (key.parameters, key.seed)
        if point in trust.points or self._store is None:
            return []
        trust.points.add(point)
        here = self._here()
        stored = self._store.stored_keys(key, here, self._now)
        found = []
        for replay in chosen(stored, self._check) if stored else ():
            row, _ = self._store.get(replay.stored, here, self._now)
            if row is not None:
                found.append(_Expected(replay, row.payload, Environment.parse(row.environment).numerics))
        trust.outstanding += len(found)
        return found

    def _compared(self, expected: _Expected, arrival: Arrival) -> _Expected | None:
        """Compare a batch that was computed again with the stored one; returns a further batch to compute, if any."""
        replay, content = expected.replay, arrival.content
        trust = self._trust[replay.key.claim.id]
        if isinstance(content, SamplerError) and not replay.is_whole:
            return replace(expected, replay=replay.whole)  # it returns several replicates at a time
        trust.outstanding -= 1
        if not isinstance(content, Measured):
            trust.fault = self._give_up(content)
            return None
        self.tally.replayed += expected.differing is None
        values = np.ascontiguousarray(content.values, dtype="<f8").tobytes()
        elsewhere = arrival.environment is None or arrival.environment.numerics != expected.numerics
        is_same = expected.differing is None and values == expected.payload[: len(values)]
        if is_same or elsewhere or trust.differs:
            return None
        if expected.differing is None:
            trust.outstanding += 1
            return replace(expected, differing=values)
        self._discard(replay.stored, trust)
        if values != expected.differing:
            trust.fault = not_repeatable(replay.stored)
        return None

    def _discard(self, key: BatchKey, trust: Trust) -> None:
        assert self._store is not None
        trust.differs = key.name
        number = self._store.discard(key.claim)
        self.tally.discarded.append(
            f"{number} stored batches of {key.claim.id} were discarded: {key.claim.size_name} {key.size}, batch "
            f"{key.batch} gave other values when it was computed again, so something that the sampler uses has changed "
            "(or differs from process to process, as the order of a set of texts does)"
        )
        if trust.released:
            # This happens only if a parameter point is requested after others were decided.
            trust.fault = SamplerError(
                f"{key.claim.id}: its stored batches proved stale after some had been used; they are discarded: "
                "run the same command again"
            )

    def _arrivals(self, wanted: Sequence[BatchKey]) -> Generator[Arrival | None, None, None]:
        """Results of the pool; if it fails, the error says whether finished work is kept."""
        try:
            yield from self._pool.completed(wanted)
        except ExecutorError as error:
            kept = (
                "what is finished is kept" if self._store is not None else "nothing is kept without a store"
            )
            raise type(error)(f"{error}; {kept}") from error

    def _stored(self, key: BatchKey) -> Outcome | None:
        if self._store is None:
            return None
        stored, passed = self._store.get(key, self._numerics(), self._now)
        if stored is None:
            self.tally.older += passed.older
            self.tally.foreign += passed.foreign
            if passed.changed:
                self.tally.changed[passed.changed] += 1
            return None
        self.tally.reused += 1
        return stored.values

    def _numerics(self) -> set[str]:
        """Environments whose stored results may be combined with those of this run."""
        if not self._any_environment:
            return self._here()
        if self._accepted is None:
            assert self._store is not None
            found = self._store.query("SELECT numerics FROM environments")
            self._accepted = {str(row[0]) for row in found}
        return self._accepted

    def _here(self) -> set[str]:
        """Environments of the workers."""
        if not self._environments:
            self._environments = {environment.numerics for environment in self._pool.environments()}
        return self._environments

    def _commit(self, batches: Sequence[tuple[BatchKey, Measured, Environment]]) -> None:
        if self._store is not None and batches:
            self._store.put_all(batches)
        for key, measured, environment in batches:
            self.tally.computed += 1
            self.tally.environments.add(environment.numerics)
            if self._watcher is not None:
                self._watcher.arrived(key, measured.seconds)

    def timed(self, key: BatchKey) -> tuple[float, float] | None:
        """Seconds of the sampler, and from the request to its values; None if it fails. Nothing is kept."""
        started = time.perf_counter()
        for arrival in self._pool.completed([key]):
            if arrival is not None:
                taken = time.perf_counter() - started
                content = arrival.content
                return (content.seconds, taken) if isinstance(content, Measured) else None
        return None

    def steps_before(self, claim: Claim) -> Sequence[int] | None:
        """Steps of measured over declared costs in the newest result of the claim that is kept, if there is one."""
        if self._store is None:
            return None
        from rmtsim.runs._store.results import stored_results

        for row in stored_results(self._store, claim.id):
            steps = (row.parsed.get("result", {}).get("declared") or {}).get("plan")
            return [int(step) for step in steps] if isinstance(steps, list) else None
        return None

    def keep(self, claim: Claim, result: Mapping[str, Any]) -> None:
        """Keep a result in the store; if the store refuses it, the run continues without."""
        if self._store is None:
            return
        from rmtsim.runs._store.results import keep_result

        try:
            keep_result(self._store, claim, {**result, "command": self._command})
        except (StoreError, ValueError) as error:
            self.tally.unkept.append(f"the result of {claim.id} is not kept: {error}")

    def _give_up(self, failure: LostBatch | Exception) -> LostBatch | Exception:
        if isinstance(failure, LostBatch):
            if self._store is not None:
                self._store.put_lost(failure)
            self.tally.lost.append(failure)
        return failure


def _valid(key: BatchKey, outcome: Outcome | Exception) -> Outcome:
    """The outcome for the claim; an error of the run itself (store, workers) is raised."""
    if isinstance(outcome, RunError):
        raise outcome
    return FailedBatch(key, outcome) if isinstance(outcome, Exception) else outcome
