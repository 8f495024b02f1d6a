"""`dong` Figures 1-3 and 13: |Hessian| of a one-hidden-layer network at initialisation and along Adam training.

Gaussian data with random labels (--full: the paper's d = C = 500, ten samples a class, learning rate 1e-4), or the
handwritten digits that ship with scikit-learn (--data digits) in place of CIFAR. Drawn: heat maps of the first seed,
and for several seeds the energies of all parts of the Hessian along training, which show the static force
(off-diagonal shares of H_ww and H_vv) and the dynamic one (stripes of H_wv). Finished runs are kept, so that an
interrupted study can be resumed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from dong_training_figures import energies_along_training
from figures.heat_maps import absolute_heat_maps, reduce_hessian
from resumable import FinishedRuns

from rmtsim._internal.randomness import stream
from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork, sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_full import dense_hessian
from rmtsim.papers.dong.simulation.one_hidden_hessian import Loss, Pass, forward
from rmtsim.papers.dong.simulation.one_hidden_norms import cross_energies, hidden_energies, output_energies
from rmtsim.papers.dong.simulation.one_hidden_training import train
from rmtsim.plots._style import save

NAME = "dong_training"
HIDDEN = 8
SHOWN = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
GROUPS = 16
"""Input coordinates and classes are joined into so many groups for display; neurons are not."""
CHECKED = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.4, 0.6, 0.8)
"""Shares of the steps at which energies are measured: most happens at the start."""
OTHER_SEEDS = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 1.0)
"""The same for seeds after the first: at the paper's size a measurement costs as much as hundreds of steps."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", choices=("gaussian", "digits"), default="gaussian")
    parser.add_argument("--classes", type=harness.positive_integer, default=60, help="C = d of Gaussian data")
    parser.add_argument("--steps", type=harness.positive_integer, default=6000)
    parser.add_argument("--rate", type=float, default=3e-3, help="initial learning rate")
    parser.add_argument(
        "--full",
        action="store_true",
        help="d = C = 500, learning rate 1e-4, 20 000 steps (12 minutes of a core a seed, 3 GB)",
    )
    parser.add_argument("--seeds", type=harness.positive_integer, default=3)


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


def energies(state: Pass) -> dict[str, float]:
    """Squared Frobenius norms of the Hessian's parts (H_wv once); norms of the weights and of the outputs Vσ(WX)."""
    hidden, output, cross = hidden_energies(state), output_energies(state), cross_energies(state)
    return {
        "ww_diagonal": float(np.trace(hidden)),
        "ww_offdiagonal": float(hidden.sum() - np.trace(hidden)),
        "vv_diagonal": float(output.diagonal.sum()),
        "vv_offdiagonal": float(output.offdiagonal),
        "stripes": float(cross.stripe.sum()),
        "rest": float(cross.rest.sum()),
        "W": float(np.linalg.norm(state.network.hidden)),
        "V": float(np.linalg.norm(state.network.output)),
        "outputs": float(np.linalg.norm(state.logits)),
    }


def one_run(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Energies along one training, and heat maps if it is the first seed's."""
    kind: Loss = "mse" if setting["loss"] == "mse" else "ce"
    classes, steps, seed = setting["classes"], setting["steps"], setting["seed"]
    rng = stream(seed, NAME, {"loss": kind}, classes, 0)
    if setting["data"] == "digits":
        network = digits(rng)
    else:
        network = sample_one_hidden(classes, 10 * classes, HIDDEN, classes, rng, labels="balanced")
    marks = {round(share * steps) for share in SHOWN} if seed == 0 else set()
    checks = marks | {round(share * steps) for share in (CHECKED if seed == 0 else OTHER_SEEDS)}
    points, maps = [], []
    for now in train(network, kind, steps, setting["rate"], checks):
        state = forward(now.network, kind)
        points.append({"step": now.step, "loss": now.loss, "gradient": now.gradient, **energies(state)})
        print(f"{kind} seed {seed} step {now.step}: {points[-1]}", flush=True)
        if now.step in marks:
            dimension, _, hidden, outputs = now.network.sizes
            image = reduce_hessian(dense_hessian(state), dimension, hidden, outputs, GROUPS)
            maps.append(
                {
                    "title": f"{kind.upper()}, {100 * now.step // steps} % of steps",
                    "image": [[float(f"{v:.3g}") for v in row] for row in image],
                    "border": min(GROUPS, dimension) / (min(GROUPS, dimension) + min(GROUPS, outputs)),
                }
            )
    return {"points": points, "maps": maps}


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    setting = {
        "data": arguments.data,
        "classes": 10 if arguments.data == "digits" else arguments.classes,
        "steps": arguments.steps,
        "rate": arguments.rate,
    }
    if arguments.full:
        setting |= {"classes": 500, "steps": 20_000, "rate": 1e-4}
    finished = FinishedRuns(arguments.out, NAME)
    maps: dict[str, Any] = {}
    runs: dict[str, list[Any]] = {"MSE": [], "CE": []}
    for seed in range(arguments.seeds):
        for loss in ("mse", "ce"):
            own = {**setting, "loss": loss, "seed": seed}
            found = finished.result(own, lambda own=own: one_run(own))
            runs[loss.upper()].append(found["points"])
            if seed == 0:
                maps[loss.upper()] = found["maps"]
    return {"maps": maps, "runs": runs, **setting}


def draw(data: Mapping[str, Any], path: Path) -> None:
    rows = list(data["maps"].values())
    save(absolute_heat_maps(rows, width=2.5, columns=3), path, colours=64)
    # For the documentation: start, early and end of both losses.
    shown = [
        [
            item
            for item in row
            if item["title"].endswith((" 0 % of steps", " 10 % of steps", " 100 % of steps"))
        ]
        for row in rows
    ]
    save(absolute_heat_maps(shown, width=2.5), path.with_name(path.stem + "_maps.png"), colours=64)
    save(energies_along_training(data["runs"]), path.with_name(path.stem + "_energies.png"))


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
