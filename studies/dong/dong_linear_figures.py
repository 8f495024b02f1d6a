"""Figures of the linear softmax model: block norms against the number of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, LIMIT, OUTLIER, THEORY, panels

__all__ = ["block_norms_against_classes", "ratio_decay"]


def block_norms_against_classes(
    measured: Sequence[Mapping[str, float]], curve: Sequence[Mapping[str, float]], limits: Mapping[str, float]
) -> Figure:
    """Three panels: C²‖H₁₁‖²/d, C⁴‖H₁₂‖²/d and their ratio; blocks, the limit of growing d at finite C, C → ∞."""
    figure, axes = panels(3)
    titles = (
        ("diagonal", r"$\frac{C^2}{d}\,\|H_{11}\|_F^2$", False),
        ("offdiagonal", r"$\frac{C^4}{d}\,\|H_{12}\|_F^2$", False),
        ("ratio", r"$\|H_{12}\|_F^2\,/\,\|H_{11}\|_F^2$", True),
    )
    for ax, (name, label, logarithmic) in zip(axes, titles, strict=True):
        classes = [row["classes"] for row in measured]
        middle = [row[name] for row in measured]
        low, high = ([row[f"{name}_{end}"] for row in measured] for end in ("low", "high"))
        ax.fill_between(classes, low, high, color=DATA, alpha=0.15, linewidth=0, label="models, 5-95 %")
        ax.plot(
            [row["classes"] for row in curve],
            [row[name] for row in curve],
            color=THEORY,
            label=r"theory, $d\to\infty$ at finite $C$",
        )
        ax.errorbar(
            classes, middle, yerr=[2 * row[f"{name}_error"] for row in measured], fmt="o", color=DATA,
            markersize=3, capsize=2, linewidth=1, label="mean, ± 2 s.e.",
        )  # fmt: skip
        if f"{name}_printed" in measured[0]:
            printed = [row[f"{name}_printed"] for row in measured]
            ax.plot(
                classes, printed, "x:", color=OUTLIER, markersize=4, label="as (22), (23) print it: no square"
            )
            ax.set_ylim(0, 1.9 * limits[name])
        if logarithmic:
            ends = (min(classes), max(classes))
            ax.plot(
                ends, [limits[name] / c**2 for c in ends], "--", color=LIMIT, label=r"limit $\times\, C^{-2}$"
            )
            ax.set_yscale("log")
        else:
            ax.axhline(limits[name], linestyle="--", color=LIMIT, label=r"limit, $C\to\infty$")
        ax.set_xscale("log")
        ax.set_xlabel("number of classes $C$")
        ax.set_ylabel(label)
    handles, labels = axes[0].get_legend_handles_labels()
    extra = axes[2].get_legend_handles_labels()
    known = [(h, n) for h, n in zip(*extra, strict=True) if n not in labels]
    handles += [h for h, _ in known]
    labels += [n for _, n in known]
    # Below the panels, since curves and bands fill them.
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=7, frameon=False)
    return figure


def ratio_decay(
    measured: Sequence[Mapping[str, float]], curve: Sequence[Mapping[str, float]], limit: float, **shape: Any
) -> Figure:
    """Two panels: the ratio out to the largest C with its C⁻² asymptote, and C² times it against the limit."""
    figure, axes = panels(2, width=3.8)
    classes = [row["classes"] for row in measured]
    for ax, power in zip(axes, (0, 2), strict=True):
        ax.plot(
            [row["classes"] for row in curve],
            [row["ratio"] * row["classes"] ** power for row in curve],
            color=THEORY,
            label=r"theory, $d\to\infty$ at finite $C$",
        )
        ax.errorbar(
            classes,
            [row["ratio"] * row["classes"] ** power for row in measured],
            yerr=[2 * row["ratio_error"] * row["classes"] ** power for row in measured],
            fmt="o", color=DATA, markersize=3, capsize=2, linewidth=1, label=r"simulation, $\pm 2$ s.e.",
        )  # fmt: skip
        ax.plot(
            [classes[0], classes[-1]],
            [limit * c ** (power - 2) for c in (classes[0], classes[-1])],
            "--",
            color=LIMIT,
            label=r"$\frac{\gamma e^2+1}{\gamma e+1}\,C^{-2}$"
            if power == 0
            else r"$\frac{\gamma e^2+1}{\gamma e+1}$",
        )
        ax.set_xscale("log")
        ax.set_xlabel("number of classes $C$")
        ax.legend(fontsize=7, frameon=False, loc="lower left" if power == 0 else "lower right")
    axes[0].set_yscale("log")
    axes[0].set_ylabel(r"mean $\|H_{ij}\|_F^2$ / mean $\|H_{ii}\|_F^2$")
    axes[1].set_ylabel(r"$C^2\times$ the ratio")
    axes[1].set_ylim(bottom=0)
    figure.suptitle(", ".join(f"${name} = {value}$" for name, value in shape.items()), fontsize=9)
    return figure
