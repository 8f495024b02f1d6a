"""A support that splits: Wigner of variance 1 plus a mean with eigenvalues ± a, through the cusp at a = 1."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.laws.dyson import ensembles as laws
from rmtsim.papers.li.simulation.ensembles import deformed

NAME = "dyson_split"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--size", type=harness.positive_integer, default=800, help="side of the drawn matrices"
    )
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    curves, rows = [], []
    for a in (0.5, 0.9, 1.0, 1.1, 1.5):
        x = np.unique(np.concatenate([np.linspace(-3.6, 3.6, 401), np.linspace(-0.3, 0.3, 121)]))
        density = laws.deformed(a).density(x)
        curves.append({"separation": a, "x": x.tolist(), "density": density.tolist()})
    for a in np.round(np.linspace(0.2, 2.0, 19), 3):
        support = laws.deformed(a).support
        rng = stream(arguments.seed, NAME, {"a": float(a)}, arguments.size, 0)
        spectrum = np.linalg.eigvalsh(deformed(arguments.size, float(a), rng))
        inner = support[1][0] if len(support) == 2 else 0.0
        rows.append(
            {
                "separation": float(a),
                "outer": support[-1][1],
                "inner": inner,
                "bands": len(support),
                "below": float(spectrum[spectrum < 0].max()),
                "above": float(spectrum[spectrum > 0].min()),
                "lowest": float(spectrum[0]),
                "highest": float(spectrum[-1]),
            }
        )
        print(f"a = {a:g}: {len(support)} band(s), gap {2 * inner:.6g}", flush=True)
    return {"curves": curves, "rows": rows, "size": arguments.size}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from figures.dyson import splitting

    from rmtsim.plots._style import save

    rows = [
        {**row, "inner": row["inner"] if row["separation"] >= 1 else float("nan")} for row in data["rows"]
    ]
    save(splitting(data["curves"], rows), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
