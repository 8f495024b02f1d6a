"""Figure of the image study: off-diagonal shares of the layers' energies, every seed a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from rmtsim.plots.style import DATA, THEORY, panels

__all__ = ["shares"]


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
