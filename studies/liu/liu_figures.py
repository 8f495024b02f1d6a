"""Figures of the studies of liu: norms against width, change of kernels, shares of the top eigenvector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from figures.ticks import plain_ticks
from matplotlib.figure import Figure

from rmtsim.plots._style import CYCLE, DATA, LIMIT, OUTLIER, THEORY, panels, shades

LOOKS = {
    "1 hidden layer": (DATA, "o"),
    "2 hidden layers": (LIMIT, "s"),
    "3 hidden layers": (CYCLE[5], "^"),
    "widths m, 4m, 2m": (CYCLE[6], "v"),
    "residual": (OUTLIER, "D"),
    "convolutional": (CYCLE[2], "P"),
    "bottleneck": (THEORY, "x"),
}
TITLES = {"H": "‖H‖", "gradient": "‖∇f‖", "Q": "Q∞ = max ‖∂f/∂a‖∞"}
OUTPUTS = {"linear": DATA, "softmax": THEORY, "swish": LIMIT}
KINDS = {
    "printed": (THEORY, "o", "as printed"),
    "normalised": (DATA, "s", "1/√m_b behind it"),
    "rescaled": ("0.5", "^", "3 units, output × √(m_b/3)"),
}
LAYERS = CYCLE[:4]


def norms_against_width(rows: Sequence[Mapping[str, Any]], slopes: Sequence[Mapping[str, Any]]) -> Figure:
    """Means with 10 to 90 % of the networks as bars; slopes of the upper half of the widths in the legends."""
    figure, axes = panels(3, width=3.3, height=4.2)
    for ax, (key, title) in zip(axes, TITLES.items(), strict=True):
        for entry in slopes:
            name = entry["architecture"]
            colour, marker = LOOKS[name]
            own = [row for row in rows if row["architecture"] == name]
            x = [row["width"] for row in own]
            ax.vlines(
                x, [row[f"{key} low"] for row in own], [row[f"{key} high"] for row in own],
                color=colour, alpha=0.35, linewidth=2.5,
            )  # fmt: skip
            label = f"{name}: {entry[key]:+.2f} ± {entry[f'{key} error']:.2f}"
            ax.plot(x, [row[key] for row in own], marker, linestyle="-", color=colour, markersize=4, linewidth=0.9,
                    label=label)  # fmt: skip
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        plain_ticks(ax.yaxis)
        ax.set_xlabel("width m")
        ax.set_title(title, fontsize=9)
        ax.legend(fontsize=6.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), title="slope",
                  title_fontsize=7)  # fmt: skip
    return figure


def kernel_changes(
    rows: Sequence[Mapping[str, Any]],
    slopes: Mapping[str, Sequence[float]],
    paths: Mapping[str, Any],
    width: int,
) -> Figure:
    """Largest relative change of the kernel against width, and its course at one width."""
    figure, axes = panels(2, width=3.6)
    x = [row["width"] for row in rows]
    for name, colour in OUTPUTS.items():
        axes[0].vlines(
            x, [row[f"{name} low"] for row in rows], [row[f"{name} high"] for row in rows], color=colour, alpha=0.3,
            linewidth=6,
        )  # fmt: skip
        axes[0].plot(
            x,
            [row[name] for row in rows],
            "o-",
            color=colour,
            markersize=4,
            linewidth=1,
            label=f"{name}: slope {slopes[name][0]:+.2f} ± {slopes[name][1]:.2f}",
        )
    linear = np.array([row["linear"] for row in rows])
    axes[0].plot(x, linear[-1] * np.sqrt(x[-1] / np.array(x)), "k--", linewidth=0.8, label="slope −½")
    axes[0].set_xscale("log")
    axes[0].set_yscale("log")
    axes[0].set_xlabel("width m")
    axes[0].set_ylabel("largest relative change of K")
    for name, (times, changes) in paths.items():
        axes[1].plot(times[1:], changes[1:], color=OUTPUTS[name], linewidth=1.2, label=name)
    axes[1].set_xscale("log")
    axes[1].set_yscale("log")
    axes[1].set_xlabel(f"time of gradient flow (m = {width})")
    axes[1].set_ylabel("relative change of K")
    # The lines of the left panel leave no room for a legend; the colours are the same.
    axes[1].legend(
        handles=axes[0].get_legend_handles_labels()[0], fontsize=7, frameon=False, loc="upper right"
    )
    return figure


def bottleneck_changes(
    rows: Sequence[Mapping[str, Any]], slopes: Mapping[str, Sequence[float]], width: int
) -> Figure:
    """Largest relative change of the kernel against the bottleneck's width, two normalisations and the control."""
    figure, axes = panels(1, width=4.6, height=3.2)
    ax = axes[0]
    x = np.array([row["bottleneck"] for row in rows])
    for kind, (colour, marker, label) in KINDS.items():
        ax.vlines(
            x, [row[f"{kind} low"] for row in rows], [row[f"{kind} high"] for row in rows], color=colour, alpha=0.3,
            linewidth=5,
        )  # fmt: skip
        text = f"{label}: slope {slopes[kind][0]:+.2f} ± {slopes[kind][1]:.2f}"
        ax.plot(
            x, [row[kind] for row in rows], marker + "-", color=colour, markersize=4, linewidth=1, label=text
        )
    ax.plot(x, rows[0]["printed"] * np.sqrt(x[0] / x), "k--", linewidth=0.8, label="slope −½")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(f"width m_b of the bottleneck (m = {width})")
    ax.set_ylabel("largest relative change of K")
    ax.legend(fontsize=7, frameon=False)
    return figure


def eigenvector_shares(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Share of the top eigenvector in each layer, one panel a depth."""
    depths = sorted({row["depth"] for row in rows})
    figure, axes = panels(len(depths), width=3.0)
    for ax, depth in zip(axes, depths, strict=True):
        for layer in range(1, depth + 2):
            own = [row for row in rows if row["depth"] == depth and row["layer"] == layer]
            x = [row["width"] for row in own]
            colour = LAYERS[-1] if layer == depth + 1 else LAYERS[layer - 1]
            ax.fill_between(
                x, [row["low"] for row in own], [row["high"] for row in own], color=colour, alpha=0.15
            )
            name = "output" if layer == depth + 1 else f"layer {layer}"
            ax.plot(
                x, [row["share"] for row in own], "o-", color=colour, markersize=3, linewidth=1, label=name
            )
        ax.set_xscale("log", base=2)
        ax.set_ylim(0, 1)
        ax.set_xlabel("width m")
        ax.set_title("1 hidden layer" if depth == 1 else f"{depth} hidden layers", fontsize=9)
        ax.legend(fontsize=7, frameon=False)
    axes[0].set_ylabel("share of the top eigenvector")
    return figure


def constants_and_laws(
    rows: Sequence[Mapping[str, Any]], samples: Sequence[Sequence[float]], constants: Mapping[str, float]
) -> Figure:
    """Left: mean and quantiles of √m‖H‖ against width, both depths; right: its distribution at two hidden layers."""
    figure, axes = panels(2, width=3.8, height=3.2)
    for depth, colour in ((1, LAYERS[0]), (2, LAYERS[2])):
        own = [row for row in rows if row["depth"] == depth]
        x = np.array([row["width"] for row in own], dtype=float)
        axes[0].fill_between(
            x, [row["q0.05 low"] for row in own], [row["q0.95 high"] for row in own], color=colour, alpha=0.15
        )
        axes[0].errorbar(
            x, [row["mean"] for row in own],
            yerr=[[row["mean"] - row["mean low"] for row in own], [row["mean high"] - row["mean"] for row in own]],
            fmt="o-", color=colour, markersize=3, linewidth=1, capsize=2,
            label=f"{depth} hidden layer{'s' if depth > 1 else ''}: mean, 5 to 95 %",
        )  # fmt: skip
        grown = constants[str(depth)] * np.sqrt(2 * np.log(x))
        axes[0].plot(x, grown, ":", color=colour, linewidth=1)
    exact = [row for row in rows if row["depth"] == 1]
    axes[0].plot([row["width"] for row in exact], [row["exact q0.5"] for row in exact], "k_", markersize=9,
                 label="exact median")  # fmt: skip
    axes[0].plot([], [], ":", color="0.4", label="constant · √(2 ln m)")
    axes[0].set_xscale("log", base=2)
    axes[0].set_ylim(bottom=0)
    axes[0].set_xlabel("width m")
    axes[0].set_ylabel("√m‖H‖")
    axes[0].legend(fontsize=7, frameon=False, loc="lower right")
    deep = [(row, values) for row, values in zip(rows, samples, strict=True) if row["depth"] == 2]
    colours = shades(len(deep))
    for k, (row, values) in enumerate(deep):
        axes[1].step(values, (np.arange(len(values)) + 0.5) / len(values), where="mid", linewidth=1,
                     color=colours[k],
                     label=f"m = {row['width']}")  # fmt: skip
    axes[1].set_xlabel("√m‖H‖, two hidden layers")
    axes[1].set_ylabel("share of the networks")
    axes[1].legend(fontsize=7, frameon=False)
    return figure
