"""Figures of one-hidden-layer networks: norms against C, spectra of blocks, other inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, LIMIT, THEORY, panels

__all__ = ["norms_against_classes", "spectra", "surviving_statements"]


def norms_against_classes(
    measured: Sequence[Mapping[str, float]],
    curve: Sequence[Mapping[str, float]],
    limits: Mapping[str, float],
    printed: Mapping[str, float],
) -> Figure:
    """`dong` Figure 9: ‖H₁₁‖²/d, C‖H₁₂‖²/d and the ratio of means, with theory at finite C and both limits."""
    figure, axes = panels(3, height=3.1)
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
        ax.set_xscale("log")
        ax.set_xlabel("number of classes $C$")
        ax.set_ylabel(label)
    named = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    # Below the panels, since curves and bands fill them.
    figure.legend(
        list(named.values()), list(named), loc="outside lower center", ncols=3, fontsize=7, frameon=False
    )
    return figure


def spectra(items: Sequence[Mapping[str, Any]]) -> Figure:
    """Histograms of block eigenvalues with the density of their limit law; ``note`` gives the atom at zero."""
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
        ax.set_ylabel("density")
        ax.locator_params(axis="x", nbins=5)
        ax.legend(fontsize=7, frameon=False)
    return figure


def surviving_statements(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Intervals of the limits at other inputs: left, relative differences of norms; right, distances of spectra.

    Each row has ``law``, ``quantity`` ("law" for the spectrum), ``low``, ``high`` (None where that end is infinite)
    and ``verdict``. Grey: differences that count as none; dotted line: infinite end.
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
            if row["low"] is None or row["high"] is None:  # the interval is the whole line
                ax.axvline(place, color=colours[index % 4], linestyle=":", linewidth=1.2)
                continue
            colour, sure = colours[index % 4], row["verdict"] == "CONFIRMED"
            # An interval has no best value: a bar without a marker, dashed where the verdict is INCONCLUSIVE.
            ax.plot(
                [place, place], [row["low"], row["high"]], color=colour, linewidth=3 if sure else 1.5,
                linestyle="-" if sure else ":", solid_capstyle="butt", marker="_", markersize=7,
            )  # fmt: skip
    for index, law in enumerate(laws):
        if any(row["law"] == law and row["quantity"] != "law" for row in rows):
            axes[0].plot([], [], color=colours[index % 4], linewidth=3, label=law)
    axes[0].plot([], [], color="0.4", linewidth=1.5, linestyle=":", label="dotted: open")
    axes[0].axhline(0.0, color="0.6", linewidth=0.8)
    axes[0].set_xticks(range(len(names)), [f"${name.replace('_', '_{')}}}$" for name in names])
    axes[0].set_ylabel("limit of (norm - Gaussian norm) / theory", fontsize=8)
    figure.legend(fontsize=7, frameon=False, loc="outside lower left", ncols=5)
    axes[0].set_ylim(-0.09, 0.085)
    axes[1].set_xticks(range(len(laws)), laws, fontsize=7)
    axes[1].set_ylabel(r"$10^4\times$ limit of squared distance", fontsize=8)
    axes[1].set_ylim(-2e-5, 4.6e-4)
    axes[1].set_xlim(-0.5, len(laws) - 0.5)
    axes[1].yaxis.set_major_formatter(lambda value, position: f"{1e4 * value:g}")
    for ax, title in zip(axes, ("norms, (27) and (29)", "spectrum of $H_{11}$, Proposition 2"), strict=True):
        ax.set_title(title, fontsize=9)
    return figure
