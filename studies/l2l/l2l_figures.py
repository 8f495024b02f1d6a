"""Figures of the studies of l2l: learned step sizes, their errors, and where either meta-objective wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import CYCLE, DATA, LIMIT, SIGNED, THEORY, panels

COLOURS = {"train": THEORY, "validation": DATA}
PATHS = {
    "scaled, 1/(100√k)": DATA,
    "float32, constant": THEORY,
    "float32, RMSProp": CYCLE[2],
    "scaled, RMSProp": LIMIT,
}


def errors_against(
    rows: Sequence[Mapping[str, float]], curves: Sequence[Mapping[str, float]], key: str, label: str
) -> Figure:
    """Training and testing RMSE against one parameter: simulated dots and bands, and the values of the limit law."""
    figure, axes = panels(2, width=3.6)
    for ax, phase in zip(axes, ("training", "testing"), strict=True):
        for kind, colour in COLOURS.items():
            x = [row[key] for row in rows]
            low, high = ([row[f"{kind} {phase} {end}"] for row in rows] for end in ("low", "high"))
            ax.vlines(x, low, high, color=colour, alpha=0.3, linewidth=7)
            ax.plot(x, [row[f"{kind} {phase}"] for row in rows], "o", color=colour, markersize=4)
            ax.plot(x, [row[f"{kind} law {phase}"] for row in rows], "x", color="k", markersize=5, zorder=3)
            line = [row[f"{kind} free {phase}"] for row in curves]
            ax.plot([row[key] for row in curves], line, color=colour, linewidth=1.2, label=f"train-by-{kind}")
        ax.set_xlabel(label)
        ax.set_ylabel(f"{phase} RMSE")
        if key == "samples":
            ax.set_xscale("log")
            ax.set_xticks([row[key] for row in rows], [f"{row[key]:g}" for row in rows])
            ax.minorticks_off()
    place, corner = (axes[0], "lower right") if key == "samples" else (axes[1], "upper left")
    title = "dots, bands: simulated\n×: limit law at the learned η\nlines: limit law at its best η"
    place.legend(fontsize=8, frameon=False, title=title, title_fontsize=7, loc=corner)
    return figure


def trajectories(paths: Mapping[str, Any], optimum: float) -> Figure:
    """The step size during meta-training, under several rules."""
    figure, axes = panels(1, width=4.6, height=3.0)
    ax = axes[0]
    for name, colour in PATHS.items():
        # Two rules never move: the wide line shows below the narrow one.
        ax.plot(paths[name], color=colour, linewidth=3.0 if name == "float32, constant" else 1.0, label=name)
    ax.axhline(optimum, color="0.3", linewidth=0.8, linestyle="--", label="η*")
    ax.set_xlabel("meta-iteration k (t = 80, η₀ = 0.1)")
    ax.set_ylabel("step size η")
    ax.set_ylim(0, 0.15)
    ax.legend(fontsize=7, frameon=False, ncol=2, loc="upper right")
    return figure


def advantage(
    maps: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, float]],
    samples: Sequence[float],
    noises: Sequence[float],
) -> Figure:
    """log₁₀ of the quotient of errors over samples and noise, one panel per number of steps; discs are simulated."""
    figure, axes = panels(len(maps), width=2.9, height=2.9)
    look = {"cmap": SIGNED, "vmin": -1, "vmax": 1}
    for ax, item in zip(axes, maps, strict=True):
        pairs = np.array(item["errors"])
        quotient = np.log10(pairs[..., 0] / pairs[..., 1])
        picture = ax.pcolormesh(samples, noises, quotient, shading="gouraud", **look)
        ax.contour(samples, noises, quotient, levels=[0], colors="k", linewidths=1)
        points = [row for row in rows if row["steps"] == item["steps"]]
        ax.scatter(
            [row["samples"] for row in points],
            [row["noise"] for row in points],
            c=[np.log10(row["train"] / row["validation"]) for row in points],
            edgecolors="k",
            s=36,
            zorder=3,
            **look,
        )
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.grid(False)
        ax.set_title(f"t = {item['steps']}")
        ax.set_xlabel("samples per dimension, n/d")
    axes[0].set_ylabel("noise σ")
    bar = figure.colorbar(picture, ax=list(axes), shrink=0.9)
    bar.set_label("log₁₀ error quotient\n(below 0: train-by-train better)", fontsize=7)
    bar.ax.tick_params(labelsize=7)
    return figure
