"""Energies of the parts of a Hessian along training: a band over seeds, absolute and as shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from figures.ticks import plain_ticks
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rmtsim.plots._style import DATA, LIMIT, OUTLIER, THEORY, panels

__all__ = ["energies_along_training"]

Point = Mapping[str, float]
Curve = tuple[str, str, str, Callable[[Point], float]]
"""Label, colour, line, and what is drawn of a point."""


def _whole(point: Point) -> float:
    layers = ("ww_diagonal", "ww_offdiagonal", "vv_diagonal", "vv_offdiagonal")
    return sum(point[name] for name in layers) + 2 * (point["stripes"] + point["rest"])


def _share(part: str, other: str) -> Callable[[Point], float]:
    return lambda point: point[part] / (point[part] + point[other])


_ENERGIES: tuple[Curve, ...] = (
    (r"$H_{ww}$, diagonal blocks", DATA, "-", lambda point: point["ww_diagonal"]),
    (r"$H_{ww}$, the others", DATA, ":", lambda point: point["ww_offdiagonal"]),
    (r"$H_{vv}$, diagonal blocks", THEORY, "-", lambda point: point["vv_diagonal"]),
    (r"$H_{vv}$, the others", THEORY, ":", lambda point: point["vv_offdiagonal"]),
    (r"$H_{wv}$, stripes", LIMIT, "-", lambda point: point["stripes"]),
    (r"$H_{wv}$, the rest", LIMIT, ":", lambda point: point["rest"]),
)
_STATIC: tuple[Curve, ...] = (
    (r"off-diagonal in $H_{ww}$", DATA, ":", _share("ww_offdiagonal", "ww_diagonal")),
    (r"off-diagonal in $H_{vv}$", THEORY, ":", _share("vv_offdiagonal", "vv_diagonal")),
)
_DYNAMIC: tuple[Curve, ...] = (
    (r"stripes of $H_{wv}$ in $H$", LIMIT, "-", lambda point: 2 * point["stripes"] / _whole(point)),
    (r"rest of $H_{wv}$ in $H$", LIMIT, ":", lambda point: 2 * point["rest"] / _whole(point)),
)
_LOSS: tuple[Curve, ...] = (("loss", OUTLIER, "-", lambda point: point["loss"]),)
_ROWS = (
    ("training loss", _LOSS),
    ("energy (squared Frobenius norm)", _ENERGIES),
    ("share of the layer's energy", _STATIC),
    ("share of the whole energy", _DYNAMIC),
)


def energies_along_training(runs: Mapping[str, Sequence[Sequence[Point]]]) -> Figure:
    """A column for each loss: loss, absolute energies of six parts, static and dynamic shares, against the step.

    ``runs`` has the points of every seed; lines are the first seed's (it has the most points), bands go from the least
    to the largest seed. The axis of steps is logarithmic from the first measured one and linear below it.
    """
    figure, axes = panels(len(runs), len(_ROWS), width=3.6, height=2.35)
    grid = axes.reshape(len(_ROWS), len(runs))
    for column, (name, seeds) in enumerate(runs.items()):
        for ax, (label, curves) in zip(grid[:, column], _ROWS, strict=True):
            for curve in curves:
                _curve(ax, curve, seeds)
            ax.set_yscale("log")
            _steps_axis(ax, np.array([point["step"] for point in seeds[0]], dtype=np.float64))
            if column == 0:
                ax.set_ylabel(label, fontsize=8)
        plain_ticks(grid[0, column].yaxis)
        grid[0, column].set_title("square loss" if name == "MSE" else "cross-entropy", fontsize=9)
        grid[-1, column].set_xlabel("training step")
    for row, (_, curves) in enumerate(_ROWS[1:], start=1):
        low = min(ax.get_ylim()[0] for ax in grid[row])
        high = max(ax.get_ylim()[1] for ax in grid[row])
        for ax in grid[row]:
            ax.set_ylim(max(low, 1e-10), high)
            plain_ticks(ax.yaxis)
        handles, labels = grid[row, -1].get_legend_handles_labels()
        # Outside the column of the cross-entropy, whose curves fill the panel.
        grid[row, -1].legend(
            handles[: len(curves)], labels, fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5)
        )  # fmt: skip
    return figure


def _curve(ax: Axes, curve: Curve, seeds: Sequence[Sequence[Point]]) -> None:
    label, colour, line, value = curve
    steps = [point["step"] for point in seeds[0]]
    ax.plot(
        steps, [value(point) or np.nan for point in seeds[0]], line, color=colour, linewidth=1.3, label=label
    )
    tables = [{point["step"]: value(point) for point in seed} for seed in seeds]
    common = sorted(set.intersection(*(set(table) for table in tables)))
    values: NDArray[np.float64] = np.array([[table[step] for step in common] for table in tables])
    if len(seeds) > 1 and (values > 0).all():
        ax.fill_between(common, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.2, linewidth=0)


def _steps_axis(ax: Axes, at: NDArray[np.float64]) -> None:
    ax.set_xscale("symlog", linthresh=float(at[at > 0].min()), linscale=0.4)
    ax.set_xlim(left=0, right=1.2 * at.max())
    first, last = np.log10(at[at > 0].min()), np.log10(at.max())
    decades = np.arange(np.ceil(first - 0.01), np.floor(last + 0.01) + 1).astype(int)
    ax.set_xticks([0.0, *(10.0**decades)], ["0", *(f"$10^{{{power}}}$" for power in decades)])
    ax.tick_params(which="both", labelsize=8)
