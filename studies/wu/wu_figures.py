"""Figures of the ``wu`` studies; each takes measured rows and returns a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import CYCLE, DATA, LIMIT, OUTLIER, SEQUENTIAL, THEORY, panels

__all__ = ["bounds", "correspondence", "digits", "models", "spectrum", "width"]

_FOURTH = CYCLE[6]
Row = Mapping[str, Any]


def _band(
    ax: Any, rows: Sequence[Row], name: str, colour: str, label: str, marker: str = "o", line: str = "-"
) -> None:
    """Medians with a 10–90 % band, where the quantity was measured."""
    rows = [row for row in rows if row[f"{name} median"] is not None]
    x = [row["width"] for row in rows]
    middle, low, high = (
        np.array([row[f"{name} {part}"] for row in rows]) for part in ("median", "low", "high")
    )
    ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    ax.plot(x, middle, line, marker=marker, markersize=3.5, linewidth=1.2, color=colour, label=label)


def _deficit(
    ax: Any, rows: Sequence[Row], name: str, colour: str, label: str, marker: str, line: str
) -> None:
    """One minus the mean overlap; not drawn where noise raises the mean above one."""
    x = np.array([row["width"] for row in rows], dtype=float)
    values = 1 - np.array([row[f"{name} mean"] for row in rows])
    keep = values > 0
    ax.plot(
        x[keep], values[keep], line, marker=marker, markersize=3.5, linewidth=1.2, color=colour, label=label
    )


def width(rows: Sequence[Row], limit: float, *, alpha: float) -> Figure:
    """Overlaps and eigengaps against the hidden width, one line style per number of classes."""
    figure, (left, middle, right) = panels(3, width=3.1)
    counts = sorted({int(row["classes"]) for row in rows})
    shades = {"M gap": (DATA, "o", "output Hessian M"), "H gap": (LIMIT, "s", "layer Hessian H")}
    for count, line, colour in zip(counts, ("-", "--", ":"), (THEORY, OUTLIER, _FOURTH), strict=False):
        own = [row for row in rows if row["classes"] == count]
        for name, shade, marker, label in (
            ("S1 S2", DATA, "o", "M and M*"),
            ("S1 activation", OUTLIER, "^", "M and {ΠWᵀv}"),
            ("V1 V2", LIMIT, "s", "H and M ⊗ E[xxᵀ]"),
        ):
            _deficit(left, own, name, shade, label if count == counts[0] else "", marker, line)
        _band(middle, own, "S1 rows", colour, f"c = {count}", "D", line)
        for name, (shade, marker, label) in shades.items():
            _band(right, own, name, shade, label if count == counts[0] else "", marker, line)
    widths = np.array(sorted({row["width"] for row in rows}), dtype=float)
    left.plot(widths, 3e-4 * widths[0] / widths, color="0.4", linewidth=0.9, linestyle=":", label="∝ 1/n")
    left.set(xscale="log", yscale="log", xlabel="hidden width n", ylabel="1 − overlap of top c−1 spaces")
    styles = ", ".join(
        f"{word} c = {c}" for word, c in zip(("solid", "dashed", "dotted"), counts, strict=False)
    )
    left.set_title(f"α = {alpha}; {styles}", fontsize=9)
    middle.axhline(limit, color="0.3", linewidth=0.9, linestyle=":")
    middle.annotate(f"{limit:.3f}", (widths[-1], limit), (-22, -12), textcoords="offset points", fontsize=8)
    middle.set(xscale="log", ylim=(0.7, 1.0), xlabel="hidden width n", ylabel="overlap, M and row span of W")
    middle.set_title("printed limit 1, true limit 1/(4q)", fontsize=9)
    right.plot(widths, widths[0] / widths, color="0.4", linewidth=0.9, linestyle=":", label="∝ 1/n")
    right.set(xscale="log", yscale="log", xlabel="hidden width n", ylabel=r"$\lambda_c/\lambda_{c-1}$")
    right.set_title("eigengap (medians, 10–90 % bands)", fontsize=9)
    for ax in (left, middle, right):
        ax.set_xticks(widths, [f"{value:g}" for value in widths])
        ax.minorticks_off()
        ax.legend(fontsize=7, frameon=False, loc="lower left" if ax is right else "upper right")
    return figure


def spectrum(
    series: Mapping[str, Sequence[float]],
    outliers: int,
    theory: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
) -> Figure:
    """Leading eigenvalues, one panel per matrix, the first ``outliers`` marked, with their law over weights."""
    figure, axes = panels(2, -(-len(series) // 2), height=2.5, width=3.6)
    for ax in axes[len(series) :]:
        ax.set_visible(False)
    for ax, (name, values) in zip(axes, series.items(), strict=False):
        index = np.arange(1, len(values) + 1)
        numbers = np.asarray(values)
        ax.vlines(index, 0, numbers, color="0.8", linewidth=1)
        ax.plot(
            index[:outliers],
            numbers[:outliers],
            "o",
            color=THEORY,
            markersize=3.5,
            label=f"first c−1 = {outliers}",
        )
        ax.plot(index[outliers:], numbers[outliers:], "o", color=DATA, markersize=2.5)
        law = (theory or {}).get(name)
        if law is not None:
            low, middle, high = (np.asarray(law[part]) for part in ("low", "median", "high"))
            ax.errorbar(
                index[:outliers],
                middle,
                (middle - low, high - middle),
                fmt="_",
                color="black",
                markersize=7,
                elinewidth=0.9,
                label="theory: median, 10–90 %",
            )
        ax.set(xlabel="index", ylabel="eigenvalue", ylim=(0, None))
        ax.set_title(name, fontsize=9)
    axes[0].legend(fontsize=7, frameon=False)
    return figure


def correspondence(matrices: Mapping[str, Sequence[Sequence[float]]]) -> Figure:
    """Heat maps of correspondence matrices (Definition F.1), four of them in two rows."""
    figure, axes = panels(2, 2, height=2.9)
    for ax, (name, values) in zip(axes, matrices.items(), strict=True):
        ax.grid(False)
        image = ax.imshow(
            np.asarray(values),
            vmin=0,
            vmax=1,
            cmap=SEQUENTIAL,
            aspect="auto",
            interpolation="nearest",
            extent=(0.5, len(values[0]) + 0.5, len(values) + 0.5, 0.5),
        )
        ax.set_title(name, fontsize=9)
        ticks = [1, *range(5, max(len(values), len(values[0])) + 1, 5)]
        ax.set_xticks([tick for tick in ticks if tick <= len(values[0])])
        ax.set_yticks([tick for tick in ticks if tick <= len(values)])
        ax.set(xlabel="eigenvector $h_j$ of the matrix, $j$", ylabel="eigenvector of the factor, $i$")
    figure.colorbar(image, ax=list(axes), shrink=0.8, label="correspondence")
    return figure


def models(rows: Sequence[Row], output: int) -> Figure:
    """Overlap of two models' top-k layer eigenspaces against k, rectified and centred inputs."""
    figure, (ax,) = panels(1, width=4.4, height=3.0)
    k = np.array([row["k"] for row in rows])
    for name, colour, label in (
        ("rectified", DATA, "rectified inputs"),
        ("centred", OUTLIER, "centred inputs"),
    ):
        mean = np.array([row[name] for row in rows])
        error = np.array([row[f"{name} error"] for row in rows])
        ax.fill_between(k, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.2, linewidth=0)
        ax.plot(k, mean, color=colour, linewidth=1.3, label=label)
    inside = k <= output
    ax.plot(
        k[inside], k[inside] / output, color=THEORY, linestyle="--", linewidth=1, label="k/m (Theorem G.1)"
    )
    ax.axvline(output, color="0.5", linewidth=0.8, linestyle=":")
    ax.annotate("m", (output, 0.02), (3, 0), textcoords="offset points", fontsize=8, color="0.3")
    ax.set(
        xlabel="dimension k of the top eigenspaces",
        ylabel="overlap of two independent models",
        ylim=(0, 1.02),
    )
    ax.legend(fontsize=8, frameon=False)
    return figure


def digits(data: Mapping[str, Any]) -> Figure:
    """A network on digits, untrained and trained: eigenvalues, H against Kronecker, closed forms of M's space."""
    figure, (left, middle, right) = panels(3, width=3.1)
    for name, colour in (("minimum", DATA), ("initialisation", LIMIT)):
        entry = data[name]
        scale = entry["true eigenvalues"][0]
        index = np.arange(1, len(entry["true eigenvalues"]) + 1)
        left.plot(
            index,
            np.array(entry["true eigenvalues"]) / scale,
            color=colour,
            linewidth=1.3,
            label=f"{name}, H",
        )
        left.plot(
            index,
            np.array(entry["kronecker eigenvalues"]) / scale,
            color=colour,
            linewidth=1,
            linestyle="--",
            label=f"{name}, E[M] ⊗ E[xxᵀ]",
        )
        middle.plot(
            np.arange(1, len(entry["overlap"]) + 1), entry["overlap"], color=colour, linewidth=1.3, label=name
        )
    left.axvline(data["classes"] - 1, color="0.5", linewidth=0.8, linestyle=":")
    left.set(xlabel="index", ylabel="eigenvalue / largest", yscale="log")
    left.set_title("first layer's Hessian", fontsize=9)
    left.legend(fontsize=6.5, frameon=False)
    middle.axvline(data["classes"] - 1, color="0.5", linewidth=0.8, linestyle=":")
    middle.set(xlabel="k", ylabel="overlap, H against Kronecker", ylim=(0, 1.02))
    middle.set_title("top-k eigenspaces", fontsize=9)
    middle.legend(fontsize=7, frameon=False)
    names = list(data["closed forms"])
    position = np.arange(len(names))
    for shift, stage, colour in ((-0.2, "initialisation", LIMIT), (0.2, "minimum", DATA)):
        right.bar(
            position + shift,
            [data["closed forms"][name][stage] for name in names],
            0.38,
            color=colour,
            label=stage,
        )
    right.set_xticks(position, names, fontsize=7)
    right.set(ylabel="overlap, M's top c−1 space", ylim=(0, 1.25))
    right.set_title("closed forms", fontsize=9)
    right.legend(fontsize=7, frameon=False)
    return figure


def bounds(rows: Sequence[Row], deviations: Mapping[str, Sequence[float]]) -> Figure:
    """PAC-Bayes bounds per seed and method, and posterior deviations ordered by the Kronecker eigenvalue."""
    figure, (left, right) = panels(2)
    methods = (("base", DATA), ("approximate", _FOURTH), ("iterative", THEORY))
    for index, (name, colour) in enumerate(methods):
        x = np.arange(len(rows)) + 0.26 * (index - 1)
        left.bar(x, [row[f"{name} bound"] for row in rows], 0.24, color=colour, label=f"bound, {name}")
        left.plot(x, [row[f"{name} train"] for row in rows], "_", color="black", markersize=8)
    left.plot(
        np.arange(len(rows)),
        [row["test"] for row in rows],
        "kx",
        markersize=5,
        label="test error of the network",
    )
    left.plot([], [], "_", color="black", label="training error of the posterior")
    left.set_xticks(np.arange(len(rows)), [str(row["seed"]) for row in rows])
    left.set(xlabel="seed", ylabel="error")
    left.set_ylim(0, 1.45 * max(row[f"{name} bound"] for row in rows for name, _ in methods))
    left.legend(fontsize=6, frameon=False, loc="upper left", ncol=2, columnspacing=0.8, handletextpad=0.4)
    left.set_title("PAC-Bayes bounds on digits", fontsize=9)
    window = 25
    for name, colour in methods[1:]:
        values = np.asarray(deviations[name])
        smooth = np.exp(np.convolve(np.log(values), np.ones(window) / window, mode="valid"))
        right.plot(np.arange(1, len(values) + 1), values, ".", color=colour, markersize=1.5, alpha=0.35)
        middle = np.arange(window // 2 + 1, window // 2 + 1 + len(smooth))
        right.plot(middle, smooth, color=colour, linewidth=1.3, label=name)
    right.set(
        xlabel="direction (decreasing eigenvalue)", ylabel="posterior deviation", xscale="log", yscale="log"
    )
    right.set_title(f"first layer (lines: means over {window} directions)", fontsize=9)
    right.legend(fontsize=7, frameon=False)
    ticks = (0.01, 0.03, 0.1, 0.3, 1.0)
    inside = [tick for tick in ticks if right.get_ylim()[0] <= tick <= right.get_ylim()[1]]
    right.set_yticks(inside, [f"{tick:g}" for tick in inside])
    right.tick_params(axis="y", which="minor", labelleft=False)
    return figure
