"""The unit of work: one batch of one claim at one parameter point and size.

A batch is determined by its :class:`BatchKey`: every computation of it returns the same bytes.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import os
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import stream
from rmtsim.claims._model import Claim
from rmtsim.claims._samplers import LARGEST
from rmtsim.errors import SamplerError
from rmtsim.runs._identity.code_version import inputs_of
from rmtsim.runs._identity.inputs import Input
from rmtsim.runs._process import PeakMemory, single_threaded_blas

PILOT = 10**9
"""Batch number of the batches that measure the cost of a claim; no run uses it."""


@frozen
class BatchKey:
    """Everything that determines a batch's values."""

    claim: Claim
    parameters: tuple[tuple[str, Any], ...]
    size: int
    batch: int
    replicates: int
    seed: int

    @property
    def name(self) -> str:
        """Name of the batch in messages: claim, parameter point, size, batch number, seed."""
        point = ", ".join(f"{name}={value}" for name, value in self.parameters)
        batch = "the batch that measures its cost" if self.batch == PILOT else f"batch {self.batch}"
        return (
            f"{self.claim.id}, {self.claim.size_name} {self.size}, {batch}"
            f"{f' at {point}' if point else ''} (seed {self.seed}, {self.replicates} replicates)"
        )

    @property
    def nominal_seconds(self) -> float:
        """What the claim's own cost model expects this batch to take on one core."""
        # A coupled claim counts numbers, and its cost is that of a row of one number per size.
        rows = self.replicates / len(self.claim.sizes) if self.claim.coupled else self.replicates
        return float(self.claim.cost(dict(self.parameters), self.size)) * rows * self.claim.draws


@frozen
class LostBatch:
    """Takes the place of a batch's values if every worker that computed it died."""

    key: BatchKey
    deaths: int
    cause: str

    @property
    def message(self) -> str:
        """One line naming the batch, its parameters and what happened to the workers."""
        return f"{self.key.name} killed {self.deaths} workers ({self.cause}); it is left out"


@frozen
class FailedBatch:
    """Takes the place of a batch's values if computing them raised an error; its claim ends, others continue."""

    key: BatchKey
    error: Exception


Outcome = NDArray[np.float64] | LostBatch | FailedBatch


@frozen
class Measured:
    """A finished batch with what it cost: wall seconds and the peak of extra memory in bytes, if known."""

    values: NDArray[np.float64]
    seconds: float
    memory: float | None
    inputs: tuple[Input, ...] = ()
    """What the claim's code has read in the process that computed the batch."""


@frozen
class Answer:
    """All batches of request number ``request``, in its order, and the seconds that computing them took."""

    request: int
    outcomes: list[Outcome]
    seconds: float
    reused: int = 0
    """How many of them were in the store."""


class Runner(abc.ABC):
    """Runs batches for a verification."""

    @abc.abstractmethod
    def run(self, keys: Iterable[BatchKey]) -> Iterator[Outcome]:
        """Values of each batch, in the order of ``keys``; a :class:`LostBatch` where there are none."""

    def answers(self, requests: Sequence[Sequence[BatchKey]]) -> Generator[Answer | None, None, None]:
        """Each request's answer as soon as it is whole, in any order; None while all workers are busy.

        ``requests`` may grow on the way, also at a None. Here requests are computed one after the other; a runner
        with workers processes several at once.
        """
        for number, request in enumerate(requests):
            started = time.perf_counter()
            outcomes = list(self.run(request))
            yield Answer(number, outcomes, time.perf_counter() - started)

    def timed(self, key: BatchKey) -> tuple[float, float] | None:
        """Seconds of the sampler, and from the request to its values; None if it fails. Nothing is kept."""
        started = time.perf_counter()
        try:
            inner = measured_batch(key).seconds
        except Exception:
            return None  # the run itself reports what is wrong
        return inner, time.perf_counter() - started

    def steps_before(self, claim: Claim) -> Sequence[int] | None:
        """Steps of measured over declared costs in the newest result of the claim that is kept, if there is one."""
        return None

    keeping: bool = True
    """Whether results are kept at all."""
    single: bool = False
    """Whether one worker computes all batches."""

    def keep(self, claim: Claim, result: Mapping[str, Any]) -> None:  # noqa: B027  (keeping is optional)
        """A claim has its verdict: a runner with a store keeps the result for reports."""


@contextlib.contextmanager
def _importable(origin: str | None) -> Iterator[None]:
    """Let a sampler import modules beside the file that declares its claim, as a function of a script can."""
    if origin is None:
        yield
        return
    folder = os.path.dirname(origin)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def _sampled(key: BatchKey) -> NDArray[np.float64]:
    parameters = dict(key.parameters)
    rng = stream(key.seed, key.claim.id, key.claim.stream_point(parameters), key.size, key.batch)
    with single_threaded_blas(), _importable(key.claim.origin):
        try:
            returned = key.claim.sample(parameters, key.size, rng, key.replicates)
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            # sys.exit would end a worker, or the whole run, without a message.
            raise SamplerError(
                f"{key.claim.id}: the sampler raised {type(error).__name__}({error}) at size {key.size}, parameters "
                f"{parameters}, batch {key.batch}; a sampler must return values or raise an Exception"
            ) from error
    return np.asarray(returned, dtype=np.float64)


def _repeats(key: BatchKey, values: NDArray[np.float64]) -> bool:
    """Whether the same key gives the same bytes again, tried with as few replicates as the sampler can draw."""
    fewest = len(key.claim.sizes) if key.claim.coupled else 1
    short = dataclasses.replace(key, replicates=fewest)
    if fewest < key.replicates:
        try:
            return _sampled(short).tobytes() == _sampled(short).tobytes()
        except SamplerError:
            pass  # it returns more at a time
    return values.tobytes() == _sampled(key).tobytes()


def not_repeatable(key: BatchKey) -> SamplerError:
    """The error of a sampler that gives other values whenever it is called."""
    return SamplerError(
        f"{key.claim.id}: the same batch computed twice, with the same seed, gave other values at size {key.size}; "
        "a sampler may depend on its generator, its size and its parameters alone (draw from rng, not np.random)"
    )


def run_batch(key: BatchKey) -> NDArray[np.float64]:
    """The values of one batch, checked: the promised number of finite floats."""
    parameters = dict(key.parameters)
    values = _sampled(key)
    first = key.claim.sizes[-1 if key.claim.coupled else 0]
    if key.batch == 0 and key.size == first and not _repeats(key, values):
        # Once per claim and point, to detect samplers that depend on a clock, a global generator or a growing cache.
        raise not_repeatable(key)
    if values.shape != (key.replicates,):
        raise SamplerError(
            f"{key.claim.id}: the sampler returned shape {values.shape} at size {key.size}; "
            f"expected ({key.replicates},), one number per replicate"
        )
    if not np.isfinite(values).all():
        raise SamplerError(
            f"{key.claim.id}: the sampler returned {values[~np.isfinite(values)][0]} at size {key.size}, "
            f"parameters {parameters}, batch {key.batch}"
        )
    if np.abs(values).max() > LARGEST:
        raise SamplerError(
            f"{key.claim.id}: the sampler returned {values[np.abs(values).argmax()]:.3g} at size {key.size}; "
            f"expected numbers up to {LARGEST:g} in size (return a logarithm of larger ones)"
        )
    if "probability" in (key.claim.kind, key.claim.of) and ((values < 0) | (values > 1)).any():
        raise SamplerError(
            f"{key.claim.id}: the sampler returned {values[(values < 0) | (values > 1)][0]} at size {key.size}; "
            "expected whether the event happened (True or False), or a probability in [0, 1]"
        )
    if key.claim.support is not None:
        low, high = key.claim.support
        # Intervals for bounded quantities depend on the bounds; only excesses of the order of rounding are accepted.
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        outside = (values < low - slack) | (values > high + slack)
        if outside.any():
            raise SamplerError(
                f"{key.claim.id}: the sampler returned {values[outside][0]} at size {key.size}; "
                f"expected values in the declared support [{low:g}, {high:g}]"
            )
    return values


def measured_batch(key: BatchKey, *, with_inputs: bool = True) -> Measured:
    """:func:`run_batch` with its cost, and with what the claim's code has read, which a store needs."""
    peak = PeakMemory()
    started = time.perf_counter()
    values = run_batch(key)
    seconds, memory = time.perf_counter() - started, peak.extra()
    return Measured(values, seconds, memory, inputs_of(key.claim) if with_inputs else ())
