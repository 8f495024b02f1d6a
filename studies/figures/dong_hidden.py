"""Figures of one-hidden-layer networks: heat maps of |Hessian|, energies along training, norms against C, spectra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from rmtsim.plots.style import DATA, LIMIT, THEORY, panels

__all__ = [
    "energies_along_training",
    "heat_maps",
    "norms_against_classes",
    "reduce_by_maximum",
    "reduce_hessian",
    "spectra",
    "surviving_statements",
]

_DECADES = 3.5
"""Entries this many powers of ten below the largest are shown as zero."""


def reduce_by_maximum(matrix: ArrayLike, size: int = 240) -> NDArray[np.float64]:
    """|matrix| at most ``size`` × ``size``, each pixel the largest entry it covers: thin stripes stay visible.

    >>> reduce_by_maximum(np.diag([1.0, -2.0, 3.0, 4.0]), 2)
    array([[2., 0.],
           [0., 4.]])
    """
    values = np.abs(np.asarray(matrix, dtype=np.float64))
    for axis in (0, 1):
        count = values.shape[axis]
        if count > size:
            starts = np.linspace(0, count, size, endpoint=False).astype(int)
            values = np.maximum.reduceat(values, starts, axis=axis)
    return values


def reduce_hessian(
    matrix: ArrayLike, dimension: int, hidden: int, classes: int, groups: int = 16
) -> NDArray[np.float64]:
    """|Hessian| of (w_1, …, w_m, v_1, …, v_C) with input coordinates and classes joined into ``groups`` each.

    A pixel is the largest of the entries it covers, and entries of different neurons never share one: the stripes of
    H_wv, one column in m, stay apart from each other however many classes there are.

    >>> reduce_hessian(np.diag(np.arange(1.0, 11.0)), 2, 2, 3, groups=1)
    array([[ 2.,  0.,  0.,  0.],
           [ 0.,  4.,  0.,  0.],
           [ 0.,  0.,  9.,  0.],
           [ 0.,  0.,  0., 10.]])
    """
    values = np.asarray(matrix, dtype=np.float64)
    size = hidden * (dimension + classes)
    if values.shape != (size, size):
        raise ValueError(
            f"matrix of shape {values.shape}: expected {(size, size)} for hidden={hidden}, dimension={dimension}, "
            f"classes={classes}"
        )
    wide, high = min(groups, dimension), min(groups, classes)
    neuron, place = np.divmod(np.arange(hidden * dimension), dimension)
    which, inside = np.divmod(np.arange(classes * hidden), hidden)
    pixels = np.concatenate(
        [neuron * wide + place * wide // dimension, hidden * wide + which * high // classes * hidden + inside]
    )
    count = hidden * (wide + high)
    # One pixel row at a time: a copy of 8000 × 8000 entries would cost more than the picture.
    bands = np.stack([np.abs(values[pixels == pixel]).max(axis=0) for pixel in range(count)])
    return np.stack([bands[:, pixels == pixel].max(axis=1) for pixel in range(count)], axis=1)


def heat_maps(
    maps: Sequence[Mapping[str, Any]], columns: int, *, rows: Sequence[str] = (), width: float = 2.1
) -> Figure:
    """A grid of heat maps, colour logarithmic in steps of a quarter decade, 3.5 decades below each map's largest entry.

    Each map has ``image`` (non-negative), ``title`` and optionally ``border``, the share of rows of the first layer.
    """
    from matplotlib import colormaps

    count = -(-len(maps) // columns)
    figure, axes = panels(columns, count, width=width, height=width + 0.15)
    colours = colormaps["magma"].resampled(round(4 * _DECADES))
    image = None
    for ax in axes[len(maps) :]:
        ax.set_visible(False)
    for index, (ax, item) in enumerate(zip(axes, maps, strict=False)):
        values = np.asarray(item["image"], dtype=np.float64)
        top = float(values.max()) or 1.0
        shown = np.log10(np.maximum(values / top, 10.0**-_DECADES))
        image = ax.imshow(shown, cmap=colours, vmin=-_DECADES, vmax=0, interpolation="nearest")
        ax.grid(False)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[["top", "right"]].set_visible(True)
        ax.set_title(item["title"], fontsize=8)
        if "border" in item:
            place = item["border"] * values.shape[0] - 0.5
            ax.axhline(place, color="white", linewidth=0.7)
            ax.axvline(place, color="white", linewidth=0.7)
            middle = [place / 2, (place + values.shape[0] - 0.5) / 2]
            if index >= len(maps) - columns:
                ax.set_xticks(middle, ["$w$", "$v$"], fontsize=8)
            if index % columns == 0:
                ax.set_yticks(middle, ["$w$", "$v$"], fontsize=8)
            ax.tick_params(length=0)
        if rows and index % columns == 0:
            ax.set_ylabel(rows[index // columns], fontsize=9)
    if image is not None:
        bar = figure.colorbar(image, ax=list(axes), shrink=0.6, pad=0.01)
        bar.set_label(r"$\log_{10}\;|H| \,/\, \max|H|$", fontsize=8)
        bar.ax.tick_params(labelsize=7)
    return figure


_SHARES = (
    (("ww_off", r"$H_{ww}$, off-diagonal", DATA, "o"), ("vv_off", r"$H_{vv}$, off-diagonal", THEORY, "s")),
    (("stripe", r"$H_{wv}$, stripes", LIMIT, "o"), ("rest", r"$H_{wv}$, rest", "0.45", "s")),
)
"""Curves of the two right panels: key, label, colour, marker."""


def energies_along_training(runs: Mapping[str, Sequence[Mapping[str, float]]], steps: int) -> Figure:
    """Three panels per loss: the loss, off-diagonal shares within layers, cross-layer shares of the whole.

    Training steps are drawn on a logarithmic axis from the first measured one, with the start in a linear foot: most
    of what happens happens in the first tenth.
    """
    figure, axes = panels(3, len(runs), height=2.4)
    titles = ("training loss", "static: share of the layer's energy", "dynamic: share of the whole energy")
    for row, (name, points) in enumerate(runs.items()):
        at = np.array([point["fraction"] for point in points]) * steps
        left, *others = axes[3 * row : 3 * row + 3]
        left.plot(at, [point["loss"] for point in points], "o-", color=DATA, markersize=2.5)
        left.set_yscale("log")
        left.set_ylabel("square loss" if name == "MSE" else "cross-entropy")
        losses = [point["loss"] for point in points]
        left.yaxis.set_minor_formatter("{x:g}" if max(losses) < 3 * min(losses) else "")
        left.yaxis.set_major_formatter("{x:g}")
        for ax, curves in zip(others, _SHARES, strict=True):
            for key, label, colour, marker in curves:
                values = [point[key] for point in points]
                if any(values):
                    ax.plot(at, values, marker + "-", color=colour, markersize=2.5, label=label)
                else:
                    ax.plot([], [], color=colour, label=f"{label}: exactly zero")
            ax.set_yscale("log")
            smallest = min(point[key] for point in points for key, *_ in curves if point[key] > 0)
            ax.set_ylim(top=1.3, bottom=min(1e-5, max(smallest / 3, 1e-9)))
            ax.legend(fontsize=7, frameon=False)
        for ax, title in zip((left, *others), titles, strict=True):
            ax.set_xscale("symlog", linthresh=float(at[at > 0].min()), linscale=0.4)
            ax.set_xlim(left=0, right=1.2 * steps)
            first, last = np.log10(at[at > 0].min()), np.log10(steps)
            decades = np.arange(np.ceil(first - 0.01), np.floor(last + 0.01) + 1).astype(int)
            ax.set_xticks([0.0, *(10.0**decades)], ["0", *(f"$10^{{{power}}}$" for power in decades)])
            ax.tick_params(which="both", labelsize=8)
            if row == len(runs) - 1:
                ax.set_xlabel("training step")
            if row == 0:
                ax.set_title(title, fontsize=9)
    return figure


def norms_against_classes(
    measured: Sequence[Mapping[str, float]],
    curve: Sequence[Mapping[str, float]],
    limits: Mapping[str, float],
    printed: Mapping[str, float],
) -> Figure:
    """`dong` Figure 9: ‖H₁₁‖²/d, C‖H₁₂‖²/d and the ratio of means, with theory at finite C and both limits."""
    figure, axes = panels(3)
    labels = {
        "diagonal": r"$\frac{1}{d}\,\|\partial^2\ell/\partial w_1\partial w_1\|_F^2$",
        "offdiagonal": r"$\frac{C}{d}\,\|\partial^2\ell/\partial w_1\partial w_2\|_F^2$",
        "ratio": "ratio of mean squared norms",
    }
    for ax, (name, label) in zip(axes, labels.items(), strict=True):
        classes = [row["classes"] for row in measured]
        ax.plot(
            [row["classes"] for row in curve],
            [row[name] for row in curve],
            color=THEORY,
            label=r"theory, $d\to\infty$ at finite $C$",
        )
        if f"{name}_error" in curve[0]:
            low, high = ([row[name] + sign * 2 * row[f"{name}_error"] for row in curve] for sign in (-1, 1))
            ax.fill_between(
                [row["classes"] for row in curve], low, high, color=THEORY, alpha=0.2, linewidth=0
            )
        if f"{name}_low" in measured[0]:
            low, high = ([row[f"{name}_{end}"] for row in measured] for end in ("low", "high"))
            ax.fill_between(classes, low, high, color=DATA, alpha=0.15, linewidth=0, label="networks, 5-95 %")
        ax.errorbar(
            classes, [row[name] for row in measured], yerr=[2 * row[f"{name}_error"] for row in measured], fmt="o",
            color=DATA, markersize=3, capsize=2, linewidth=1, label="networks, ± 2 s.e.",
        )  # fmt: skip
        if name in limits:
            ax.axhline(limits[name], linestyle="--", color=LIMIT, label=r"limit, $C\to\infty$")
            ax.set_ylim(bottom=0)
        if name in printed:
            ax.axhline(printed[name], linestyle=":", color="0.3", label="limit as printed")
        if name == "ratio":
            ends = (min(classes), max(classes))
            constant = limits["offdiagonal"] / limits["diagonal"]
            ax.plot(
                ends,
                [constant / c for c in ends],
                "--",
                color=LIMIT,
                label="limits of (a), (b): constant / $C$",
            )
            ax.set_yscale("log")
        ax.set_title(f"({'abc'[list(labels).index(name)]})", loc="left", fontsize=9)
        ax.set_xscale("log")
        ax.set_xlabel("number of classes $C$")
        ax.set_ylabel(label)
        ax.legend(fontsize=7, frameon=False)
    return figure


def spectra(items: Sequence[Mapping[str, Any]]) -> Figure:
    """Histograms of block eigenvalues with the density of their limit law; ``note`` tells the atom at zero."""
    figure, axes = panels(2, -(-len(items) // 2))
    for ax, item in zip(axes, items, strict=False):
        values = np.asarray(item["eigenvalues"])
        nonzero = values[np.abs(values) > 1e-9 * np.abs(values).max()]
        ax.hist(
            nonzero,
            bins=40,
            weights=np.full(nonzero.size, 1 / values.size / ((nonzero.max() - nonzero.min()) / 40)),
            color=DATA,
            alpha=0.55,
            label="eigenvalues",
        )
        ax.plot(item["x"], item["density"], color=THEORY, linewidth=1.2, label="limit law")
        height = np.sort(np.asarray(item["density"]))
        ax.set_ylim(0, 1.6 * float(height[int(0.97 * height.size)]) + 1e-12)
        ax.set_title(item["title"], fontsize=9)
        ax.set_xlabel("eigenvalue")
        ax.legend(fontsize=7, frameon=False)
    return figure


def surviving_statements(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Intervals of the limits at other inputs: left, relative differences of norms; right, distances of spectra.

    Each row has ``law``, ``quantity`` ("law" for the spectrum), ``low``, ``high`` (None where that end is open) and
    ``verdict``; the grey zones are what counts as no difference, and a dotted line an interval without an end.
    """
    figure, axes = panels(2, width=3.6, height=2.6)
    laws = list(dict.fromkeys(row["law"] for row in rows))
    names = [name for name in dict.fromkeys(row["quantity"] for row in rows) if name != "law"]
    colours = (DATA, THEORY, LIMIT, "0.4")
    for ax, zone in zip(axes, ((-0.05, 0.05), (0.0, 4e-4)), strict=True):
        ax.axhspan(*zone, color="0.9", linewidth=0)
    for index, law in enumerate(laws):
        for row in (row for row in rows if row["law"] == law):
            spectrum = row["quantity"] == "law"
            ax = axes[1] if spectrum else axes[0]
            place = index if spectrum else names.index(row["quantity"]) + 0.18 * (index - 1)
            if (
                row["low"] is None or row["high"] is None
            ):  # nothing is known yet: the interval is the whole line
                ax.axvline(place, color=colours[index % 4], linestyle=":", linewidth=1.2)
                continue
            colour, sure = colours[index % 4], row["verdict"] == "CONFIRMED"
            # An interval has no best value inside: a bar without a marker, dashed where the verdict is open.
            ax.plot(
                [place, place], [row["low"], row["high"]], color=colour, linewidth=3 if sure else 1.5,
                linestyle="-" if sure else ":", solid_capstyle="butt", marker="_", markersize=7,
            )  # fmt: skip
    for index, law in enumerate(laws):
        if any(row["law"] == law and row["quantity"] != "law" for row in rows):
            axes[0].plot([], [], color=colours[index % 4], linewidth=3, label=law)
    axes[0].axhline(0.0, color="0.6", linewidth=0.8)
    axes[0].set_xticks(range(len(names)), [f"${name.replace('_', '_{')}}}$" for name in names])
    axes[0].set_ylabel("limit of (norm - Gaussian norm) / theory", fontsize=8)
    axes[0].legend(fontsize=7, frameon=False, loc="lower left", ncols=3)
    axes[0].set_ylim(-0.09, 0.085)
    axes[1].set_xticks(range(len(laws)), laws, fontsize=7)
    axes[1].set_ylabel(r"$10^4\;\times$ limit of squared distance to the law", fontsize=8)
    axes[1].set_ylim(-2e-5, 4.6e-4)
    axes[1].set_xlim(-0.5, len(laws) - 0.5)
    axes[1].yaxis.set_major_formatter(lambda value, position: f"{1e4 * value:g}")
    for ax, title in zip(axes, ("norms, (27) and (29)", "spectrum of $H_{11}$, Proposition 2"), strict=True):
        ax.set_title(title, fontsize=9)
    return figure
