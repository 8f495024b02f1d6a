"""Figures of a model's Hessian: the map of block ratios, densities with bands, eigenvalues with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from rmtsim._internal import plain
from rmtsim.plots._style import DATA, LIMIT, SEQUENTIAL, THEORY, panels

if TYPE_CHECKING:
    from rmtsim.hessians import BlockMap, Decoupling, Eigenvalues, HessianSpectrum, Measured, WidthScaling

_NAMED = 24
"""Groups up to which each has its name at the axis."""
_WRITTEN = 10
"""Groups up to which the ratio is written into its cell."""
_POINTS = 300


def _safe(name: str, longest: int = 28) -> str:
    text = plain(name).replace("$", r"\$")
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def block_figure(found: BlockMap, *, population: bool = False) -> Figure:
    """Ratios ‖H_ij‖²/(‖H_ii‖‖H_jj‖) of all pairs as colours, with numbers where there is room."""
    count = len(found.names)
    figure, (ax,) = panels(1, width=4.9 if count <= _NAMED else 4.4, height=4.1)
    if population and found.population is None:
        raise ValueError("population=True: unknown with fewer than three batches")
    energies = found.population if population and found.population is not None else found.energies
    own = np.sqrt(np.maximum(np.diag(energies), 0.0))
    scale = np.outer(own, own)
    ratios = np.divide(energies, scale, out=np.full_like(energies, np.nan), where=scale > 0)
    positive = ratios[np.isfinite(ratios) & (ratios > 0)]
    low = max(float(positive.min()), 1e-6) if positive.size else 1e-3
    low, high = min(low, 0.1), max(1.0, float(positive.max())) if positive.size else 1.0
    shown = np.where(np.isfinite(ratios) & (ratios > 0), ratios, low)
    image = ax.imshow(shown, cmap=SEQUENTIAL, norm=LogNorm(low, high), interpolation="nearest")
    ax.grid(False)
    bar = figure.colorbar(image, ax=ax, shrink=0.85)
    bar.set_label(r"$\|H_{ij}\|^2/(\|H_{ii}\|\,\|H_{jj}\|)$", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    if count <= _NAMED:
        names = [_safe(n, 18) for n in found.names]
        ax.set_xticks(range(count), names, rotation=60, ha="right", fontsize=7)
        ax.set_yticks(range(count), names, fontsize=7)
    else:
        ax.set_xlabel("group")
        ax.set_ylabel("group")
    if count <= _WRITTEN:
        middle = np.sqrt(low * high)
        for i in range(count):
            for j in range(count):
                words = f"{ratios[i, j]:.2g}" if np.isfinite(ratios[i, j]) else "–"
                ax.text(
                    j,
                    i,
                    words,
                    ha="center",
                    va="center",
                    fontsize=6.5,
                    color="black" if shown[i, j] > middle else "white",
                )
    ratio = found.population_ratio if population else found.ratio
    what = "population" if population else "this data set"
    title = f"{what}: off-diagonal/diagonal {ratio.value:.3g}" if ratio is not None else what
    if ratio is not None and ratio.error:
        title += f" [{ratio.low:.3g}, {ratio.high:.3g}]"
    ax.set_title(title, fontsize=8, loc="left")
    return figure


def density_figure(spectrum: HessianSpectrum) -> Figure:
    """Density on a symmetric logarithmic axis with two standard errors."""
    figure, (ax,) = panels(1, width=4.6, height=3.0)
    low, high = spectrum.range
    reach = max(abs(low), abs(high)) or 1.0
    unit = 1e-3 * reach
    ends = np.arcsinh(np.array([low, high]) / unit)
    room = 0.06 * max(ends[1] - ends[0], 1.0)
    grid = np.linspace(ends[0] - room, ends[1] + room, _POINTS)
    width = max((grid[-1] - grid[0]) / 60, 1e-12)
    # Density of arcsinh(λ/unit): smooth in the coordinate of the axis, so that bulk and outliers are both resolved.
    found = [
        spectrum.average(
            lambda t, g=g: (
                np.exp(-0.5 * ((np.arcsinh(t / unit) - g) / width) ** 2) / (width * np.sqrt(2 * np.pi))
            )  # type: ignore[misc]
        )
        for g in grid
    ]
    values, errors = np.array([f.value for f in found]), np.array([f.error for f in found])
    floor = 0.1 / spectrum.size
    ax.fill_between(
        grid,
        np.maximum(values - 2 * errors, floor),
        values + 2 * errors,
        where=values + 2 * errors > floor,
        color=DATA,
        alpha=0.35,
        linewidth=0,
        label="± 2 standard errors",
    )
    ax.plot(grid, np.where(values > floor, values, np.nan), color=DATA, linewidth=1.2, label="density")
    ax.set_yscale("log")
    marks = [s * reach * 10.0**-k for k in (0, 1, 2) for s in (-1, 1)] + [0.0]
    marks = sorted(m for m in marks if low - 0.1 * reach <= m <= high + 0.1 * reach)
    ax.set_xticks(np.arcsinh(np.array(marks) / unit), [f"{m:.2g}" for m in marks])
    ax.set_xlabel("eigenvalue")
    ax.set_ylabel("density of arcsinh(λ/s)")
    ax.legend(fontsize=7)
    kind = "all eigenvalues" if spectrum.exact else f"{len(spectrum.nodes)} probes"
    ax.set_title(
        f"{_safe(spectrum.name)}: {spectrum.size} parameters, {kind}; s = {unit:.2g}", fontsize=8, loc="left"
    )
    return figure


def eigenvalue_figure(*found: Eigenvalues) -> Figure:
    """Eigenvalues of the data set, held out, and intervals for the population; one panel per end."""
    figure, axes = panels(len(found), width=3.6, height=2.8)
    for ax, each in zip(axes, found, strict=True):
        places: Sequence[int] = range(1, len(each.values) + 1)
        if each.population is not None and each.held_out is not None:
            middle = np.array([m.value for m in each.population])
            low = np.array([m.low for m in each.population])
            high = np.array([m.high for m in each.population])
            ax.vlines(places, low, high, color=THEORY, linewidth=3, alpha=0.5, label="population, 95 %")
            ax.plot(places, middle, "_", color=THEORY, markersize=9)
            ax.plot(places, each.held_out, "v", color=LIMIT, markersize=4, label="held out")
        ax.plot(places, each.values, "o", color=DATA, markersize=4, label="this data set")
        ax.set_xticks(list(places))
        ax.set_xlabel("rank")
        ax.set_ylabel("eigenvalue")
        ax.set_title(f"{each.which} eigenvalues of {_safe(each.name)}", fontsize=8, loc="left")
        ax.legend(fontsize=7)
    return figure


def interval_figure(shown: Mapping[str, Measured], title: str = "") -> Figure:
    """Estimates with 95 % intervals, one per row."""
    figure, (ax,) = panels(1, width=4.2, height=0.9 + 0.3 * len(shown))
    for place, each in enumerate(shown.values()):
        ax.plot([each.low, each.high], [place, place], color=THEORY, linewidth=3, alpha=0.5)
        ax.plot(each.value, place, "o", color=DATA, markersize=4)
        ax.annotate(
            str(each), (each.value, place), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=7
        )
    ax.set_yticks(range(len(shown)), [_safe(name) for name in shown], fontsize=8)
    ax.set_ylim(len(shown) - 0.4, -0.9)
    ax.margins(x=0.25)
    ax.set_title(_safe(title, 60), fontsize=8, loc="left")
    return figure


def decoupling_figure(found: Decoupling) -> Figure:
    """Eigenvalues of a layer's Hessian beside those of the Kronecker product."""
    figure, (ax,) = panels(1, width=3.8, height=2.8)
    places = range(1, len(found.values) + 1)
    ax.plot(places, found.values, "o", color=DATA, markersize=4, label="Hessian of the layer")
    ax.plot(places, found.approximate, "x", color=THEORY, markersize=5, label="E[M] ⊗ E[xxᵀ]")
    ax.set_xlabel("rank")
    ax.set_ylabel("eigenvalue")
    ax.set_ylim(bottom=0)
    ax.legend(fontsize=7)
    ax.set_title(f"{_safe(found.layer)}: overlap {found.overlap}", fontsize=8, loc="left")
    return figure


def width_figure(found: WidthScaling) -> Figure:
    """Norms of all draws against the width, with the fitted power."""
    figure, (ax,) = panels(1, width=3.8, height=2.8)
    for width, norms in zip(found.widths, found.norms, strict=True):
        ax.plot([width] * len(norms), norms, "o", color=DATA, markersize=3)
    x = np.array(found.widths, dtype=float)
    middle = np.exp(np.log(found.norms).mean(axis=1))
    line = middle.prod() ** (1 / len(x)) * (x / np.exp(np.log(x).mean())) ** found.exponent.value
    ax.plot(x, line, color=THEORY, linewidth=1, label=f"width^({found.exponent})")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("width")
    ax.set_ylabel("spectral norm of the Hessian of f")
    ax.legend(fontsize=7)
    return figure
