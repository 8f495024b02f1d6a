"""A network's spectrum beside its Matrix Dyson law: claim li.thm2.law.network, drawn.

Weights are kept, data drawn anew: H = -(1/m) Σ y_i ∂²T(x_i) with fair labels has mean zero. The equation gets S from
other draws of the same network. Both densities are smoothed alike: Im tr(H - z)⁻¹/πN and Im tr M/πN at one height Im z.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim.laws import MatrixDyson, self_energy
from rmtsim.networks import fully_connected
from rmtsim.streams import stream

NAME = "li_dyson"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=5)
    parser.add_argument("--layers", type=harness.positive_integer, nargs="+", default=[2, 3])
    parser.add_argument(
        "--draws", type=harness.positive_integer, default=150, help="for S, and again for eigenvalues"
    )
    parser.add_argument("--points", type=harness.positive_integer, default=41)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    curves = []
    for layers in arguments.layers:
        rng = stream(arguments.seed, NAME, {"layers": layers}, arguments.width, 0)
        network = fully_connected((*(arguments.width,) * layers, 1), "relu", gain=2.0).sample(rng)

        def hessian(network: Any = network, rng: np.random.Generator = rng) -> Any:
            samples = 4 * arguments.width
            x = rng.standard_normal((samples, arguments.width))
            return network.hessian(x, rng.choice([-1.0, 1.0], size=(samples, 1)))

        energy = self_energy.GaussianSum(
            np.array([hessian() for _ in range(arguments.draws)]) / np.sqrt(arguments.draws)
        )
        law = MatrixDyson(np.zeros(energy.matrices.shape[1:]), energy)
        values = np.concatenate([np.linalg.eigvalsh(hessian()) for _ in range(arguments.draws)])
        reach = 1.15 * float(np.abs(values).max())
        height = reach / 60
        grid = np.linspace(-reach, reach, arguments.points)
        # A = 0: the law is symmetric, and all points are solved together.
        half = grid[arguments.points // 2 :]
        right = np.asarray(law.stieltjes(half + 1j * height)).imag / np.pi
        theory = np.concatenate([right[::-1][: arguments.points // 2], right])
        found = np.array([(1 / (values - e - 1j * height)).imag.mean() / np.pi for e in grid])
        gap = float(np.abs(found - theory).max() / theory.max())
        curves.append(
            {
                "layers": layers,
                "parameters": network.parameters.size,
                "grid": grid.tolist(),
                "law": theory.tolist(),
                "network": found.tolist(),
                "gap": gap,
                "fourth": float((values**4).mean() / law.moment(4)),
            }
        )
        print(f"L = {layers}, N = {network.parameters.size}: largest gap {gap:.3f} of the peak", flush=True)
    return {"curves": curves}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from figures.li import beside_the_law

    from rmtsim.plots.style import save

    save(beside_the_law(data["curves"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
