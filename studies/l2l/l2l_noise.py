"""Figure 5.2 of the thesis: training and testing RMSE of learned step sizes against the noise, with theory.

d = 1000, 500 samples (250 + 250 for train-by-validation), t = 40, 300 tasks, 25 step sizes, 10 new tasks. The noise
levels of the printed figure are not in our text copy; these are ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import l2l_tasks
import numpy as np

NAME = "l2l_noise"


def options(parser: argparse.ArgumentParser) -> None:
    l2l_tasks.options(parser)
    parser.add_argument("--samples", type=harness.positive_integer, default=500)
    parser.add_argument("--tasks", type=harness.positive_integer, default=300)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.5, 1.0, 2.0, 3.0, 4.0])


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for noise in arguments.noise:
        rows.append(l2l_tasks.learn_and_test(NAME, arguments, arguments.samples, noise, arguments.tasks))
        l2l_tasks.report(rows[-1])
    print(f"{sum(row['seconds'] for row in rows):.0f} s of processor time")
    levels = np.linspace(min(arguments.noise), max(arguments.noise), arguments.curve)
    curves = [
        {"noise": float(level)}
        | l2l_tasks.predicted(arguments.samples, arguments.dimension, float(level), arguments.steps)
        for level in levels
    ]
    return {"rows": rows, "curves": curves, "samples": arguments.samples, "dimension": arguments.dimension}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from l2l_figures import errors_against

    from rmtsim.plots._style import save

    label = f"noise σ (d = {data['dimension']}, n = {data['samples']})"
    save(errors_against(data["rows"], data["curves"], "noise", label), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
