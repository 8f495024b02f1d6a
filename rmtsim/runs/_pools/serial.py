"""No workers at all: batches computed here, one after the other."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._pools.pool import Arrival, Pool
from rmtsim.runs._process.threads import single_threaded_blas
from rmtsim.runs._work import BatchKey, Measured, measured_batch

__all__ = ["SerialPool"]


class SerialPool(Pool):
    """Computes batches here, one after the other."""

    def environments(self) -> set[Environment]:
        """Here."""
        return {this_environment()}

    def completed(self, keys: Sequence[BatchKey]) -> Generator[Arrival | None, None, None]:
        """Batches in the order asked."""
        here = this_environment()
        with single_threaded_blas():
            for index, key in enumerate(keys):
                try:
                    content: Measured | Exception = measured_batch(key)
                except Exception as error:
                    content = error
                yield Arrival(index, content, here)

    def close(self) -> None:
        """Nothing to end."""
