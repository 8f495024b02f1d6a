"""One argument, ``executor``, for every way to run: here, in processes, in a pool, on a cluster."""

from __future__ import annotations

import concurrent.futures
from typing import Any

from rmtsim._internal import validate
from rmtsim.runs._pools.pool import Pool, SerialPool

_ACCEPTED = (
    "expected None (here), a number of worker processes, a concurrent.futures.Executor "
    "or a dask.distributed.Client"
)


def open_pool(executor: Any = None) -> Pool:
    """The pool an ``executor`` argument stands for.

    ``None`` computes in this process; an integer in that many spawned processes with one BLAS thread each,
    replaced when they die; a ``concurrent.futures.Executor`` or a ``dask.distributed.Client`` there. Values do
    not depend on the choice.

    >>> type(open_pool(None)).__name__
    'SerialPool'
    >>> open_pool("four")
    Traceback (most recent call last):
        ...
    TypeError: executor='four': expected None (here), a number of worker processes, a ...
    """
    if executor is None:
        return SerialPool()
    if isinstance(executor, concurrent.futures.Executor):
        from rmtsim.runs._pools.futures import FuturesPool

        return FuturesPool(executor)
    if _is_dask(executor):
        from rmtsim.runs._pools.dask import DaskPool

        return DaskPool(executor)
    if isinstance(executor, Pool):
        return executor
    try:
        workers = validate.integer("executor", executor, minimum=1, maximum=4096, meaning="worker processes")
    except TypeError:
        raise TypeError(f"executor={executor!r}: {_ACCEPTED}") from None
    from rmtsim.runs._pools.spawned import SpawnedPool

    return SpawnedPool(workers)


def _is_dask(executor: Any) -> bool:
    """Whether it is a Dask client, told by its class's name: Dask is imported only if the caller did."""
    return any(
        kind.__module__.partition(".")[0] == "distributed" and kind.__name__ == "Client"
        for kind in type(executor).__mro__
    )
