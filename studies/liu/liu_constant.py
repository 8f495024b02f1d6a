"""Beyond liu: the constant in front of m^(-1/2) in ‖H(W₀)‖ and its distribution, one and two hidden layers.

tanh, all weights N(0, 1) with 1/√fan-in in front and trained, one input with |x|²/d = 1. One hidden layer: exactly
P(√m‖H‖ ≤ s) = F(s)^m (docs/papers/liu/index.md), so quantiles are computed and the simulation checks them. Two
hidden layers: no
closed form is known; the mean has a confidence interval and every quantile one between order statistics, which holds
whatever the law is. All intervals of a depth hold together with probability 99 %.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from scipy.stats import binom, t

from rmtsim._internal.randomness import stream
from rmtsim.papers.liu.simulation.wide_networks import in_portions, sample_wide
from rmtsim.papers.liu.theory import logarithmic_constant, trained_hessian_quantile

NAME = "liu_constant"
PROBABILITIES = (0.05, 0.25, 0.5, 0.75, 0.95)
LEVEL = 0.01


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--widths", type=harness.positive_integer, nargs="+", default=[16, 32, 64, 128, 256, 512, 1024]
    )
    parser.add_argument("--networks", type=harness.positive_integer, default=1000, help="per depth and width")
    parser.add_argument("--seed", type=int, default=0)


def norms(depth: int, width: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """√m‖H(W₀)‖ of many networks, residuals at most 10⁻⁴ of the norm."""
    # One input of one dimension is the general case: only |x|²/d enters.
    widths = (1, *[width] * depth, 1)
    parts = [
        sample_wide(widths, portion, rng, [1.0]).hessian_norms(rng, tolerance=1e-4).norms
        for portion in in_portions(count, widths)
    ]
    return np.sort(np.concatenate(parts)) * width**0.5


def mean_interval(values: np.ndarray, level: float) -> tuple[float, float, float]:
    """Mean with Student's interval."""
    error = float(values.std(ddof=1)) / len(values) ** 0.5
    reach = float(t.ppf(1 - level / 2, len(values) - 1)) * error
    return float(values.mean()), float(values.mean()) - reach, float(values.mean()) + reach


def quantile_interval(values: np.ndarray, probability: float, level: float) -> tuple[float, float, float]:
    """Sample quantile between two order statistics that enclose the quantile of any law with probability 1 - level."""
    count = len(values)
    low = int(binom.ppf(level / 2, count, probability)) - 1
    high = int(binom.ppf(1 - level / 2, count, probability))
    return (
        float(np.quantile(values, probability)),
        float(values[max(low, 0)]),
        float(values[min(high, count - 1)]),
    )


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows, samples = [], []
    # Bonferroni over the widths and over the mean and the quantiles at each.
    level = LEVEL / (len(arguments.widths) * (1 + len(PROBABILITIES)))
    for depth in (1, 2):
        for width in arguments.widths:
            begin = time.process_time()
            rng = stream(arguments.seed, NAME, {"depth": depth}, width, 0)
            values = norms(depth, width, arguments.networks, rng)
            row: dict[str, Any] = {"depth": depth, "width": width, "networks": len(values)}
            row["mean"], row["mean low"], row["mean high"] = mean_interval(values, level)
            for p in PROBABILITIES:
                row[f"q{p}"], row[f"q{p} low"], row[f"q{p} high"] = quantile_interval(values, p, level)
                row[f"exact q{p}"] = (
                    trained_hessian_quantile("tanh", 1.0, float(np.log(width)), p) if depth == 1 else ""
                )
            rows.append(row)
            samples.append(values[:: max(1, len(values) // 500)].tolist())
            print(
                f"{depth} hidden, m = {width}: mean {row['mean']:.4f} in "
                f"[{row['mean low']:.4f}, {row['mean high']:.4f}], "
                f"median {row['q0.5']:.4f} in [{row['q0.5 low']:.4f}, {row['q0.5 high']:.4f}]"
                + (f", exact {row['exact q0.5']:.4f}" if depth == 1 else "")
                + f" ({time.process_time() - begin:.1f} s)",
                flush=True,
            )
    constants = {str(depth): logarithmic_constant("tanh", depth) for depth in (1, 2)}
    return {"rows": rows, "samples": samples, "logarithmic constants": constants}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from liu_figures import constants_and_laws

    from rmtsim.plots._style import save

    save(constants_and_laws(data["rows"], data["samples"], data["logarithmic constants"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
