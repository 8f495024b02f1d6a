"""wu's statements about trained networks, along training on digits: decoupling, (262), (263), E[xxᵀ], E[M], Table 6.

Several seeds of a network with two hidden layers, trained by full-batch Adam: figures 2c-d, 19, 20 and 21 of the paper
with bands, and the decoupling error and the full Hessian's closed forms at every checkpoint. Needs the extra "studies".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_layers
import digits_network
import harness
import numpy as np

from rmtsim._internal.randomness import stream

NAME = "wu_training"
NAMES = ("first", "second", "output")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--width", type=harness.positive_integer, default=20, help="units of both hidden layers"
    )
    parser.add_argument("--steps", type=harness.positive_integer, default=600)
    parser.add_argument("--seeds", type=harness.positive_integer, default=5)
    parser.add_argument("--show", type=harness.positive_integer, default=60)
    parser.add_argument("--seed", type=int, default=0)


def checkpoints(steps: int) -> list[int]:
    """0 and about three a decade up to ``steps``."""
    return sorted({0, steps, *(s for k in range(1, 12) if (s := round(10 ** (k / 2))) < steps)})


def ends(layer: digits_layers.Layer, show: int) -> dict[str, Any]:
    """What figures 2c, 2d and 21 show of one layer's Hessian."""
    values, vectors = layer.top(show)
    guesses, pairs = layer.kronecker(show)
    shape = (layer.rows.shape[2], layer.reads.shape[1])
    shares = [float(np.linalg.norm(v.reshape(shape), 2)) for v in vectors.T]
    return {
        "eigenvalues": (values / values[0]).tolist(),
        "kronecker": (guesses / values[0]).tolist(),
        "overlap": digits_layers.overlap_curve(vectors, pairs),
        "singular share": shares,
    }


def one_run(arguments: argparse.Namespace, index: int) -> dict[str, Any]:
    rng = stream(arguments.seed, NAME, {}, arguments.width, index)
    inputs, labels, test, test_labels = digits_network.load(False, rng)
    weights = digits_layers.initial((64, arguments.width, arguments.width, 10), rng)
    run: dict[str, Any] = {"path": []}
    steps = checkpoints(arguments.steps)
    for step, loss in digits_layers.training(weights, inputs, labels, steps):
        found = digits_layers.layers(weights, inputs)
        share, ratio = digits_layers.full_hessian(weights, found, inputs, labels)
        error = float((digits_layers.responses(weights, test)[1].argmax(axis=1) != test_labels).mean())
        entry: dict[str, Any] = {"step": step, "loss": loss, "test error": error, "262": share, "263": ratio}
        entry["decoupling"] = [layer.decoupling_error for layer in found]
        entry["inputs"] = np.linalg.eigvalsh(found[1].autocorrelation)[::-1][:8].tolist()
        entry["outputs"] = np.linalg.eigvalsh(found[1].output)[::-1][:15].tolist()
        for name, layer in zip(NAMES[1:], found[1:], strict=True):
            mean = layer.reads.mean(axis=0)
            values = np.linalg.eigvalsh(layer.autocorrelation)
            entry[f"{name} cos²"] = float((layer.direction @ mean) ** 2 / (mean @ mean))
            entry[f"{name} ratio"] = float(values[-1] / values[-2])
        run["path"].append(entry)
        if step in (0, arguments.steps):
            stage = "initialisation" if step == 0 else "minimum"
            run[stage] = {
                name: ends(layer, arguments.show) for name, layer in zip(NAMES[:2], found[:2], strict=True)
            }
    return run


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    runs = []
    for index in range(arguments.seeds):
        runs.append(one_run(arguments, index))
        first, last = runs[-1]["path"][0], runs[-1]["path"][-1]
        for entry in (first, last):
            print(
                f"seed {index}, step {entry['step']}: loss {entry['loss']:.4f}, test error "
                f"{entry['test error']:.3f}; decoupling {np.round(entry['decoupling'], 3)}, (262) "
                f"{entry['262']:.3f}, (263) {entry['263']:.3f}; second and output layer: λ₁/λ₂ "
                f"{entry['second ratio']:.2f}, {entry['output ratio']:.2f}, cos² {entry['second cos²']:.3f}, "
                f"{entry['output cos²']:.3f}",
                flush=True,
            )
    rows = [
        {"seed": index}
        | {key: value for key, value in entry.items() if not isinstance(value, list)}
        | {f"decoupling {name}": entry["decoupling"][k] for k, name in enumerate(NAMES)}
        for index, run in enumerate(runs)
        for entry in run["path"]
    ]
    return {"runs": runs, "rows": rows, "classes": 10, "width": arguments.width}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_trained_figures import at_ends, training

    from rmtsim.plots._style import save

    save(training(data), path)
    save(at_ends(data), path.with_name(f"{NAME}_ends.png"))


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
