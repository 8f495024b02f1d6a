"""Where train-by-train beats train-by-validation: a map over samples, noise and steps, from the limit law.

Both have n samples per task; train-by-validation trains on half of them. Plotted is the logarithm of the quotient of
the errors on new tasks; a few points are simulated (d = 200, 40 tasks) and drawn as discs of their own colour.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.l2l import theory as l2l
from rmtsim.papers.l2l.simulation.meta_objectives import sample_train_by_train, sample_train_by_validation

NAME = "l2l_map"
POINTS = [(0.5, 0.3), (0.5, 2.0), (2.0, 0.3), (2.0, 2.0), (6.0, 1.0)]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--resolution", type=harness.positive_integer, default=25)
    parser.add_argument("--steps", type=harness.positive_integer, nargs="+", default=[3, 40, 1000])
    parser.add_argument("--dimension", type=harness.positive_integer, default=200)
    parser.add_argument("--tasks", type=harness.positive_integer, default=40)
    parser.add_argument("--seed", type=int, default=0)


def errors(samples: float, noise: float, steps: int) -> tuple[float, float]:
    """Errors of both at n = samples·d."""
    step = l2l.train_step(steps, noise, 1 / samples).place
    return (
        l2l.expected_error(step, steps, noise, 1 / samples),
        l2l.validation_step(steps, noise, 2 / samples).value,
    )


def simulated(arguments: argparse.Namespace, samples: float, noise: float, steps: int) -> tuple[float, float]:
    """The same by learning step sizes on tasks and testing them on new ones."""
    d, m = arguments.dimension, arguments.tasks
    rng = stream(arguments.seed, NAME, {"samples": samples, "noise": noise, "steps": steps}, d, 0)
    n, half = round(samples * d), round(samples * d / 2)
    rates = np.geomspace(1e-3 / steps, 2, 80)
    train = sample_train_by_train(m, n, d, noise, rates, steps, rng)
    valid = sample_train_by_validation(m, half, n - half, d, noise, rates, steps, rng)
    result = []
    for count, found in ((n, train), (half, valid)):
        step = np.array([rates[found.best()]])
        result.append(float(sample_train_by_train(m, count, d, noise, step, steps, rng).errors.mean()))
    return result[0], result[1]


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    samples = np.geomspace(0.15, 12, arguments.resolution)
    noises = np.geomspace(0.05, 5, arguments.resolution)
    maps, rows = [], []
    for steps in arguments.steps:
        grid = [[errors(float(s), float(noise), steps) for s in samples] for noise in noises]
        maps.append({"steps": steps, "errors": grid})
        for s, noise in POINTS:
            a, b = simulated(arguments, s, noise, steps)
            c, e = errors(s, noise, steps)
            rows.append(
                {"steps": steps, "samples": s, "noise": noise, "train": a, "validation": b}
                | {"train predicted": c, "validation predicted": e}
            )
            print(
                f"t = {steps}, n/d = {s}, σ = {noise}: {a:.4f} ({c:.4f}) against {b:.4f} ({e:.4f})",
                flush=True,
            )
    return {"rows": rows, "maps": maps, "samples": samples.tolist(), "noises": noises.tolist()}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from l2l_figures import advantage

    from rmtsim.plots._style import save

    save(advantage(data["maps"], data["rows"], data["samples"], data["noises"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
