"""Figure 2.2 of the thesis: recovery error when all sizes grow together, with and without masking.

p = 2d, k = d/20, p' = 2p, noise variance 1/d. --full has the thesis' d = 100 to 250 and can be stopped and resumed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import harness
import sparse_runs

NAME = "sparse_sizes"


def options(parser: argparse.ArgumentParser) -> None:
    sparse_runs.options(parser)
    parser.add_argument("--dimensions", type=harness.positive_integer, nargs="+", help="values of d")


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    sizes = arguments.dimensions or ([100, 150, 200, 250] if arguments.full else [20, 40, 60])
    points = [
        {"dimension": d, "atoms": 2 * d, "sparsity": max(1, d // 20), "learned": 4 * d, "noise": d**-0.5}
        for d in sizes
    ]
    settings = sparse_runs.grid(points, sparse_runs.budget(arguments), arguments.seed)
    rows = sparse_runs.all_runs(NAME, settings, arguments.out)
    return {"rows": rows, "key": "dimension", "label": "dimension d (p = 2d, p' = 4d)"}


draw = sparse_runs.draw


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
