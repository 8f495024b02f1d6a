"""Predictions of the Marchenko–Pastur law about a learned step size (thesis of C. Wu, chapter 5, appendix D).

Least squares y = ⟨w*, x⟩ + ξ with Gaussian inputs, ‖w*‖ = 1, noise of variance σ², gradient descent from zero with
step size η for t steps on (1/2n)‖Xw - y‖². Gradient descent acts on eigenvalues, so expectations are integrals over
the spectral law of XᵀX/n; ``ratio`` is d/n. Derivations: docs/papers/l2l/index.md. All take arrays
as well (:mod:`rmtsim._internal.arrays`).
"""

from rmtsim.papers.l2l.theory.divergence import (
    THRESHOLD,
    critical_step,
    critical_step_limit,
    log_weight_norm,
    truncated_train_by_train,
    truncated_train_by_validation,
)
from rmtsim.papers.l2l.theory.errors import (
    erm_error,
    expected_error,
    flow_error,
    log_expected_error,
    ridge_error,
)
from rmtsim.papers.l2l.theory.finite import exact_erm_error, exact_error, wishart_moment
from rmtsim.papers.l2l.theory.minimisers import (
    Minimum,
    train_step,
    train_step_limit,
    validation_step,
    validation_time,
)
from rmtsim.papers.l2l.theory.objectives import (
    log_training_excess,
    train_by_train,
    train_by_validation,
    training_floor,
)
from rmtsim.papers.l2l.theory.quadratic import (
    best_step,
    log_meta_gradient,
    meta_gradient_logarithm,
    overflow_steps,
)
from rmtsim.papers.l2l.theory.rule import Comparison, StepRule, compare, step_rule
from rmtsim.papers.l2l.theory.sgd import SgdMoments, sgd_limit, sgd_moments, sgd_training_loss

__all__ = [
    "THRESHOLD",
    "Comparison",
    "Minimum",
    "SgdMoments",
    "StepRule",
    "best_step",
    "compare",
    "critical_step",
    "critical_step_limit",
    "erm_error",
    "exact_erm_error",
    "exact_error",
    "expected_error",
    "flow_error",
    "log_expected_error",
    "log_meta_gradient",
    "log_training_excess",
    "log_weight_norm",
    "meta_gradient_logarithm",
    "overflow_steps",
    "ridge_error",
    "sgd_limit",
    "sgd_moments",
    "sgd_training_loss",
    "step_rule",
    "train_by_train",
    "train_by_validation",
    "train_step",
    "train_step_limit",
    "training_floor",
    "truncated_train_by_train",
    "truncated_train_by_validation",
    "validation_step",
    "validation_time",
    "wishart_moment",
]
