"""Overlap of the top-k layer eigenspaces of two independent initialisations against k, with and without input mean.

With rectified inputs it rises like k/m to a peak at the output dimension m (wu Theorem G.1); with centred
inputs E[xxᵀ] is not near rank one and there is no peak (section G.4). True Hessians of both models on the same inputs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.wu.simulation.layer_hessian import LayerHessian
from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond

NAME = "wu_models"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--width", type=harness.positive_integer, default=24, help="output dimension m of the layer"
    )
    parser.add_argument("--alpha", type=float, default=0.8)
    parser.add_argument("--classes", type=harness.positive_integer, default=10)
    parser.add_argument("--inputs", type=harness.positive_integer, default=500)
    parser.add_argument("--pairs", type=harness.positive_integer, default=12)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    largest = 3 * arguments.width
    curves: dict[str, list[list[float]]] = {"rectified": [], "centred": []}
    for name, curve in curves.items():
        for pair in range(arguments.pairs):
            rng = stream(arguments.seed, NAME, {"inputs": name}, arguments.width, pair)
            networks = [
                draw_network(arguments.width, arguments.alpha, arguments.classes, rng) for _ in range(2)
            ]
            data = draw_inputs(
                arguments.inputs, networks[0].weights[0].shape[1], rng, centred=name == "centred"
            )
            first, second = (
                LayerHessian(network.weights[-1], respond(network, data)).top(largest, tolerance=1e-6)
                for network in networks
            )
            inner = first.inputs.inner(second.inputs)
            products = np.stack(
                [np.einsum("jxn,xn->j", first.coefficients, inner @ v) for v in second.coefficients]
            )
            curve.append([float(np.sum(products[:k, :k] ** 2) / k) for k in range(1, largest + 1)])
        print(name, np.round(np.mean(curve, axis=0)[[0, arguments.width - 1, largest - 1]], 3), flush=True)
    rows = []
    for k in range(1, largest + 1):
        row: dict[str, Any] = {"k": k}
        for name, curve in curves.items():
            column = np.array(curve)[:, k - 1]
            row |= {
                name: float(column.mean()),
                f"{name} error": float(column.std(ddof=1) / np.sqrt(len(column))),
            }
        rows.append(row)
    return {"rows": rows, "output": arguments.width}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_figures import models

    from rmtsim.plots._style import save

    save(models(data["rows"], data["output"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
