"""How block-diagonal is a language model's last layer? The ratio of `dong` eq. (26) out to C = 131 072 classes.

N = d = 1000 by default. All C(C-1) off-diagonal blocks enter through Gram matrices; none is formed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.curvature._linear_energies import sample_block_energies
from rmtsim.papers.dong.theory import linear as theory

NAME = "dong_ratio_decay"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=harness.positive_integer, default=1000, help="N = d")
    parser.add_argument("--models", type=harness.positive_integer, default=4, help="models drawn per C")
    parser.add_argument(
        "--largest", type=harness.positive_integer, default=131_072, help="largest class count"
    )
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    counts = [c for c in (2 ** np.arange(1, 31)).tolist() if c <= arguments.largest]
    for classes in counts:
        ratios = []
        for index in range(arguments.models):
            rng = stream(arguments.seed, NAME, {"classes": classes}, arguments.size, index)
            energies = sample_block_energies(arguments.size, arguments.size, classes, rng)
            ratios.append(energies.mean_offdiagonal / energies.mean_diagonal)
        error = float(np.std(ratios, ddof=1) / np.sqrt(len(ratios))) if len(ratios) > 1 else 0.0
        rows.append({"classes": classes, "ratio": float(np.mean(ratios)), "ratio_error": error})
        print(
            f"C = {classes}: C² ratio = {rows[-1]['ratio'] * classes**2:.4f} ± {error * classes**2:.4f}",
            flush=True,
        )
    grid = np.unique(np.geomspace(2, counts[-1], 80).round().astype(int)).tolist()
    curve = [{"classes": classes, "ratio": theory.ratio(1.0, classes)} for classes in grid]
    return {"size": arguments.size, "rows": rows, "curve": curve, "limit": theory.ratio_limit(1.0)}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from dong_linear_figures import ratio_decay

    from rmtsim.plots._style import save

    save(ratio_decay(data["rows"], data["curve"], data["limit"], N=data["size"], d=data["size"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
