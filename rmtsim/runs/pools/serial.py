"""What a pool of workers is to the rest: batches in, arrivals out, in any order."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from rmtsim.runs.identity.environment import Environment, this_environment
from rmtsim.runs.process.threads import single_threaded_blas
from rmtsim.runs.work import BatchKey, LostBatch, Measured, measured_batch

__all__ = ["Arrival", "Pool", "SerialPool"]


@dataclass(frozen=True)
class Arrival:
    """What became of the batch at ``index``: its values and where they were computed, its loss, or an error."""

    index: int
    content: Measured | LostBatch | Exception
    environment: Environment | None


@runtime_checkable
class Pool(Protocol):
    """Computes batches somewhere."""

    def environments(self) -> set[Environment]:
        """Where batches are computed, as far as it is known now."""
        ...

    def completed(self, keys: Sequence[BatchKey]) -> Iterator[Arrival | None]:
        """Batches as they finish, in any order; None when there is nothing to do but wait for one.

        ``keys`` may grow while this goes on: what was added is seen when the iterator is asked for more. It
        ends when everything is answered.
        """
        ...

    def close(self) -> None:
        """End what the pool itself started."""
        ...


class SerialPool:
    """Computes batches here, one after the other."""

    def environments(self) -> set[Environment]:
        """Here."""
        return {this_environment()}

    def completed(self, keys: Sequence[BatchKey]) -> Iterator[Arrival]:
        """Batches in the order asked."""
        here = this_environment()
        with contextlib.ExitStack() as stack:
            stack.enter_context(single_threaded_blas())
            for index, key in enumerate(keys):
                try:
                    content: Measured | Exception = measured_batch(key)
                except Exception as error:
                    content = error
                yield Arrival(index, content, here)

    def close(self) -> None:
        """Nothing to end."""
