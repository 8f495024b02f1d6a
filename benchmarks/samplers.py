"""Samplers of ``dong`` and ``wu`` beside their floor: random numbers that they draw, BLAS and LAPACK that they call.

    python -m benchmarks.samplers [--papers dong wu] [--seconds 0.05] [--record]

Every simulated claim but identities, which differentiate in high precision, is drawn at its default point, at its
smallest and its largest size if a replicate there costs less than twenty times ``--seconds``. Linux's ``perf`` samples
the process; a sample inside an OpenBLAS library counts as BLAS. Random numbers are counted by the state of the
generator, wherever they are drawn, at the cost of normal numbers drawn many at a time.
"""

from __future__ import annotations

import argparse
import bisect
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import THREADS
from benchmarks.page import record
from rmtsim._internal.randomness import FastNormals, stream
from rmtsim.claims import all_claims

FREQUENCY = 2000
_MULTIPLIER = 0xDA942042E4DD58B5
"""Of the linear congruential generator inside PCG64DXSM."""


def words_between(before, after, increment):
    """Steps of the generator from one state to another.

    >>> generator = np.random.PCG64DXSM(1)
    >>> before = generator.state["state"]
    >>> _ = generator.random_raw(1000)
    >>> words_between(before["state"], generator.state["state"]["state"], before["inc"])
    1000
    """
    multiplier, bit, distance, most = _MULTIPLIER, 1, 0, 2**128 - 1
    while before != after:
        if (before ^ after) & bit:
            before = (before * multiplier + increment) & most
            distance |= bit
        bit <<= 1
        increment = ((multiplier + 1) * increment) & most
        multiplier = (multiplier * multiplier) & most
    return distance


def _used(rng, function):
    """Words that a function takes from a generator."""
    before = rng.bit_generator.state["state"]
    function()
    return words_between(before["state"], rng.bit_generator.state["state"]["state"], before["inc"])


def seconds_of_a_word():
    """Processor seconds of a normal number for each word that it takes from the generator."""
    rng = FastNormals(np.random.PCG64DXSM(2))
    rng.standard_normal(2**14)
    start = time.process_time()
    words = _used(rng, lambda: [rng.standard_normal(2**14) for _ in range(100)])
    return (time.process_time() - start) / words


def draw(papers, seconds, limit):
    """Draw in this process and print a line for each claim and size: times and random numbers."""
    begin, word = time.monotonic(), seconds_of_a_word()
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
                rng = FastNormals(np.random.PCG64DXSM(1))
                start, cpu, words, calls = time.monotonic(), time.process_time(), 0, 0
                while not calls or (time.process_time() - cpu < seconds and calls < 20):
                    words += _used(rng, functools.partial(claim.sample, point, size, rng, replicates))
                    calls += 1
                row = [claim.id, size, start, time.monotonic(), time.process_time() - cpu, words * word]
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
            env=os.environ | THREADS["one"],  # as inside of `rmtsim verify`
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
    for paper in {row["claim"].partition(".")[0]: None for row in rows}:
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
