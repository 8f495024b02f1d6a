"""Figure of the study of loglinear: anchor errors against the number of top words removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import CYCLE, panels

COLOURS = dict(zip(("spherical", "gaussian", "cone", "heavy", "own"), CYCLE, strict=False))


def anchor_errors(rows: Sequence[Mapping[str, Any]], words: int, dimension: int) -> Figure:
    """Mean squared error of the anchor without and with an intercept: mean and range over dictionaries."""
    figure, axes = panels(2, width=3.6)
    for ax, key, title in zip(
        axes, ("error", "with intercept"), ("⟨v, v₀⟩, as in the thesis", "⟨v, v₀⟩ + constant"), strict=True
    ):
        for kind, colour in COLOURS.items():
            of_kind = [row for row in rows if row["kind"] == kind]
            if not of_kind:
                continue
            removed = sorted({row["removed"] for row in of_kind})
            errors = [[row[key] for row in of_kind if row["removed"] == count] for count in removed]
            ax.fill_between(
                removed, [min(each) for each in errors], [max(each) for each in errors], color=colour, alpha=0.2,
                linewidth=0,
            )  # fmt: skip
            ax.plot(removed, [np.mean(each) for each in errors], "o-", color=colour, markersize=3, label=kind)
        ax.set_xscale("symlog", linthresh=1)
        ax.set_yscale("log")
        ax.set_xlabel(f"top words removed (n = {words}, d = {dimension})")
        ax.set_title(title, fontsize=9)
    axes[0].set_ylabel("ε_MSE of log Z_bulk")
    axes[0].legend(fontsize=8, frameon=False)
    return figure
