"""Eigenvector correspondence matrices (wu Definition F.1) of a small network: true Hessian and Kronecker product.

Expectations are means over one sample of inputs throughout, as for a network with a training set.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.wu.simulation.layer_hessian import dense_layer_hessian
from rmtsim.papers.wu.simulation.output_hessian import output_hessian
from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond

NAME = "wu_correspondence"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=20)
    parser.add_argument("--classes", type=harness.positive_integer, default=5)
    parser.add_argument("--inputs", type=harness.positive_integer, default=300)
    parser.add_argument("--show", type=harness.positive_integer, default=20)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rng = stream(arguments.seed, NAME, {}, arguments.width, 0)
    network = draw_network(arguments.width, 0.3, arguments.classes, rng)
    response = respond(network, draw_inputs(arguments.inputs, network.weights[0].shape[1], rng))
    output = output_hessian(network.weights[-1], response)
    inputs = response.inputs.values
    assert inputs is not None
    autocorrelation = inputs.T @ inputs / len(inputs)
    factors = [
        np.linalg.eigh(matrix)[1][:, ::-1][:, : arguments.show] for matrix in (output, autocorrelation)
    ]
    matrices = {}
    for name, hessian in (
        ("H", dense_layer_hessian(network.weights[-1], response)),
        ("E[M] ⊗ E[xxᵀ]", np.kron(output, autocorrelation)),
    ):
        vectors = np.linalg.eigh(hessian)[1][:, ::-1][:, : arguments.show]
        shapes = vectors.T.reshape(-1, *network.weights[0].shape)
        matrices[f"E[M] against {name}"] = np.sum((factors[0].T @ shapes) ** 2, axis=2).T.tolist()
        matrices[f"E[xxᵀ] against {name}"] = np.sum((shapes @ factors[1]) ** 2, axis=1).T.tolist()
    return {"matrices": matrices}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_figures import correspondence

    from rmtsim.plots._style import save

    save(correspondence(data["matrices"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
