"""What survives in trained networks: the papers' headlines tested on networks trained on scikit-learn's digits.

Verifies the claims of real_claims.py and draws what they measure against the size. Needs the optional extra "studies".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from matplotlib.ticker import NullFormatter, NullLocator, ScalarFormatter

from rmtsim import verify
from rmtsim.plots._style import CYCLE, panels, save

NAME = "real_networks"
CLAIMS = Path(__file__).with_name("real_claims.py")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", type=float, default=120.0, help="nominal seconds of each point")
    parser.add_argument("--workers", type=harness.positive_integer, default=1)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    results = verify(
        str(CLAIMS),
        budget=arguments.budget,
        seed=arguments.seed,
        executor=arguments.workers,
        store=arguments.out / f"{NAME}.sqlite",
    )
    rows = []
    for result in results:
        found = result.as_json()
        (point,) = found["points"]
        rows.append(
            {
                "claim": found["claim"],
                "statement": found["statement"],
                "verdict": found["verdict"],
                "grade": found["grade"],
                "quantity": found["quantity"],
                "interval": found["interval"],
                **{each: point[each] for each in ("sizes", "values", "standard_errors", "replicates")},
            }
        )
        print(f"{result.verdict} {found['claim']}: {found['quantity']} in {found['interval']}", flush=True)
    return {"rows": rows}


PANELS = {
    "real.dong.ratio": ("classes", "off-diagonal / diagonal energy"),
    "real.wu.decoupling": ("width", "distance to E[M] ⊗ E[xxᵀ]"),
    "real.wu.overlap": ("width", "overlap of eigenspaces"),
    "real.liu": ("width", "relative change of the kernel"),
    "real.li.skewness": ("width", "|skewness| of the eigenvalues"),
    "real.l2l": ("samples", "excess test loss"),
}
"""What a panel shows: claims by the beginning of their ids, the size, the quantity."""


def draw(data: Mapping[str, Any], path: Path) -> None:
    figure, axes = panels(3, 2)
    for ax, (start, (size, quantity)) in zip(axes, PANELS.items(), strict=True):
        shown = [row for row in data["rows"] if row["claim"].startswith(start) and row["sizes"]]
        for row, colour in zip(
            [row for row in shown if not row["claim"].endswith("/corrected")], CYCLE, strict=False
        ):
            name = row["claim"].removeprefix(start).strip(".") or row["claim"]
            errors = 2 * np.array(row["standard_errors"])
            ax.errorbar(
                row["sizes"],
                np.abs(row["values"]),
                errors,
                fmt="o-",
                color=colour,
                markersize=3.5,
                label=name,
            )
        ax.set_xscale("log")
        if "wu" not in start:
            ax.set_yscale("log")
            ax.yaxis.set_minor_formatter(NullFormatter())
        sizes = sorted({each for row in shown for each in row["sizes"]})
        ax.set_xticks(sizes[:: 2 if len(sizes) > 5 else 1], minor=False)
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xlabel(size)
        ax.set_title(quantity, fontsize=9)
        ax.legend(fontsize=7, frameon=False)
    save(figure, path)
    path.with_suffix(".md").write_text(table(data["rows"]), encoding="utf-8")


def table(rows: list[dict[str, Any]]) -> str:
    """Statements with their verdicts, and the values at the smallest and the largest size, in Markdown."""

    def value(row: dict[str, Any], k: int) -> str:
        return f"{row['values'][k]:.3g} ± {row['standard_errors'][k]:.1g} at {row['sizes'][k]}"

    lines = ["| claim | verdict | interval | smallest size | largest size |", "|---|---|---|---|---|"]
    for row in rows:
        ends = ("unbounded" if each is None else f"{each:.3g}" for each in row["interval"] or (None, None))
        values = [value(row, 0), value(row, -1)] if row["sizes"] else ["", ""]
        grade = f", {row['grade']}" if row["grade"] else ""
        interval = f"{row['quantity']} [{', '.join(ends)}]"
        lines.append(f"| `{row['claim']}` | {row['verdict']}{grade} | {interval} | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
