"""Figure 2 of liu: change of the tangent kernel against the width of a bottleneck, under two normalisations.

The network (48) with ReLU, trained on the data (42) with the cross-entropy until the loss is below 10⁻⁴, as printed
(no factor behind the bottleneck), with 1/√m_b there, and a control: three bottleneck units throughout, the output
multiplied by √(m_b/3). ReLU makes the printed network √m_b times the normalised one, so the control shows what plain
rescaling does. Biases in the first layer are ours: without them f(x) = |x| f(sign x), and no such function fits (42).
Errors are two standard errors over the runs; a study that was stopped goes on where it was (NAME.runs.jsonl in --out).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import harness
import numpy as np
from bottleneck_network import BottleneckNetwork
from line_network import cross_entropy, implicit_step, three_clusters
from resumable import FinishedRuns, slope_of_means, summary

from rmtsim._internal.randomness import stream

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


def draw_network(kind: str, width: int, narrow: int, rng: np.random.Generator) -> BottleneckNetwork:
    """Eq. (48) under one of the three normalisations."""
    units = CONTROL if kind == "rescaled" else narrow
    root = width**-0.5
    behind = 1.0 if kind == "printed" else units**-0.5
    factor = (narrow / CONTROL) ** 0.5 if kind == "rescaled" else 1.0
    return BottleneckNetwork.draw(width, units, (root, behind, factor * root), rng)


def change(network: BottleneckNetwork, x: np.ndarray, y: np.ndarray, most: int) -> tuple[float, float]:
    """sup_t ‖K_t - K_0‖_F/‖K_0‖_F along gradient flow, and the loss at its end."""
    at = network.look(x)
    first, now = at.kernel, cross_entropy(at.output, y)
    step, largest = 0.1 * len(y) / float(np.linalg.norm(first, 2)), 0.0
    for _ in range(most):
        if now.value < UNTIL:
            break
        cotangents = implicit_step(at.kernel, now, step)
        expected = -(at.kernel @ cotangents.ravel()).reshape(y.shape)
        # Printed outputs start at hundreds: one unit a step near the goal, a twentieth of them far from it. A tenth of
        # these tolerances changes the results by less than a thirtieth.
        if np.abs(expected).max() > 1.0 + 0.05 * np.abs(at.output).max():
            step /= 2
            continue
        tried = network.moved(at, x, cotangents)
        there = tried.look(x)
        if np.abs(there.output - at.output - expected).max() > 0.1 + 0.3 * np.abs(expected).max():
            step /= 2
            continue
        network, at, step = tried, there, 1.2 * step
        now = cross_entropy(at.output, y)
        largest = max(largest, float(np.linalg.norm(at.kernel - first) / np.linalg.norm(first)))
    return largest, now.value


def one_run(kind: str, narrow: int, run: int, arguments: argparse.Namespace) -> dict[str, float]:
    """Data, network and training of one run; all kinds of a run share their data."""
    x, y = three_clusters(arguments.samples, stream(arguments.seed, f"{NAME}.data", {}, narrow, run))
    rng = stream(arguments.seed, NAME, {"kind": kind}, narrow, run)
    network = draw_network(kind, arguments.width, narrow, rng)
    found, value = change(network, x, y, arguments.most)
    return {"change": found, "loss": value}


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    finished = FinishedRuns(arguments.out, NAME)
    settings = {name: getattr(arguments, name) for name in ("width", "samples", "most", "seed")}
    samples: dict[str, list[np.ndarray]] = {kind: [] for kind in KINDS}
    for narrow in arguments.bottlenecks:
        begin = time.perf_counter()
        row: dict[str, Any] = {"bottleneck": narrow}
        missed = 0
        for kind in KINDS:
            runs = [
                finished.result(
                    settings | {"kind": kind, "bottleneck": narrow, "run": run},
                    partial(one_run, kind, narrow, run, arguments),
                )
                for run in range(arguments.runs)
            ]
            samples[kind].append(np.array([run["change"] for run in runs]))
            row |= summary(kind, samples[kind][-1])
            missed += sum(run["loss"] >= UNTIL for run in runs)
        row["not below 1e-4"] = int(missed)
        rows.append(row)
        shown = ", ".join(f"{kind} {row[kind]:.3f} ± {row[f'{kind} error']:.3f}" for kind in KINDS)
        print(
            f"m_b = {narrow}: {shown}; {missed} not below 1e-4 ({time.perf_counter() - begin:.0f} s)",
            flush=True,
        )
    rng = stream(arguments.seed, NAME, {"slope": 1}, 0, 0)
    slopes = {kind: slope_of_means(arguments.bottlenecks, values, rng) for kind, values in samples.items()}
    print(
        "slopes:", ", ".join(f"{kind} {slope:+.3f} ± {error:.3f}" for kind, (slope, error) in slopes.items())
    )
    return {"rows": rows, "slopes": slopes, "width": arguments.width}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from liu_figures import bottleneck_changes

    from rmtsim.plots._style import save

    save(bottleneck_changes(data["rows"], data["slopes"], data["width"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
