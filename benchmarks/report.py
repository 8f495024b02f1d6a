"""The report of 400 claims: time and size, and its own SVG figures against the same ones by matplotlib.

python benchmarks/report.py --store PATH ...        results of these stores, copied under further names up to 400
python benchmarks/report.py --store PATH --claims 734        as many as there are claims
python benchmarks/report.py                           results of a short run of its own (half a minute)
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rmtsim import verify
from rmtsim.claims import all_claims
from rmtsim.claims._registry import twin_statement
from rmtsim.report._figure import figures
from rmtsim.runs._store.results import StoredResult, put_result, stored_results
from rmtsim.runs._store.store import Store
from rmtsim.verdicts._collection import from_record, to_record

CLAIMS = 400
DRAWN = 12
"""Figures by matplotlib that are timed; the rest is scaled."""


def patterns(paths: list[str]):
    """Results as declared, one per claim: of the first store that has it."""
    if not paths:
        return verify([claim for claim in all_claims("dong") if claim.quick_in_paper], budget=20.0)
    known, found = {claim.id for claim in all_claims()}, {}
    for path in paths:
        with Store(path, read_only=True) as store:
            for row in stored_results(store):
                if row.claim in known:
                    found.setdefault(row.claim, from_record(row.parsed["record"]))
    return list(found.values())


def fill(path: Path, results, count: int) -> None:
    """A store of so many claims; copies have names and corrections of their own."""
    twins = {claim.id: twin_statement(claim) for claim in all_claims()}
    with Store(path) as store, store.transaction():
        for number in range(count):
            result = results[number % len(results)]
            if number >= len(results):
                result = dataclasses.replace(result, claim=f"{result.claim}.copy{number}")
            twin = twins[results[number % len(results)].claim]
            content = {
                "result": result.as_json(),
                "record": to_record(result),
                "twin": twin,
                "environment": {"numpy": "2"},
                "settings": {"seed": 0, "level": 0.05},
                "command": "rmtsim verify --quick",
            }
            put_result(store, StoredResult(result.claim, "[]", 0.0, "", "", 0.0, json.dumps(content)))


def timed_command(store: Path, out: Path) -> tuple[float, float]:
    """Seconds by the clock and of the processor for the whole command, start-up included."""
    before, started = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "rmtsim", "report", "--store", str(store), "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, spent


def timed_figures(results) -> tuple[float, float, float, float]:
    """Seconds and bytes of a claim's figures, ours and matplotlib's as SVG, of the processor."""
    drawable = [each for each in results if each.kind not in ("identity", "bound")][:DRAWN]
    drawable[0].plot()  # imports are not counted
    start = time.process_time()
    ours = [sum(len(picture) for _, picture in figures(each)) for each in drawable for _ in range(10)]
    middle = time.process_time()
    theirs = []
    for each in drawable:
        target = io.BytesIO()
        each.plot().savefig(target, format="svg")
        theirs.append(len(target.getvalue()))
    end = time.process_time()
    count = len(drawable)
    return (
        (middle - start) / (10 * count),
        (end - middle) / count,
        sum(ours) / (10 * count),
        sum(theirs) / count,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", metavar="PATH", action="append", default=[])
    parser.add_argument("--claims", type=int, default=CLAIMS, metavar="N")
    parser.add_argument("--keep", metavar="FILE.html", help="keep the page here")
    arguments = parser.parse_args()
    results = patterns(arguments.store)
    with tempfile.TemporaryDirectory() as folder:
        store, out = Path(folder) / "runs.sqlite", Path(arguments.keep or Path(folder) / "page.html")
        fill(store, results, arguments.claims)
        runs = [timed_command(store, out) for _ in range(3)]
        size = out.stat().st_size
    clock, processor = min(run[0] for run in runs), min(run[1] for run in runs)
    print(
        f"{arguments.claims} claims from {len(results)} results: {clock:.1f} s by the clock, {processor:.1f} s of the "
        f"processor, {size / 1e6:.2f} MB (load {os.getloadavg()[0]:.1f})"
    )
    ours, theirs, small, large = timed_figures(results)
    print(
        f"figures of a claim: {1e3 * ours:.2f} ms and {small / 1e3:.1f} kB, by matplotlib {1e3 * theirs:.0f} ms and "
        f"{large / 1e3:.0f} kB: {theirs / ours:.0f} times slower, {large / small:.0f} times larger; "
        f"all {arguments.claims} would take it {arguments.claims * theirs:.0f} s"
    )


if __name__ == "__main__":
    main()
