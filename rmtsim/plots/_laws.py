"""The density of a spectral law, with its atoms and, if given, a measured spectrum behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.laws import SpectralLaw
from rmtsim.plots._style import CYCLE, DATA, LIMIT, OUTLIER, SEQUENTIAL, THEORY, panels

_POINTS = 400


def density_figure(
    law: SpectralLaw, title: str = "", eigenvalues: NDArray[np.float64] | None = None
) -> Figure:
    """Density against x; an atom is an arrow, its mass in the legend.

    >>> from rmtsim.laws import MarchenkoPastur
    >>> figure = density_figure(MarchenkoPastur(0.5), "MP(1/2)")
    >>> figure.axes[0].get_xlabel()
    '$x$'
    """
    figure, (ax,) = panels(1, width=4.6, height=3.0)
    curves = [_curve(law, lower, upper) for lower, upper in law.support]
    top = max((height for _, _, height in curves), default=1.0)
    if eigenvalues is not None:
        _histogram(ax, law, eigenvalues)
    for number, (x, density, _) in enumerate(curves):
        if eigenvalues is None:
            ax.fill_between(x, density, color=THEORY, alpha=0.12, linewidth=0)
        ax.plot(x, density, color=THEORY, linewidth=1.4, label="law" if number == 0 else None)
    for location, mass in law.atoms:
        ax.plot([location, location], [0, 0.93 * top], color=LIMIT, linewidth=1.6, solid_capstyle="butt")
        ax.plot(
            location,
            0.93 * top,
            "^",
            color=LIMIT,
            markersize=6,
            label=f"atom at {location:g}, mass {mass:.4g}",
        )
    ends = [end for interval in law.support for end in interval] + [location for location, _ in law.atoms]
    if eigenvalues is not None and eigenvalues.size:
        # Eigenvalues outside the support are of interest, so they stay in the figure.
        ends += [float(eigenvalues.min()), float(eigenvalues.max())]
    margin = 0.05 * (max(ends) - min(ends)) or 1.0
    ax.set_xlim(min(ends) - margin, max(ends) + margin)
    ax.set_ylim(0, 1.08 * top)
    ax.set_xlabel("$x$")
    ax.set_ylabel("density")
    if title:
        ax.set_title(title, fontsize=9)
    if eigenvalues is not None or law.atoms:
        ax.legend(fontsize=8, frameon=False)
    return figure


def _curve(
    law: SpectralLaw, lower: float, upper: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Points dense at both edges, their density, and the height the picture should give them."""
    angle = np.linspace(0.0, np.pi, _POINTS)
    x = np.clip(lower + (upper - lower) * np.sin(0.5 * angle) ** 2, lower, upper)
    density = np.asarray(law.density(x))
    finite = density[np.isfinite(density)]
    density = np.where(np.isfinite(density), density, finite.max(initial=0.0))
    # A pole of the density would flatten everything else: cut it well above the bulk.
    return x, density, float(min(finite.max(initial=0.0), 5 * np.quantile(finite, 0.6)))


def _histogram(ax: Axes, law: SpectralLaw, eigenvalues: NDArray[np.float64]) -> None:
    """Eigenvalues off the atoms, as a density of the whole spectrum; those beyond the law's reach as marks."""
    scale = float(np.abs(eigenvalues).max())
    off = np.ones(eigenvalues.shape, dtype=bool)
    for location, _ in law.atoms:
        off &= np.abs(eigenvalues - location) > 1e-9 * scale
    kept = eigenvalues[off]
    if not kept.size:
        return
    bulk, beyond = split_at_law(law, kept)
    if bulk.size:
        bins = int(np.clip(np.sqrt(bulk.size) * 2, 10, 80))
        counts, edges = np.histogram(bulk, bins=bins)
        ax.stairs(
            counts / (eigenvalues.size * np.diff(edges)), edges, fill=True, color=DATA, alpha=0.45,
            label=f"{eigenvalues.size} eigenvalues",
        )  # fmt: skip
    if beyond.size:
        mark_outliers(ax, beyond, f"{beyond.size} beyond the law")


def split_at_law(
    law: SpectralLaw, eigenvalues: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues within a tenth of the width of the support, which are binned with the bulk, and the others."""
    if not law.support:
        return eigenvalues, eigenvalues[:0]
    low, high = law.support[0][0], law.support[-1][1]
    reach = 0.1 * (high - low)
    near = (eigenvalues >= low - reach) & (eigenvalues <= high + reach)
    return eigenvalues[near], eigenvalues[~near]


def mark_outliers(ax: Axes, values: NDArray[np.float64], label: str) -> None:
    """A stem for each eigenvalue off the bulk."""
    height = 0.12
    transform = ax.get_xaxis_transform()
    ax.vlines(values, 0, height, transform=transform, color=OUTLIER, linewidth=1.2)
    ax.plot(
        values, np.full(values.shape, height), "v", transform=transform, color=OUTLIER, markersize=5, label=label,
        clip_on=False,
    )  # fmt: skip


_DRAWN = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
_SHOWN = 1e-4
"""Tail mass that a plot of an unbounded law leaves out on each side."""


def draw_law(law: Any, y: str = "pdf", ax: Axes | None = None) -> Axes:
    """Draw a method of a law into axes; a law of complex eigenvalues as a map of its density.

    >>> from rmtsim.laws import TracyWidom
    >>> draw_law(TracyWidom(2), "sf").get_ylabel()
    'sf'
    """
    validate.choice("y", y, _DRAWN, meaning="method to draw")
    if ax is None:
        _, (ax,) = panels(1, width=4.6, height=3.0)
    if not hasattr(law, "cdf"):
        return _draw_plane(law, ax)
    colour = CYCLE[len(ax.lines) % len(CYCLE)]
    label = repr(law) if len(repr(law)) <= 40 else type(law).__name__
    low, high = (float(end) for end in law.support())
    low = low if np.isfinite(low) else float(law.ppf(_SHOWN))
    high = high if np.isfinite(high) else float(law.isf(_SHOWN))
    if y in ("ppf", "isf"):
        x = np.linspace(0.0, 1.0, _POINTS)[1:-1]
        ax.plot(x, getattr(law, y)(x), color=colour, linewidth=1.4, label=label)
    elif y in ("pdf", "logpdf"):
        for number, (lower, upper) in enumerate(law.support):
            x, values, _ = _curve(law, max(lower, low), min(upper, high))
            with np.errstate(divide="ignore"):
                shown = values if y == "pdf" else np.log(np.where(values > 0, values, np.nan))
            ax.plot(x, shown, color=colour, linewidth=1.4, label=label if number == 0 else None)
        for location, mass in law.atoms if y == "pdf" else ():
            ax.annotate(
                "",
                xy=(location, mass),
                xytext=(location, 0.0),
                arrowprops={"arrowstyle": "->", "color": colour},
            )
            ax.plot(location, mass, "^", color=colour, label=f"atom at {location:g}, mass {mass:.4g}")
    else:
        margin = 0.05 * (high - low) or 1.0
        x = np.linspace(low - margin, high + margin, _POINTS)
        values = np.asarray(getattr(law, y)(x))
        ax.plot(x, np.where(np.isfinite(values), values, np.nan), color=colour, linewidth=1.4, label=label)
    ax.set_xlabel("$q$" if y in ("ppf", "isf") else "$x$")
    ax.set_ylabel(y)
    ax.legend(fontsize=8, frameon=False)
    return ax


def _draw_plane(law: Any, ax: Axes) -> Axes:
    along, across = (end if np.isfinite(end) else 1.6 for end in law.support)
    reach = 1.1 * max(along, across)
    line = np.linspace(-reach, reach, 201)
    ax.pcolormesh(line, line, law.pdf(line + 1j * line[:, None]), cmap=SEQUENTIAL, rasterized=True)
    ax.set_aspect("equal")
    ax.set_xlabel("real part")
    ax.set_ylabel("imaginary part")
    return ax
