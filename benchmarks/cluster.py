"""Efficiency on a Dask cluster of processes that grows and shrinks: measured here, modelled up to a thousand workers.

    python -m benchmarks.cluster [--claims PATTERN ...] [--quick] [--budget SECONDS] [--workers 1 2] [--record]

Claims are verified on a ``LocalCluster`` of single-threaded processes with adaptive scaling; the scheduler runs in the
coordinating process, so that its time counts as the coordinator's. *Work* is the processor time of the samplers in
the workers (from the store), *coordinator* that of this process. The model: a batch takes its work and a fixed overhead
on a worker, and some seconds of the coordinator, which serves one worker at a time.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from benchmarks.page import record
from rmtsim.claims import all_claims
from rmtsim.verdicts import verify

FURTHER = (1, 2, 10, 100, 1000)


def run(names: list[str], workers: int, options: dict[str, Any]) -> dict[str, Any]:
    """One verification on a cluster of at most so many workers."""
    import distributed

    with tempfile.TemporaryDirectory() as folder:
        cluster = distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=folder
        )
        cluster.adapt(minimum=0, maximum=workers, interval="200ms", wait_count=10)
        most = 0

        def watched(_: Any) -> None:
            nonlocal most
            most = max(most, len(cluster.scheduler.workers))

        store = Path(folder) / "runs.sqlite"
        with cluster, distributed.Client(cluster) as client:
            cluster.scale(1)
            client.wait_for_workers(1)
            wall, coordinator = time.perf_counter(), time.process_time()
            results = verify(names, executor=client, store=store, progress=watched, **options)
            wall, coordinator = time.perf_counter() - wall, time.process_time() - coordinator
        with sqlite3.connect(store) as connection:
            batches, work = connection.execute("SELECT COUNT(*), SUM(seconds) FROM batches").fetchone()
    return {
        "workers": workers,
        "most": most,
        "wall": wall,
        "coordinator": coordinator,
        "work": work,
        "batches": batches,
        "digests": sorted(result.digest for result in results),
        "decided": sum(str(result.verdict) != "INCONCLUSIVE" for result in results),
    }


def modelled(work: float, overhead: float, coordinator: float, workers: int) -> float:
    """Efficiency: work of a batch over the time that it occupies a worker.

    >>> modelled(1.0, 0.0, 0.0, 1000), modelled(1.0, 0.0, 0.002, 1000)
    (1.0, 0.5)
    """
    return work / max(work + overhead, coordinator * workers)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--claims", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument("--every", type=int, default=1, help="only every so many of them")
    parser.add_argument("--quick", action="store_true", help="budgets of the quick set, and its claims alone")
    parser.add_argument("--budget", type=float, help="nominal seconds for all claims together")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--name", default="registry", help="name of the record")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    names = [
        claim.id
        for claim in all_claims()
        if claim.accuracy is None
        and (claim.quick or not options.quick)
        and any(fnmatch(claim.id, pattern) for pattern in options.claims)
    ][:: options.every]
    chosen = {"quick": options.quick, "budget": options.budget}
    found = [run(names, workers, chosen) for workers in options.workers]
    same = len({tuple(one.pop("digests")) for one in found}) == 1
    first = found[0]
    each = {key: first[key] / first["batches"] for key in ("work", "coordinator")}
    overhead = max(0.0, (first["wall"] * first["workers"] - first["work"]) / first["batches"])
    model = {str(n): modelled(each["work"], overhead, each["coordinator"], n) for n in FURTHER}
    result = {
        "claims": len(names),
        "same": same,
        "runs": found,
        "per_batch": {**each, "overhead": overhead},
        "model": model,
    }
    print(json.dumps(result, indent=1))
    if options.record:
        record("cluster", {options.name: result})


if __name__ == "__main__":
    main()
