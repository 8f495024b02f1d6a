"""Samplers of ``dong`` and ``wu`` beside their floor: random numbers that they draw, BLAS and LAPACK that they call.

    python -m benchmarks.samplers [--papers dong wu] [--seconds 0.05] [--record]

Every simulated claim but identities, which differentiate in high precision, is drawn at its default point, at its
smallest and its largest size if a replicate there costs less than twenty times ``--seconds``. Linux's ``perf`` samples
the process; a sample inside an OpenBLAS library counts as BLAS. Random numbers are timed where they are drawn from the
generator by NumPy's methods; numbers drawn inside compiled loops count as work, so ratios are upper limits.
"""

from __future__ import annotations

import argparse
import bisect
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.page import record
from rmtsim._internal.randomness import FastNormals, stream
from rmtsim.claims import all_claims

FREQUENCY = 2000
_METHODS = (
    "standard_normal",
    "normal",
    "random",
    "integers",
    "uniform",
    "choice",
    "permutation",
    "chisquare",
    "gamma",
)


class Timed(FastNormals):
    """A generator that adds up the processor time of its methods."""

    spent = 0.0


def _timed(name):
    def method(self, *arguments, **options):
        start = time.thread_time()
        try:
            return getattr(FastNormals, name)(self, *arguments, **options)
        finally:
            Timed.spent += time.thread_time() - start

    return method


for _name in _METHODS:
    setattr(Timed, _name, _timed(_name))


def draw(papers, seconds, limit):
    """Draw in this process and print a line for each claim and size: times and random numbers."""
    begin = time.monotonic()
    for claim in all_claims():
        if claim.accuracy is not None or claim.paper not in papers or claim.kind == "identity":
            continue
        point = claim.point({})
        if claim.outer is not None:
            point = {**point, claim.outer[0]: claim.outer[1][0]}
        claim = claim.at(point)
        rows = len(claim.sizes) if claim.coupled else 1
        for size in (claim.sizes[0], claim.sizes[-1]) if not claim.coupled else claim.sizes[-1:]:
            cost = float(claim.cost(point, size)) * claim.draws
            if time.monotonic() - begin > limit or cost > 20 * seconds:
                continue
            replicates = rows * int(np.clip(4 * seconds / cost, 1, 256))
            try:
                claim.sample(point, size, stream(0, claim.id, point, size, 0), replicates)
                rng = Timed(np.random.PCG64DXSM(1))
                Timed.spent = 0.0
                start, cpu = time.monotonic(), time.process_time()
                calls = 0
                while not calls or (time.process_time() - cpu < seconds and calls < 20):
                    claim.sample(point, size, rng, replicates)
                    calls += 1
                row = [claim.id, size, start, time.monotonic(), time.process_time() - cpu, Timed.spent]
            except Exception as error:
                print(f"{claim.id}: {error!r:.100}", file=sys.stderr)
                continue
            print(json.dumps(row), flush=True)


def shares(data):
    """Times of all samples of ``perf``, and whether each is inside BLAS."""
    command = ["perf", "script", "-i", data, "-F", "time,ip,sym,dso", "--ns"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        head, _, rest = line.strip().partition(":")
        try:
            found.append((float(head), "openblas" in rest))
        except ValueError:
            continue
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--papers", nargs="+", default=["dong", "wu"])
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--limit", type=float, default=400.0, help="stop after so many seconds of the clock")
    parser.add_argument("--record", action="store_true", help="keep the summary for docs/benchmarks.md")
    parser.add_argument("--draw", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.draw:
        draw(options.papers, options.seconds, options.limit)
        return
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "perf.data")
        arguments = [
            "--draw",
            "--seconds",
            str(options.seconds),
            "--limit",
            str(options.limit),
            "--papers",
            *options.papers,
        ]
        command = [
            "perf",
            "record",
            "-q",
            "-k",
            "CLOCK_MONOTONIC",
            "-e",
            "cpu-clock",
            "-F",
            str(FREQUENCY),
            "-o",
            data,
        ]
        done = subprocess.run(
            [*command, sys.executable, "-m", "benchmarks.samplers", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        taken = shares(data)
    moments = [moment for moment, _ in taken]
    rows = []
    for name, size, start, stop, seconds, numbers in map(json.loads, done.stdout.splitlines()):
        inside = taken[bisect.bisect(moments, start) : bisect.bisect(moments, stop)]
        blas = seconds * sum(blas for _, blas in inside) / max(1, len(inside))
        rows.append(
            {
                "claim": name,
                "size": size,
                "samples": len(inside),
                "ratio": seconds / max(numbers + blas, 1e-9),
            }
        )
    summary = {}
    for paper in options.papers:
        ratios = np.array([row["ratio"] for row in rows if row["claim"].startswith(f"{paper}.")])
        quantiles = np.quantile(ratios, (0.25, 0.5, 0.75, 0.95)).tolist()
        summary[paper] = {"draws": len(ratios), "within": float((ratios <= 2).mean()), "quantiles": quantiles}
    print(json.dumps(summary, indent=1))
    for row in sorted(rows, key=lambda row: -row["ratio"])[:40]:
        print(row)
    if options.record:
        record("samplers", summary)


if __name__ == "__main__":
    main()
