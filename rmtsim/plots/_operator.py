"""The spectrum of an operator that was not diagonalised: density with errors, semicircle, eigenvalues at the ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, LIMIT, THEORY, panels

if TYPE_CHECKING:
    from rmtsim.spectra._operator_spectrum import OperatorSpectrum

_POINTS = 240
_WIDTH = 0.02
"""Smoothing in widths of the bulk: wide enough for sixty Lanczos steps."""


def operator_figure(spectrum: OperatorSpectrum) -> Figure:
    """Density of the bulk with two standard errors, the fitted semicircle, and every eigenvalue found at the ends."""
    figure, (ax,) = panels(1, width=4.6, height=3.0)
    low, high = spectrum.density.range
    width = high - low
    x = np.linspace(low - 0.05 * width, high + 0.05 * width, _POINTS)
    values, errors = spectrum.density.density(x, _WIDTH * width)
    ax.fill_between(
        x, values - 2 * errors, values + 2 * errors, color=DATA, alpha=0.45, linewidth=0, label="± 2 errors"
    )
    ax.plot(x, values, color=DATA, linewidth=1.2, label="density of the bulk")
    left, right = spectrum.edges
    t = np.linspace(left, right, _POINTS)
    ax.plot(t, np.asarray(spectrum.law.density(t)), color=THEORY, linewidth=1.2, label="semicircle")
    ends = np.concatenate([spectrum.top, spectrum.bottom])
    outside = np.isin(ends, [o.eigenvalue for o in spectrum.outliers])
    ax.plot(ends[~outside], np.zeros((~outside).sum()), "|", color=DATA, markersize=8, clip_on=False)
    ax.plot(
        ends[outside],
        np.zeros(outside.sum()),
        "v",
        color=LIMIT,
        markersize=5,
        clip_on=False,
        label="outliers",
    )
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("eigenvalue")
    ax.set_ylabel("density")
    ax.legend(fontsize=7)
    name = f"{spectrum.name}: ".replace("$", r"\$") if spectrum.name else ""
    ax.set_title(f"{name}size {spectrum.dimension}, {spectrum.rank} outliers", fontsize=9, loc="left")
    return figure
