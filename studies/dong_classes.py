"""`dong` Figures 4-7: |Hessian| blocks at initialisation for C = 10, 100, 1000 (d = 64, N = C), all four cases.

The first few classes are shown: the whole matrix of 1000 classes would need 64 000² entries for the same picture.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from figures.dong_hidden import heat_maps, reduce_by_maximum

from rmtsim.hessian.linear import block, square_loss_block
from rmtsim.hessian.one_hidden import forward, output_block
from rmtsim.hessian.one_hidden_full import hidden_matrix
from rmtsim.plots.style import save
from rmtsim.sampling.linear import sample_linear
from rmtsim.sampling.one_hidden import sample_one_hidden
from rmtsim.streams import stream

NAME = "dong_classes"
DIMENSION, HIDDEN = 64, 8
BLOCKS = 10


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--classes", type=harness.positive_integer, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows: dict[str, list[dict[str, Any]]] = {}

    def add(row: str, classes: int, matrix: np.ndarray) -> None:
        image = [[float(f"{v:.3g}") for v in line] for line in reduce_by_maximum(matrix, 160)]
        rows.setdefault(row, []).append({"title": f"{row}, C = {classes}", "image": image})

    for classes in arguments.classes:
        rng = stream(arguments.seed, NAME, {"classes": classes}, DIMENSION, 0)
        model = sample_linear(DIMENSION, classes, classes, rng)
        network = sample_one_hidden(DIMENSION, classes, HIDDEN, classes, rng, labels="balanced")
        add(
            "linear, MSE",
            classes,
            np.block([[square_loss_block(model, i, j) for j in range(BLOCKS)] for i in range(BLOCKS)]),
        )
        add(
            "linear, CE",
            classes,
            np.block([[block(model, i, j) for j in range(BLOCKS)] for i in range(BLOCKS)]),
        )
        mse, ce = forward(network, "mse"), forward(network, "ce")
        add("$H_{ww}$, MSE", classes, hidden_matrix(mse))
        add(
            "$H_{vv}$, MSE",
            classes,
            np.block([[output_block(mse, i, j) for j in range(BLOCKS)] for i in range(BLOCKS)]),
        )
        add("$H_{ww}$, CE", classes, hidden_matrix(ce))
        add(
            "$H_{vv}$, CE",
            classes,
            np.block([[output_block(ce, i, j) for j in range(BLOCKS)] for i in range(BLOCKS)]),
        )
        print(f"C = {classes}", flush=True)
    return {
        "maps": [item for items in rows.values() for item in items],
        "columns": 2 * len(arguments.classes),
    }


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(heat_maps(data["maps"], data["columns"]), path, colours=48)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
