"""Beyond `dong`: which statements survive inputs that are not Gaussian? Rademacher, uniform, Student t (5 degrees).

The limits use Gaussian pre-activations Wx, which any inputs of variance one give as d grows, and E‖x‖⁴/d² → 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim.hessian.one_hidden import forward
from rmtsim.hessian.one_hidden_norms import hidden_energies, output_energies
from rmtsim.plots.dong_hidden import quotients
from rmtsim.plots.style import save
from rmtsim.predict import dong_hidden_finite as theory
from rmtsim.sampling.one_hidden import INPUT_LAWS, sample_one_hidden
from rmtsim.streams import stream

NAME = "dong_other_data"
HIDDEN = 8


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=harness.positive_integer, default=200, help="N = d")
    parser.add_argument("--classes", type=harness.positive_integer, default=20)
    parser.add_argument("--networks", type=harness.positive_integer, default=300, help="networks per law")
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    size, classes = arguments.size, arguments.classes
    stated = (
        theory.hidden_ce_diagonal(1.0, HIDDEN, classes).value,
        theory.hidden_ce_offdiagonal(1.0, HIDDEN, classes).value,
        theory.output_ce_diagonal(HIDDEN, classes).value,
        theory.output_ce_offdiagonal(HIDDEN, classes).value,
    )
    rows = []
    for law in INPUT_LAWS:
        values = []
        for index in range(arguments.networks):
            # The same W, V seeds for every law: differences between laws are then differences of inputs.
            rng = stream(arguments.seed, NAME, {"classes": classes}, size, index)
            state = forward(sample_one_hidden(size, size, HIDDEN, classes, rng, law=law), "ce")
            energies, output = hidden_energies(state) / size, output_energies(state)
            own = np.trace(energies)
            off = (energies.sum() - own) / (HIDDEN * (HIDDEN - 1))
            values.append((own / HIDDEN, off, output.mean_diagonal, output.mean_offdiagonal))
        table = np.array(values) / np.array(stated)
        mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(len(table))
        for name, a, b in zip(("h_ii", "h_ij", "q_ii", "q_ij"), mean, error, strict=True):
            rows.append({"law": law, "quantity": name, "quotient": float(a), "error": float(b)})
        print(law, np.round(mean, 3), np.round(error, 3), flush=True)
    return {"rows": rows, "size": size, "classes": classes}


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(quotients(data["rows"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
