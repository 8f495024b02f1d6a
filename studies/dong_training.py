"""`dong` Figures 1-3 and 13: |Hessian| of a one-hidden-layer network at initialisation and along Adam training.

Gaussian data with random labels (--full: the paper's d = C = 500, ten samples a class, learning rate 1e-4), or the
handwritten digits that ship with scikit-learn (--data digits) in place of CIFAR. Beside the heat maps: the static force
(off-diagonal shares of H_ww and H_vv) and the dynamic one (stripes of H_wv) as numbers against the training step.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from figures.dong_hidden import energies_along_training, heat_maps, reduce_hessian

from rmtsim.hessian.one_hidden import Loss, Pass, forward
from rmtsim.hessian.one_hidden_full import dense_hessian
from rmtsim.hessian.one_hidden_norms import cross_energies, hidden_energies, output_energies
from rmtsim.plots.style import save
from rmtsim.sampling.one_hidden import OneHiddenNetwork, sample_one_hidden
from rmtsim.sampling.one_hidden_training import train
from rmtsim.streams import stream

NAME = "dong_training"
HIDDEN = 8
SHOWN = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
GROUPS = 16
"""Input coordinates and classes are joined into so many groups for display; neurons are not."""
CHECKED = (0.0, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9)
"""Shares of the steps at which energies are measured: most happens at the start."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", choices=("gaussian", "digits"), default="gaussian")
    parser.add_argument("--classes", type=harness.positive_integer, default=60, help="C = d of Gaussian data")
    parser.add_argument("--steps", type=harness.positive_integer, default=6000)
    parser.add_argument("--rate", type=float, default=3e-3, help="initial learning rate")
    parser.add_argument(
        "--full",
        action="store_true",
        help="d = C = 500, learning rate 1e-4, 20 000 steps (20 minutes of a core, 3 GB)",
    )
    parser.add_argument("--seed", type=int, default=0)


def digits(rng: np.random.Generator) -> OneHiddenNetwork:
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise SystemExit("--data digits needs scikit-learn: pip install scikit-learn") from None
    inputs, labels = load_digits(return_X_y=True)
    chosen = rng.permutation(len(inputs))[:600]
    # Standardised as a whole: pixels that never change stay zero.
    inputs = (inputs[chosen] - inputs.mean()) / inputs.std()
    network = sample_one_hidden(inputs.shape[1], len(inputs), HIDDEN, 10, rng)
    return OneHiddenNetwork(inputs, network.hidden, network.output, np.eye(10)[labels[chosen]])


def shares(state: Pass) -> dict[str, float]:
    hidden, output, cross = hidden_energies(state), output_energies(state), cross_energies(state)
    hidden_total, output_total = hidden.sum(), output.diagonal.sum() + output.offdiagonal
    total = hidden_total + output_total + 2 * (cross.stripe.sum() + cross.rest.sum())
    return {
        "ww_off": float((hidden_total - np.trace(hidden)) / hidden_total),
        "vv_off": float(output.offdiagonal / output_total),
        "stripe": float(2 * cross.stripe.sum() / total),
        "rest": float(2 * cross.rest.sum() / total),
    }


def lengths(state: Pass) -> dict[str, float]:
    """Frobenius norms of the weights, of the outputs Vσ(WX) and of the Hessian's three parts: what is left of them."""
    output, cross = output_energies(state), cross_energies(state)
    return {
        "W": float(np.linalg.norm(state.network.hidden)),
        "V": float(np.linalg.norm(state.network.output)),
        "outputs": float(np.linalg.norm(state.logits)),
        "H_ww": float(np.sqrt(hidden_energies(state).sum())),
        "H_vv": float(np.sqrt(output.diagonal.sum() + output.offdiagonal)),
        "H_wv": float(np.sqrt(cross.stripe.sum() + cross.rest.sum())),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    classes, steps, rate = arguments.classes, arguments.steps, arguments.rate
    if arguments.full:
        classes, steps, rate = 500, 20_000, 1e-4
    maps: list[dict[str, Any]] = []
    runs: dict[str, list[dict[str, float]]] = {}
    for loss in ("mse", "ce"):
        rng = stream(arguments.seed, NAME, {"loss": loss}, classes, 0)
        if arguments.data == "digits":
            network = digits(rng)
        else:
            network = sample_one_hidden(classes, 10 * classes, HIDDEN, classes, rng, labels="balanced")
        kind: Loss = "mse" if loss == "mse" else "ce"
        marks = {round(share * steps) for share in SHOWN}
        checks = marks | {round(share * steps) for share in CHECKED}
        points = []
        for now in train(network, kind, steps, rate, checks):
            state = forward(now.network, kind)
            points.append(
                {
                    "fraction": now.step / steps,
                    "loss": now.loss,
                    "gradient": now.gradient,
                    **shares(state),
                    **lengths(state),
                }
            )
            print(f"{loss} step {now.step}: {points[-1]}", flush=True)
            if now.step in marks:
                dimension, _, hidden, outputs = now.network.sizes
                image = reduce_hessian(dense_hessian(state), dimension, hidden, outputs, GROUPS)
                maps.append(
                    {
                        "title": f"{loss.upper()}, {100 * now.step // steps} % of steps",
                        "image": [[float(f"{v:.3g}") for v in row] for row in image],
                        "border": min(GROUPS, dimension) / (min(GROUPS, dimension) + min(GROUPS, outputs)),
                    }
                )
        runs[loss.upper()] = points
    return {
        "maps": maps,
        "runs": runs,
        "data": arguments.data,
        "classes": classes,
        "steps": steps,
        "rate": rate,
    }


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(heat_maps(data["maps"], 6), path, colours=48)
    # For a page: start, early and end of both losses, large enough to see single stripes.
    shown = [
        item
        for item in data["maps"]
        if item["title"].endswith((" 0 % of steps", " 10 % of steps", " 100 % of steps"))
    ]
    save(heat_maps(shown, 3, width=2.6), path.with_name(path.stem + "_maps.png"), colours=48)
    save(energies_along_training(data["runs"], data["steps"]), path.with_name(path.stem + "_energies.png"))


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
