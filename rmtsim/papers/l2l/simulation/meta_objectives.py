"""Empirical meta-objectives: averages of the meta-loss over sampled tasks, on a grid of step sizes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.l2l.simulation.least_squares import (
    TRUNCATION,
    SpectralTask,
    draw_spectral_task,
    spectral_descent,
    validation_losses,
)

Draw = Callable[[int, int, float, np.random.Generator], SpectralTask]
"""Draws a task of n samples in d dimensions with a noise level."""


@frozen
class MetaObjectives:
    """Meta-losses of m tasks (rows) at the step sizes of a grid (columns)."""

    rates: Array
    losses: Array
    """The meta-loss: training or validation loss, truncation included."""
    training: Array
    """Training losses."""
    errors: Array
    """‖w_t - w*‖²."""
    truncated: NDArray[np.bool_]

    def best(self) -> int:
        """Index of the step size that minimises the average meta-loss."""
        return int(np.argmin(self.losses.mean(axis=0)))


def sample_train_by_train(
    tasks: int,
    samples: int,
    dimension: int,
    noise: float,
    rates: Array,
    steps: int,
    rng: np.random.Generator,
    *,
    validation: int | None = None,
    truncation: float | None = TRUNCATION,
    draw: Draw = draw_spectral_task,
) -> MetaObjectives:
    """Train-by-train on m tasks of n samples; ``draw`` makes a task (draw_rotated_task: the same law, faster).

    With ``validation`` the meta-loss is that of so many validation samples.

    >>> found = sample_train_by_train(2, 5, 10, 1.0, np.array([0.0, 0.1]), 3, np.random.default_rng(0))
    >>> found.losses.shape, bool((found.losses[:, 1] < found.losses[:, 0]).all())
    ((2, 2), True)
    """
    tasks = validate.integer("tasks", tasks, meaning="number m of tasks")
    rates = np.atleast_1d(validate.real_array("rates", rates, meaning="step sizes η"))
    rng = validate.generator("rng", rng)
    shape = tasks, rates.size
    losses, training, errors = np.empty(shape), np.empty(shape), np.empty(shape)
    truncated = np.empty(shape, dtype=np.bool_)
    for k in range(tasks):
        task = draw(samples, dimension, noise, rng)
        descent = spectral_descent(task, rates, steps, truncation=truncation)
        training[k], errors[k], truncated[k] = (
            descent.training_losses(),
            descent.errors(),
            descent.stopped > 0,
        )
        losses[k] = training[k] if validation is None else validation_losses(descent, validation, rng)
    return MetaObjectives(rates, losses, training, errors, truncated)


def sample_train_by_validation(
    tasks: int,
    training: int,
    validation: int,
    dimension: int,
    noise: float,
    rates: Array,
    steps: int,
    rng: np.random.Generator,
) -> MetaObjectives:
    """Train-by-validation on m tasks of n₁ training and n₂ validation samples.

    >>> found = sample_train_by_validation(2, 5, 5, 10, 1.0, np.array([0.0, 0.1]), 3, np.random.default_rng(0))
    >>> found.losses.shape
    (2, 2)
    """
    training = validate.integer("training", training, meaning="number n₁ of training samples")
    validation = validate.integer("validation", validation, meaning="number n₂ of validation samples")
    return sample_train_by_train(tasks, training, dimension, noise, rates, steps, rng, validation=validation)
