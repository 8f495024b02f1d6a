"""`dong` Figure 9: hidden-layer block norms of networks with cross-entropy against the number of classes.

N = d = 300, m = 8 as in the paper, 400 networks for each C (twice the paper's); all pairs of neurons enter. Curve: h_ii
and C·h_ij at finite C with two standard errors; dashed: the corrected limit; dotted: the limit as (30) prints it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from dong_hidden_figures import norms_against_classes

from rmtsim._internal.randomness import stream
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies
from rmtsim.papers.dong.theory import hidden_finite as dong_hidden_finite
from rmtsim.papers.dong.theory import hidden_limits as dong_hidden
from rmtsim.plots._style import save

NAME = "dong_figure9"
CLASSES = [2**power for power in range(1, 11)]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=harness.positive_integer, default=300, help="N")
    parser.add_argument("--classes", type=harness.positive_integer, nargs="+", default=CLASSES)
    parser.add_argument("--gamma", type=float, default=1.0, help="d/N")
    parser.add_argument("--hidden", type=harness.positive_integer, default=8)
    parser.add_argument("--networks", type=harness.positive_integer, default=400, help="networks per C")
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    gamma, hidden = arguments.gamma, arguments.hidden
    dimension = round(gamma * arguments.size)
    rows = []
    for classes in arguments.classes:
        values = []
        for index in range(arguments.networks):
            rng = stream(arguments.seed, NAME, {"classes": classes}, arguments.size, index)
            network = sample_one_hidden(dimension, arguments.size, hidden, classes, rng)
            energies = hidden_energies(forward(network, "ce")) / dimension
            own = np.trace(energies) / hidden
            values.append((own, (energies.sum() - hidden * own) / (hidden * (hidden - 1)) * classes))
        table = np.array(values)
        mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(len(table))
        low, high = np.quantile(table, (0.05, 0.95), axis=0)
        ratio = mean[1] / mean[0] / classes
        rows.append(
            {
                "classes": classes,
                "diagonal": float(mean[0]),
                "diagonal_error": float(error[0]),
                "diagonal_low": float(low[0]),
                "diagonal_high": float(high[0]),
                "offdiagonal": float(mean[1]),
                "offdiagonal_error": float(error[1]),
                "offdiagonal_low": float(low[1]),
                "offdiagonal_high": float(high[1]),
                "ratio": float(ratio),
                "ratio_error": float(ratio * np.hypot(*(error / mean))),
            }
        )
        print(rows[-1], flush=True)
    curve = []
    for classes in arguments.classes:
        one = dong_hidden_finite.hidden_ce_diagonal(gamma, hidden, classes)
        two = dong_hidden_finite.hidden_ce_offdiagonal(gamma, hidden, classes)
        curve.append(
            {
                "classes": classes,
                "diagonal": one.value,
                "diagonal_error": one.error,
                "offdiagonal": classes * two.value,
                "offdiagonal_error": classes * two.error,
                "ratio": two.value / one.value,
            }
        )
    return {
        "rows": rows,
        "curve": [{**point, "ratio_error": 0.0} for point in curve],
        "limits": {
            "diagonal": dong_hidden.hidden_ce_diagonal_limit(gamma, hidden),
            "offdiagonal": dong_hidden.hidden_ce_offdiagonal_limit(gamma, hidden),
        },
        "printed": {"offdiagonal": dong_hidden.printed_hidden_ce_offdiagonal_limit(gamma, hidden)},
    }


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(norms_against_classes(data["rows"], data["curve"], data["limits"], data["printed"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
