"""Figure 2 of liu: change of the tangent kernel against the width of a bottleneck, under both normalisations behind it.

The network (48) with ReLU, trained on the data (42) with the cross-entropy until the loss is below 10⁻⁴, as printed
(no factor behind the bottleneck), with 1/√m_b there, and a control: three bottleneck units throughout, the output
multiplied by √(m_b/3). ReLU makes the printed network √m_b times the normalised one, so the control shows what plain
rescaling does. Biases in the first layer are ours: without them f(x) = |x| f(sign x), and no such function fits (42).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from line_network import CLASSES, cross_entropy, implicit_step, three_clusters

from rmtsim.networks import Architecture, Network, dense
from rmtsim.networks.products import transposed_jacobian_product
from rmtsim.streams import stream

NAME = "liu_bottleneck"
UNTIL = 1e-4
KINDS = ("printed", "normalised", "rescaled")
CONTROL = 3


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=10_000)
    parser.add_argument(
        "--bottlenecks", type=harness.positive_integer, nargs="+", default=[3, 5, 10, 50, 100, 500, 1000]
    )
    parser.add_argument("--runs", type=harness.positive_integer, default=10)
    parser.add_argument("--samples", type=harness.positive_integer, default=60)
    parser.add_argument("--most", type=harness.positive_integer, default=600, help="steps at most")
    parser.add_argument("--seed", type=int, default=0)


def architecture(kind: str, width: int, narrow: int) -> Architecture:
    units = CONTROL if kind == "rescaled" else narrow
    root = width**-0.5
    behind = 1.0 if kind == "printed" else units**-0.5
    factor = (narrow / CONTROL) ** 0.5 if kind == "rescaled" else 1.0
    return Architecture(
        (
            dense(1, width, "relu", bias=True, bias_deviation=1.0),
            dense(width, units, scale=root),
            dense(units, width, "relu", scale=behind),
            dense(width, CLASSES, scale=factor * root),
        )
    )


def change(network: Network, x: np.ndarray, y: np.ndarray, most: int) -> tuple[float, float]:
    """sup_t ‖K_t - K_0‖_F/‖K_0‖_F along gradient flow, and the loss at its end."""
    inputs = x[:, None]
    kernel = first = network.tangent_kernel(inputs)
    now = cross_entropy(network.output(inputs), y)
    step, largest = 0.1 * len(y) / float(np.linalg.norm(kernel, 2)), 0.0
    for _ in range(most):
        if now.value < UNTIL:
            break
        cotangents = implicit_step(kernel, now, step)
        expected = -(kernel @ cotangents.ravel()).reshape(y.shape)
        point = network.linearise(inputs)
        moved = network.with_parameters(network.parameters - transposed_jacobian_product(point, cotangents))
        missed = np.abs(moved.output(inputs) - point.passed.output - expected).max()
        if np.abs(expected).max() > 1.0 or missed > 0.1 + 0.3 * np.abs(expected).max():
            step /= 2
            continue
        network, step = moved, 1.2 * step
        kernel, now = network.tangent_kernel(inputs), cross_entropy(network.output(inputs), y)
        largest = max(largest, float(np.linalg.norm(kernel - first) / np.linalg.norm(first)))
    return largest, now.value


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for narrow in arguments.bottlenecks:
        begin = time.perf_counter()
        row: dict[str, Any] = {"bottleneck": narrow}
        missed = 0
        for kind in KINDS:
            values = []
            for run in range(arguments.runs):
                rng = stream(arguments.seed, NAME, {"kind": kind}, narrow, run)
                x, y = three_clusters(arguments.samples, rng)
                network = architecture(kind, arguments.width, narrow).sample(rng)
                found, value = change(network, x, y, arguments.most)
                values.append(found)
                missed += value >= UNTIL
            row |= {kind: float(np.mean(values)), f"{kind} low": min(values), f"{kind} high": max(values)}
        row["not below 1e-4"] = int(missed)
        rows.append(row)
        shown = ", ".join(f"{kind} {row[kind]:.3f}" for kind in KINDS)
        print(
            f"m_b = {narrow}: {shown}; {missed} not below 1e-4 ({time.perf_counter() - begin:.0f} s)",
            flush=True,
        )
    slopes = {}
    if len(rows) > 1:
        logs = np.log([row["bottleneck"] for row in rows])
        slopes = {kind: float(np.polyfit(logs, np.log([row[kind] for row in rows]), 1)[0]) for kind in KINDS}
        print("slopes:", ", ".join(f"{kind} {value:+.2f}" for kind, value in slopes.items()))
    return {"rows": rows, "slopes": slopes, "width": arguments.width}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from figures.liu import bottleneck_changes

    from rmtsim.plots.style import save

    save(bottleneck_changes(data["rows"], data["slopes"], data["width"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
