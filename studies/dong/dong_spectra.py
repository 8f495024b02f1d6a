"""Beyond `dong`: spectra of single blocks against the laws of Propositions 2 (with its sign), 4 and 6."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from dong_hidden_figures import spectra

from rmtsim._internal.randomness import stream
from rmtsim.curvature import block_eigenvalues
from rmtsim.curvature._linear_model import sample_linear
from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block
from rmtsim.papers.dong.theory.curvature_population import hidden_population, linear_population
from rmtsim.plots._style import save

NAME = "dong_spectra"
GAMMA = 0.2


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=harness.positive_integer, default=400, help="d, with N = 5d")
    parser.add_argument("--classes", type=harness.positive_integer, default=5)
    parser.add_argument("--seed", type=int, default=0)


def _item(title: str, eigenvalues: np.ndarray, law: GeneralizedMarchenkoPastur) -> dict[str, Any]:
    low, high = law.support[0][0], law.support[-1][1]
    x = np.linspace(low, high, 600)[1:-1]
    x = x[np.abs(x) > 1e-3 * max(abs(low), abs(high))]
    return {
        "title": title,
        "eigenvalues": eigenvalues.tolist(),
        "x": x.tolist(),
        "density": np.asarray(law.density(x)).tolist(),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    dimension, classes = arguments.size, arguments.classes
    samples = round(dimension / GAMMA)
    rng = stream(arguments.seed, NAME, {"classes": classes}, dimension, 0)
    model = sample_linear(dimension, samples, classes, rng)
    items = []
    for j, title in ((0, "linear model, $H_{11}$"), (1, "linear model, $H_{12}$")):
        law = GeneralizedMarchenkoPastur(GAMMA, (1 if j == 0 else -1) * linear_population(classes, j == 0))
        items.append(_item(title, block_eigenvalues(model, 0, j), law))
    network = sample_one_hidden(dimension, samples, 5, classes, rng)
    state = forward(network, "ce")
    for j, title in ((0, "hidden layer, $G_{11}$ given $V$"), (1, "hidden layer, $G_{12}$ given $V$")):
        law = GeneralizedMarchenkoPastur(GAMMA, *hidden_population(network.output, j == 0))
        items.append(_item(title, np.linalg.eigvalsh(hidden_block(state, 0, j)), law))
    return {"items": items}


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(spectra(data["items"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
