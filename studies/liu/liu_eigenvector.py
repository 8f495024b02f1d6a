"""Share of the top eigenvector of liu's Hessian in every layer against width, depths one to three.

tanh, parameters N(0, 1) with 1/√fan-in in front, one input, the eigenvector of the eigenvalue of largest modulus.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.networks import fully_connected
from rmtsim.networks._one_input import one_input_hessian

NAME = "liu_eigenvector"
INPUT = np.array([1.0, -1.0, 1.0, 1.0])


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--widths", type=harness.positive_integer, nargs="+", default=[16, 32, 64, 128, 256, 512, 1024]
    )
    parser.add_argument("--networks", type=harness.positive_integer, default=30, help="networks per width")
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for depth in (1, 2, 3):
        for width in arguments.widths:
            shares, largest = [], []
            for index in range(arguments.networks):
                rng = stream(arguments.seed, NAME, {"depth": depth}, width, index)
                network = fully_connected(
                    (INPUT.size, *[width] * depth, 1), "tanh", parametrisation="ntk"
                ).sample(rng)
                reduced = one_input_hessian(network, INPUT)
                vector = reduced.extremes(rng, tolerance=1e-5).vectors[:, 0]
                shares.append(reduced.shares(vector))
                largest.append(float(np.max(vector**2)))
            for layer, values in enumerate(np.array(shares).T):
                low, high = np.quantile(values, (0.1, 0.9))
                rows.append(
                    {"depth": depth, "width": width, "layer": layer + 1, "share": float(values.mean()), "low": low,
                     "high": high, "largest coordinate": float(np.mean(largest))}
                )  # fmt: skip
            print(
                f"depth {depth}, m = {width}: "
                + ", ".join(f"layer {k + 1} {v:.3f}" for k, v in enumerate(np.mean(shares, axis=0)))
                + f"; largest squared coordinate {np.mean(largest):.3f}",
                flush=True,
            )
    return {"rows": rows}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from liu_figures import eigenvector_shares

    from rmtsim.plots._style import save

    save(eigenvector_shares(data["rows"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
