"""Off-diagonal shares of the layers' energies on images and on clusters, every seed a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, THEORY, panels

__all__ = ["shares", "shares_of_clusters"]


def shares(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Three panels (H_ww under both losses, H_vv under cross-entropy); C = 10 and 100 side by side for each input."""
    figure, axes = panels(3, width=2.9, height=2.7)
    kinds = list(dict.fromkeys(row["inputs"] for row in rows))
    titles = {"ww mse": "$H_{ww}$, square loss", "ww ce": "$H_{ww}$, cross-entropy"}
    titles["vv ce"] = "$H_{vv}$, cross-entropy"
    for ax, (key, title) in zip(axes, titles.items(), strict=True):
        for classes, colour, shift, marker in ((10, DATA, -0.12, "o"), (100, THEORY, 0.12, "s")):
            kept = [row for row in rows if row["classes"] == classes]
            places = [kinds.index(row["inputs"]) + shift for row in kept]
            values = [100 * row[key] for row in kept]
            ax.plot(places, values, marker, color=colour, markersize=3.5, alpha=0.7, label=f"$C$ = {classes}")
        ax.set_xticks(range(len(kinds)), kinds)
        ax.set_xlim(-0.5, len(kinds) - 0.5)
        ax.set_ylim(0, 1.25 * max(100 * row[name] for row in rows for name in titles))
        ax.set_title(title, fontsize=9)
    axes[0].set_ylabel("energy off the diagonal blocks, %")
    axes[0].legend(fontsize=7, frameon=False, loc="upper right")
    return figure


def shares_of_clusters(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Two panels (H_ww under both losses, H_vv under cross-entropy) against the number K of clusters."""
    figure, axes = panels(2, width=3.6, height=2.7)
    few, many = min(row["classes"] for row in rows), max(row["classes"] for row in rows)
    shown = ((axes[0], "ww_off", "mse", "o", "square loss"), (axes[0], "ww_off", "ce", "s", "cross-entropy"))
    for ax, key, loss, marker, name in (*shown, (axes[1], "vv_off", "ce", "s", "cross-entropy")):
        for classes, colour in ((few, DATA), (many, THEORY)):
            kept = [row for row in rows if row["loss"] == loss and row["classes"] == classes]
            ax.plot(
                [row["clusters"] for row in kept], [100 * row[key] for row in kept], marker, color=colour,
                markersize=3.5, alpha=0.7, fillstyle="none" if loss == "mse" else "full",
                label=f"$C$ = {classes}, {name}",
            )  # fmt: skip
    for ax, title in zip(axes, ("$H_{ww}$", "$H_{vv}$"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel="number of clusters $K$", ylim=(0.1, 400))
        ax.yaxis.set_major_formatter("{x:g}")
        ax.set_title(title, fontsize=9)
        ax.legend(fontsize=7, frameon=False, loc="upper right", ncols=2)
    axes[0].set_ylabel("energy off the diagonal blocks, %")
    return figure
