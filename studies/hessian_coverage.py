"""Do the intervals of rmtsim.hessians cover? Tasks whose population Hessian is known, many data sets each.

Linear regression with Gaussian inputs (H = Σ, with and without a separated eigenvalue, and correlated inputs), logistic
regression at a fixed parameter (H by quadrature), softmax regression at zero (H = (1/C - 11ᵀ/C²) ⊗ Σ), Poisson
regression (H = exp(wᵀΣw/2)(Σ + ΣwwᵀΣ)), regression with inputs of Student's law, and a linear network of two layers,
whose Hessian is indefinite. Eight more tasks have other laws of inputs, weights and numbers of batches. None of them
was used to choose how the intervals allow for skewness. Also ten runs on small samples of one task: the largest
eigenvalue of each, with its interval.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

from rmtsim.hessians import HessianOperator, hessian
from rmtsim.plots._style import DATA, LIMIT, THEORY, panels, save

NAME = "hessian_coverage"

Array = NDArray[np.float64]
BATCHES = 10


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repetitions", type=harness.positive_integer, default=400)
    parser.add_argument("--size", type=harness.positive_integer, default=40)
    parser.add_argument("--seed", type=int, default=0)


def _operator(matrices: Array) -> HessianOperator:
    return hessian([lambda v, m=m: m @ v for m in matrices], size=len(matrices[0]))


def _energies(matrix: Array, groups: list[Array]) -> float:
    table = np.array([[np.square(matrix[np.ix_(a, b)]).sum() for b in groups] for a in groups])
    return float((table.sum() - np.trace(table)) / (len(groups) - 1) / np.trace(table))


def _gaussian(population: Array, samples: int, rng: np.random.Generator) -> Array:
    root = np.linalg.cholesky(population)
    x = rng.standard_normal((BATCHES, samples, len(population))) @ root.T
    return np.asarray(x.transpose(0, 2, 1) @ x / samples)


def _slope(u: Any) -> Any:
    small = np.exp(-np.abs(u))
    return small / (1 + small) ** 2


def _logistic_population(variances: Array, weight: float) -> Array:
    scale = weight * math.sqrt(variances[0])

    def moment(power: int) -> float:
        return float(
            quad(
                lambda z: _slope(scale * z) * z**power * math.exp(-z * z / 2) / math.sqrt(2 * math.pi),
                -12,
                12,
            )[0]
        )

    diagonal = moment(0) * variances
    diagonal[0] = moment(2) * variances[0]
    return np.diag(diagonal)


def _linear_network(outer: Array, inner: Array, teacher: Array, covariance: Array) -> Array:
    """Hessian of E(aᵀWx - bᵀx)²/2 in (a, W), which is linear in the covariance of x."""
    hidden, inputs = inner.shape
    seen = inner @ covariance
    cross = np.einsum("ik,j->ijk", seen, outer)
    cross[np.arange(hidden), np.arange(hidden)] += covariance @ (inner.T @ outer - teacher)
    beside = cross.reshape(hidden, hidden * inputs)
    return np.block([[seen @ inner.T, beside], [beside.T, np.kron(np.outer(outer, outer), covariance)]])


def _student(root: Array, samples: int, degrees: int, rng: np.random.Generator) -> Array:
    x = rng.standard_normal((BATCHES, samples, len(root))) @ root.T
    x *= np.sqrt((degrees - 2) / rng.chisquare(degrees, (BATCHES, samples, 1)))
    return np.asarray(x.transpose(0, 2, 1) @ x / samples)


def _heavy(size: int, rng: np.random.Generator) -> Array:
    """200 samples of Student's law with five degrees of freedom, one direction of variance 9."""
    return _student(np.diag([3.0, *[1.0] * (size - 1)]), 20, 5, rng)


def tasks(size: int) -> dict[str, tuple[Array, Callable[[np.random.Generator], Array]]]:
    """Population Hessian, and batches of Hessians from a generator; by name."""
    spiked = np.diag(np.concatenate([[10.0, 5.0], np.ones(size - 2)]))
    root = np.random.default_rng(5).standard_normal((size, size)) / math.sqrt(size)
    correlated = np.eye(size) + 2 * root @ root.T
    variances = np.linspace(3.0, 0.2, size)
    variances[1] = 9.0
    classes, inputs = 4, size // 4
    curvature = np.eye(classes) / classes - np.ones((classes, classes)) / classes**2
    scales = np.diag(np.linspace(2.0, 0.5, inputs))

    slope = np.zeros(size)
    slope[:2] = 0.4, 0.2
    image = np.diag(variances) @ slope
    poisson = math.exp(float(slope @ image) / 2) * (np.diag(variances) + np.outer(image, image))

    def counts(rng: np.random.Generator) -> Array:
        x = rng.standard_normal((BATCHES, 60, size)) * np.sqrt(variances)
        return np.stack([(each * np.exp(each @ slope)[:, None]).T @ each / 60 for each in x])

    fixed = np.random.default_rng(6)
    outer, inner = fixed.standard_normal(4), fixed.standard_normal((4, inputs - 1)) / math.sqrt(inputs)
    layers = (outer, inner, fixed.standard_normal(inputs - 1))
    narrow = scales[1:, 1:]

    def logistic(rng: np.random.Generator) -> Array:
        x = rng.standard_normal((BATCHES, 60, size)) * np.sqrt(variances)
        return np.stack([(each * _slope(1.5 * each[:, :1])).T @ each / 60 for each in x])

    known = {
        "regression, separated": (spiked, lambda rng: _gaussian(spiked, 60, rng)),
        "regression, few samples": (spiked, lambda rng: _gaussian(spiked, 10, rng)),
        "regression, no largest": (np.eye(size), lambda rng: _gaussian(np.eye(size), 60, rng)),
        "regression, correlated": (correlated, lambda rng: _gaussian(correlated, 60, rng)),
        "logistic regression": (_logistic_population(variances, 1.5), logistic),
        "softmax at zero": (
            np.kron(curvature, scales),
            lambda rng: np.stack([np.kron(curvature, each) for each in _gaussian(scales, 60, rng)]),
        ),
        "Poisson regression": (poisson, counts),
        "regression, heavy tails": (
            correlated,
            lambda rng: _student(np.linalg.cholesky(correlated), 60, 6, rng),
        ),
        "the task of the ten runs": (np.diag([9.0, *[1.0] * (size - 1)]), lambda rng: _heavy(size, rng)),
        "linear network": (
            _linear_network(*layers, narrow),
            lambda rng: np.stack([_linear_network(*layers, each) for each in _gaussian(narrow, 60, rng)]),
        ),
    }
    return known | _more_tasks(size)


def _more_tasks(size: int) -> dict[str, tuple[Array, Callable[[np.random.Generator], Array]]]:
    """Tasks with other laws of inputs and weights, and other numbers of batches."""
    variances = np.concatenate([[8.0, 3.0], np.linspace(2.0, 0.5, size - 2)])
    spread = np.sqrt(variances)
    steps = np.arange(size)
    chained = 0.7 ** np.abs(steps[:, None] - steps)
    root = np.linalg.cholesky(chained)
    first, second = np.zeros(size), np.zeros(size)
    first[:2], second[:2] = (1.0, 0.5), (0.8, -0.3)
    quartic = 3 * (first @ first * np.eye(size) + 2 * np.outer(first, first))
    quartic -= second @ second * np.eye(size) + 2 * np.outer(second, second)
    classes, inputs = 4, size // 4
    curvature = np.eye(classes) / classes - np.ones((classes, classes)) / classes**2
    narrow = np.diag(np.linspace(3.0, 0.5, inputs))

    def batches(x: Array, weights: Array | None = None) -> Array:
        moved = x if weights is None else x * weights[..., None]
        return np.asarray(moved.transpose(0, 2, 1) @ x / x.shape[1])

    def normal(rng: np.random.Generator, count: int, samples: int) -> Array:
        return rng.standard_normal((count, samples, size))

    def retrieval(rng: np.random.Generator) -> Array:
        x = normal(rng, 10, 150)
        return batches(x, 3 * np.square(x @ first) - np.square(x @ second))

    def mixture(rng: np.random.Generator) -> Array:
        rare = rng.random((10, 50, 1)) < 0.2
        return batches(normal(rng, 10, 50) * np.where(rare, np.sqrt(3.0), np.sqrt(0.5)) * spread)

    return {
        "Laplace inputs": (
            np.diag(variances),
            lambda rng: batches(rng.laplace(size=(10, 50, size)) / math.sqrt(2) * spread),
        ),
        "mixture of two scales": (np.diag(variances), mixture),
        "exponential responses": (
            np.diag(variances),
            lambda rng: batches(normal(rng, 10, 60) * spread, rng.exponential(size=(10, 60))),
        ),
        "phase retrieval": (quartic, retrieval),
        "signs as inputs": (
            np.diag(variances),
            lambda rng: batches(rng.choice([-1.0, 1.0], (10, 40, size)) @ np.diag(spread)),
        ),
        "five batches": (np.diag(variances), lambda rng: batches(normal(rng, 5, 80) * spread)),
        "chain, twenty batches": (chained, lambda rng: batches(normal(rng, 20, 25) @ root.T)),
        "softmax, Student inputs": (
            np.kron(curvature, narrow),
            lambda rng: np.stack(
                [np.kron(curvature, each) for each in _student(np.sqrt(narrow), 50, 8, rng)]
            ),
        ),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    size = 4 * max(arguments.size // 4, 2)
    groups = np.split(np.arange(size), 4)
    for number, (name, (population, draw_batches)) in enumerate(tasks(size).items()):
        top, trace, ratio = (
            float(np.linalg.eigvalsh(population)[-1]),
            float(np.trace(population)),
            _energies(population, groups),
        )
        hits = {"top eigenvalue": 0, "trace": 0, "block ratio": 0}
        below = dict.fromkeys(hits, 0)
        halves: dict[str, list[float]] = {key: [] for key in hits}
        naive, corrected, marked = 0.0, 0.0, 0.0
        for repetition in range(arguments.repetitions):
            operator = _operator(draw_batches(np.random.default_rng([arguments.seed, number, repetition])))
            found = operator.eigenvalues(1)
            blocks = operator.blocks(groups)
            for key, interval, truth in (
                ("top eigenvalue", found.population[0], top),
                ("trace", operator.trace().population, trace),
                ("block ratio", blocks.population_ratio, ratio),
            ):
                # An interval that is not given cannot cover. Exact ratios have no error but rounding.
                room = 1e-9 * abs(truth)
                if interval is not None:
                    hits[key] += interval.low - room <= truth <= interval.high + room
                    below[key] += interval.high < truth - room
                    halves[key].append((interval.high - interval.low) / 2)
            naive += found.values[0] / top / arguments.repetitions
            corrected += found.population[0].value / top / arguments.repetitions
            marked += (not found.population[0].trustworthy) / arguments.repetitions
        row = {"task": name, "repetitions": arguments.repetitions}
        row |= {key: count / arguments.repetitions for key, count in hits.items()}
        row |= {"in sample / true": naive, "corrected / true": corrected}
        row |= {"not trustworthy": marked}
        for key, truth in (("top eigenvalue", top), ("trace", trace), ("block ratio", ratio)):
            row[f"{key}: too low"] = below[key] / arguments.repetitions
            row[f"{key}: half length / true"] = float(np.median(halves[key])) / (abs(truth) or 1.0)
        rows.append(row)
        print(row, flush=True)
    return {"rows": rows, "runs": _ten_runs(size, arguments.seed)}


def _ten_runs(size: int, seed: int) -> list[dict[str, float]]:
    """The largest eigenvalue from ten small samples of one heavy-tailed task, each with its interval."""
    runs = []
    for run in range(10):
        rng = np.random.default_rng([seed, 99, run])
        found = _operator(_heavy(size, rng)).eigenvalues(1)
        each = found.population[0]
        runs.append(
            {"in sample": float(found.values[0]), "low": each.low, "high": each.high, "value": each.value}
        )
    return runs


def draw(data: Mapping[str, Any], path: Path) -> None:
    figure, (left, right) = panels(2, width=4.2, height=4.2)
    rows = data["rows"]
    places = np.arange(len(rows))
    for shift, colour, key in (
        (-0.2, DATA, "top eigenvalue"),
        (0.0, LIMIT, "trace"),
        (0.2, THEORY, "block ratio"),
    ):
        share = np.array([r[key] for r in rows])
        error = 2 * np.sqrt(
            np.maximum(share * (1 - share), 0.25 / rows[0]["repetitions"]) / rows[0]["repetitions"]
        )
        left.errorbar(share, places + shift, xerr=error, fmt="o", markersize=4, color=colour, label=key)
    left.axvline(0.95, color="0.5", linewidth=0.8)
    left.set_yticks(places, [r["task"] for r in rows], fontsize=7)
    left.set_xlabel("share of intervals that cover (level 0.95)")
    left.legend(fontsize=7, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=3)
    runs = data["runs"]
    x = np.arange(1, len(runs) + 1)
    right.vlines(
        x,
        [r["low"] for r in runs],
        [r["high"] for r in runs],
        color=THEORY,
        alpha=0.5,
        linewidth=3,
        label="95 %",
    )
    right.plot(x, [r["in sample"] for r in runs], "o", color=DATA, markersize=4, label="of the sample")
    right.axhline(9.0, color=LIMIT, linewidth=1, label="population")
    right.set_xlabel("run")
    right.set_ylabel("largest eigenvalue")
    right.set_ylim(bottom=0)
    right.legend(fontsize=7)
    save(figure, path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
