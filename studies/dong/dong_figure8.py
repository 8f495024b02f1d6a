"""`dong` Figure 8: norms of the linear softmax model's Hessian blocks against the number of classes.

1000 models for each C as in the paper (N = d = 200 here; the paper does not give its sizes), blocks H_11 and H_12 of
each. Points: means with two standard errors; band: 5-95 % of the models; curve: the limit d, N → ∞ at finite C
(squared norms), dashed its C → ∞ limit; dotted: the quantity of (22), (23) as printed, without the square.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.curvature import block_norms
from rmtsim.curvature._linear_model import sample_linear
from rmtsim.papers.dong.theory import linear as theory

NAME = "dong_figure8"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=harness.positive_integer, default=200, help="N = d")
    parser.add_argument(
        "--classes",
        type=harness.positive_integer,
        nargs="+",
        default=[2, 3, 5, 10, 20, 50, 100, 200, 500, 1000],
    )
    parser.add_argument("--models", type=harness.positive_integer, default=1000, help="models drawn per C")
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for classes in arguments.classes:
        names = ("diagonal", "offdiagonal", "ratio", "diagonal_printed", "offdiagonal_printed")
        values: dict[str, list[float]] = {name: [] for name in names}
        for index in range(arguments.models):
            rng = stream(arguments.seed, NAME, {"classes": classes}, arguments.size, index)
            model = sample_linear(arguments.size, arguments.size, classes, rng)
            diagonal, off = (block_norms(model, [(0, 0), (0, 1)]) ** 2 / arguments.size).tolist()
            values["diagonal"].append(classes**2 * diagonal)
            values["offdiagonal"].append(float(classes) ** 4 * off)
            values["ratio"].append(off / diagonal)
            # As (22), (23) print it: the norm over d, times what makes the stated limits those of the panels.
            values["diagonal_printed"].append(classes**2 * (diagonal / arguments.size) ** 0.5)
            values["offdiagonal_printed"].append(float(classes) ** 4 * (off / arguments.size) ** 0.5)
        row: dict[str, float] = {"classes": classes, "models": len(values["ratio"])}
        for name, numbers in values.items():
            row[name] = float(np.mean(numbers))
            row[f"{name}_error"] = float(np.std(numbers) / np.sqrt(len(numbers)))
            row[f"{name}_low"], row[f"{name}_high"] = np.quantile(numbers, (0.05, 0.95)).tolist()
        rows.append(row)
        print(f"C = {classes}: {row['diagonal']:.4f} {row['offdiagonal']:.4f} {row['ratio']:.3g}", flush=True)
    curve = []
    for classes in np.unique(np.geomspace(2, max(arguments.classes), 60).round().astype(int)).tolist():
        curve.append(
            {
                "classes": classes,
                "diagonal": classes**2 * theory.diagonal_energy(1.0, classes),
                "offdiagonal": float(classes) ** 4 * theory.offdiagonal_energy(1.0, classes),
                "ratio": theory.ratio(1.0, classes),
            }
        )
    limits = {
        "diagonal": theory.diagonal_limit(1.0),
        "offdiagonal": theory.offdiagonal_limit(1.0),
        "ratio": theory.ratio_limit(1.0),
    }
    return {"size": arguments.size, "seed": arguments.seed, "rows": rows, "curve": curve, "limits": limits}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from dong_linear_figures import block_norms_against_classes

    from rmtsim.plots._style import save

    save(block_norms_against_classes(data["rows"], data["curve"], data["limits"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
