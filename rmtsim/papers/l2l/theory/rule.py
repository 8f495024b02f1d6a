"""The best step size for n samples, d dimensions, noise σ and t steps, and its risk."""

from __future__ import annotations

from rmtsim._internal import validate
from rmtsim._internal.arrays import records_take_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.l2l.theory.errors import check_shape, erm_error, expected_error, ridge_error
from rmtsim.papers.l2l.theory.minimisers import train_step, validation_step

__all__ = ["Comparison", "StepRule", "compare", "step_rule"]


@frozen
class StepRule:
    """The step size of least expected error, and its error next to reference errors, all E‖w - w*‖² with ‖w*‖ = 1."""

    step: float
    error: float
    step_error: float
    """Bound on the numerical error of ``step``."""
    converged: float
    """Error of the empirical risk minimiser, where training longer leads."""
    best_possible: float
    """Error of optimal ridge regression: no step size does better."""


@frozen
class Comparison:
    """Step sizes and errors on new tasks: train-by-train on n samples, train-by-validation on n₁ of them."""

    train_step: float
    train_error: float
    validation_step: float
    validation_error: float


def _sizes(samples: int, dimension: int) -> tuple[int, int]:
    return (
        validate.integer("samples", samples, meaning="number n of samples"),
        validate.integer("dimension", dimension, meaning="dimension d"),
    )


@records_take_arrays
def step_rule(samples: int, dimension: int, noise: float, steps: int) -> StepRule:
    """Best step size for training on all n samples for t steps, in the limit law at ratio d/n.

    >>> rule = step_rule(samples=250, dimension=1000, noise=1.0, steps=40)
    >>> round(rule.step, 6), round(rule.error, 4), round(rule.converged, 4), round(rule.best_possible, 4)
    (0.004317, 0.8838, 1.0833, 0.8828)
    """
    n, d = _sizes(samples, dimension)
    best = validation_step(steps, noise, d / n)
    return StepRule(best.place, best.value, best.error, erm_error(noise, d / n), ridge_error(noise, d / n))


@records_take_arrays
def compare(samples: int, training: int, dimension: int, noise: float, steps: int) -> Comparison:
    """What either meta-objective leads to from n samples per task, n₁ = ``training`` of them kept for training.

    Errors are those of the trained weights on new tasks of the same kind (n samples for train-by-train, n₁ for
    train-by-validation), as in Theorem 5.4.1 and Figures 5.2 and 5.3.

    >>> result = compare(samples=500, training=250, dimension=1000, noise=1.0, steps=40)
    >>> round(result.train_error, 4), round(result.validation_error, 4)
    (1.4813, 0.8838)
    """
    n, d = _sizes(samples, dimension)
    n1 = validate.integer("training", training, meaning="number n₁ of training samples")
    if n1 >= n:
        raise ValueError(
            f"training={n1}: expected an integer in [1, {n - 1}] (n₁ < n = samples, the rest validates)"
        )
    noise = check_shape(noise, 1.0)[0]
    by_train = train_step(steps, noise, d / n)
    by_validation = validation_step(steps, noise, d / n1)
    return Comparison(
        by_train.place,
        expected_error(by_train.place, steps, noise, d / n),
        by_validation.place,
        by_validation.value,
    )
