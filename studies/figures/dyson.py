"""Figures of the Matrix Dyson equation: spectra with solved densities, a splitting support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, LIMIT, THEORY, panels, shades

__all__ = ["spectra", "splitting"]


def spectra(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """One panel per ensemble: histogram of eigenvalues, solved density, edges of the support, atoms."""
    figure, axes = panels(3, (len(rows) + 2) // 3, width=3.0, height=2.4)
    for ax, row in zip(axes, rows, strict=False):
        edges = np.asarray(row["edges"])
        ax.stairs(row["histogram"], edges, fill=True, color=DATA, alpha=0.45, label="eigenvalues")
        ax.plot(row["x"], row["density"], color=THEORY, linewidth=1.4, label="solved density")
        for lower, upper in row["support"]:
            ax.plot([lower, upper], [0, 0], "|", color=LIMIT, markersize=9, clip_on=False, zorder=5)
        top = max(1.15 * max(row["density"]), 1e-3)
        for location, mass in row["atoms"]:
            ax.annotate(
                "", (location, 0.8 * top), (location, 0), arrowprops={"arrowstyle": "-|>", "color": THEORY}
            )
            ax.text(location, 0.85 * top, f"atom\n{mass:.3f}", ha="center", fontsize=7)
        ax.set_ylim(0, top)
        ax.set_title(
            f"{row['title']}\n$D_n$ = {row['distance']:.4f} (5 % level {row['threshold']:.4f})", fontsize=8
        )
        ax.set_xlabel("eigenvalue")
    for ax in axes[len(rows) :]:
        ax.set_visible(False)
    axes[0].set_ylabel("density")
    axes[0].legend(fontsize=7, frameon=False, loc="lower center")
    return figure


def splitting(curves: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, float]]) -> Figure:
    """Densities of A + W as the two eigenvalues ± a of A part, and the support against a with the cusp at a = 1."""
    figure, axes = panels(2, width=3.8, height=3.0)
    for colour, curve in zip(shades(len(curves)), curves, strict=True):
        axes[0].plot(
            curve["x"], curve["density"], color=colour, linewidth=1.3, label=f"$a$ = {curve['separation']:g}"
        )
    axes[0].set_ylim(0, 1.4 * max(max(curve["density"]) for curve in curves))
    axes[0].set_xlabel("eigenvalue")
    axes[0].set_ylabel("density")
    axes[0].legend(fontsize=7, frameon=False, ncols=3, loc="upper center")
    for part in ("outer", "inner"):
        kept = [row for row in edges if np.isfinite(row[part])]
        for sign in (1, -1):
            axes[1].plot(
                [row["separation"] for row in kept],
                [sign * row[part] for row in kept],
                color=THEORY,
                linewidth=1.3,
            )
    drawn = [(row["separation"], row["lowest"], row["highest"]) for row in edges if "lowest" in row]
    if drawn:
        place, low, high = np.array(drawn).T
        axes[1].plot(place, high, "o", color=DATA, markersize=2.5, label="extreme eigenvalues, one draw each")
        axes[1].plot(place, low, "o", color=DATA, markersize=2.5)
        parted = [row for row in edges if row["separation"] >= 1 and "above" in row]
        inner = [row[end] for row in parted for end in ("below", "above")]
        places = [row["separation"] for row in parted for _ in range(2)]
        axes[1].plot(
            places, inner, "x", color=DATA, markersize=3.5, label="eigenvalues next to zero, same draws"
        )
        axes[1].legend(fontsize=7, frameon=False, loc="upper left")
        axes[1].set_ylim(top=1.5 * axes[1].get_ylim()[1])
    outer = max(row["outer"] for row in edges)
    # As high as the edges, clear of the legend.
    axes[1].vlines(1.0, -outer, outer, linestyle="--", color=LIMIT, linewidth=1)
    axes[1].text(0.98, -0.1, "cusp", ha="right", va="top", fontsize=7, color=LIMIT)
    axes[1].set_xlabel("separation $a$")
    axes[1].set_ylabel("edges of the support")
    return figure
