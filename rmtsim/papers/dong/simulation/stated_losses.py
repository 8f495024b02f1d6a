"""The losses of `dong` as printed, in mpmath arithmetic, for :mod:`rmtsim.curvature._differentiation`.

Each function returns a loss of one flat list of parameters. No derivative is used here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate

MpLoss = Callable[[Sequence[Any]], Any]
_OfLogits = Callable[[list[Any], list[Any]], Any]
"""The loss of one sample from its logits and its targets."""


def _exact(matrix: NDArray[np.float64]) -> list[list[Any]]:
    return [[mpmath.mpf(float(entry)) for entry in row] for row in matrix]


def _checked(inputs: Any, targets: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    data = validate.matrix("inputs", inputs, meaning="samples × dimension")
    goals = validate.matrix("targets", targets, rows=len(data), meaning="samples × classes")
    return _exact(data), _exact(goals)


def _rows(theta: Sequence[Any], start: int, rows: int, columns: int) -> list[Sequence[Any]]:
    return [theta[start + row * columns : start + (row + 1) * columns] for row in range(rows)]


def _relu(value: Any) -> Any:
    return value if value > 0 else mpmath.mpf(0)


def _features(weights: Sequence[Sequence[Any]], x: Sequence[Any]) -> list[Any]:
    return [_relu(mpmath.fdot(row, x)) for row in weights]


def _square(logits: Sequence[Any], y: Sequence[Any]) -> Any:
    return mpmath.fsum((logit - t) ** 2 for logit, t in zip(logits, y, strict=True))


def _cross_entropy(logits: Sequence[Any], y: list[Any]) -> Any:
    label = y.index(mpmath.mpf(1))
    return -mpmath.log(mpmath.exp(logits[label]) / mpmath.fsum(mpmath.exp(logit) for logit in logits))


def _linear(inputs: NDArray[np.float64], targets: NDArray[np.float64], of_logits: _OfLogits) -> MpLoss:
    data, goals = _checked(inputs, targets)

    def loss(theta: Sequence[Any]) -> Any:
        weights = _rows(theta, 0, len(goals[0]), len(data[0]))
        total = mpmath.mpf(0)
        for x, y in zip(data, goals, strict=True):
            total += of_logits([mpmath.fdot(v, x) for v in weights], y)
        return total / len(data)

    return loss


def linear_square_loss(inputs: NDArray[np.float64], targets: NDArray[np.float64]) -> MpLoss:
    """(1/N) Σ ‖V x_n - y_n‖², parameters v_1, …, v_C. Source: `dong` eq. (2).

    >>> loss = linear_square_loss(np.array([[1.0, 2.0]]), np.array([[0.0]]))
    >>> int(loss([mpmath.mpf(1), mpmath.mpf(1)]))
    9
    """
    return _linear(inputs, targets, _square)


def linear_cross_entropy(inputs: NDArray[np.float64], targets: NDArray[np.float64]) -> MpLoss:
    """-(1/N) Σ log softmax(V x_n)_{y_n}, parameters v_1, …, v_C, one-hot targets. Source: `dong` eq. (4).

    >>> loss = linear_cross_entropy(np.array([[1.0]]), np.array([[1.0, 0.0]]))
    >>> round(float(loss([mpmath.mpf(0), mpmath.mpf(0)])), 6)
    0.693147
    """
    return _linear(inputs, targets, _cross_entropy)


def _network(
    inputs: NDArray[np.float64],
    targets: NDArray[np.float64],
    hidden: int,
    of_logits: _OfLogits,
) -> MpLoss:
    data, goals = _checked(inputs, targets)
    hidden = validate.integer("hidden", hidden, meaning="number of hidden neurons m")
    dimension, classes = len(data[0]), len(goals[0])

    def loss(theta: Sequence[Any]) -> Any:
        first = _rows(theta, 0, hidden, dimension)
        second = _rows(theta, hidden * dimension, classes, hidden)
        total = mpmath.mpf(0)
        for x, y in zip(data, goals, strict=True):
            features = _features(first, x)
            total += of_logits([mpmath.fdot(v, features) for v in second], y)
        return total / len(data)

    return loss


def network_square_loss(inputs: NDArray[np.float64], targets: NDArray[np.float64], hidden: int) -> MpLoss:
    """(1/N) Σ ‖V σ(W x_n) - y_n‖², parameters w_1, …, w_m, v_1, …, v_C. Source: `dong` eq. (7).

    >>> loss = network_square_loss(np.array([[1.0]]), np.array([[0.0]]), 1)
    >>> int(loss([mpmath.mpf(2), mpmath.mpf(3)]))
    36
    """
    return _network(inputs, targets, hidden, _square)


def network_cross_entropy(inputs: NDArray[np.float64], targets: NDArray[np.float64], hidden: int) -> MpLoss:
    """-(1/N) Σ log softmax(V σ(W x_n))_{y_n}, parameters as above, one-hot targets. Source: `dong` eq. (13).

    >>> loss = network_cross_entropy(np.array([[1.0]]), np.array([[1.0, 0.0]]), 1)
    >>> round(float(loss([mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0)])), 6)
    0.693147
    """
    return _network(inputs, targets, hidden, _cross_entropy)


def binary_cross_entropy(x: NDArray[np.float64], output: NDArray[np.float64], label: int) -> MpLoss:
    """-log of the probability that a one-output network gives the ``label`` in {0, 1}; parameters w_1, …, w_m.

    Source: the set-up of `dong` eq. (1), logistic output 1/(1 + e^{-f}).

    >>> loss = binary_cross_entropy(np.array([1.0]), np.array([0.0]), 1)
    >>> round(float(loss([mpmath.mpf(1)])), 6)
    0.693147
    """
    x, output = validate.real_array("x", x), validate.real_array("output", output)
    if x.ndim != 1 or output.ndim != 1 or not x.size or not output.size:
        raise ValueError(f"x, output of shapes {x.shape}, {output.shape}: expected two vectors of numbers")
    label = validate.integer("label", label, minimum=0, maximum=1, meaning="class 0 or 1")
    point, second = [mpmath.mpf(float(v)) for v in x], [mpmath.mpf(float(v)) for v in output]

    def loss(theta: Sequence[Any]) -> Any:
        features = _features(_rows(theta, 0, len(second), len(point)), point)
        f = mpmath.fdot(second, features)
        return mpmath.log(1 + mpmath.exp(-f if label else f))

    return loss
