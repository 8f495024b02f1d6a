"""Growth of cost with size: fitted exponents beside theory, and the figure, from the data of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import SIDES, Row, exponent

THEORY = {
    "block energies, N = d = C": ("size", 3.0, "matrix products of n×n matrices"),
    "Hessian-vector product": ("parameters", 1.0, "a few operations for each weight and sample"),
    "density at 200 points": ("atoms", 1.0, "one sum over the atoms for each point"),
    "largest eigenvalue, tridiagonal": ("size", 1.0, "Sturm counts"),
    "sampler of Theorem 1, C = 10": ("d = N", 3.0, "the Gram matrix"),
    "M and M* of `wu`, 1000 inputs": ("width n", 2.3, "n·n^1.3 weights and pre-activations"),
}
"""Of each figure: what is on its horizontal axis, the exponent for large sizes, and the step that dominates there."""


def series(rows: Sequence[Row], results: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Results by figure, in order of size."""
    known = {result["name"]: result for result in results if "default" in result or "one" in result}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row.series is not None and row.name in known:
            found.setdefault(row.series[0], []).append(known[row.name])
    return {name: sorted(each, key=lambda one: one["size"]) for name, each in found.items() if len(each) > 2}


def table(rows: Sequence[Row], results: Sequence[Mapping[str, Any]]) -> str:
    """Fitted exponents of rmtsim's time, default threads and one, beside theory."""
    lines = [
        "| task | sizes | exponent, default threads | one thread | for large sizes | dominant step |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in series(rows, results).items():
        axis, theory, step = THEORY[name]
        sizes = [one["size"] for one in found]
        fits = [
            exponent(sizes, [one[threads]["rmtsim"][0] for one in found]) for threads in ("default", "one")
        ]
        cells = " | ".join(f"{slope:.2f} ± {error:.2f}" for slope, error in fits)
        span = " … ".join(f"{size:,.0f}".replace(",", " ") for size in (sizes[0], sizes[-1]))
        lines.append(f"| {name} | {axis} {span} | {cells} | {theory:g} | {step} |")
    return "\n".join(lines)


def draw(rows: Sequence[Row], data: Mapping[str, Any], path: Path) -> None:
    """One log–log panel for each task: seconds with one thread, and rmtsim with default threads."""
    from rmtsim.plots._style import DATA, LIMIT, OUTLIER, panels, save

    found = series(rows, data["rows"])
    words = {row.name: row for row in rows}
    figure, axes = panels(3, -(-len(found) // 3), width=3.8, height=3.2)
    for ax in axes[len(found) :]:
        ax.set_axis_off()
    for ax, (name, results) in zip(axes, found.items(), strict=False):
        sizes, row = [one["size"] for one in results], words[results[0]["name"]]
        labels = ("rmtsim", row.alternative.split(",")[0].replace("`", ""), row.floor)
        for side, label, colour, style in zip(
            SIDES, labels, (DATA, OUTLIER, LIMIT), ("o-", "s--", "^:"), strict=True
        ):
            if side in results[0]["one"]:
                seconds = [one["one"][side][0] for one in results]
                slope, error = exponent(sizes, seconds)
                ax.loglog(
                    sizes,
                    seconds,
                    style,
                    color=colour,
                    label=f"{label}: {slope:.2f} ± {error:.2f}",
                    markersize=4,
                )
        ax.loglog(
            sizes,
            [one["default"]["rmtsim"][0] for one in results],
            "o",
            mfc="none",
            color=DATA,
            label="rmtsim, default threads",
        )
        axis, theory, _ = THEORY[name]
        ax.set_title(f"{name.replace('`', '')}\n(theory: {theory:g})", fontsize=8)
        ax.set(xlabel=axis, ylabel="seconds")
        ax.minorticks_off()
        ax.legend(fontsize=6, frameon=False, loc="upper left")
        low, high = ax.get_ylim()
        ax.set_ylim(low, high * (high / low) ** 0.45)
    save(figure, path)
