"""A network's spectrum beside its Matrix Dyson law: claims li.thm2.law.network and li.thm2.law.outliers, drawn.

Weights are fixed, data random: H = -(1/m) Σ y_i ∂²T(x_i) with fair labels has mean zero and a covariance that is 1/m
times that of one sample. So the law is one for all m, in units of its own deviation; S is taken from other draws of the
same network. Both densities are smoothed alike: Im tr(H - z)⁻¹/πN and Im tr M/πN at one height Im z.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.laws import MatrixDyson, self_energy
from rmtsim.networks import fully_connected

NAME = "li_dyson"
HEIGHT, REACH = 0.15, 5.0
"""Im z and the largest |Re z|, in deviations of the law."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=5)
    parser.add_argument("--layers", type=harness.positive_integer, nargs="+", default=[2, 3])
    parser.add_argument(
        "--ratios",
        type=harness.positive_integer,
        nargs="+",
        default=[1, 4, 16],
        help="m/n, samples over width",
    )
    parser.add_argument(
        "--draws", type=harness.positive_integer, default=80, help="for S, and again for eigenvalues"
    )
    parser.add_argument("--points", type=harness.positive_integer, default=31)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    curves, rows = [], []
    for layers in arguments.layers:
        rng = stream(arguments.seed, NAME, {"layers": layers}, arguments.width, 0)
        network = fully_connected((*(arguments.width,) * layers, 1), "relu", gain=2.0).sample(rng)

        def scaled_hessian(ratio: int, network: Any = network, rng: np.random.Generator = rng) -> Any:
            """√m H: its covariance does not depend on m."""
            samples = ratio * arguments.width
            x = rng.standard_normal((samples, arguments.width))
            return network.hessian(x, rng.choice([-1.0, 1.0], size=(samples, 1))) * samples**0.5

        many = max(arguments.ratios)
        energy = self_energy.GaussianSum(
            np.array([scaled_hessian(many) for _ in range(arguments.draws)]) / np.sqrt(arguments.draws)
        )
        law = MatrixDyson(np.zeros(energy.matrices.shape[1:]), energy)
        unit = float(np.sqrt(law.moment(2)))
        grid = np.linspace(-REACH, REACH, arguments.points)
        # A = 0: the law is symmetric, and all points are solved together.
        half = grid[arguments.points // 2 :]
        right = unit * np.asarray(law.stieltjes(unit * (half + 1j * HEIGHT))).imag / np.pi
        theory = np.concatenate([right[::-1][: arguments.points // 2], right])
        networks = {}
        for ratio in arguments.ratios:
            values = (
                np.concatenate(
                    [np.linalg.eigvalsh(scaled_hessian(ratio)) for _ in range(2 * arguments.draws)]
                )
                / unit
            )
            found = np.array([(1 / (values - e - 1j * HEIGHT)).imag.mean() / np.pi for e in grid])
            networks[str(ratio)] = found.tolist()
            row = {
                "layers": layers,
                "ratio": ratio,
                "gap": float(np.abs(found - theory).max() / theory.max()),
                "fourth": float((values**4).mean() * unit**4 / law.moment(4)),
            }
            rows.append(row)
            print(
                f"L = {layers}, m/n = {ratio}: largest gap {row['gap']:.3f} of the peak, fourth moment over the law's "
                f"{row['fourth']:.2f}",
                flush=True,
            )
        curves.append(
            {
                "layers": layers,
                "parameters": network.parameters.size,
                "grid": grid.tolist(),
                "law": theory.tolist(),
                "networks": networks,
            }
        )
    return {"rows": rows, "curves": curves}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from li_figures import beside_the_law

    from rmtsim.plots._style import save

    save(beside_the_law(data["curves"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
