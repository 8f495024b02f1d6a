"""The figure behind a verdict: values against size, the admissible models' band, prediction and tolerance."""

from __future__ import annotations

import math
import textwrap
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.claims._model import value_words
from rmtsim.plots._style import DATA, LIMIT, THEORY, panels
from rmtsim.verdicts._results import ClaimResult, PointResult
from rmtsim.verdicts._words.standing import standing_and_evidence

__all__ = ["verdict_figure"]

_LARGEST = 6
"""Panels at most: the deciding point first."""


def verdict_figure(result: ClaimResult) -> Figure:
    """One panel per parameter point of a limit, law, probability or rate claim (at most six).

    Dots are means with two standard errors, squares computed values; the band is spanned by all admissible
    finite-size models; the bracket beyond it is the interval for the limit; the strip is prediction ± tolerance.
    """
    if result.kind in ("identity", "bound"):
        raise ValueError(
            f"{result.claim}: a figure shows values against size, and a statement of kind {result.kind} has none"
        )
    points = sorted(
        (point for point in result.points if point.values), key=lambda p: p is not result.deciding
    )
    if not points:
        raise ValueError(f"{result.claim}: nothing was measured, so there is nothing to draw")
    shown = points[:_LARGEST]
    figure, axes = panels(len(shown), width=3.9)
    for ax, point in zip(np.atleast_1d(np.asarray(axes, dtype=object)), shown, strict=True):
        ax.set_xscale("log")
        if point.quantity == "exponent":
            _rate(ax, result, point)
        else:
            _limit(ax, result, point)
        ax.set_title(_panel_title(point), fontsize=8, loc="left")
        ax.set_xlabel(result.size_name)
        if point.quantity == "exponent":  # its labels are this panel's own
            ax.legend(fontsize=7, frameon=False)
    figure.suptitle(
        "\n".join(textwrap.wrap(f"{result.claim}: {standing_and_evidence(result)}", 60 * len(shown))),
        fontsize=9,
        x=0.01,
        ha="left",
    )
    _common_legend(figure, len(shown))
    return figure


def _panel_title(point: PointResult) -> str:
    """Parameters, and the verdict below them."""
    name = ", ".join(f"{key} = {value_words(value)}" for key, value in point.parameters.items())
    slowest = f" (to size$^{{-{point.breakdown:.2g}}}$)" if point.breakdown is not None else ""
    return "\n".join([*textwrap.wrap(name, 55), f"{point.verdict}{slowest}"])


def _common_legend(figure: Figure, columns: int) -> None:
    """One legend below all panels that have none of their own, where it hides no value."""
    entries: dict[str, Any] = {}
    for ax in figure.axes:
        if ax.get_legend() is None:
            handles, labels = ax.get_legend_handles_labels()
            entries |= {label: handle for handle, label in zip(handles, labels, strict=True)}
    if entries:
        figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside lower left",
            ncols=3 * columns,
            fontsize=7,
            frameon=False,
        )


def _dots(ax, result: ClaimResult, sizes, values, errors) -> None:  # type: ignore[no-untyped-def]
    """Values against size: means with their standard errors, or computed numbers, which have none."""
    if result.evidence == "computed":
        ax.plot(sizes, values, "s", color=DATA, markersize=3.5, label="computed")
        return
    bars = [2 * error if math.isfinite(error) else 0.0 for error in errors]
    ax.errorbar(
        sizes, values, yerr=bars, fmt="o", color=DATA, markersize=3, capsize=2, linewidth=1,
        label=r"simulated $\pm 2$ s.e.",
    )  # fmt: skip


def _limit(ax, result: ClaimResult, point: PointResult) -> None:  # type: ignore[no-untyped-def]
    predicted = point.predicted if point.predicted is not None else 0.0
    ax.axhspan(
        predicted - point.tolerance, predicted + point.tolerance, color=LIMIT, alpha=0.15, linewidth=0,
        label=r"prediction $\pm$ tolerance",
    )  # fmt: skip
    ax.axhline(predicted, color=LIMIT, linestyle="--", linewidth=1)
    if point.curve:
        size, low, best, high = np.array(point.curve).T
        ax.fill_between(size, low, high, color=THEORY, alpha=0.25, linewidth=0, label="admissible models")
        ax.plot(size, best, color=THEORY, linewidth=1, label="best model")
    _dots(ax, result, np.array(point.sizes, dtype=float), np.array(point.values), point.errors)
    low_end, high_end = point.interval
    if math.isfinite(low_end) and math.isfinite(high_end):
        place = 14 * point.sizes[-1]
        middle = (low_end + high_end) / 2
        ax.errorbar(
            [place], [middle], yerr=[[middle - low_end], [high_end - middle]], fmt="none", color="black",
            capsize=4, linewidth=1.5, label="interval for the limit",
        )  # fmt: skip
        ax.set_xlim(0.7 * point.sizes[0], 24 * point.sizes[-1])
        ax.annotate(
            "limit", (place, high_end), textcoords="offset points", xytext=(0, 3), ha="center", fontsize=7
        )
    ax.set_ylabel("scaled value" if point.quantity == "amplitude" else "value")


def _rate(ax, result: ClaimResult, point: PointResult) -> None:  # type: ignore[no-untyped-def]
    sizes, values = np.array(point.sizes, dtype=float), np.abs(point.values)
    errors = [min(error, 0.4995 * value) for error, value in zip(point.errors, values, strict=True)]
    _dots(ax, result, sizes, values, errors)
    stated = point.predicted if point.predicted is not None else 0.0
    ax.plot(
        sizes, values[-1] * (sizes / sizes[-1]) ** -stated, "--", color=LIMIT, linewidth=1,
        label=f"stated: size$^{{{-stated:g}}}$",
    )  # fmt: skip
    low, high = point.interval
    if math.isfinite(low) and math.isfinite(high):
        slow, fast = (values[-1] * (sizes / sizes[-1]) ** -end for end in (low, high))
        ax.fill_between(
            sizes, slow, fast, color=THEORY, alpha=0.25, linewidth=0,
            label=f"exponent in [{low:.3g}, {high:.3g}]",
        )  # fmt: skip
    ax.set_yscale("log")
    ax.set_ylabel("|value|")
