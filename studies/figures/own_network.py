"""Pictures of a user's own network: block norms of its neurons, and spectra of its layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, LIMIT, OUTLIER, SEQUENTIAL, THEORY, panels

__all__ = ["blocks_and_spectra"]

_COLOURS = (DATA, THEORY, LIMIT, OUTLIER)


def blocks_and_spectra(stages: Mapping[str, Any]) -> Figure:
    """One row a stage: ‖H_ij‖ of the first layer's neurons, of the last layer's, and eigenvalues layer by layer.

    Each stage has ``norms`` (a list of square tables, one a layer) and ``spectra`` (names to eigenvalues).
    """
    figure, axes = panels(3, len(stages), height=2.9)
    for row, (name, stage) in enumerate(stages.items()):
        tables = [np.asarray(table) for table in stage["norms"]]
        for column, (label, table) in enumerate((("first layer", tables[0]), ("last layer", tables[-1]))):
            ax = axes[3 * row + column]
            top = table.max()
            image = ax.imshow(
                np.maximum(table, 1e-4 * top),
                norm=LogNorm(1e-4 * top, top),
                cmap=SEQUENTIAL,
                interpolation="nearest",
            )
            ax.grid(False)
            ax.set_title(f"{name}: " + r"$\Vert H_{ij}\Vert$" + f", {label}", fontsize=9)
            ax.set_xlabel("neuron j", fontsize=8)
            ax.set_ylabel("neuron i", fontsize=8)
            figure.colorbar(image, ax=ax, shrink=0.8).ax.tick_params(labelsize=7)
        ax = axes[3 * row + 2]
        spectra = {key: np.asarray(values) for key, values in stage["spectra"].items()}
        largest = max(float(np.abs(values).max()) for values in spectra.values())
        for colour, (key, values) in zip(_COLOURS, spectra.items(), strict=False):
            order = np.sort(values)
            ax.plot(order, (np.arange(order.size) + 0.5) / order.size, color=colour, linewidth=1.2, label=key)
        ax.set_xscale("symlog", linthresh=1e-4 * largest)
        ax.set_xticks([-largest, 0, 1e-2 * largest, largest])
        ax.set_xticklabels([f"{tick:.1g}" for tick in (-largest, 0, 1e-2 * largest, largest)])
        ax.minorticks_off()
        ax.set_title(f"{name}: eigenvalues", fontsize=9)
        ax.set_xlabel("eigenvalue", fontsize=8)
        ax.set_ylabel("share of eigenvalues below", fontsize=8)
        ax.legend(fontsize=7, frameon=False)
    return figure
