"""`dong` Figures 11 and 12: does clustered data shape the Hessian? K clusters on the unit sphere, C classes, m = 8.

The answer as a number: the off-diagonal share of the energy of H_ww and H_vv, beside the heat maps.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import harness
import numpy as np
from figures.dong_hidden import heat_maps, reduce_by_maximum

from rmtsim.hessian.one_hidden import forward
from rmtsim.hessian.one_hidden_full import dense_hessian
from rmtsim.hessian.one_hidden_norms import hidden_energies, output_energies
from rmtsim.plots.style import save
from rmtsim.sampling.one_hidden import sample_one_hidden
from rmtsim.streams import stream

NAME = "dong_clusters"
HIDDEN, DIMENSION = 8, 64


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--classes", type=harness.positive_integer, default=100, help="the large class count")
    parser.add_argument("--full", action="store_true", help="500 classes, as in the paper (memory 1 GB)")
    parser.add_argument("--seed", type=int, default=0)


def clustered(
    samples: int, classes: int, clusters: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Inputs around random centres of length one (noise 0.05 an entry); cluster k belongs to class k mod C."""
    centres = rng.standard_normal((clusters, DIMENSION))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    which = np.arange(samples) % clusters
    return centres[which] + 0.05 * rng.standard_normal((samples, DIMENSION)), which % classes


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    large = 500 if arguments.full else arguments.classes
    cases = [(2, k) for k in (2, large // 5, large // 2, large)]
    cases += [(large, round(large * factor)) for factor in (1, 1.5, 2, 2.5)]
    maps, rows = [], []
    for loss in ("mse", "ce"):
        for classes, clusters in cases:
            rng = stream(arguments.seed, NAME, {"loss": loss, "classes": classes}, clusters, 0)
            samples = 5 * large
            inputs, labels = clustered(samples, classes, clusters, rng)
            network = sample_one_hidden(DIMENSION, samples, HIDDEN, classes, rng)
            network = replace(network, inputs=inputs, targets=np.eye(classes)[labels])
            state = forward(network, "mse" if loss == "mse" else "ce")
            hidden, output = hidden_energies(state), output_energies(state)
            rows.append(
                {
                    "loss": loss,
                    "classes": classes,
                    "clusters": clusters,
                    "ww_off": float(1 - np.trace(hidden) / hidden.sum()),
                    "vv_off": float(output.offdiagonal / (output.offdiagonal + output.diagonal.sum())),
                }
            )
            print(rows[-1], flush=True)
            image = reduce_by_maximum(dense_hessian(state), 160)
            maps.append(
                {
                    "title": f"{loss.upper()}, C = {classes}, K = {clusters}\n"
                    f"off-diagonal {100 * rows[-1]['ww_off']:.0f} % of $H_{{ww}}$",
                    "image": [[float(f"{v:.3g}") for v in line] for line in image],
                    "border": DIMENSION / (DIMENSION + classes),
                }
            )
    return {"maps": maps, "rows": rows}


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(heat_maps(data["maps"], 4), path, colours=48)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
