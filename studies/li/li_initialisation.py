"""Figure 3 of `li` on a small network: spectra, gradient norms, losses and step sizes for c = ½, 1, 2 at depth 8.

The paper's VGG on CIFAR10 is not reproduced; the stand-in is an eight-layer ReLU network without biases on
scikit-learn's digits (0–4 against 5–9), hinge loss. Steps are 0.01/‖∇R‖², as in the paper; c = 2 also with a constant
step of 0.1 and with batch normalisation (mean subtracted, divided by the deviation, no affine part). Needs the extra
"studies".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_network
import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.networks import Network, fully_connected
from rmtsim.papers.li.theory import gradient_energies

NAME = "li_initialisation"
FACTORS = (0.5, 1.0, 2.0)
DEPTH = 8


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=24)
    parser.add_argument("--steps", type=harness.positive_integer, default=200)
    parser.add_argument(
        "--networks", type=harness.positive_integer, default=20, help="for means of gradient norms"
    )
    parser.add_argument("--seed", type=int, default=0)


def initial(inputs: int, width: int, factor: float, rng: np.random.Generator) -> Network:
    widths = (inputs, *(width,) * (DEPTH - 1), 1)
    return fully_connected(widths, "relu", gain=factor, loss="hinge").sample(rng)


def descend(network: Network, x: Any, y: Any, steps: int, constant: float | None) -> dict[str, list[float]]:
    """Loss and step size, until the loss exceeds 10^16 (as in the paper)."""
    losses, sizes = [], []
    for _ in range(steps):
        gradient = network.gradient(x, y)
        length = float(gradient @ gradient)
        if length == 0:
            break
        step = 0.01 / length if constant is None else constant
        losses.append(network.loss(x, y))
        sizes.append(step)
        if losses[-1] > 1e16:
            break
        moved = network.parameters - step * gradient
        if np.abs(moved).max() > 1e30:
            break
        network = network.with_parameters(moved)
    return {"loss": losses, "step": sizes}


def normalised_descent(weights: list[Any], x: Any, y: Any, steps: int) -> dict[str, list[float]]:
    """The same with batch normalisation in every hidden layer; gradients as on docs/papers/li."""
    weights = [w.copy() for w in weights]
    losses, sizes = [], []
    for _ in range(steps):
        a, reads, normal, deviations = x, [], [], []
        for w in weights[:-1]:
            before = a @ w.T
            reads.append(a)
            deviations.append(before.std(axis=0) + 1e-12)
            normal.append((before - before.mean(axis=0)) / deviations[-1])
            a = np.maximum(normal[-1], 0.0)
        output = a @ weights[-1].T
        losses.append(float(np.maximum(0, 1 - y * output).mean()))
        back = np.where(y * output < 1, -y, 0.0) / len(x)
        gradients = [back.T @ a]
        back = back @ weights[-1]
        for j in range(len(weights) - 2, -1, -1):
            g = back * (normal[j] > 0)
            g = (g - g.mean(axis=0) - normal[j] * (g * normal[j]).mean(axis=0)) / deviations[j]
            gradients.insert(0, g.T @ reads[j])
            back = g @ weights[j]
        length = float(sum(np.square(g).sum() for g in gradients))
        if length == 0:
            break
        sizes.append(0.01 / length)
        weights = [w - sizes[-1] * g for w, g in zip(weights, gradients, strict=True)]
    return {"loss": losses, "step": sizes}


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rng = stream(arguments.seed, NAME, {}, arguments.width, 0)
    x, labels, *_ = digits_network.load(True, rng)
    x = (x - x.mean(axis=0)) / (x - x.mean(axis=0)).std()
    y = 2.0 * labels[:, None] - 1
    part, part_y = x[:200], y[:200]
    spectra, runs = {}, {}
    for factor in FACTORS:
        network = initial(
            x.shape[1], arguments.width, factor, stream(arguments.seed, NAME, {}, arguments.width, 1)
        )
        spectra[str(factor)] = np.linalg.eigvalsh(network.hessian(part, part_y)).tolist()
        runs[f"c = {factor:g}"] = descend(network, part, part_y, arguments.steps, None)
        if factor == 2.0:
            runs["c = 2, step 0.1"] = descend(network, part, part_y, arguments.steps, 0.1)
            runs["c = 2, normalised"] = normalised_descent(network.weights, part, part_y, arguments.steps)
        print(f"c = {factor}: {len(runs[f'c = {factor:g}']['loss'])} steps", flush=True)
    rows = []
    widths = (x.shape[1], *(arguments.width,) * (DEPTH - 1))
    for factor in np.geomspace(0.5, 4.0, 7):
        single, whole = [], []
        for index in range(arguments.networks):
            draws = stream(arguments.seed, NAME, {}, arguments.width, 2 + index)
            network = initial(x.shape[1], arguments.width, float(factor), draws)
            row = int(draws.integers(len(x)))
            plain = network.with_loss("none").gradient(x[[row]])
            single.append(float(plain @ plain) / float(x[row] @ x[row]))
            risk = network.gradient(part, part_y)
            whole.append(float(risk @ risk))
        rows.append(
            {
                "factor": float(factor),
                "formula": float(gradient_energies(widths, float(factor)).sum()),
                "single": float(np.mean(single)),
                "single error": float(np.std(single) / np.sqrt(len(single))),
                "risk": float(np.mean(whole)),
                "risk deviation": float(np.std(whole)),
            }
        )
    return {"rows": rows, "spectra": spectra, "runs": runs}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from li_figures import initialisation

    from rmtsim.plots._style import save

    save(initialisation(data), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
