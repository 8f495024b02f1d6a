"""Populations from sample eigenvalues: bands, true values and coverage (docs/deconvolution.md).

Bands hold if the whole true population lies in the set over which all intervals are extremes, so that every interval
for every functional holds at once. "explained": the true population passes the test without linearisation. False
outliers: share of spectra without spikes in which ``population="estimate"`` reports one.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from matplotlib.ticker import NullFormatter

from rmtsim import ConvergenceError, spectrum
from rmtsim._internal.randomness import stream
from rmtsim.plots._style import DATA, LIMIT, THEORY, panels, save
from rmtsim.spectra import deconvolve

NAME = "deconvolution"
POPULATIONS = ("one", "two", "three", "toeplitz")
WORDS = {"one": "1", "two": "1, 4", "three": "1, 3, 10", "toeplitz": "Toeplitz, 0.5^|i-j|"}
LEVEL = 0.05


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shapes", nargs="+", default=["100x300", "300x900", "150x100"], metavar="DxN")
    parser.add_argument("--draws", type=harness.positive_integer, default=200)
    parser.add_argument("--searches", type=int, default=100, help="draws in which outliers are looked for")
    parser.add_argument("--seed", type=int, default=0)


def population(name: str, dimension: int) -> np.ndarray:
    """Eigenvalues of the population, ascending; for the Toeplitz matrix those of its symbol."""
    if name == "toeplitz":
        angle = np.pi * (np.arange(dimension) + 0.5) / dimension
        return np.sort(0.75 / (1.25 - np.cos(angle)))
    levels = {"one": [1.0], "two": [1.0, 4.0], "three": [1.0, 3.0, 10.0]}[name]
    return np.sort(np.resize(levels, dimension))


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows, curves = [], []
    for shape in arguments.shapes:
        dimension, samples = map(int, shape.split("x"))
        for name in POPULATIONS:
            truth = population(name, dimension)
            parameters = {"population": name, "samples": samples}
            held, explained, lost, false, searched = 0, 0, 0, 0, 0
            widths: list[float] = []
            for draw in range(arguments.draws):
                rng = stream(arguments.seed, NAME, parameters, dimension, draw)
                data = rng.standard_normal((samples, dimension)) * np.sqrt(truth)
                values = np.linalg.svd(data, compute_uv=False) ** 2 / samples
                try:
                    found = deconvolve(values, samples=samples, dimension=dimension, level=LEVEL)
                except ConvergenceError:
                    lost += 1
                    continue
                held += found.contains(truth)
                explained += found.explains(truth)
                if draw < 20 and found.explained:
                    middle = found.cdf(float(np.sqrt(truth[0] * truth[-1])) * 1.001)
                    widths.append(middle.upper - middle.lower)
                if draw < arguments.searches:
                    searched += 1
                    result = spectrum(values, samples=samples, dimension=dimension, population="estimate")
                    false += bool(result.rank)  # None where no bulk fits
            first = deconvolve(values, samples=samples, dimension=dimension, level=LEVEL)
            rows.append(
                {
                    "population": WORDS[name],
                    "d": dimension,
                    "N": samples,
                    "draws": arguments.draws,
                    "sums": first.sums,
                    "bands hold": held / arguments.draws,
                    "truth explained": explained / arguments.draws,
                    "not converged": lost,
                    "width of the cdf in the middle": float(np.mean(widths)) if widths else None,
                    "false outlier": false / searched if searched else None,
                }
            )
            print(rows[-1], flush=True)
            if shape == arguments.shapes[min(1, len(arguments.shapes) - 1)] and first.explained:
                curves.append({"truth": truth.tolist(), "shape": shape, **first.to_dict(), "name": name})
    return {"rows": rows, "curves": curves}


def draw(data: Mapping[str, Any], path: Path) -> None:
    curves = data["curves"]
    figure, axes = panels(len(curves), width=2.9, height=2.6)
    for ax, curve in zip(axes, curves, strict=True):
        points, lower, upper = (np.array(curve[key]) for key in ("points", "cdf_lower", "cdf_upper"))
        ax.fill_between(
            points[:-1].repeat(2)[1:], lower[:-1].repeat(2)[:-1], upper[1:].repeat(2)[:-1],
            color=DATA, alpha=0.35, linewidth=0, label="band, 95 %",
        )  # fmt: skip
        places, shares = np.array(curve["places"]), np.array(curve["shares"])
        ax.step(
            np.concatenate([[points[0]], places, [points[-1]]]),
            np.concatenate([[0.0], np.cumsum(shares), [1.0]]),
            where="post", color=THEORY, label="best",
        )  # fmt: skip
        truth = np.array(curve["truth"])
        ax.step(
            np.concatenate([[points[0]], truth, [points[-1]]]),
            np.concatenate([[0.0], (np.arange(truth.size) + 1) / truth.size, [1.0]]),
            where="post", color=LIMIT, linestyle="--", label="truth",
        )  # fmt: skip
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlim(points[0], points[-1])
        ax.set_xlabel("population eigenvalue")
        ax.set_title(
            f"{WORDS[curve['name']]}; {curve['shape'].replace('x', ' features, ')} samples", fontsize=8
        )
    axes[0].set_ylabel("share below")
    axes[0].legend(fontsize=7, loc="upper left")
    save(figure, path)


if __name__ == "__main__":
    harness.run(NAME, __doc__, measure, draw, options)
