"""Processor time of `rmtsim verify --quick` in two trees, in turn: the claims of both quick sets, one worker, no store.

    python benchmarks/whole_command.py OLD_TREE [--rounds 3] [--paper wu] [--json FILE]

User and system time of the command and its worker, with start-up, predictions and analysis; one BLAS thread. The first
round of a tree may compile kernels: it is run once before and not counted. What both trees say is compared as well:
verdict words, and the nominal seconds that were spent on them.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
QUICK = "from rmtsim.claims import all_claims; print(*(each.id for each in all_claims() if each.quick))"


def run(tree: Path, *command: str) -> tuple[float, str]:
    """Processor seconds of a command in a tree, its children included, and what it printed."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    environment = {**os.environ, **THREADS, "PYTHONPATH": str(tree.resolve())}
    start = spent()
    done = subprocess.run(
        [sys.executable, *command], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr or f"{tree}: ended with code {done.returncode}")
    return spent() - start, done.stdout


def words(results: list[dict[str, Any]]) -> str:
    """How many claims have which verdict, and the nominal seconds of all."""
    counted = collections.Counter(each["verdict"] for each in results)
    nominal = sum(point["nominal_seconds"] for each in results for point in each["points"])
    return ", ".join(f"{counted[word]} {word}" for word in sorted(counted)) + f"; {nominal:.0f} nominal s"


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("--after", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--paper")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    trees = {"before": options.before, "after": options.after}
    quick = [set(run(tree, "-c", QUICK)[1].split()) for tree in trees.values()]
    names = sorted(name for name in quick[0] & quick[1] if options.paper in (None, name.partition(".")[0]))
    command = (
        "-m",
        "rmtsim",
        "verify",
        "--quick",
        *names,
        "--workers",
        "1",
        "--no-store",
        "--json",
        "--quiet",
    )
    results = {side: json.loads(run(tree, *command)[1]) for side, tree in trees.items()}
    seconds: dict[str, list[float]] = {side: [] for side in trees}
    for _ in range(options.rounds):
        for side, tree in trees.items():
            seconds[side].append(run(tree, *command)[0])
    print(
        f"{len(names)} claims, processor seconds of {options.rounds} rounds in turn, load {os.getloadavg()[0]:.1f}:"
    )
    for side, taken in seconds.items():
        print(f"  {side}: {', '.join(f'{each:.1f}' for each in taken)}; {words(results[side])}")
    least = min(seconds["before"]) / min(seconds["after"])
    middle = statistics.median(seconds["before"]) / statistics.median(seconds["after"])
    print(f"  ratio of the least times {least:.2f}, of the medians {middle:.2f}")
    said = [{each["claim"]: each["verdict"] for each in results[side]} for side in trees]
    for name in names:
        if said[0][name] != said[1][name]:
            print(f"  {name}: {said[0][name]} before, {said[1][name]} after")
    if options.json:
        options.json.write_text(json.dumps({"claims": names, "seconds": seconds}), encoding="utf-8")


if __name__ == "__main__":
    main()
