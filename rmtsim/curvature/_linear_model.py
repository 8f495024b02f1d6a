"""The linear softmax model at initialisation: `dong` Case 2 under Assumptions 1 and 2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import RandomSource
from rmtsim.networks._softmax import softmax_in_place


@frozen
class LinearModel:
    """A linear softmax model together with its inputs.

    Parameters
    ----------
    inputs : array_like
        Inputs X of shape (samples, dimension), one x_n per row.
    weights : array_like
        Weights V of shape (classes, dimension), one v_c per row; at least two classes.

    Raises
    ------
    ValueError
        If the shapes do not fit, an entry is not finite, or there are fewer than two classes.

    See Also
    --------
    sample_linear : Draws a model.

    Notes
    -----
    The probability of class i at input n is ``p_ni = softmax(V x_n)_i``, the loss is cross-entropy, averaged over
    inputs.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.curvature import LinearModel, block
    >>> model = LinearModel(inputs=np.eye(2), weights=np.zeros((2, 2)))
    >>> block(model, 0, 0)
    array([[0.125, 0.   ],
           [0.   , 0.125]])
    """

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


def sample_linear(dimension: int, samples: int, classes: int, rng: RandomSource) -> LinearModel:
    """Draw a linear softmax model with Gaussian inputs and weights.

    Parameters
    ----------
    dimension : int
        Input dimension d.
    samples : int
        Number N of samples.
    classes : int
        Number C of classes, at least two.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness. Inputs are drawn before weights.

    Returns
    -------
    LinearModel
        Inputs N(0, 1) and weights N(0, 1/d), all independent.

    Notes
    -----
    Assumptions 1 and 2 of the paper with key ``dong`` (LeCun initialisation).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.curvature import sample_linear
    >>> model = sample_linear(3, 5, 4, np.random.default_rng(0))
    >>> model.inputs.shape, model.weights.shape
    ((5, 3), (4, 3))
    """
    dimension, samples, classes = checked_sizes(dimension, samples, classes)
    rng = validate.generator("rng", rng)
    validate.memory(
        8.0 * dimension * (samples + classes),
        f"a linear model with dimension={dimension}, samples={samples}, classes={classes}",
    )
    inputs = rng.standard_normal((samples, dimension))
    weights = rng.standard_normal((classes, dimension)) / np.sqrt(dimension)
    return LinearModel(inputs, weights)


def checked_sizes(dimension: int, samples: int, classes: int) -> tuple[int, int, int]:
    """Validated d, N and C."""
    return (
        validate.integer("dimension", dimension, meaning="input dimension d"),
        validate.integer("samples", samples, meaning="number of samples N"),
        validate.integer("classes", classes, minimum=2, meaning="number of classes C"),
    )


def probabilities(model: LinearModel) -> NDArray[np.float64]:
    """p_ni = softmax(V x_n)_i, samples × classes. Source: below `dong` eq. (4).

    >>> p = probabilities(sample_linear(3, 5, 4, np.random.default_rng(0)))
    >>> bool(np.allclose(p.sum(axis=1), 1))
    True
    """
    return softmax_in_place(logits_of(model))


def logits_of(model: LinearModel) -> NDArray[np.float64]:
    """V x_n, samples × classes; an error where they leave the range of doubles."""
    check_model(model)
    with np.errstate(over="ignore", invalid="ignore"):
        return validate.computed("model", np.asarray(model.inputs @ model.weights.T))


def check_model(model: LinearModel) -> None:
    """Raise a TypeError for anything but a linear model."""
    if not isinstance(model, LinearModel):
        raise TypeError(f"model: expected a LinearModel, not {type(model).__name__}")
