"""Top eigenspaces of wu's output and layer Hessians against the width: what converges to one, and what to 0.829."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim.hessian.wu_subspace import row_space
from rmtsim.hessian.wu_trial import draw_trial
from rmtsim.predict.wu_limits import row_space_overlap
from rmtsim.streams import stream

NAME = "wu_width"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--widths", type=harness.positive_integer, nargs="+", default=[32, 64, 128, 256, 512])
    parser.add_argument("--networks", type=harness.positive_integer, default=24, help="networks per width")
    parser.add_argument("--inputs", type=harness.positive_integer, default=400)
    parser.add_argument("--alpha", type=float, default=0.3)
    parser.add_argument("--classes", type=harness.positive_integer, default=4)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for width in arguments.widths:
        values: dict[str, list[float]] = {}
        for index in range(arguments.networks):
            rng = stream(
                arguments.seed, NAME, {"alpha": arguments.alpha, "classes": arguments.classes}, width, index
            )
            trial = draw_trial(width, arguments.alpha, arguments.classes, arguments.inputs, rng)
            first, second = (row_space(trial.weights * half.active[-1].mean(axis=0)) for half in trial.halves)
            measured = {
                "S1 S2": trial.corrected(trial.output_space, trial.independent_space),
                "S1 rows": trial.corrected(trial.output_space, (trial.rows, trial.rows)),
                "S1 activation": trial.corrected(trial.output_space, (first, second)),
                "V1 V2": trial.layer_overlap(),
                "M gap": trial.output_gap(),
                "H gap": trial.layer_gap(),
            }
            for name, value in measured.items():
                values.setdefault(name, []).append(value)
        row: dict[str, Any] = {"width": width}
        for name, numbers in values.items():
            low, median, high = np.quantile(numbers, (0.1, 0.5, 0.9))
            row |= {f"{name} low": low, f"{name} median": median, f"{name} high": high}
        rows.append(row)
        print(
            f"n = {width}: " + ", ".join(f"{name} {row[f'{name} median']:.4f}" for name in values), flush=True
        )
    return {
        "rows": rows,
        "limit": row_space_overlap(),
        "alpha": arguments.alpha,
        "classes": arguments.classes,
    }


def draw(data: Mapping[str, Any], path: Path) -> None:
    from rmtsim.plots.style import save
    from rmtsim.plots.wu import width

    save(width(data["rows"], data["limit"], alpha=data["alpha"], classes=data["classes"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
