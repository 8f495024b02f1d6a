"""Blocks of the Hessian of digit classifiers in PyTorch, an MLP and a CNN, before and after training, with intervals.

Trained by Adam on scikit-learn's digits. Needs the extras "torch" and "studies".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_network
import harness
import numpy as np
from matplotlib.colors import LogNorm

from rmtsim.hessians import hessian
from rmtsim.plots._style import SEQUENTIAL, panels, save

NAME = "hessian_digits"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=32)
    parser.add_argument("--steps", type=harness.positive_integer, default=150)
    parser.add_argument("--samples", type=harness.positive_integer, default=1437)
    parser.add_argument("--seed", type=int, default=0)


def _models(width: int) -> dict[str, Any]:
    from torch import nn

    return {
        "MLP": nn.Sequential(nn.Flatten(), nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10)),
        "CNN": nn.Sequential(
            nn.Conv2d(1, width // 4, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width // 4, width // 4, 3),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(width, 10),
        ),
    }


def _measured(model: Any, data: Any) -> dict[str, Any]:
    from torch import nn

    operator = hessian(model.eval(), nn.CrossEntropyLoss(), data)
    classes = operator.blocks("class", tolerance=0.1)
    layers = operator.blocks("layer", tolerance=0.1)
    top = operator.eigenvalues(1)
    return {
        "classes": classes.to_dict(),
        "layers": layers.to_dict(),
        "top": top.to_dict(),
        "trace": operator.trace().to_dict(),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    import torch

    rng = np.random.default_rng(arguments.seed)
    inputs, labels, test, test_labels = digits_network.load(False, rng)
    inputs, labels = inputs[: arguments.samples], labels[: arguments.samples]
    torch.manual_seed(arguments.seed)
    x, y = torch.tensor(inputs, dtype=torch.float32).reshape(-1, 1, 8, 8), torch.tensor(labels)
    held = torch.tensor(test, dtype=torch.float32).reshape(-1, 1, 8, 8)
    found: dict[str, Any] = {"rows": []}
    for name, model in _models(arguments.width).items():
        optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
        for stage in ("initialisation", "trained"):
            if stage == "trained":
                for _ in range(arguments.steps):
                    chosen = torch.randint(len(x), (128,))
                    optimiser.zero_grad()
                    torch.nn.functional.cross_entropy(model(x[chosen]), y[chosen]).backward()
                    optimiser.step()
            with torch.no_grad():
                error = float((model(held).argmax(dim=1).numpy() != test_labels).mean())
            result = _measured(model, (x, y))
            found[f"{name}, {stage}"] = result
            row = {"model": name, "stage": stage, "test error": error}
            for kind in ("classes", "layers"):
                for which in ("ratio", "population_ratio"):
                    each = result[kind][which]
                    words = (
                        "undecided"
                        if each is None
                        else f"{each['value']:.3g} [{each['low']:.3g}, {each['high']:.3g}]"
                    )
                    row[f"{kind} {which}"] = words
            top, population = result["top"]["values"][0], result["top"]["population"][0]
            row |= {
                "top": f"{top:.3g}",
                "top, population": f"{population['value']:.3g} [{population['low']:.3g}, {population['high']:.3g}]",
                "samples for 10 %": result["top"]["samples_needed_for_10_percent"][0],
            }
            found["rows"].append(row)
            print(row, flush=True)
    return found


def draw(data: Mapping[str, Any], path: Path) -> None:
    stages = [key for key in data if key != "rows"]
    figure, axes = panels(len(stages), width=2.3, height=2.5)
    for ax, stage in zip(axes, stages, strict=True):
        blocks = data[stage]["classes"]
        image = ax.imshow(
            np.maximum(np.array(blocks["ratios"]), 1e-3),
            norm=LogNorm(1e-3, 1),
            cmap=SEQUENTIAL,
            interpolation="nearest",
        )
        ax.grid(False)
        ratio = blocks["population_ratio"] or blocks["ratio"]
        ax.set_title(f"{stage}\n{ratio['value']:.3g} [{ratio['low']:.3g}, {ratio['high']:.3g}]", fontsize=8)
        ax.set_xlabel("class", fontsize=8)
        if ax is axes[0]:
            ax.set_ylabel("class", fontsize=8)
    bar = figure.colorbar(image, ax=list(axes), shrink=0.8, extend="min")
    bar.set_label(r"$\|H_{ij}\|^2/(\|H_{ii}\|\,\|H_{jj}\|)$", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    save(figure, path, colours=128)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
