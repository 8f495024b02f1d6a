"""Figure 5.2 of the thesis: training and testing RMSE of learned step sizes against the noise, with theory on top.

d = 1000, 500 samples (250 + 250 for train-by-validation), t = 40, 300 tasks, 25 step sizes, 10 new tasks. The noise
levels of the printed figure are not in our text copy; these are ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import l2l_tasks
import numpy as np

from rmtsim.plots.style import panels, save

NAME = "l2l_noise"
COLOURS = {"train": "#cc3311", "validation": "#4477aa"}


def options(parser: argparse.ArgumentParser) -> None:
    l2l_tasks.options(parser)
    parser.add_argument("--samples", type=harness.positive_integer, default=500)
    parser.add_argument("--tasks", type=harness.positive_integer, default=300)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.5, 1.0, 2.0, 3.0, 4.0])


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for noise in arguments.noise:
        rows.append(l2l_tasks.learn_and_test(NAME, arguments, arguments.samples, noise, arguments.tasks))
        l2l_tasks.report(rows[-1])
    print(f"{sum(row['seconds'] for row in rows):.0f} s of processor time")
    levels = np.linspace(min(arguments.noise), max(arguments.noise), 29)
    curves = [
        {"noise": float(level)}
        | l2l_tasks.predicted(arguments.samples, arguments.dimension, float(level), arguments.steps)
        for level in levels
    ]
    return {"rows": rows, "curves": curves, "samples": arguments.samples, "dimension": arguments.dimension}


def draw_against(data: Mapping[str, Any], path: Path, key: str, label: str) -> None:
    """Two panels, training and testing; bands are the range over the new tasks."""
    figure, axes = panels(2, width=3.6)
    for ax, phase in zip(axes, ("training", "testing"), strict=True):
        for kind, colour in COLOURS.items():
            x = [row[key] for row in data["rows"]]
            ax.fill_between(
                x,
                [row[f"{kind} {phase} low"] for row in data["rows"]],
                [row[f"{kind} {phase} high"] for row in data["rows"]],
                color=colour,
                alpha=0.25,
                linewidth=0,
            )
            ax.plot(x, [row[f"{kind} {phase}"] for row in data["rows"]], "o", color=colour, markersize=4)
            curve = [row[f"{kind} free {phase}"] for row in data["curves"]]
            ax.plot(
                [row[key] for row in data["curves"]],
                curve,
                color=colour,
                linewidth=1.2,
                label=f"train-by-{kind}",
            )
        ax.set_xlabel(label)
        ax.set_ylabel(f"{phase} RMSE")
    axes[1].legend(
        fontsize=8, frameon=False, title="line: limit law; dots, band: simulated", title_fontsize=7
    )
    save(figure, path)


def draw(data: Mapping[str, Any], path: Path) -> None:
    draw_against(data, path, "noise", f"noise σ (d = {data['dimension']}, n = {data['samples']})")


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
