"""Figures of the studies of sparse: recovery errors of both algorithms from both starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, THEORY, panels

COLOURS = {"baseline": THEORY, "masking": DATA}
TITLES = {"samples": "start: samples", "local": "start: the truth and samples"}


def recovery_errors(rows: Sequence[Mapping[str, Any]], key: str, label: str) -> Figure:
    """Mean cosine distance after training (line) with one standard deviation (band), and before training (dots)."""
    figure, axes = panels(2, width=3.6)
    for ax, (start, title) in zip(axes, TITLES.items(), strict=True):
        mine = [row for row in rows if row["start"] == start]
        places = sorted({row[key] for row in mine})
        for algorithm, colour in COLOURS.items():
            values = [
                [row["after"] for row in mine if row[key] == place and row["algorithm"] == algorithm]
                for place in places
            ]
            mean = np.array([np.mean(each) for each in values])
            spread = np.array([np.std(each) for each in values])
            ax.fill_between(places, mean - spread, mean + spread, color=colour, alpha=0.25, linewidth=0)
            ax.plot(places, mean, color=colour, marker="o", markersize=3, linewidth=1.2, label=algorithm)
        before = [np.mean([row["before"] for row in mine if row[key] == place]) for place in places]
        ax.plot(places, before, ":", color="0.3", linewidth=1.2, label="before training")
        ax.set_title(title, fontsize=9)
        ax.set_xlabel(label, fontsize=8)
        ax.set_ylim(bottom=0)
    axes[0].set_ylabel(r"cosine distance, $d_R/2$")
    axes[0].legend(fontsize=8, frameon=False)
    return figure
