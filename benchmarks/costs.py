"""Declared costs of simulated claims beside measured ones, and what a pilot of the verdict engine makes of them.

    python -m benchmarks.costs [--paper KEY] [--seconds 0.15] [--json FILE] [--record]

Every simulated claim is drawn at its default point, at the largest of its sizes whose nominal seconds fit into
``--seconds``; processor seconds of one thread, least of two batches after one that loads and compiles. ``declared``
is nominal over measured seconds; ``pilot`` is the same ratio for the costs that the timed pilot of ``--plan measured``
finds, for every fourth claim. The pilot rounds to powers of √2: a factor of 1.2 is the best that it can promise.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import threadpoolctl

from benchmarks.common import machine
from benchmarks.page import costs_table, record
from rmtsim._internal.randomness import stream
from rmtsim.claims import all_claims
from rmtsim.verdicts._timing import STEP, measured_steps


def _batch(claim, point, size, replicates, number):
    """Processor seconds of one batch."""
    rng = stream(0, f"{claim.id}#cost", point, size, number)
    start = time.process_time()
    claim.sample(point, size, rng, replicates)
    return time.process_time() - start


def _timed(key):
    """What the pilot measures of a batch, in processor seconds; None for a batch that fails."""
    try:
        spent = _batch(key.claim, key.claim.point(dict(key.parameters)), key.size, key.replicates, key.batch)
    except (ValueError, TypeError):
        return None
    return spent, spent


def _piloted(claim, point, cost, size):
    """Cost of a replicate as the pilot of a claim that may spend twelve seconds finds it; NaN where it finds none."""
    inner = () if claim.outer is None else claim.outer[:1]
    steps = measured_steps(
        claim, {name: value for name, value in point.items() if name not in inner}, 12.0, _timed
    )
    return cost * STEP ** steps[claim.sizes.index(size)] if steps else float("nan")


def measure(claim, seconds, pilot):
    """One row: nominal and measured seconds of a replicate at one size."""
    point = claim.point({})
    if claim.outer is not None:
        point = {**point, claim.outer[0]: claim.outer[1][0]}
    claim = claim.at(point)
    rows = len(claim.sizes) if claim.coupled else 1
    costs = {size: float(claim.cost(point, size)) * claim.draws for size in claim.sizes}
    size = (
        claim.sizes[-1]
        if claim.coupled
        else max((s for s in costs if costs[s] <= seconds), default=claim.sizes[0])
    )
    replicates = rows * int(np.clip(seconds / 3 / costs[size], 1, 256))
    _batch(claim, point, size, replicates, 0)
    measured = min(_batch(claim, point, size, replicates, number) for number in (1, 2)) / replicates * rows
    return {
        "claim": claim.id,
        "size": size,
        "replicates": replicates,
        "nominal": costs[size],
        "measured": measured,
        "pilot": _piloted(claim, point, costs[size], size) if pilot else None,
    }


def summary(rows):
    """Quantiles of nominal and of piloted over measured seconds, by paper and altogether."""
    found = {}
    for paper in [*sorted({row["claim"].split(".")[0] for row in rows}), "all"]:
        of = [row for row in rows if paper in ("all", row["claim"].split(".")[0])]
        ratios = {
            "declared": [row["nominal"] / row["measured"] for row in of],
            "pilot": [row["pilot"] / row["measured"] for row in of if row["pilot"]],
        }
        found[paper] = {"claims": len(of)} | {
            name: np.nanquantile(each, (0.05, 0.5, 0.95)).tolist() if each else []
            for name, each in ratios.items()
        }
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--paper")
    parser.add_argument("--seconds", type=float, default=0.15)
    parser.add_argument("--limit", type=float, default=840.0, help="stop after so many seconds of the clock")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--record", action="store_true", help="keep the summary for docs/benchmarks.md")
    options = parser.parse_args()
    rows, failed, start = [], [], time.monotonic()
    with threadpoolctl.threadpool_limits(1):
        for claim in all_claims():
            if claim.accuracy is not None or (options.paper and claim.paper != options.paper):
                continue
            if time.monotonic() - start > options.limit:
                failed.append(f"{claim.id}: no time left")
                continue
            try:
                rows.append(measure(claim, options.seconds, len(rows) % 4 == 0))
            except Exception as error:
                failed.append(f"{claim.id}: {error!r:.200}")
    print(machine(), "\n")
    print(costs_table({"costs": summary(rows)}))
    print("\n".join(failed))
    if options.record:
        record("costs", summary(rows))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
