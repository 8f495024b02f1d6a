"""The figure of a verdict: values against size, the admissible models' band, prediction and tolerance."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.claims._model import value_words
from rmtsim.plots._style import DATA, LIMIT, THEORY, panels
from rmtsim.plots._symbols import quantity_symbol
from rmtsim.verdicts._results import ClaimResult, PointResult
from rmtsim.verdicts._words.numbers import standing_and_evidence

_LARGEST = 6
"""Panels at most: the deciding point first."""
_LINE = 26
"""Letters in a line of the name of a vertical axis."""
_TICK_DISTANCE = 0.12
"""Smallest distance of two ticks, as a share of the axis."""


def verdict_figure(result: ClaimResult) -> Figure:
    """One panel per parameter point (at most six).

    Dots are means with two standard errors, squares computed values; the band is spanned by all admissible
    finite-size models; the bracket beyond it is the interval for the limit; the strip is prediction ± tolerance. Of a
    bound or an identity, dots are the most extreme values at each size, and the line is what they must not cross.
    """
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
        elif point.quantity in ("extreme value", "relative error"):
            _extremes(ax, result, point)
        else:
            _limit(ax, result, point)
        ax.set_title(_panel_title(point), fontsize=8, loc="left")
        ax.set_xlabel(result.size_name)
        _size_ticks(ax, point.sizes)
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


def _size_ticks(ax: Any, sizes: Sequence[int]) -> None:
    """Ticks at the measured sizes, as whole numbers, as far as they have room; the largest has precedence."""
    low, high = np.log(ax.get_xlim())
    shown: list[int] = []
    for size in reversed(sizes):
        if not shown or math.log(shown[-1] / size) > _TICK_DISTANCE * (high - low):
            shown.append(size)
    ax.set_xticks(shown, [_size_words(size) for size in shown])
    ax.set_xticks([], minor=True)


def _size_words(size: int) -> str:
    r"""A size as the label of a tick.

    >>> _size_words(2048), _size_words(10**6), _size_words(250_000)
    ('2048', '$10^{6}$', '$2.5\\cdot 10^{5}$')
    """
    if size < 100_000:
        return str(size)
    power = int(math.log10(size) + 1e-9)
    factor = f"{size / 10**power:.3g}"
    return f"$10^{{{power}}}$" if factor == "1" else rf"${factor}\cdot 10^{{{power}}}$"


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
            ncols=2 * columns,
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
    name = quantity_symbol(result)
    ax.set_ylabel(_wrapped(f"{name}, scaled" if point.quantity == "amplitude" else name))


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
    ax.set_ylabel(_wrapped(f"|{quantity_symbol(result)}|"))


def _extremes(ax, result: ClaimResult, point: PointResult) -> None:  # type: ignore[no-untyped-def]
    """Most extreme values of a bound or largest errors of an identity, with what they must not cross."""
    error = point.quantity == "relative error"
    sizes, values = np.array(point.sizes, dtype=float), np.array(point.values, dtype=float)
    sizes, values = sizes[np.isfinite(values)], values[np.isfinite(values)]
    allowed = point.tolerance if error else point.predicted
    if error:
        ax.set_yscale("log")
        values = np.maximum(values, 1e-17)
    ax.plot(
        sizes,
        values,
        "o",
        color=DATA,
        markersize=3.5,
        label="largest error" if error else "most extreme value",
    )
    if allowed is not None:
        ax.axhline(
            allowed, color=LIMIT, linestyle="--", linewidth=1, label="allowed" if error else "stated bound"
        )
    ax.set_ylabel("relative error" if error else _wrapped(quantity_symbol(result)))


def _wrapped(name: str) -> str:
    """A name in lines that fit the height of a panel."""
    return "\n".join(textwrap.wrap(name, _LINE, break_long_words=False, break_on_hyphens=False))
