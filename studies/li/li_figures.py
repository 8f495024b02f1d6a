"""Figures of the studies of li: spectra on a symmetric-log axis, counts of correlations, scaling at initialisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from figures.ticks import plain_ticks
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rmtsim.plots._style import CYCLE, DATA, LIMIT, SIGNED, THEORY, panels, shades


def symmetric_log(
    ax: Axes, spectra: Mapping[str, Sequence[float]], weights: Mapping[str, Sequence[float]] | None = None
) -> None:
    """Share of eigenvalues in bins that are even on a symmetric-log axis; the legend gives the share next to zero.

    With ``weights`` the numbers are nodes of a quadrature rule.
    """
    largest = max(float(np.abs(values).max()) for values in spectra.values())
    if largest == 0:
        return
    smallest = 1e-6 * largest
    side = np.geomspace(smallest, largest * 1.01, 25)
    edges = np.concatenate([-side[::-1], side])
    for colour, (name, raw) in zip(shades(len(spectra)), spectra.items(), strict=True):
        values = np.asarray(raw)
        each = np.full(len(values), 1 / len(values)) if weights is None else np.asarray(weights[name])
        counts, _ = np.histogram(values, edges, weights=each)
        shown = np.where(counts > 0, counts, np.nan)
        middle = len(side) - 1
        label = f"{name} ({shown[middle] if counts[middle] else 0:.0%} near 0)"
        shown[middle] = np.nan
        ax.stairs(shown, edges, color=colour, linewidth=1.1, label=label)
    ax.set_xscale("symlog", linthresh=smallest)
    ticks = [
        10.0**k for k in range(int(np.ceil(np.log10(smallest))), int(np.floor(np.log10(largest))) + 1, 2)
    ]
    ax.set_xticks([-t for t in ticks[::-1]] + ticks)
    ax.tick_params(axis="x", labelrotation=60)
    ax.minorticks_off()
    ax.set_yscale("log")
    ax.set_xlabel("eigenvalue of H")
    ax.set_ylabel("share of eigenvalues")
    # Room for the legend above the densities.
    ax.set_ylim(top=30 * ax.get_ylim()[1])
    ax.legend(fontsize=6, frameon=False, loc="upper center", ncol=2, columnspacing=0.8, handlelength=1.2)


def training(results: Mapping[str, Any]) -> Figure:
    """One column a data set: spectra, loss and accuracy, correlations at start and end, exponents."""
    figure, axes = panels(len(results), 5, width=3.6, height=3.0)
    for column, (name, result) in enumerate(results.items()):
        stages, curve = result["stages"], result["curve"]
        place = axes[column :: len(results)]
        chosen = stages[:: max(1, len(stages) // 4)]
        chosen = chosen if chosen[-1] is stages[-1] else [*chosen, stages[-1]]
        symmetric_log(place[0], {f"epoch {stage['epoch']}": stage["eigenvalues"] for stage in chosen})
        place[0].set_title(f"{name}: N = {stages[0]['N']}", fontsize=9)
        epochs = [point["epoch"] for point in curve]
        place[1].plot(epochs, [point["loss"] for point in curve], color=THEORY, label="training loss")
        for key, colour in (("training accuracy", DATA), ("test accuracy", LIMIT)):
            place[1].plot(epochs, [point[key] for point in curve], color=colour, label=key)
        place[1].set_xlabel("epoch")
        place[1].set_ylim(0, 1.25)
        place[1].legend(fontsize=7, frameon=False, loc="center right")
        alive = [stage for stage in stages if stage["moving"] >= 0.05] or stages
        for ax, stage in ((place[2], alive[0]), (place[3], alive[-1])):
            image = ax.imshow(
                np.asarray(stage["matrix"]), vmin=-1, vmax=1, cmap=SIGNED, interpolation="nearest"
            )
            ax.grid(False)
            ax.set_title(f"epoch {stage['epoch']}: {stage['moving']:.0%} of entries move", fontsize=9)
        bar = figure.colorbar(image, ax=place[3], location="bottom", shrink=0.6, label="correlation")
        bar.ax.tick_params(labelsize=7)
        at = [stage["epoch"] for stage in stages]
        for kind, colour in zip(("correlation", "skewness", "kurtosis"), CYCLE, strict=False):
            for base, style in (("N_b", "o-"), ("N", "s--")):
                key = f"{kind} exponent of {base}"
                middle, low, high = (
                    np.array([np.nan if stage[key + end] is None else stage[key + end] for stage in stages])
                    for end in ("", " low", " high")
                )
                place[4].plot(at, middle, style, color=colour, markersize=3, label=f"{kind}, of {base}")
                place[4].fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0)
        place[4].axhline(0.5, color="0.4", linewidth=0.8, linestyle="--")
        place[4].annotate("Condition 3.1", (at[-1], 0.5), fontsize=7, ha="right", va="bottom")
        place[4].set_xlabel("epoch")
        place[4].set_title("exponent of the count per entry", fontsize=9)
    handles, labels = axes[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    return figure


def initialisation(data: Mapping[str, Any]) -> Figure:
    """Spectra for three c, gradient norms against c, losses and step sizes."""
    figure, axes = panels(2, 2, width=3.6, height=3.0)
    symmetric_log(axes[0], {f"c = {float(c):g}": values for c, values in data["spectra"].items()})
    rows = data["rows"]
    x = [row["factor"] for row in rows]
    axes[1].plot(x, [row["formula"] for row in rows], color=THEORY, label="E‖∇T‖²/‖x‖², exact")
    axes[1].errorbar(
        x,
        [row["single"] for row in rows],
        [2 * row["single error"] for row in rows],
        fmt="o",
        color=DATA,
        markersize=3,
        label="‖∇T‖²/‖x‖², one input",
    )
    axes[1].plot(x, [row["risk"] for row in rows], "s--", color=LIMIT, markersize=3, label="‖∇R‖², mean")
    axes[1].plot(
        x, [row["risk deviation"] for row in rows], "x", color="0.4", markersize=4, label="‖∇R‖², deviation"
    )
    axes[1].set_xscale("log", base=2)
    axes[1].set_yscale("log")
    axes[1].set_xlabel("c")
    axes[1].legend(fontsize=7, frameon=False)
    _descents(axes[2], axes[3], data["runs"])
    return figure


def _descents(losses: Axes, sizes: Axes, runs: Mapping[str, Any]) -> None:
    for colour, (name, run) in zip(CYCLE, runs.items(), strict=False):
        for ax, key in ((losses, "loss"), (sizes, "step")):
            ax.plot(range(1, len(run[key]) + 1), run[key], color=colour, linewidth=1.2, label=name)
    for ax, label in ((losses, "training loss"), (sizes, "step size")):
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel("step")
        ax.set_ylabel(label)
    sizes.legend(fontsize=7, frameon=False)


def paper_networks(data: Mapping[str, Any]) -> Figure:
    """LeNet and VGG in training (spectra, curves); below, the VGG at initialisation for three c."""
    figure, axes = panels(4, 2, width=3.6, height=3.0)
    for column, (name, result) in enumerate(data["results"].items()):
        stages = {f"epoch {stage['epoch']}": stage for stage in result["stages"]}
        ax, beside = axes[2 * column], axes[2 * column + 1]
        _rules(ax, stages)
        ax.set_title(f"{name}: N = {result['stages'][0]['N']}", fontsize=9)
        epochs = [point["epoch"] for point in result["curve"]]
        for key, colour in (("loss", THEORY), ("training accuracy", DATA), ("test accuracy", LIMIT)):
            label = "training loss" if key == "loss" else key
            beside.plot(epochs, [point[key] for point in result["curve"]], color=colour, label=label)
        beside.set_xlabel("epoch")
        beside.legend(fontsize=7, frameon=False)
    _rules(axes[4], data["spectra"])
    axes[4].set_title("VGG at initialisation", fontsize=9)
    rows = data["rows"]
    x = np.array([row["factor"] for row in rows])
    norms = np.array([row["risk"] for row in rows])
    axes[5].plot(x, norms, "s", color=LIMIT, markersize=3, label="‖∇R‖², mean")
    deviations = [row["risk deviation"] for row in rows]
    axes[5].plot(x, deviations, "x", color="0.4", markersize=4, label="‖∇R‖², deviation")
    axes[5].plot(x, norms[0] * (x / x[0]) ** 11, color=THEORY, linewidth=1.0, label=r"$\propto c^{11}$")
    axes[5].set_xscale("log", base=2)
    axes[5].set_yscale("log")
    axes[5].set_xlabel("c")
    axes[5].legend(fontsize=7, frameon=False)
    _descents(axes[6], axes[7], data["runs"])
    return figure


def _rules(ax: Axes, spectra: Mapping[str, Any]) -> None:
    nodes = {name: found["nodes"] for name, found in spectra.items()}
    symmetric_log(ax, nodes, {name: found["weights"] for name, found in spectra.items()})


def beside_the_law(curves: Sequence[Mapping[str, Any]]) -> Figure:
    """Smoothed densities of a network with more and more samples, and of its Matrix Dyson law."""
    figure, axes = panels(len(curves), width=3.6)
    for ax, curve in zip(axes, curves, strict=True):
        found_at = curve["networks"]
        for colour, (ratio, found) in zip(shades(len(found_at)), found_at.items(), strict=True):
            label = "network, m = n" if int(ratio) == 1 else f"network, m = {ratio}n"
            ax.plot(curve["grid"], found, color=colour, linewidth=1.6, label=label)
        ax.plot(
            curve["grid"], curve["law"], color=THEORY, linewidth=1.2, linestyle="--", label="Matrix Dyson law"
        )
        ax.set_yscale("log")
        ax.set_title(f"L = {curve['layers']}, N = {curve['parameters']}", fontsize=9)
        ax.set_xlabel("eigenvalue of H over its deviation")
    axes[0].set_ylabel("density, smoothed")
    axes[-1].legend(fontsize=7, frameon=False)
    return figure


def symmetry_against_width(rows: Sequence[Mapping[str, Any]], slopes: Sequence[Mapping[str, Any]]) -> Figure:
    """Three measures of asymmetry against width (rows), a line per depth; random weights, random data (columns)."""
    figure, grid = panels(2, width=3.4, rows=3)
    depths = sorted({row["layers"] for row in rows})
    modes = {"weights": "weights and data drawn anew", "data": "weights kept, data drawn anew"}
    names = {
        "mirror": r"$\sum|\lambda_i + \lambda_{N+1-i}|\;/\;\sum|\lambda_i|$",
        "half": "|share of negative − ½|",
        "skewness": r"$|\mathrm{tr}\,H^3/N|\;/\;(\mathrm{tr}\,H^2/N)^{3/2}$",
    }
    for (name, words), axes in zip(names.items(), np.reshape(grid, (3, 2)), strict=True):
        for ax, mode in zip(axes, modes, strict=True):
            for colour, layers in zip(CYCLE, depths, strict=False):
                own = [row for row in rows if row["mode"] == mode and row["layers"] == layers]
                fitted = [
                    each
                    for each in slopes
                    if (each["measure"], each["mode"], each["layers"]) == (name, mode, layers)
                ]
                if not fitted:
                    ax.plot([], [], color=colour, label=f"L = {layers}: zero to rounding")
                    continue
                slope = f"{fitted[0]['slope']:+.2f} ± {fitted[0]['error']:.2f}"
                ax.errorbar(
                    [row["width"] for row in own], [row[name] for row in own], [row[f"{name} error"] for row in own],
                    fmt="o-", color=colour, markersize=3, linewidth=1, capsize=2, label=f"L = {layers}: slope {slope}",
                )  # fmt: skip
            ax.set_xscale("log", base=2)
            ax.xaxis.set_major_formatter("{x:g}")
            ax.set_yscale("log")
            plain_ticks(ax.yaxis)
            ax.set_xlabel("width n")
            falling = name != "skewness"
            if not falling:  # room for the legend below nearly flat curves
                ax.set_ylim(bottom=ax.get_ylim()[0] / 5)
            ax.legend(fontsize=6.5, frameon=False, loc="upper right" if falling else "lower left")
        axes[0].set_ylabel(words)
    for ax, title in zip(grid[:2], modes.values(), strict=True):
        ax.set_title(title, fontsize=9)
    return figure
