"""Overlap of top-k layer eigenspaces of pairs of models trained on digits: input, hidden, output layer (wu 5.3, G.3).

Figures 1b, 4 and 22 of the paper with bands, beside k/m·(t₁·t₂)² (Theorem G.1) and (t₁·t₂)² (output layer), with
t₁, t₂ the models' own leading input directions; and the spectra of E[M] and H for true and random labels (figure 3).
Needs the extra "studies".
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_layers
import digits_network
import harness
import numpy as np

from rmtsim._internal.randomness import stream

NAME = "wu_pairs"
NAMES = ("first", "second", "output")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--width", type=harness.positive_integer, default=20, help="units of both hidden layers"
    )
    parser.add_argument("--steps", type=harness.positive_integer, default=600)
    parser.add_argument("--models", type=harness.positive_integer, default=5)
    parser.add_argument("--show", type=harness.positive_integer, default=60)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    inputs, labels, *_ = digits_network.load(False, stream(arguments.seed, NAME, {}, 0, 0))
    widths = (64, arguments.width, arguments.width, 10)
    stages: dict[str, list[list[digits_layers.Layer]]] = {}
    losses: dict[str, list[float]] = {}
    for index in range(arguments.models):
        rng = stream(arguments.seed, NAME, {"model": "own"}, arguments.width, index)
        start = digits_layers.initial(widths, rng)
        random = rng.permutation(labels)
        for name, targets, steps in (
            ("initialisation", labels, 0),
            ("true labels", labels, arguments.steps),
            ("random labels", random, 4 * arguments.steps),
        ):
            weights = [matrix.copy() for matrix in start]
            *_, (_, loss) = digits_layers.training(weights, inputs, targets, [steps])
            stages.setdefault(name, []).append(digits_layers.layers(weights, inputs))
            losses.setdefault(name, []).append(loss)
    show = arguments.show
    curves: dict[str, dict[str, Any]] = {}
    spectra: dict[str, dict[str, Any]] = {}
    for stage, models in stages.items():
        tops = [[layer.top(min(show, layer.hessian.shape[0] - 1)) for layer in model] for model in models]
        spectra[stage] = {
            "H": [(own[1][0][:25] / own[1][0][0]).tolist() for own in tops],
            "M": [
                (values / values[0]).tolist()
                for model in models
                for values in [np.linalg.eigvalsh(model[1].output)[::-1][:25]]
            ],
        }
        if stage == "random labels":
            continue
        for position, name in enumerate(NAMES):
            entry: dict[str, Any] = {"overlaps": [], "factors": []}
            for a, b in itertools.combinations(range(arguments.models), 2):
                entry["overlaps"].append(
                    digits_layers.overlap_curve(tops[a][position][1], tops[b][position][1])
                )
                entry["factors"].append(
                    float((models[a][position].direction @ models[b][position].direction) ** 2)
                )
            entry["output"] = models[0][position].rows.shape[2]
            outputs = [np.linalg.eigvalsh(model[position].output)[::-1] for model in models]
            inner = [np.linalg.eigvalsh(model[position].autocorrelation)[::-1] for model in models]
            # Theorem G.1 assumes τ_m γ₁ > τ₁ γ₂.
            entry["assumption"] = [
                float(t[-1] * g[0] / (t[0] * g[1])) for t, g in zip(outputs, inner, strict=True)
            ]
            curves.setdefault(stage, {})[name] = entry
            mean = np.mean(entry["overlaps"], axis=0)
            peaks = [f"{mean[k - 1]:.3f} at {k}" for k in (9, entry["output"]) if k <= len(mean)]
            print(
                f"{stage}, {name} layer: (t₁·t₂)² {np.mean(entry['factors']):.3f}, overlap {', '.join(peaks)}; "
                f"τ_mγ₁/(τ₁γ₂) at most {max(entry['assumption']):.2g}",
                flush=True,
            )
    for stage, own in losses.items():
        print(f"{stage}: loss {np.min(own):.4f}–{np.max(own):.4f}", flush=True)
    return {"curves": curves, "spectra": spectra, "losses": losses, "classes": 10, "width": arguments.width}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_trained_figures import labels, pairs

    from rmtsim.plots._style import save

    save(pairs(data), path)
    save(labels(data), path.with_name(f"{NAME}_labels.png"))


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
