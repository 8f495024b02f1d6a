"""When training diverges: weight norms, the truncation of the thesis, and the step size at which it begins.

A task is truncated when ‖w_τ‖ ≥ 40σ at some τ ≤ t; its weight is then 40σu for a unit vector u. In the limit norms are
deterministic, so there is one critical step size for all tasks.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.l2l.theory.errors import LARGEST, check, check_shape, check_task
from rmtsim.papers.l2l.theory.powers import powers
from rmtsim.papers.l2l.theory.spectrum import edges, nodes

__all__ = [
    "THRESHOLD",
    "critical_step",
    "critical_step_limit",
    "log_weight_norm",
    "truncated_train_by_train",
    "truncated_train_by_validation",
]

THRESHOLD = 40.0
"""Norm, in units of σ, at which the thesis truncates a task (Section 5.4, footnote)."""


@takes_arrays
def log_weight_norm(step: float, steps: int, noise: float, ratio: float) -> float:
    """Logarithm of the limit of ‖w_t‖: ½ log ∫ (1 - (1 - ηλ)^t)² (1 + σ²y/λ) dμ over λ > 0.

    >>> round(math.exp(log_weight_norm(0.1, 100_000, 0.0, 2.0)) ** 2, 12)  # the projection of w* on the samples
    0.5
    """
    step, steps, noise, ratio = check(step, steps, noise, ratio)
    law = nodes(ratio, step, steps)
    p = powers(step, steps, law.values)
    square = law.integral(p.complement**2 * (1 + noise * noise * ratio / law.values))
    return p.scale + 0.5 * math.log(square) if square > 0 else -math.inf


def _threshold(threshold: float) -> float:
    threshold = validate.positive_number("threshold", threshold, meaning="truncation norm in units of σ")
    if threshold > LARGEST:
        raise ValueError(
            f"threshold={threshold}: expected at most {LARGEST:g} (truncation norm in units of σ)"
        )
    return threshold


@takes_arrays
def critical_step(steps: int, noise: float, ratio: float, threshold: float = THRESHOLD) -> float:
    """Least step size at which ‖w_τ‖ reaches threshold·σ for some τ ≤ t, in the limit.

    It lies above 2/λ₊ and tends to it as t → ∞ (unless the empirical risk minimiser itself is that long).

    >>> round(critical_step(40, 1.0, 2.0), 6), round(critical_step_limit(2.0), 6)
    (0.379771, 0.343146)
    """
    steps, noise, ratio = check_task(steps, noise, ratio)
    if noise == 0:
        raise ValueError("noise=0.0: expected a finite number > 0 (the truncation norm is a multiple of σ)")
    threshold = _threshold(threshold)
    goal = math.log(threshold * noise)

    def excess(step: float) -> float:
        # Norms grow with τ, alternating between odd and even τ once some ηλ exceeds two: the last two decide.
        last = [log_weight_norm(step, tau, noise, ratio) for tau in {steps, max(1, steps - 1)}]
        return max(last) - goal

    highest = 1 / edges(ratio)[1]
    while excess(highest) < 0:
        highest *= 1.5
    lowest = highest / 1.5
    while excess(lowest) >= 0:
        lowest /= 2
    return float(brentq(excess, lowest, highest, xtol=1e-15, rtol=1e-14))


@takes_arrays
def critical_step_limit(ratio: float) -> float:
    """2/λ₊ = 2/(1 + √(d/n))²: beyond it gradient descent diverges.

    >>> critical_step_limit(4.0)
    0.2222222222222222
    """
    return 2 / edges(check_shape(0.0, ratio)[1])[1]


@takes_arrays
def truncated_train_by_train(noise: float, ratio: float, threshold: float = THRESHOLD) -> float:
    """Expected train-by-train loss of a truncated task if u does not depend on the samples: exact at every n, d.

    E (1/2n)‖threshold·σ·Xu - y‖² = (threshold²σ² + 1 + σ²)/2 for random w*.

    >>> truncated_train_by_train(1.0, 2.0)
    801.0
    """
    noise, ratio = check_shape(noise, ratio)
    threshold = _threshold(threshold)
    return 0.5 * ((threshold * noise) ** 2 + 1 + noise * noise)


@takes_arrays
def truncated_train_by_validation(noise: float, ratio: float, threshold: float = THRESHOLD) -> float:
    """Expected train-by-validation loss of a truncated task if u does not depend on the samples.

    The same number as for train-by-train: the samples play no part in w.

    >>> truncated_train_by_validation(1.0, 2.0)
    801.0
    """
    return truncated_train_by_train(noise, ratio, threshold)
