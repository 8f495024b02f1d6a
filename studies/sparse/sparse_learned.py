"""Figure 2.1 of the thesis: recovery error against the number p' of learned atoms, with and without masking.

Two starts: held-out samples, and the truth followed by samples. Bands are one standard deviation of the runs. --full
has the thesis' size (d = 100, p = 200, k = 5, n = 1000, 500 epochs) and can be stopped and resumed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import harness
import sparse_runs

NAME = "sparse_learned"


def options(parser: argparse.ArgumentParser) -> None:
    sparse_runs.options(parser)
    parser.add_argument("--dimension", type=harness.positive_integer, help="d (thesis: 100)")
    parser.add_argument(
        "--learned", type=harness.positive_integer, nargs="+", help="numbers p' of learned atoms"
    )


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    d = arguments.dimension or (100 if arguments.full else 40)
    p = 2 * d
    counts = arguments.learned or [p * step for step in (1, 2, 3, 4, 5)]
    points = [
        {"dimension": d, "atoms": p, "sparsity": max(1, d // 20), "learned": count, "noise": d**-0.5}
        for count in counts
    ]
    settings = sparse_runs.grid(points, sparse_runs.budget(arguments), arguments.seed)
    rows = sparse_runs.all_runs(NAME, settings, arguments.out)
    return {"rows": rows, "key": "learned", "label": f"learned atoms p' (d = {d}, p = {p})"}


draw = sparse_runs.draw


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
