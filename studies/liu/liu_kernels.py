"""Figure 1 of liu: change of the tangent kernel in training against width: linear, softmax, swish outputs, data (42).

Gradient flow by linearly implicit steps until the loss is below 10⁻⁴, from N(0, 1) parameters, exactly on the line
(studies/liu/line_network.py). The network with linear output is the one under the softmax, as in the paper.
The right panel
has flow time in place of epochs: the paper does not give its step size. Errors are two standard errors over the runs;
an interrupted study resumes from NAME.runs.jsonl in the folder --out.
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
from line_network import (
    CLASSES,
    LineNetwork,
    blocks,
    cross_entropy,
    implicit_step,
    swish_square,
    three_clusters,
)
from resumable import FinishedRuns, slope_of_means, summary

from rmtsim._internal.randomness import stream

OUTPUTS = ("linear", "softmax", "swish")
NAME = "liu_kernels"
UNTIL = 1e-4


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--widths", type=harness.positive_integer, nargs="+", default=[30, 100, 1000, 10_000, 100_000]
    )
    parser.add_argument("--runs", type=harness.positive_integer, default=10)
    parser.add_argument("--samples", type=harness.positive_integer, default=60)
    parser.add_argument(
        "--path", type=harness.positive_integer, default=10_000, help="width of the right panel"
    )
    parser.add_argument("--growth", type=float, default=1.2, help="factor from step to step of the flow")
    parser.add_argument("--most", type=harness.positive_integer, default=1500, help="steps at most")
    parser.add_argument("--seed", type=int, default=0)


def follow(network: LineNetwork, y: Any, task: Any, growth: float, most: int) -> dict[str, Any]:
    """Changes of both kernels, of f and of φ(f), along the flow; whether the loss got below 10⁻⁴."""
    kernel = network.kernel()
    now = task(network.output(), y)
    frame = blocks(now.jacobian)
    first, first_bent = kernel, frame @ kernel @ frame.T
    # ‖K‖/N bounds the fastest rate there can be, whatever the outputs are.
    step = 0.1 * len(y) / float(np.linalg.norm(kernel, 2))
    clock, path = 0.0, [(0.0, 0.0, 0.0)]
    for _ in range(most):
        if now.value < UNTIL:
            break
        cotangents = implicit_step(kernel, now, step)
        expected = -(kernel @ cotangents.ravel()).reshape(y.shape)
        before = network.w, network.b, network.v, network.output()
        network.move(cotangents)
        missed = np.abs(network.output() - before[3] - expected).max()
        # A step moves no output by more than one, and roughly as the kernel predicts: a tenth of these tolerances
        # changes the results by less than a twentieth.
        if np.abs(expected).max() > 1.0 or missed > 0.1 + 0.3 * np.abs(expected).max():
            network.w, network.b, network.v = before[:3]
            step /= 2
            continue
        clock, step = clock + step, step * growth
        kernel, now = network.kernel(), task(network.output(), y)
        frame = blocks(now.jacobian)
        changes = [
            float(np.linalg.norm(a - b) / np.linalg.norm(b))
            for a, b in ((kernel, first), (frame @ kernel @ frame.T, first_bent))
        ]
        path.append((clock, changes[0], changes[1]))
    times, plain, bent = (list(column) for column in zip(*path, strict=True))
    return {
        "plain": max(plain), "bent": max(bent), "loss": now.value, "times": times, "plain path": plain,
        "bent path": bent,
    }  # fmt: skip


def one_run(width: int, run: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """Both trainings of one draw; the course of the changes for the first draw of the right panel's width."""
    rng = stream(arguments.seed, NAME, {}, width, run)
    x, y = three_clusters(arguments.samples, rng)
    drawn = LineNetwork.draw(x, width, rng)
    twin = LineNetwork(x, drawn.w, drawn.b, drawn.v)
    soft = follow(drawn, y, cross_entropy, arguments.growth, arguments.most)
    swish = follow(twin, y, swish_square, arguments.growth, arguments.most)
    found: dict[str, Any] = {
        "linear": soft["plain"], "softmax": soft["bent"], "swish": swish["bent"],
        "losses": [soft["loss"], swish["loss"]],
    }  # fmt: skip
    if run == 0 and width == arguments.path:
        found["paths"] = {
            "linear": [soft["times"], soft["plain path"]],
            "softmax": [soft["times"], soft["bent path"]],
            "swish": [swish["times"], swish["bent path"]],
        }
    return found


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows, paths = [], {}
    samples: dict[str, list[np.ndarray]] = {name: [] for name in OUTPUTS}
    finished = FinishedRuns(arguments.out, NAME)
    settings = {name: getattr(arguments, name) for name in ("samples", "path", "growth", "most", "seed")}
    for width in arguments.widths:
        begin = time.perf_counter()
        runs = [
            finished.result(settings | {"width": width, "run": run}, partial(one_run, width, run, arguments))
            for run in range(arguments.runs)
        ]
        missed = sum(loss >= UNTIL for run in runs for loss in run["losses"])
        row: dict[str, Any] = {"width": width, "not below 1e-4": int(missed)}
        for name, collected in samples.items():
            collected.append(np.array([run[name] for run in runs]))
            row |= summary(name, collected[-1])
        rows.append(row)
        paths = paths or runs[0].get("paths", {})
        shown = ", ".join(f"{name} {row[name]:.4f} ± {row[f'{name} error']:.4f}" for name in OUTPUTS)
        print(
            f"m = {width}: {shown}; {missed} not below 1e-4 ({time.perf_counter() - begin:.1f} s)", flush=True
        )
    rng = stream(arguments.seed, NAME, {"slope": 1}, 0, 0)
    slopes = {name: slope_of_means(arguments.widths, values, rng) for name, values in samples.items()}
    print(
        "slopes:", ", ".join(f"{name} {slope:+.3f} ± {error:.3f}" for name, (slope, error) in slopes.items())
    )
    return {"rows": rows, "slopes": slopes, "paths": paths, "path": arguments.path, "outputs": CLASSES}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from liu_figures import kernel_changes

    from rmtsim.plots._style import save

    save(kernel_changes(data["rows"], data["slopes"], data["paths"], data["path"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
