"""The two meta-objectives in expectation: train-by-train and train-by-validation.

Train-by-train is the final training loss, train-by-validation the loss on fresh samples; both with the factor 1/2.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.l2l.theory.errors import check, check_shape, expected_error
from rmtsim.papers.l2l.theory.powers import logarithm
from rmtsim.papers.l2l.theory.spectrum import nodes

__all__ = ["log_training_excess", "train_by_train", "train_by_validation", "training_floor"]


@takes_arrays
def training_floor(noise: float, ratio: float) -> float:
    """Training loss of the empirical risk minimiser: σ²(1 - d/n)/2 if n > d, else zero; exact at every n and d.

    >>> training_floor(1.0, 0.25), training_floor(1.0, 2.0)
    (0.375, 0.0)
    """
    noise, ratio = check_shape(noise, ratio)
    return 0.5 * noise * noise * max(0.0, 1 - ratio)


@takes_arrays
def log_training_excess(step: float, steps: int, noise: float, ratio: float) -> float:
    """Logarithm of F_TbT(η) minus its floor: finite where the excess itself underflows.

    >>> round(log_training_excess(0.3, 100_000, 1.0, 2.0) / 200_000, 4)  # log of the largest |1 - ηλ| at the edges
    -0.0529
    """
    step, steps, noise, ratio = check(step, steps, noise, ratio)
    law = nodes(ratio, step, steps)
    exponent = 2 * steps * logarithm(step * law.values)
    scale = float(exponent.max())
    if not math.isfinite(scale):
        raise ValueError(
            f"step={step}: expected a smaller step size, with which (1 - ηλ)^{{2t}} has a logarithm"
        )
    return scale + math.log(
        0.5 * law.integral(np.exp(exponent - scale) * (law.values + noise * noise * ratio))
    )


@takes_arrays
def train_by_train(step: float, steps: int, noise: float, ratio: float) -> float:
    """Limit of F_TbT(η) = E (1/2n)‖Xw_t - y‖²: ½∫(λ + σ²y)(1 - ηλ)^{2t} dμ over λ > 0, plus the floor.

    >>> round(train_by_train(0.0, 40, 1.0, 2.0), 12)  # (1 + σ²)/2
    1.0
    >>> round(train_by_train(0.3, 40, 1.0, 2.0), 6), round(train_by_train(0.3, 400, 1.0, 0.5), 6)
    (9.4e-05, 0.25)
    """
    excess = log_training_excess(step, steps, noise, ratio)
    return math.inf if excess > 709.7 else training_floor(noise, ratio) + math.exp(excess)


@takes_arrays
def train_by_validation(step: float, steps: int, noise: float, ratio: float) -> float:
    """F_TbV(η) = ½E‖w_t - w*‖² + σ²/2; ``ratio`` is d/n₁, the size n₂ of the validation set does not enter.

    >>> round(train_by_validation(0.0, 40, 1.0, 4.0), 12)
    1.0
    """
    return 0.5 * expected_error(step, steps, noise, ratio) + 0.5 * noise * noise
