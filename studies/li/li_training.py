"""Figure 1(b)–(f) and Figure 6 of `li` on small networks: spectra, loss, accuracy, correlations, counts, exponents.

The paper trains a LeNet on MNIST and a VGG on CIFAR10; neither is reproduced. Stand-ins: a four-layer ReLU network
(hinge loss, no biases) on scikit-learn's digits (0–4 against 5–9), and one on Gaussian inputs labelled by a random
network. SGD with momentum 0.9 as in the paper; eigenvalues are exact, not estimated. Entries of H are observed over
157 batches, as in appendix E.4. Needs the extra "studies".
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_network
import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.networks import Network, fully_connected
from rmtsim.papers.li.simulation.entry_statistics import nonzero_count, standardised, varying
from rmtsim.papers.li.theory import correlation_p_values, discoveries, family_threshold, null_count

NAME = "li_training"
BATCHES = 157


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=16)
    parser.add_argument("--epochs", type=harness.positive_integer, default=60)
    parser.add_argument("--dimension", type=harness.positive_integer, default=32, help="N_b for correlations")
    parser.add_argument(
        "--small", type=harness.positive_integer, default=10, help="N_b for skewness, kurtosis"
    )
    parser.add_argument(
        "--submatrices", type=harness.positive_integer, default=3, help="B, drawn at every stage"
    )
    parser.add_argument("--seed", type=int, default=0)


def problems(width: int, rng: np.random.Generator) -> dict[str, tuple[Any, ...]]:
    """Training inputs and labels ±1, then test ones."""
    x, y, test, test_y = digits_network.load(True, rng)
    mean, scale = x.mean(axis=0), (x - x.mean(axis=0)).std()
    teacher = fully_connected((width, width, 1), "relu", gain=2.0).sample(rng)
    drawn = rng.standard_normal((2000, width))
    values = teacher.output(drawn)
    signs = np.where(values > np.median(values), 1.0, -1.0)
    return {
        "digits": (
            (x - mean) / scale, 2.0 * y[:, None] - 1, (test - mean) / scale, 2.0 * test_y[:, None] - 1,
        ),
        "teacher": (drawn[:1500], signs[:1500], drawn[1500:], signs[1500:]),
    }  # fmt: skip


KINDS = {"correlation": 2, "skewness": 3, "kurtosis": 4}
"""Order of the cumulant that is counted."""


def submatrix_counts(
    draws: Any, arguments: argparse.Namespace, rng: np.random.Generator
) -> tuple[dict[str, float], Any]:
    """Counts of Algorithm 1 for one submatrix over the batches, with the exact tests and its |r|."""
    cut = min(arguments.small, arguments.dimension)
    flat = draws.reshape(BATCHES, -1)
    moving = varying(flat)
    z = standardised(flat[:, moving]) if moving.any() else np.zeros((BATCHES, 0))
    matrix = z.T @ z / BATCHES
    pairs = np.triu_indices(len(matrix), 1)
    found = np.clip(matrix[pairs], -1, 1)
    shuffled = rng.permuted(z, axis=0)
    chance = np.abs((shuffled.T @ shuffled / BATCHES)[pairs])
    small = draws[:, :cut, :cut].reshape(BATCHES, -1)
    small = small[:, varying(small)]
    # Constant entries are counted in N_b² too: their coefficients are zero.
    whole = np.zeros((arguments.dimension**2,) * 2, dtype=np.float32)
    whole[np.ix_(moving, moving)] = matrix
    return {
        "moving": float(moving.mean()),
        "correlation": float(2 * (np.abs(found) > 0.4).sum()),
        "by chance, shuffled": float(2 * (chance > 0.4).sum()),
        "Bonferroni": float(2 * (np.abs(found) > family_threshold(arguments.dimension, BATCHES)).sum()),
        "Benjamini-Hochberg": 2.0 * discoveries(correlation_p_values(found, BATCHES)),
        "skewness": float(nonzero_count(small, 3, 0.4)) if small.shape[1] else 0.0,
        "kurtosis": float(nonzero_count(small, 4, 1.0)) if small.shape[1] else 0.0,
    }, whole


def counts(
    network: Network, x: Any, y: Any, arguments: argparse.Namespace, rng: np.random.Generator
) -> dict[str, Any]:
    """Algorithm 1 over 157 batches: means over B submatrices, and the deviations over them."""
    size = network.parameters.size
    places = [
        np.ix_(*(rng.choice(size, size=arguments.dimension, replace=False) for _ in range(2)))
        for _ in range(arguments.submatrices)
    ]
    entries: list[list[Any]] = [[] for _ in places]
    for part in np.array_split(rng.permutation(len(x)), BATCHES):
        hessian = network.hessian(x[part], y[part])
        for place, kept in zip(places, entries, strict=True):
            kept.append(hessian[place])
    each = [submatrix_counts(np.array(kept), arguments, rng) for kept in entries]
    result: dict[str, Any] = {"N": size}
    for key in each[0][0]:
        values = np.array([found[key] for found, _ in each])
        result[key] = float(values.mean())
        result[f"{key} deviation"] = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    result["by chance, formula"] = null_count(arguments.dimension, BATCHES, 0.4).mean
    for name, order in KINDS.items():
        dimension = arguments.dimension if order == 2 else min(arguments.small, arguments.dimension)
        for end, sign in (("", 0), (" low", -1), (" high", 1)):
            count = result[name] + sign * result[f"{name} deviation"]
            # A count of zero has no exponent.
            share = count / float(dimension) ** (2 * order)
            result[f"{name} exponent of N_b{end}"] = (
                math.log(count / dimension**2) / math.log(dimension) if count > 0 and dimension > 1 else None
            )
            result[f"{name} exponent of N{end}"] = (
                2 * (order - 1) + math.log(share) / math.log(size) if count > 0 else None
            )
    side = arguments.dimension**2
    shown = rng.choice(side, size=min(100, side), replace=False)
    result["matrix"] = np.round(each[0][1][np.ix_(shown, shown)].astype(float), 3).tolist()
    return result


def train(name: str, data: tuple[Any, ...], arguments: argparse.Namespace) -> dict[str, Any]:
    x, y, test, test_y = data
    rng = stream(arguments.seed, NAME, {"data": name}, arguments.width, 1)
    widths = (x.shape[1], *(arguments.width,) * 3, 1)
    network = fully_connected(widths, "relu", gain=2.0, loss="hinge").sample(rng)
    velocity = np.zeros(network.parameters.size)
    last = arguments.epochs
    checks = sorted({0, 1, max(1, last // 12), max(1, last // 4), max(1, last // 2), last})
    curve, stages = [], []
    for epoch in range(last + 1):
        curve.append(
            {
                "epoch": epoch,
                "loss": network.loss(x, y),
                "training accuracy": float((network.output(x) * y > 0).mean()),
                "test accuracy": float((network.output(test) * test_y > 0).mean()),
            }
        )
        if epoch in checks:
            part = rng.permutation(len(x))[:200]
            values = np.linalg.eigvalsh(network.hessian(x[part], y[part]))
            stages.append(
                {"epoch": epoch, "eigenvalues": values.tolist(), **counts(network, x, y, arguments, rng)}
            )
            print(
                f"{name}, epoch {epoch}: loss {curve[-1]['loss']:.4f}, moving {stages[-1]['moving']:.2f}, "
                f"|r| > 0.4: {stages[-1]['correlation']:.0f} (Bonferroni {stages[-1]['Bonferroni']:.0f}, "
                f"Benjamini-Hochberg {stages[-1]['Benjamini-Hochberg']:.0f}, shuffled "
                f"{stages[-1]['by chance, shuffled']:.0f}), skewness {stages[-1]['skewness']:.0f}, kurtosis "
                f"{stages[-1]['kurtosis']:.0f}",
                flush=True,
            )
        rate = 0.02 if epoch < 2 * last // 3 else 0.002
        for batch in np.array_split(rng.permutation(len(x)), max(1, len(x) // 64)):
            velocity = 0.9 * velocity + network.gradient(x[batch], y[batch])
            network = network.with_parameters(network.parameters - rate * velocity)
    return {"curve": curve, "stages": stages}


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rng = stream(arguments.seed, NAME, {}, arguments.width, 0)
    found = {name: train(name, data, arguments) for name, data in problems(arguments.width, rng).items()}
    rows = [
        {"data": name, **{key: value for key, value in stage.items() if key not in ("eigenvalues", "matrix")}}
        for name, result in found.items()
        for stage in result["stages"]
    ]
    return {"rows": rows, "results": found}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from li_figures import training

    from rmtsim.plots._style import save

    save(training(data["results"]), path, colours=128)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
