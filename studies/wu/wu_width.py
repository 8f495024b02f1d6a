"""Overlaps of top eigenspaces of wu's output and layer Hessians against the width: limits one and 0.829."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.wu.simulation.eigenspaces import row_space
from rmtsim.papers.wu.simulation.two_layer import draw_instance, draw_instances
from rmtsim.papers.wu.theory.limits import row_space_overlap

NAME = "wu_width"
NAMES = ("S1 S2", "S1 rows", "S1 activation", "V1 V2", "M gap", "H gap")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--widths", type=harness.positive_integer, nargs="+", default=[32, 64, 125, 250, 500, 1000]
    )
    parser.add_argument("--networks", type=harness.positive_integer, default=16, help="networks per width")
    parser.add_argument(
        "--inputs", type=harness.positive_integer, default=400, help="inputs for the overlaps"
    )
    parser.add_argument("--alpha", type=float, default=0.3)
    parser.add_argument("--classes", type=harness.positive_integer, nargs="+", default=[4, 10])
    parser.add_argument(
        "--layer-gap", type=harness.positive_integer, default=250, help="largest width for the gap of H"
    )
    parser.add_argument("--seed", type=int, default=0)


def one_network(arguments: argparse.Namespace, classes: int, width: int, index: int) -> dict[str, float]:
    """All numbers of one network; gaps on inputs of their own, twice as many as units."""
    rng = stream(arguments.seed, NAME, {"alpha": arguments.alpha, "classes": classes}, width, index)
    instance = draw_instance(width, arguments.alpha, classes, arguments.inputs, rng)
    first, second = (row_space(instance.weights * half.active[-1].mean(axis=0)) for half in instance.halves)
    measured = {
        "S1 S2": instance.corrected(instance.output_space, instance.independent_space),
        "S1 rows": instance.corrected(instance.output_space, (instance.rows, instance.rows)),
        "S1 activation": instance.corrected(instance.output_space, (first, second)),
        "V1 V2": instance.layer_overlap(),
    }
    with_layer = width <= arguments.layer_gap
    (wide,) = draw_instances(width, arguments.alpha, classes, 2 * width, 1, rng, inner=with_layer)
    measured["M gap"] = wide.output_gap()
    if with_layer:
        measured["H gap"] = wide.layer_gap()
    return measured


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for classes in arguments.classes:
        for width in arguments.widths:
            begin = time.perf_counter()
            values: dict[str, list[float]] = {}
            for index in range(arguments.networks):
                for name, value in one_network(arguments, classes, width, index).items():
                    values.setdefault(name, []).append(value)
            row: dict[str, Any] = {"width": width, "classes": classes}
            for name in NAMES:
                numbers = values.get(name)
                low, median, high = np.quantile(numbers, (0.1, 0.5, 0.9)) if numbers else (None,) * 3
                row |= {f"{name} low": low, f"{name} median": median, f"{name} high": high}
                row[f"{name} mean"] = float(np.mean(numbers)) if numbers else None
            rows.append(row)
            medians = ", ".join(f"{name} {row[f'{name} median']:.4f}" for name in values)
            seconds = (time.perf_counter() - begin) / arguments.networks
            print(f"c = {classes}, n = {width}: {medians} ({seconds:.2f} s a network)", flush=True)
    return {"rows": rows, "limit": row_space_overlap(), "alpha": arguments.alpha}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_figures import width

    from rmtsim.plots._style import save

    save(width(data["rows"], data["limit"], alpha=data["alpha"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
