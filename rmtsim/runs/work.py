"""The unit of work: one batch of one claim at one parameter point and size.

A batch is named by a :class:`BatchKey` alone: whoever runs it, wherever and whenever, gets the same bytes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from rmtsim.claims.model import Claim
from rmtsim.errors import SamplerError
from rmtsim.streams import stream

__all__ = ["BatchKey", "Runner", "SerialRunner", "run_batch", "single_threaded_blas"]


@dataclass(frozen=True)
class BatchKey:
    """Everything that determines a batch's values."""

    claim: Claim
    parameters: tuple[tuple[str, Any], ...]
    size: int
    batch: int
    replicates: int
    seed: int


class Runner(Protocol):
    """Runs batches and yields their values in the order asked, whatever order they finish in."""

    def run(self, keys: Iterable[BatchKey]) -> Iterator[NDArray[np.float64]]:
        """Values of each batch, in the order of ``keys``."""
        ...


@contextlib.contextmanager
def single_threaded_blas() -> Iterator[None]:
    """BLAS on one thread: the number of threads changes the last bits of sums and eigenvalues."""
    with threadpoolctl.threadpool_limits(limits=1):
        yield


def run_batch(key: BatchKey) -> NDArray[np.float64]:
    """The values of one batch, checked: the promised number of finite floats."""
    parameters = dict(key.parameters)
    rng = stream(key.seed, key.claim.id, parameters, key.size, key.batch)
    with single_threaded_blas():
        returned = key.claim.sample(parameters, key.size, rng, key.replicates)
    values = np.asarray(returned, dtype=np.float64)
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
    return values


class SerialRunner:
    """Runs every batch here, one after the other."""

    def run(self, keys: Iterable[BatchKey]) -> Iterator[NDArray[np.float64]]:
        """Values of each batch, in the order of ``keys``."""
        return map(run_batch, keys)
