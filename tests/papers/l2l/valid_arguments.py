"""Valid arguments of the functions of `l2l`, for the fuzz trials of tests/hostile."""

import functools

import numpy as np

from rmtsim.papers.l2l.simulation.least_squares import draw_spectral_task, draw_task, spectral_descent
from rmtsim.papers.l2l.simulation.unrolled import draw_quadratic
from tests.hostile.values import matrix, rng


@functools.cache
def task():
    return draw_task(6, 4, 0.5, rng())


@functools.cache
def quadratic():
    return draw_quadratic(3, rng())


_RUN = {"task": lambda: draw_spectral_task(6, 4, 0.5, rng()), "rates": lambda: np.array([0.1, 0.2])}
_OBJECTIVE = {
    "tasks": lambda: 2,
    "dimension": lambda: 4,
    "noise": lambda: 0.5,
    "rates": lambda: np.array([0.1, 0.2]),
    "steps": lambda: 3,
    "rng": rng,
    "truncation": lambda: 40.0,
}
VALID = {"task": task, "problem": quadratic}
"""By the name of a parameter, wherever it stands."""

WRITTEN = {
    "theory.sgd.sgd_moments": {
        "design": lambda: matrix(6, 4), "labels": lambda: np.ones(6), "truth": lambda: np.ones(4),
        "step": lambda: 0.1, "steps": lambda: 3,
    },
    "theory.sgd.sgd_training_loss": {
        "design": lambda: matrix(6, 4), "labels": lambda: np.ones(6), "step": lambda: 0.1, "steps": lambda: 3,
    },
    "simulation.least_squares.spectral_descent": {**_RUN, "steps": lambda: 5, "truncation":
    lambda: 40.0},
    "simulation.least_squares.validation_losses": {
        "descent": lambda: spectral_descent(draw_spectral_task(6, 4, 0.5, rng()), np.array([0.1]), 5),
        "samples": lambda: 3, "rng": rng,
    },
    "simulation.task_batches.draw_tasks": {
        "spectra": lambda: 2, "each": lambda: 3, "samples": lambda: 6, "dimension": lambda: 4, "noise": lambda: 0.5,
        "rng": rng,
    },
    "simulation.meta_objectives.sample_train_by_train": {
        **_OBJECTIVE, "samples": lambda: 6,
    },
    "simulation.meta_objectives.sample_train_by_validation": {
        **_OBJECTIVE, "training": lambda: 6, "validation": lambda: 3,
    },
    "simulation.unrolled.meta_descent": {
        "gradient": lambda: abs, "start": lambda: 0.5, "iterations": lambda: 3, "rule": lambda: "plain",
        "rate": lambda: 0.1,
    },
}  # fmt: skip
"""By the name of a function in the paper's package."""

CHECKED = (
    "least_squares",
    "meta_objectives",
    "task_batches",
    "unrolled",
)
"""Modules of the simulation whose functions check their arguments; the others are parts of statements."""

EXCUSED = (
    "simulation.unrolled.backpropagate",  # shows what floats do: says that it may answer NaN
    "simulation.least_squares.learned_share",  # inner parts of predictors and samplers, which check
    "simulation.unrolled.Tangent",
    "theory.powers.",
    "theory.spectrum.",
)
"""Functions of checked modules whose callers check the arguments, or that have a test of their own."""
