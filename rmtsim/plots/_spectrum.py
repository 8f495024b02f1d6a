"""A fitted spectrum: histogram of the bulk, law, edges, and every outlier in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rmtsim.plots._laws import mark_outliers
from rmtsim.plots._style import DATA, LIMIT, THEORY, panels

if TYPE_CHECKING:
    from rmtsim.spectra._fitted import Spectrum

_POINTS = 400
_NEAR = 1.5
"""Outliers up to this many widths of the bulk beyond it share its axis; farther ones get one of their own."""


def spectrum_figure(spectrum: Spectrum) -> Figure:
    """The bulk with its law; outliers far beyond it on a second axis.

    >>> from rmtsim import spectrum
    >>> data = np.random.default_rng(0).standard_normal((90, 30))
    >>> figure = spectrum_figure(spectrum(data, name="noise"))
    >>> figure.axes[0].get_xlabel()
    'eigenvalue'
    """
    if spectrum.edges is None:
        return _unfitted_figure(spectrum)
    low, high = spectrum.edges
    width = high - low
    values = np.array([outlier.eigenvalue for outlier in spectrum.outliers])
    far = (values > high + _NEAR * width) | (values < low - _NEAR * width)
    if far.any():
        figure, (ax, side) = panels(2, width=3.2, height=3.0)
        ax.get_gridspec().set_width_ratios([2.2, 1])
        _outlier_panel(side, values[far])
    else:
        figure, (ax,) = panels(1, width=4.6, height=3.0)
    _bulk_panel(ax, spectrum, values[~far])
    ax.set_title(_title(spectrum), fontsize=9, loc="left")
    return figure


def _title(spectrum: Spectrum) -> str:
    name = f"{spectrum.name}: " if spectrum.name else ""
    # A dollar sign in a file's name is no formula.
    name = name.replace("$", r"\$")
    rank = (
        "no rank" if spectrum.rank is None else f"{spectrum.rank} outlier{'' if spectrum.rank == 1 else 's'}"
    )
    fit = "" if spectrum.p_value is None else f", fit p = {spectrum.p_value:.2g}"
    sigma = "no bulk fits" if spectrum.sigma is None else f"σ = {spectrum.sigma:.4g}"
    return f"{name}{sigma}, {rank}{fit}"


def _unfitted_figure(spectrum: Spectrum) -> Figure:
    """Histogram of what lies between the far eigenvalues, these, and the masses."""
    figure, (ax,) = panels(1, width=4.6, height=3.0)
    values = spectrum.bulk
    if values.size and np.ptp(values) > 0:
        bins = int(np.clip(2 * np.sqrt(values.size), 8, 80))
        counts, edges = np.histogram(values, bins=bins)
        ax.stairs(counts, edges, fill=True, color=DATA, alpha=0.45, label=f"{values.size} eigenvalues")
    for number, mass in enumerate(spectrum.masses):
        label = None if number else f"mass{'' if len(spectrum.masses) == 1 else 'es'}"
        ax.axvline(mass.value, color=LIMIT, linewidth=1, linestyle="--", label=label)
    far = np.array([outlier.eigenvalue for outlier in spectrum.outliers])
    if far.size:
        mark_outliers(ax, far, f"{far.size} far eigenvalue{'' if far.size == 1 else 's'}")
        if np.abs(far).max() > 100 * max(float(np.abs(values).max(initial=0.0)), 1e-300):
            ax.set_xscale("symlog", linthresh=float(np.abs(values).max(initial=0.0)) or 1.0)
    ax.set_xlabel("eigenvalue")
    ax.set_ylabel("count")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=7, frameon=False)
    ax.set_title(_title(spectrum), fontsize=9, loc="left")
    return figure


def _bulk_panel(ax: Axes, spectrum: Spectrum, near: NDArray[np.float64]) -> None:
    bulk, law = spectrum.bulk, spectrum.law
    assert law is not None
    assert spectrum.edges is not None
    low, high = spectrum.edges
    bins = int(np.clip(2 * np.sqrt(bulk.size), 8, 80))
    # Bins of the bulk's own width; what lies off the law without being an outlier has bins of the same width.
    width = (high - low) / bins
    first = low - width * np.ceil(max(low - float(bulk.min()), 0.0) / width)
    count = int(np.ceil((max(float(bulk.max()), high) - first) / width + 1e-9))
    count = min(max(count, bins), 400)
    counts, edges = np.histogram(
        bulk, bins=count, range=(first, max(first + count * width, float(bulk.max())))
    )
    # A bin that would reach below zero where nothing can be ends at zero, of a covariance.
    if bulk.min() >= 0 > edges[0]:
        edges[0] = 0.0
    heights = counts / (bulk.size * np.diff(edges))
    ax.stairs(heights, edges, fill=True, color=DATA, alpha=0.45, label=f"bulk, {bulk.size} eigenvalues")
    mass = law.continuous_mass
    top = 0.0
    for number, (left, right) in enumerate(law.support):
        angle = np.linspace(0.0, np.pi, _POINTS)
        x = np.clip(left + (right - left) * np.sin(0.5 * angle) ** 2, left, right)
        density = np.asarray(law.density(x)) / mass
        inside = np.isfinite(density)
        ax.plot(x[inside], density[inside], color=THEORY, linewidth=1.4, label=None if number else "law")
        top = max(top, float(min(density[inside].max(), 5 * np.quantile(density[inside], 0.6))))
    ax.locator_params(axis="x", nbins=7)
    for number, edge in enumerate(spectrum.edges):
        ax.axvline(edge, color=LIMIT, linewidth=1, linestyle="--", label=None if number else "edges")
    if near.size:
        mark_outliers(ax, near, f"{near.size} outlier{'' if near.size == 1 else 's'}")
    ax.set_ylim(0, 1.15 * max(top, float(np.quantile(heights, 0.95))))
    ends = [low, high, float(bulk.min()), float(bulk.max()), *near.tolist()]
    margin = 0.04 * (max(ends) - min(ends))
    ax.set_xlim(min(ends) - margin, max(ends) + margin)
    ax.set_xlabel("eigenvalue")
    ax.set_ylabel("density of the bulk")
    ax.legend(fontsize=7, frameon=False)


def _outlier_panel(ax: Axes, values: NDArray[np.float64]) -> None:
    mark_outliers(ax, values, f"{values.size} far outlier{'' if values.size == 1 else 's'}")
    if values.min() > 0 and values.max() > 30 * values.min():
        ax.set_xscale("log")
        ax.set_xlim(values.min() / 1.5, values.max() * 1.5)
    else:
        margin = 0.15 * (np.ptp(values) or abs(float(values[0])))
        ax.set_xlim(values.min() - margin, values.max() + margin)
        ax.locator_params(axis="x", nbins=3)
    ax.set_ylim(0, 1)
    ax.set_yticks([])
    ax.set_xlabel("eigenvalue, far outliers")
    ax.legend(fontsize=7, frameon=False)


def picture(spectrum: Spectrum, file: BinaryIO) -> None:
    """The figure as PNG for a page; the same spectrum gives the same bytes."""
    spectrum_figure(spectrum).savefig(file, format="png", dpi=110, metadata={"Software": None})
