"""What running costs: overhead per batch, memory over many batches, two workers against one on the quick set.

python -m benchmarks.runs [--json FILE] [--batches 100000] [--parts overhead,memory,scaling,cost]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.common import machine
from rmtsim.claims import find
from rmtsim.claims._model import Claim, Tolerance
from rmtsim.runs import _process as memory
from rmtsim.runs._pools.pool import Arrival, SerialPool, open_pool
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.cost_model import fit_costs
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import BatchKey, run_batch


def _sample(parameters, size, rng, replicates):
    return rng.standard_normal(replicates)


CHEAP = Claim(
    id="benchmark.cheap",
    paper="benchmark",
    equation="",
    statement="Standard normals tend to themselves.",
    kind="limit",
    sample=_sample,
    predict=lambda parameters: 0.0,
    tolerance=Tolerance(absolute=1.0),
    sizes=(1,),
    cost=lambda parameters, size: 1e-7,
)


def keys(number, seed=0):
    return (BatchKey(CHEAP, (), 1, batch, 64, seed) for batch in range(number))


def overhead(batches=2000):
    """Milliseconds per batch beyond computing it, for each way of running."""
    wanted = list(keys(batches))
    for key in wanted[:50]:
        run_batch(key)
    start = time.perf_counter()
    for key in wanted:
        run_batch(key)
    bare = (time.perf_counter() - start) / batches
    rows = []
    for name, executor in (("here", None), ("one worker", 1), ("two workers", 2)):
        for stored in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                store = Store(Path(folder) / "runs.sqlite") if stored else None
                pool = open_pool(executor)
                runner = StoredRunner(pool, store)
                list(runner.run(keys(50, seed=1)))  # workers are up, claim is known
                start = time.perf_counter()
                list(runner.run(wanted))
                took = (time.perf_counter() - start) / batches
                again = None
                if store is not None:
                    start = time.perf_counter()
                    list(runner.run(wanted))
                    again = (time.perf_counter() - start) / batches * 1e3
                    store.close()
                pool.close()
            rows.append(
                {
                    "way": f"{name}{', store' if stored else ''}",
                    "bare batch [ms]": bare * 1e3,
                    "overhead per batch [ms]": (took - bare) * 1e3,
                    "reading it back [ms]": again,
                }
            )
    return rows


def flat_memory(batches):
    """Resident memory along one run with a store."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.sqlite") as store:
        start = time.perf_counter()
        for done, _ in enumerate(StoredRunner(open_pool(None), store).run(keys(batches)), start=1):
            if done in {batches // 100, batches // 10, batches // 2, batches}:
                gc.collect()
                rows.append(
                    {
                        "batches": done,
                        "resident memory [MB]": (memory._status("VmRSS") or 0) / 1e6,
                        "seconds": time.perf_counter() - start,
                    }
                )
        file = (Path(folder) / "runs.sqlite").stat().st_size
    rows[-1]["file [MB]"] = file / 1e6
    return rows


COMMAND = ("-m", "rmtsim", "verify", "--no-store", "--json")


def scaling(what, rounds):
    """Wall time of `rmtsim verify --no-store` with one worker and with two, alternating."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    times = {1: [], 2: []}
    digests = set()
    for _ in range(rounds):
        for workers in (1, 2):
            start = time.perf_counter()
            done = subprocess.run(
                [sys.executable, *COMMAND, *what, "--workers", str(workers)],
                check=True, capture_output=True, text=True, env=environment,
            )  # fmt: skip
            times[workers].append(time.perf_counter() - start)
            digests.add(tuple(each["digest"] for each in json.loads(done.stdout)))
    best = {workers: min(each) for workers, each in times.items()}
    return [
        {
            "one worker [s]": best[1],
            "two workers [s]": best[2],
            "ratio": best[1] / best[2],
            "outcomes": "identical" if len(digests) == 1 else "DIFFERENT",
            "load average": os.getloadavg()[0],
            "all times [s]": json.dumps({k: [round(t, 1) for t in v] for k, v in times.items()}),
        }
    ]


class CpuTimed(SerialPool):
    """Counts a batch's processor time instead of wall time: on a shared machine the latter measures others."""

    def completed(self, wanted):
        for index, key in enumerate(wanted):
            start = time.process_time()
            arrival = next(super().completed([key]))
            measured = replace(arrival.content, seconds=time.process_time() - start)
            yield Arrival(index, measured, arrival.environment)


def cost(path):
    """Theorem 1 of dong at d = N and C on a grid, kept in a store; the fitted laws and what they predict."""
    claim = find("dong.thm1.ratio")
    grid = [(size, classes) for size in (500, 1000, 2000) for classes in (1000, 3000, 10_000)]
    wanted = [
        BatchKey(claim, (("classes", classes), ("gamma", 1.0)), size, batch, 1, 0)
        for size, classes in grid
        for batch in range(2)
    ]
    with Store(path) as store:
        list(StoredRunner(CpuTimed(), store).run(wanted))
        (fit,) = fit_costs(store, claim.id)
    target = {"size": 1e5, "classes": 1e6}
    return [
        {
            "what": name,
            "fitted law": law.text,
            "within a factor": law.spread,
            "points": law.points,
            "at size = 1e5, classes = 1e6": law(target),
        }
        for name, law in (("seconds per replicate", fit.seconds), ("bytes per batch", fit.memory))
    ]


def show(title, rows):
    columns = list(dict.fromkeys(name for row in rows for name in row))
    print(f"\n### {title}\n\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for row in rows:
        cells = [row.get(name) for name in columns]
        print(
            "| "
            + " | ".join("" if c is None else f"{c:.3g}" if isinstance(c, float) else str(c) for c in cells)
            + " |"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path)
    parser.add_argument("--batches", type=int, default=100_000)
    parser.add_argument("--parts", default="overhead,memory,scaling,cost")
    parser.add_argument(
        "--verify", default="--quick", help="what the scaling part verifies (default: --quick)"
    )
    parser.add_argument("--rounds", type=int, default=2, help="of the scaling part; the best of each counts")
    parser.add_argument("--store", type=Path, help="where the batches of the cost part are kept")
    arguments = parser.parse_args()
    print(f"## Runs\n\n{machine()}")
    results = {}
    for name, function in (
        ("overhead", overhead),
        ("memory", lambda: flat_memory(arguments.batches)),
        ("scaling", lambda: scaling(shlex.split(arguments.verify), arguments.rounds)),
        ("cost", lambda: cost(arguments.store or Path(tempfile.mkdtemp()) / "runs.sqlite")),
    ):
        if name in arguments.parts.split(","):
            results[name] = function()
            show(name, results[name])
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), **results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
