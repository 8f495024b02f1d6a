"""Figure 5.3 of the thesis: training and testing RMSE of learned step sizes against the number of samples, σ = 1.

d = 1000, t = 40, samples split evenly for train-by-validation. The thesis averages 300 tasks; the default is fewer,
and the figure in docs has 30. The sample sizes of the printed figure are not in our text copy; these are ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import l2l_tasks
import numpy as np

NAME = "l2l_samples"


def options(parser: argparse.ArgumentParser) -> None:
    l2l_tasks.options(parser)
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--tasks", type=harness.positive_integer, default=100)
    parser.add_argument(
        "--samples", type=harness.positive_integer, nargs="+", default=[250, 500, 1000, 2000, 4000]
    )


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for samples in arguments.samples:
        rows.append(l2l_tasks.learn_and_test(NAME, arguments, samples, arguments.noise, arguments.tasks))
        l2l_tasks.report(rows[-1])
    print(f"{sum(row['seconds'] for row in rows):.0f} s of processor time")
    counts = np.geomspace(min(arguments.samples), max(arguments.samples), arguments.curve)
    curves = [
        {"samples": float(count)}
        | l2l_tasks.predicted(float(count), arguments.dimension, arguments.noise, arguments.steps)
        for count in counts
    ]
    return {"rows": rows, "curves": curves, "noise": arguments.noise, "dimension": arguments.dimension}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from l2l_figures import errors_against

    from rmtsim.plots._style import save

    label = f"samples n (d = {data['dimension']}, σ = {data['noise']:g})"
    save(errors_against(data["rows"], data["curves"], "samples", label), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
