"""Pools of workers: the interface (batches in, arrivals out, in any order), and the pool that is this process."""

from __future__ import annotations

import abc
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._process.activity import begin, end
from rmtsim.runs._process.threads import single_threaded_blas
from rmtsim.runs._work import BatchKey, LostBatch, Measured, measured_batch


@dataclass(frozen=True)
class Arrival:
    """What became of the batch at ``index``: its values and where they were computed, its loss, or an error."""

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
        """Batches as they finish, in any order; None when there is nothing to do but wait for one.

        ``keys`` may grow while this goes on: what was added is seen when the iterator is asked for more. It
        ends when everything is answered.
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
        """Batches in the order asked."""
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
