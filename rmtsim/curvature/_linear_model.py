"""The linear softmax model at initialisation: `dong` Case 2 under Assumptions 1 and 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate

__all__ = ["LinearModel", "sample_linear"]


@dataclass(frozen=True)
class LinearModel:
    """Inputs (samples × dimension, one x_n a row) and weights (classes × dimension, one v_c a row)."""

    inputs: NDArray[np.float64]
    weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        inputs = validate.matrix("inputs", self.inputs, meaning="samples × dimension")
        weights = validate.matrix(
            "weights", self.weights, columns=inputs.shape[1], meaning="classes × dimension of the inputs"
        )
        if len(weights) < 2:
            raise ValueError(f"weights of shape {weights.shape}: expected at least two classes (rows)")
        object.__setattr__(self, "inputs", inputs)
        object.__setattr__(self, "weights", weights)


def sample_linear(dimension: int, samples: int, classes: int, rng: np.random.Generator) -> LinearModel:
    """Standard Gaussian data and LeCun weights: X_ni ~ N(0, 1), V_ci ~ N(0, 1/d), all independent.

    Source: `dong` Assumptions 1 and 2. Data are drawn before weights.

    >>> model = sample_linear(3, 5, 4, np.random.default_rng(0))
    >>> model.inputs.shape, model.weights.shape
    ((5, 3), (4, 3))
    """
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    samples = validate.integer("samples", samples, meaning="number of samples N")
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    rng = validate.generator("rng", rng)
    validate.memory(
        8.0 * dimension * (samples + classes),
        f"a linear model with dimension={dimension}, samples={samples}, classes={classes}",
    )
    inputs = rng.standard_normal((samples, dimension))
    weights = rng.standard_normal((classes, dimension)) / np.sqrt(dimension)
    return LinearModel(inputs, weights)
