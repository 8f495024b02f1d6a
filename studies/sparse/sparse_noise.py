"""Figure 2.3 of the thesis: recovery error against the noise, with and without masking, at five times the atoms.

Standard deviations from 1/d to 1/√d in five even steps. --full has the thesis' size (d = 100, p' = 1000) and can be
stopped and resumed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import harness
import numpy as np
import sparse_runs

NAME = "sparse_noise"


def options(parser: argparse.ArgumentParser) -> None:
    sparse_runs.options(parser)
    parser.add_argument("--dimension", type=harness.positive_integer, help="d (thesis: 100)")
    parser.add_argument("--levels", type=harness.positive_integer, default=5, help="number of noise levels")


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    d = arguments.dimension or (100 if arguments.full else 40)
    levels = np.linspace(1 / d, d**-0.5, arguments.levels)
    points = [
        {
            "dimension": d,
            "atoms": 2 * d,
            "sparsity": max(1, d // 20),
            "learned": 10 * d,
            "noise": float(level),
        }
        for level in levels
    ]
    settings = sparse_runs.grid(points, sparse_runs.budget(arguments), arguments.seed)
    rows = sparse_runs.all_runs(NAME, settings, arguments.out)
    return {"rows": rows, "key": "noise", "label": f"noise σ (d = {d}, p = {2 * d}, p' = {10 * d})"}


draw = sparse_runs.draw


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
