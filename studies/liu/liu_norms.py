"""‖H‖, ‖∇f‖ and Q_∞ = max_l ‖∂f/∂a_l‖_∞ of liu against width, for every architecture of the paper, slopes with bands.

tanh, parameters N(0, 1) with 1/√fan-in in front, one input. Dense networks go through the Hessian at one input
(rmtsim.networks._one_input), convolutions through Lanczos on Hessian-vector products. Slopes are least-squares fits of
log means over the upper half of the widths; bands are two standard errors, by resampling networks.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.networks import Architecture, Network, convolution, dense, fully_connected, hessian_extremes
from rmtsim.networks._one_input import one_input_hessian

NAME = "liu_norms"
QUANTITIES = ("H", "gradient", "Q")
INPUT = np.array([1.0, -1.0, 1.0, 1.0])
POSITIONS, FILTER, NARROW = 4, 3, 2


def _dense(*hidden: int, skips: bool = False) -> Architecture:
    return fully_connected((INPUT.size, *hidden, 1), "tanh", parametrisation="ntk", skips=skips)


def _convolutional(width: int) -> Architecture:
    layers = (
        convolution(1, width, FILTER, "tanh", scale=FILTER**-0.5),
        convolution(width, width, FILTER, "tanh", scale=(FILTER * width) ** -0.5),
        dense(width * POSITIONS, 1, scale=(width * POSITIONS) ** -0.5),
    )
    return Architecture(layers, POSITIONS)


def _bottleneck(width: int) -> Architecture:
    """Eq. (48) with tanh: a linear layer of two units, and no 1/√2 behind it."""
    narrow = fully_connected(
        (INPUT.size, width, NARROW, width, 1), ("tanh", "identity", "tanh"), parametrisation="ntk"
    )
    layers = list(narrow.layers)
    layers[2] = replace(layers[2], scale=1.0)
    return replace(narrow, layers=tuple(layers))


ARCHITECTURES = {
    "1 hidden layer": lambda m: _dense(m),
    "2 hidden layers": lambda m: _dense(m, m),
    "3 hidden layers": lambda m: _dense(m, m, m),
    "widths m, 4m, 2m": lambda m: _dense(m, 4 * m, 2 * m),
    "residual": lambda m: _dense(m, m, m, skips=True),
    "convolutional": _convolutional,
    "bottleneck": _bottleneck,
}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--widths", type=harness.positive_integer, nargs="+", default=[16, 32, 64, 128, 256, 512, 1024]
    )
    parser.add_argument("--networks", type=harness.positive_integer, default=10, help="networks per width")
    parser.add_argument("--convolutions", type=harness.positive_integer, default=256, help="most channels")
    parser.add_argument("--seed", type=int, default=0)


def quantities(network: Network, rng: np.random.Generator) -> tuple[float, float, float]:
    """‖H‖, ‖∇f‖, Q_∞ of one network."""
    if network.architecture.layers[0].filter:
        top = hessian_extremes(network, INPUT[None], rng=rng, tolerance=1e-5).spectral_norm
    else:
        top = one_input_hessian(network, INPUT).extremes(rng, tolerance=1e-5).spectral_norm
    parts = network.activation_gradients(INPUT[None])[:-1]
    return (
        top,
        float(np.linalg.norm(network.gradient(INPUT[None]))),
        max(float(np.abs(part).max()) for part in parts),
    )


def slope(widths: list[int], values: list[np.ndarray], rng: np.random.Generator) -> tuple[float, float]:
    """Slope of log mean against log width, and two standard errors of it over resampled networks."""
    logs = np.log(widths)

    def fitted(chosen: list[np.ndarray]) -> float:
        return float(np.polyfit(logs, [np.log(v.mean()) for v in chosen], 1)[0])

    again = [fitted([rng.choice(v, v.size) for v in values]) for _ in range(200)]
    return fitted(values), 2 * float(np.std(again))


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows, slopes = [], []
    for name, build in ARCHITECTURES.items():
        begin = time.perf_counter()
        found: dict[int, np.ndarray] = {}
        for width in arguments.widths:
            if name == "convolutional" and width > arguments.convolutions:
                continue
            numbers = []
            for index in range(arguments.networks):
                rng = stream(arguments.seed, NAME, {"architecture": name}, width, index)
                numbers.append(quantities(build(width).sample(rng), rng))
            found[width] = np.array(numbers)
            row: dict[str, Any] = {"architecture": name, "width": width}
            for k, quantity in enumerate(QUANTITIES):
                low, high = np.quantile(found[width][:, k], (0.1, 0.9))
                row |= {
                    quantity: float(found[width][:, k].mean()), f"{quantity} low": low, f"{quantity} high": high,
                }  # fmt: skip
            rows.append(row)
        widths = list(found)[len(found) // 2 :] if len(found) > 3 else list(found)
        entry: dict[str, Any] = {"architecture": name}
        for k, quantity in enumerate(QUANTITIES):
            rng = stream(arguments.seed, NAME, {"architecture": name, "slope": quantity}, 0, 0)
            entry[quantity], entry[f"{quantity} error"] = slope(widths, [found[w][:, k] for w in widths], rng)
        slopes.append(entry)
        shown = ", ".join(f"{q} {entry[q]:+.3f} ± {entry[f'{q} error']:.3f}" for q in QUANTITIES)
        print(f"{name}: {shown} ({time.perf_counter() - begin:.0f} s)", flush=True)
    return {"rows": rows, "slopes": slopes}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from liu_figures import norms_against_width

    from rmtsim.plots._style import save

    save(norms_against_width(data["rows"], data["slopes"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
