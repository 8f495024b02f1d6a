"""Figure 5.1 and Tables D.1, D.2 of the thesis: meta-training one step size in single precision or by the scaled
formula.

A 20-dimensional quadratic H = XᵀX, 1000 meta-iterations. “Ours” of the thesis is the scaled formula with meta step
size 1/(100√k). TensorFlow is replaced by back-propagation in float32, written out, with a constant meta step size of
0.001 or RMSProp at that rate. Each rule also runs on the scaled formula: a failure there is not caused by overflow or
underflow. “Converges” means within 10 % of η* at the end; the thesis gives no definition.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.l2l.simulation.unrolled import Quadratic, backpropagate, draw_quadratic, meta_descent
from rmtsim.papers.l2l.theory import best_step, log_meta_gradient

NAME = "l2l_quadratic"
SETTINGS = [(t, 0.1) for t in (10, 20, 40, 80)] + [(40, eta) for eta in (0.001, 0.01, 1.0)]
RULES: dict[str, tuple[str, str, float]] = {
    "scaled, 1/(100√k)": ("scaled", "decay", 0.01),
    "float32, constant": ("float32", "constant", 0.001),
    "float32, RMSProp": ("float32", "rmsprop", 0.001),
    "scaled, constant": ("scaled", "constant", 0.001),
    "scaled, RMSProp": ("scaled", "rmsprop", 0.001),
}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dimension", type=harness.positive_integer, default=20)
    parser.add_argument("--iterations", type=harness.positive_integer, default=1000)
    parser.add_argument("--problems", type=harness.positive_integer, default=5)
    parser.add_argument("--seed", type=int, default=0)


def gradient(problem: Quadratic, steps: int, source: str) -> Callable[[float], float]:
    if source == "float32":
        return lambda eta: backpropagate(problem, eta, steps, np.float32).gradient
    values, coordinates = problem.eigen()
    return lambda eta: log_meta_gradient(values, coordinates, eta, steps)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows, paths = [], {}
    for steps, start in SETTINGS:
        for name, (source, rule, rate) in RULES.items():
            reached, stuck = [], 0
            for index in range(arguments.problems):
                rng = stream(arguments.seed, NAME, {}, arguments.dimension, index)
                problem = draw_quadratic(arguments.dimension, rng)
                best = best_step(*problem.eigen(), steps)
                path = meta_descent(gradient(problem, steps, source), start, arguments.iterations, rule, rate)  # type: ignore[arg-type]
                reached.append(abs(float(path[-1]) / best - 1))
                stuck += bool(np.all(path == start))
                if index == 0 and (steps, start) == (80, 0.1):
                    paths[name] = path.tolist()
                    paths["best"] = best
            rows.append(
                {
                    "steps": steps,
                    "start": start,
                    "rule": name,
                    "converged": sum(gap < 0.1 for gap in reached),
                    "stuck": stuck,
                    "problems": arguments.problems,
                    "median gap": float(np.median(reached)),
                }
            )
            print(
                f"t = {steps}, η₀ = {start}: {name}: {rows[-1]['converged']} of {arguments.problems} converge, "
                f"{stuck} never move, median |η/η* - 1| = {rows[-1]['median gap']:.2g}",
                flush=True,
            )
    return {"rows": rows, "paths": paths, "optimum": paths["best"]}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from l2l_figures import trajectories

    from rmtsim.plots._style import save

    save(trajectories(data["paths"], data["optimum"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
