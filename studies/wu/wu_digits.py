"""A trained network on handwritten digits: layer Hessian against its Kronecker approximation, and wu's closed forms.

Is the top c-1 eigenspace of M near the row span of W^(2) (wu's remark), or near that of W^(2) with activation
rates, and does that change with training? Inputs are non-negative pixels. Needs the extra "studies".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_network
import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.networks import network_from_arrays
from rmtsim.papers.wu.simulation.eigenspaces import overlap, row_space, top_eigenspace
from rmtsim.papers.wu.simulation.full_hessian import full_hessian_approximation
from rmtsim.papers.wu.simulation.layer_hessian import dense_layer_hessian
from rmtsim.papers.wu.simulation.output_hessian import output_hessian
from rmtsim.papers.wu.simulation.relu_network import respond

NAME = "wu_digits"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=24)
    parser.add_argument(
        "--steps", type=harness.positive_integer, default=600, help="training steps, full batch"
    )
    parser.add_argument("--show", type=harness.positive_integer, default=40)
    parser.add_argument("--seed", type=int, default=0)


def _stage(weights: list[np.ndarray], inputs: np.ndarray, labels: np.ndarray, show: int) -> dict[str, Any]:
    response = respond(network_from_arrays(weights[:2], activation="relu", loss="cross_entropy"), inputs)
    output = output_hessian(weights[1], response)
    hessian = dense_layer_hessian(weights[1], response)
    difference = np.kron(output, inputs.T @ inputs / len(inputs)) - hessian
    one_hot = np.eye(weights[1].shape[0])[labels]
    full_overlap, full_ratio = full_hessian_approximation(weights[1], response, one_hot)
    values, vectors = np.linalg.eigh(hessian)
    values, vectors = values[::-1][:show], vectors[:, ::-1][:, :show]
    left_values, left = (array[..., ::-1] for array in np.linalg.eigh(output))
    right_values, right = (array[..., ::-1] for array in np.linalg.eigh(inputs.T @ inputs / len(inputs)))
    products = np.multiply.outer(left_values, right_values)
    order = np.argsort(products, axis=None)[::-1][:show]
    pairs = np.stack([np.kron(left[:, k // 64], right[:, k % 64]) for k in order], axis=1)
    mean = inputs.mean(axis=0)
    count = weights[1].shape[0] - 1
    space = top_eigenspace(output, count).basis
    rates = response.active[0].mean(axis=0)
    return {
        "true eigenvalues": values.tolist(),
        "kronecker eigenvalues": products.ravel()[order].tolist(),
        "overlap": [overlap(vectors[:, :k], pairs[:, :k]) for k in range(1, show + 1)],
        "mean direction": float((right[:, 0] @ mean) ** 2 / (mean @ mean)),
        "input ratio": float(right_values[0] / right_values[1]),
        "decoupling error": float(np.abs(np.linalg.eigvalsh(difference)).max() / values[0]),
        "decoupling error in Frobenius norm": float(np.linalg.norm(difference) / np.linalg.norm(hessian)),
        "full Hessian overlap": full_overlap,
        "full Hessian eigenvalue ratio": full_ratio,
        "rows": overlap(space, row_space(weights[1])),
        "activation": overlap(space, row_space(weights[1] * rates)),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rng = stream(arguments.seed, NAME, {}, arguments.width, 0)
    inputs, labels, test, test_labels = digits_network.load(False, rng)
    weights = digits_network.initial(arguments.width, 10, rng)
    data: dict[str, Any] = {"classes": 10, "initialisation": _stage(weights, inputs, labels, arguments.show)}
    loss = digits_network.train(weights, inputs, labels, arguments.steps)
    data["minimum"] = _stage(weights, inputs, labels, arguments.show)
    data |= {"loss": loss, "test error": digits_network.error(weights, test, test_labels)}
    data["closed forms"] = {
        label: {stage: data[stage][key] for stage in ("initialisation", "minimum")}
        for label, key in (("row span of W", "rows"), ("{ΠWᵀv}", "activation"))
    }
    for stage in ("initialisation", "minimum"):
        entry = data[stage]
        print(
            f"{stage}: H against Kronecker at c-1 = 9: {entry['overlap'][8]:.3f}; rows {entry['rows']:.3f}, "
            f"with rates {entry['activation']:.3f}; λ₁/λ₂ of E[xxᵀ] {entry['input ratio']:.1f}; decoupling error "
            f"{entry['decoupling error']:.3f} (spectral), {entry['decoupling error in Frobenius norm']:.3f} "
            f"(Frobenius); full Hessian: overlap {entry['full Hessian overlap']:.3f}, "
            f"λ/(σ‖w‖²) {entry['full Hessian eigenvalue ratio']:.3f}",
            flush=True,
        )
    print(f"training loss {loss:.4f}, test error {data['test error']:.3f}", flush=True)
    return data


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_figures import digits

    from rmtsim.plots._style import save

    save(digits(data), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
