"""`dong` Figures 11 and 12: does clustered data change the Hessian? K clusters on the unit sphere, C classes, m = 8.

Clusters as in appendix B.2. Measured: the off-diagonal share of the energy of H_ww and H_vv.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import harness
import numpy as np
from dong_images_figures import shares_of_clusters
from figures.heat_maps import heat_maps, reduce_by_maximum

from rmtsim._internal.randomness import stream
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_full import dense_hessian
from rmtsim.papers.dong.simulation.one_hidden_hessian import Pass, forward
from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies, output_energies
from rmtsim.plots._style import save

NAME = "dong_clusters"
HIDDEN, DIMENSION = 8, 64
SAMPLES = 5
"""Inputs for each of the large number of classes: with N = C, as appendix B.3 has it, K > C would leave none."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--classes", type=harness.positive_integer, default=100, help="the large class count")
    parser.add_argument("--full", action="store_true", help="500 classes, as in the paper (memory 1 GB)")
    parser.add_argument("--seeds", type=harness.positive_integer, default=5)
    parser.add_argument(
        "--maps",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="heat maps of the first seed (two minutes of a core with --full)",
    )


def clustered(
    samples: int, classes: int, clusters: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The clusters of appendix B.2: ⌊K/C⌋ for each class in turn, ⌊N/K⌋ inputs each around a centre of length one.

    Noise is 0.05 an entry. So K = 1.5 C gives as many clusters as K = C, with fewer inputs each.
    """
    of_class, inputs_each = clusters // classes, samples // clusters
    centres = rng.standard_normal((classes * of_class, DIMENSION))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    inputs = np.repeat(centres, inputs_each, axis=0)
    inputs += 0.05 * rng.standard_normal(inputs.shape)
    return inputs, np.repeat(np.arange(classes), of_class * inputs_each)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    large = 500 if arguments.full else arguments.classes
    cases = [(2, k) for k in (2, large // 5, large // 2, large)]
    cases += [(large, round(large * factor)) for factor in (1, 1.5, 2, 2.5)]
    maps, rows = [], []
    for loss in ("mse", "ce"):
        for classes, clusters in cases:
            for seed in range(arguments.seeds):
                rng = stream(seed, NAME, {"loss": loss, "classes": classes}, clusters, 0)
                inputs, labels = clustered(SAMPLES * large, classes, clusters, rng)
                network = sample_one_hidden(DIMENSION, len(inputs), HIDDEN, classes, rng)
                network = replace(network, inputs=inputs, targets=np.eye(classes)[labels])
                state = forward(network, "mse" if loss == "mse" else "ce")
                hidden, output = hidden_energies(state), output_energies(state)
                row = {
                    "loss": loss,
                    "classes": classes,
                    "clusters": clusters,
                    "seed": seed,
                    "inputs": len(inputs),
                    "ww_off": float(1 - np.trace(hidden) / hidden.sum()),
                    "vv_off": float(output.offdiagonal / (output.offdiagonal + output.diagonal.sum())),
                }
                rows.append(row)
                print(row, flush=True)
                if seed == 0 and arguments.maps:
                    maps.append(_map(state, row))
    return {"maps": maps, "rows": rows}


def _map(state: Pass, row: Mapping[str, Any]) -> dict[str, Any]:
    """Heat map of one network, with the off-diagonal shares of both layers."""
    shares = rf"$H_{{ww}}$ {100 * row['ww_off']:.1f} %, $H_{{vv}}$ {100 * row['vv_off']:.2g} %"
    image = reduce_by_maximum(dense_hessian(state), 160)
    return {
        "title": f"{row['loss'].upper()}, C = {row['classes']}, K = {row['clusters']}\n{shares}",
        "image": [[float(f"{v:.3g}") for v in line] for line in image],
        "border": DIMENSION / (DIMENSION + row["classes"]),
    }


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(shares_of_clusters(data["rows"]), path.with_name(f"{path.stem}_shares.png"))
    if data["maps"]:
        save(heat_maps(data["maps"], 4, width=1.95), path, colours=48)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
