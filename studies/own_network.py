"""A small classifier of handwritten digits as a user's own network: block norms, spectra and theory.

Trained by Adam on full batches (digits_network.py). Needs the extra "studies".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_network
import harness
import numpy as np
from figures.own_network import blocks_and_spectra

from rmtsim._internal.randomness import stream
from rmtsim.curvature import block_energies
from rmtsim.networks import Network, hessian_extremes, hessian_spectrum, network_from_arrays
from rmtsim.papers.dong.comparison import compare_with_theory
from rmtsim.plots._style import save

NAME = "own_network"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=16)
    parser.add_argument("--steps", type=harness.positive_integer, default=400)
    parser.add_argument("--seed", type=int, default=0)


def _stage(
    network: Network, inputs: np.ndarray, labels: np.ndarray, rng: np.random.Generator
) -> dict[str, Any]:
    energies = block_energies(network, inputs, labels, pairs=True)
    spectra = hessian_spectrum(network, inputs, labels, per="layer") + hessian_spectrum(
        network, inputs, labels
    )
    top = hessian_extremes(network, inputs, labels, rng=rng, count=3, which="top")
    return {
        "norms": [np.sqrt(e.pairs).tolist() for e in energies],
        "ratios": [e.ratio for e in energies],
        "spectra": {s.name: s.eigenvalues.tolist() for s in spectra},
        "top": top.values.tolist(),
        "residuals": top.residuals.tolist(),
        "loss": network.loss(inputs, labels),
        "gradient": float(np.linalg.norm(network.gradient(inputs, labels))),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rng = stream(arguments.seed, NAME, {}, arguments.width, 0)
    inputs, labels, test, test_labels = digits_network.load(False, rng)
    # Centred pixels of variance one on average: what the theory's inputs have in common with digits.
    mean = inputs.mean(axis=0)
    scale = (inputs - mean).std()
    inputs, test = (inputs - mean) / scale, (test - mean) / scale
    weights = digits_network.initial(arguments.width, 10, rng)
    data: dict[str, Any] = {}
    for stage, steps in (("initialisation", 0), ("trained", arguments.steps)):
        if steps:
            digits_network.train(weights, inputs, labels, steps)
        network = network_from_arrays(weights, activation="relu", loss="cross_entropy")
        data[stage] = _stage(network, inputs, labels, rng)
        table = str(compare_with_theory(network, inputs, labels))
        data[stage] |= {"comparison": table, "test error": digits_network.error(weights, test, test_labels)}
        print(f"\n{stage}: loss {data[stage]['loss']:.4f}, test error {data[stage]['test error']:.3f}")
        print(table, flush=True)
    return data


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(blocks_and_spectra(data), path, colours=128)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
