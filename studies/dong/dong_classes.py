"""`dong` Figures 4-7: |Hessian| blocks at initialisation for C = 10, 100, 1000 (d = 64, N = C), all four cases.

The first ten classes are shown: the whole matrix of 1000 classes would need 64 000² entries for the same picture. The
share of the energy off the diagonal blocks is of all blocks.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import harness
import numpy as np
from figures.heat_maps import heat_maps, reduce_by_maximum

from rmtsim._internal.randomness import stream
from rmtsim.curvature import block, block_energies
from rmtsim.curvature._linear_energies import square_loss_block
from rmtsim.curvature._linear_model import sample_linear
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_full import hidden_matrix
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, output_block
from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies, output_energies
from rmtsim.plots._style import save

NAME = "dong_classes"
DIMENSION, HIDDEN = 64, 8
BLOCKS = 10


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--classes", type=harness.positive_integer, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--seed", type=int, default=0)


def percent(share: float) -> str:
    """Percentage with two digits; an exact zero is marked."""
    return f"{100 * share:.2g} %" if share else "0"


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    maps: dict[str, list[dict[str, Any]]] = {}
    rows: list[dict[str, Any]] = []

    def add(case: str, part: str, classes: int, matrix: np.ndarray, off: float, whole: float) -> None:
        share = off / whole
        rows.append({"case": case, "part": part, "classes": classes, "off_diagonal_share": share})
        image = [[float(f"{v:.3g}") for v in line] for line in reduce_by_maximum(matrix, 160)]
        named = f"{case}, {part}" if part != "H" else case
        maps.setdefault("linear" if part == "H" else "hidden", []).append(
            {
                "title": f"{named}, C = {classes}\n{percent(share)} off-diagonal",
                "order": f"{case} {part}",
                "image": image,
                "blocks": HIDDEN if part == "$H_{ww}$" else min(BLOCKS, classes),
                "axis": "neuron" if part == "$H_{ww}$" else "class",
            }
        )

    def corner(one: Callable[[int, int], np.ndarray], classes: int) -> np.ndarray:
        shown = range(min(BLOCKS, classes))
        return np.block([[one(i, j) for j in shown] for i in shown])

    for classes in arguments.classes:
        rng = stream(arguments.seed, NAME, {"classes": classes}, DIMENSION, 0)
        model = sample_linear(DIMENSION, classes, classes, rng)
        network = sample_one_hidden(DIMENSION, classes, HIDDEN, classes, rng, labels="balanced")
        add("MSE", "H", classes, corner(partial(square_loss_block, model), classes), 0.0, 1.0)
        # Shares are of all blocks, not of the few shown.
        own = block_energies(model)
        off = classes * (classes - 1) * own.mean_offdiagonal
        matrix = corner(partial(block, model), classes)
        add("CE", "H", classes, matrix, off, off + classes * own.mean_diagonal)
        for case, loss in (("MSE", "mse"), ("CE", "ce")):
            state = forward(network, "mse" if loss == "mse" else "ce")
            hidden, output = hidden_energies(state), output_energies(state)
            whole = float(hidden.sum())
            add(case, "$H_{ww}$", classes, hidden_matrix(state), whole - float(np.trace(hidden)), whole)
            matrix = corner(partial(output_block, state), classes)
            whole = float(output.offdiagonal + output.diagonal.sum())
            add(case, "$H_{vv}$", classes, matrix, float(output.offdiagonal), whole)
        print(f"C = {classes}", flush=True)
    ordered = {
        name: [
            each
            for order in dict.fromkeys(m["order"] for m in items)
            for each in items
            if each["order"] == order
        ]
        for name, items in maps.items()
    }
    return {"maps": ordered, "rows": rows, "columns": len(arguments.classes)}


def draw(data: Mapping[str, Any], path: Path) -> None:
    for name, maps in data["maps"].items():
        place = path if name == "linear" else path.with_name(f"{path.stem}_{name}.png")
        save(heat_maps(maps, data["columns"], width=2.4), place, colours=48)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
