"""Processor time of samplers in two trees: the batches that a run asked for, computed by both, one after the other.

Record a run, say with today's tree, then compare it with an older one:

    rmtsim verify --quick --workers 1 --store quick.sqlite
    python benchmarks/before_and_after.py quick.sqlite OLD_TREE [--paper wu] [--seconds 0.3] [--smallest]

Claims of both trees' quick sets are compared. Of every claim, point and size, batches are run in both trees in turn
until ``--seconds`` are spent, and the time is scaled to all of them. The first batch of a claim is run twice, and
counted the second time, so that compiling does not enter; where a batch is one number, computed and then remembered,
the first time counts (run the script twice: the second run finds the kernels in their cache). The difference is the
largest one of a value over the largest value; identities, whose values are rounding errors, and samplers that another
issue changed show a large one. ``--smallest`` compares batches at the smallest size alone.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
SERVE = "--serve"


def serve() -> None:
    """A worker of one tree: a batch a line in, its processor time and values out."""
    from rmtsim._internal.randomness import stream
    from rmtsim.claims import all_claims

    # What a worker of the tree does before its first batch.
    with contextlib.suppress(ImportError):
        from rmtsim.runs._process import keep_freed_memory

        keep_freed_memory()
    claims = {claim.id: claim for claim in all_claims()}
    print(json.dumps(sorted(name for name, claim in claims.items() if claim.quick)), flush=True)
    for line in sys.stdin:
        name, parameters, size, batch, replicates, seed = json.loads(line)
        claim = claims[name]
        try:
            point = claim.point(parameters)
            rng = stream(seed, name, point, size, batch)
            start = time.process_time()
            values = claim.sample(point, size, rng, replicates)
            answer = [time.process_time() - start, [float(value) for value in values]]
        except Exception as error:
            answer = [0.0, repr(error)]
        print(json.dumps(answer), flush=True)


class Tree:
    """A worker process that imports rmtsim from one folder."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, **THREADS, "PYTHONPATH": str(folder.resolve())}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), SERVE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder,
        )  # fmt: skip
        self.quick = set(self._answer())

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def run(self, batch: tuple[Any, ...]) -> Any:
        """Processor seconds and values of a batch (a text where it could not be run)."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(batch) + "\n")
        self.process.stdin.flush()
        return self._answer()


def recorded(store: Path, paper: str | None) -> dict[tuple[str, str, int], list[tuple[Any, ...]]]:
    """Batches of a store by claim, point and size."""
    found = defaultdict(list)
    query = "SELECT DISTINCT claim, parameters, size, batch, replicates, seed FROM batches ORDER BY claim, size, batch"
    with sqlite3.connect(store) as connection:
        for claim, parameters, size, batch, replicates, seed in connection.execute(query):
            if paper in (None, claim.partition(".")[0]):
                point = json.loads(parameters)
                found[claim, parameters, size].append((claim, point, size, batch, replicates, int(seed)))
    return found


def difference(before: list[float], after: list[float]) -> float:
    """Largest difference over the largest value."""
    scale = max(max(map(abs, before)), max(map(abs, after)), 1e-300)
    return max(abs(a - b) for a, b in zip(before, after, strict=True)) / scale


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("before", type=Path)
    parser.add_argument("--after", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--paper")
    parser.add_argument(
        "--seconds", type=float, default=0.3, help="for each claim, point and size, both trees"
    )
    parser.add_argument("--smallest", action="store_true")
    parser.add_argument("--claim", action="append", help="these claims alone")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    batches = recorded(options.store, options.paper)
    trees = Tree(options.before), Tree(options.after)
    both = trees[0].quick & trees[1].quick
    smallest: dict[tuple[str, str], int] = {}
    for claim, parameters, size in batches:
        smallest[claim, parameters] = min(size, smallest.get((claim, parameters), size))
    seconds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    apart: dict[str, float] = defaultdict(float)
    left_out = {}
    warm = set()
    for (claim, parameters, size), asked in batches.items():
        if claim not in both or (options.claim and claim not in options.claim):
            continue
        if options.smallest and size > smallest[claim, parameters]:
            continue
        spent, done = [0.0, 0.0], 0
        for batch in asked:
            answers = [tree.run(batch) for tree in trees]
            if claim not in warm:
                # Compiling does not count; what was computed and is remembered does.
                again = [tree.run(batch) for tree in trees]
                if batch[4] > 1:
                    answers = again
                warm.add(claim)
            if any(isinstance(values, str) for _, values in answers):
                left_out[claim] = next(v for _, v in answers if isinstance(v, str))
                break
            apart[claim] = max(apart[claim], difference(answers[0][1], answers[1][1]))
            for side in (0, 1):
                spent[side] += answers[side][0]
            done += 1
            if sum(spent) > options.seconds:
                break
        if done:
            for side in (0, 1):
                seconds[claim][side] += spent[side] * len(asked) / done
    print("| claim | before, s | after, s | ratio | difference |\n|---|---|---|---|---|")
    for claim, (old, new) in sorted(seconds.items(), key=lambda item: -item[1][1]):
        print(f"| `{claim}` | {old:.2f} | {new:.2f} | {old / new:.2f} | {apart[claim]:.0e} |")
    for paper in sorted({claim.partition(".")[0] for claim in seconds}):
        old, new = (sum(s[side] for c, s in seconds.items() if c.startswith(f"{paper}.")) for side in (0, 1))
        print(f"| **{paper}** | {old:.1f} | {new:.1f} | {old / new:.2f} | |")
    old, new = (sum(s[side] for s in seconds.values()) for side in (0, 1))
    print(
        f"| **all {len(seconds)} claims** | {old:.1f} | {new:.1f} | {old / new:.2f} | {max(apart.values()):.0e} |"
    )
    for claim, message in left_out.items():
        print(f"left out: {claim}: {message}")
    if options.json:
        options.json.write_text(json.dumps({"seconds": seconds, "difference": apart}), encoding="utf-8")


if __name__ == "__main__":
    serve() if SERVE in sys.argv else main()
