"""What the l2l figures share: a step size learned on sampled tasks as in the thesis, tested on new ones, predicted."""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.l2l import theory as l2l
from rmtsim.papers.l2l.simulation.meta_objectives import sample_train_by_train, sample_train_by_validation

RATES = np.geomspace(1e-6, 1, 25)
"""The grid of step sizes of appendix D.6."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dimension", type=harness.positive_integer, default=1000)
    parser.add_argument("--steps", type=harness.positive_integer, default=40)
    parser.add_argument("--tests", type=harness.positive_integer, default=10, help="new tasks per setting")
    parser.add_argument(
        "--curve", type=harness.positive_integer, default=29, help="points of the theory's curve"
    )
    parser.add_argument("--seed", type=int, default=0)


def learn_and_test(
    name: str, arguments: argparse.Namespace, samples: int, noise: float, tasks: int
) -> dict[str, Any]:
    """Both meta-objectives on ``tasks`` tasks of n samples: learned step sizes, RMSE on new tasks, and predictions."""
    begin = time.process_time()
    row: dict[str, Any] = {"samples": samples, "noise": noise, "tasks": tasks}
    d, t = arguments.dimension, arguments.steps
    for kind in ("train", "validation"):
        rng = stream(arguments.seed, name, {"samples": samples, "noise": noise, "kind": kind}, d, 0)
        if kind == "train":
            count = samples
            found = sample_train_by_train(tasks, count, d, noise, RATES, t, rng)
        else:
            count = samples // 2
            found = sample_train_by_validation(tasks, count, samples - count, d, noise, RATES, t, rng)
        step = float(RATES[found.best()])
        new = sample_train_by_train(arguments.tests, count, d, noise, np.array([step]), t, rng)
        training, testing = np.sqrt(2 * new.training[:, 0]), np.sqrt(new.errors[:, 0] + noise**2)
        row |= {
            f"{kind} step": step,
            f"{kind} training": float(training.mean()),
            f"{kind} training low": float(training.min()),
            f"{kind} training high": float(training.max()),
            f"{kind} testing": float(testing.mean()),
            f"{kind} testing low": float(testing.min()),
            f"{kind} testing high": float(testing.max()),
            f"{kind} truncated": float(found.truncated[:, found.best()].mean()),
        } | at_step(kind, "law", step, t, noise, d / count)
    row |= predicted(samples, d, noise, t)
    row["seconds"] = time.process_time() - begin
    return row


def predicted(samples: float, dimension: int, noise: float, steps: int) -> dict[str, float]:
    """The same numbers from the limit law: on the grid of the thesis, and with the step size chosen freely."""
    row: dict[str, float] = {}
    for kind, count in (("train", samples), ("validation", samples / 2)):
        ratio = dimension / count
        critical = l2l.critical_step(steps, noise, ratio)
        allowed = [float(rate) for rate in RATES if rate < critical]
        objective = l2l.train_by_train if kind == "train" else l2l.train_by_validation
        grid = min(allowed, key=lambda rate: objective(rate, steps, noise, ratio))
        free = (
            l2l.train_step(steps, noise, ratio)
            if kind == "train"
            else l2l.validation_step(steps, noise, ratio)
        ).place
        for name, step in (("grid", grid), ("free", free)):
            row |= {f"{kind} {name} step": step} | at_step(kind, name, step, steps, noise, ratio)
    return row


def at_step(kind: str, name: str, step: float, steps: int, noise: float, ratio: float) -> dict[str, float]:
    """RMSE of the limit law at a step size."""
    return {
        f"{kind} {name} training": math.sqrt(2 * l2l.train_by_train(step, steps, noise, ratio)),
        f"{kind} {name} testing": math.sqrt(l2l.expected_error(step, steps, noise, ratio) + noise**2),
    }


def report(row: dict[str, Any]) -> None:
    for kind in ("train", "validation"):
        print(
            f"n = {row['samples']}, σ = {row['noise']}, train-by-{kind}: η = {row[f'{kind} step']:.2e} "
            f"(predicted {row[f'{kind} grid step']:.2e}), training RMSE {row[f'{kind} training']:.4f} "
            f"({row[f'{kind} grid training']:.4f}), testing {row[f'{kind} testing']:.4f} "
            f"({row[f'{kind} grid testing']:.4f})",
            flush=True,
        )
