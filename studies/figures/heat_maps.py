"""Heat maps of |Hessian|: entries joined into pixels, colours logarithmic, relative to each map or in absolute size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from rmtsim.plots._style import SEQUENTIAL, panels

__all__ = ["absolute_heat_maps", "heat_maps", "reduce_by_maximum", "reduce_hessian"]

_DECADES = 3.5
"""Relative maps show entries this many powers of ten below the largest as zero."""


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
    H_wv, one column in m, remain separate for any number of classes.

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


def _map(
    ax: Axes, item: Mapping[str, Any], low: float, high: float, steps: int, *, below: bool, left: bool
) -> Any:
    """log₁₀ of one map between two exponents in ``steps`` colours; parts named below and left of it."""
    from matplotlib import colormaps

    values = np.asarray(item["image"], dtype=np.float64)
    shown = np.log10(np.maximum(values, 10.0**low))
    colours = colormaps[SEQUENTIAL].resampled(steps)
    image = ax.imshow(shown, cmap=colours, vmin=low, vmax=high, interpolation="nearest")
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
        if below:
            ax.set_xticks(middle, ["$w$", "$v$"], fontsize=8)
        if left:
            ax.set_yticks(middle, ["$w$", "$v$"], fontsize=8)
        ax.tick_params(length=0)
    if "blocks" in item:
        count = item["blocks"]
        shown = sorted({1, -(-count // 2), count})
        places = [(place - 0.5) / count * values.shape[0] - 0.5 for place in shown]
        ax.set_xticks(places, [str(place) for place in shown], fontsize=7)
        ax.set_yticks(places, [str(place) for place in shown], fontsize=7)
        ax.tick_params(length=2)
        if below:
            ax.set_xlabel(item["axis"], fontsize=8)
        if left:
            ax.set_ylabel(item["axis"], fontsize=8)
    return image


def heat_maps(maps: Sequence[Mapping[str, Any]], columns: int, *, width: float = 2.1) -> Figure:
    """A grid of heat maps, colour logarithmic in steps of a quarter decade, 3.5 decades below each map's largest entry.

    Each map has ``image`` (non-negative) and ``title``; ``border``, the share of rows of the first layer, names the two
    parts w and v; ``blocks`` and ``axis`` number the blocks.
    """
    count = -(-len(maps) // columns)
    figure, axes = panels(columns, count, width=width, height=width + 0.2)
    image = None
    for ax in axes[len(maps) :]:
        ax.set_visible(False)
    for index, (ax, item) in enumerate(zip(axes, maps, strict=False)):
        values = np.asarray(item["image"], dtype=np.float64)
        relative = {**item, "image": values / (float(values.max()) or 1.0)}
        image = _map(
            ax, relative, -_DECADES, 0.0, round(4 * _DECADES),
            below=index >= len(maps) - columns, left=index % columns == 0,
        )  # fmt: skip
    if image is not None:
        bar = figure.colorbar(image, ax=list(axes), shrink=0.6, pad=0.01)
        bar.set_label(r"$\log_{10}\;|H| \,/\, \max|H|$", fontsize=8)
        bar.ax.tick_params(labelsize=7)
    return figure


def absolute_heat_maps(
    rows: Sequence[Sequence[Mapping[str, Any]]], *, width: float = 2.6, columns: int | None = None
) -> Figure:
    """Rows of heat maps with one colour scale a row, in log₁₀|H| itself, down to the row's smallest visible entries.

    A row's scale runs from its largest entry to the smallest maximum of a part (H_ww, H_wv, H_vv) in any of its maps,
    and two decades below: no part that has entries is black. ``columns`` wraps a row.
    """
    wide = columns or max(len(row) for row in rows)
    lines = [row[start : start + wide] for row in rows for start in range(0, len(row), wide)]
    scales = [_scale(row) for row in rows for _ in range(0, len(row), wide)]
    figure, axes = panels(wide, len(lines), width=width, height=width + 0.2)
    for place, (line, (low, high)) in enumerate(zip(lines, scales, strict=True)):
        own = axes[place * wide : (place + 1) * wide]
        for ax in own[len(line) :]:
            ax.set_visible(False)
        for index, (ax, item) in enumerate(zip(own, line, strict=False)):
            image = _map(ax, item, low, high, round(2 * (high - low)), below=True, left=index == 0)
        bar = figure.colorbar(image, ax=list(own), shrink=0.8, pad=0.01)
        bar.set_label(r"$\log_{10}\;|H|$", fontsize=8)
        bar.ax.tick_params(labelsize=7)
    return figure


def _scale(row: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Whole exponents of ten between which every part of every map of a row is seen."""
    tops, largest = [], 0.0
    for item in row:
        values = np.asarray(item["image"], dtype=np.float64)
        cut = round(item["border"] * values.shape[0])
        tops += [part.max() for part in (values[:cut, :cut], values[:cut, cut:], values[cut:, cut:])]
        largest = max(largest, float(values.max()))
    smallest = min((top for top in tops if top > 0), default=1.0)
    high = float(np.ceil(np.log10(largest or 1.0)))
    return min(float(np.floor(np.log10(smallest)) - 2), high - 4), high
