"""Losses of one sample as functions of the network's output f, with gradient, curvature and kinks.

    square          factor·‖f - y‖²                       y: real rows; the factor is one unless said otherwise
    cross_entropy   -Σ_c y_c log softmax(f)_c             y: class labels, or rows that sum to one
    logistic        Σ_k log(1 + e^(-y_k f_k))             y: entries ±1
    hinge           Σ_k max(0, 1 - y_k f_k)               y: entries ±1; kink at y_k f_k = 1
    absolute        Σ_k |f_k - y_k|                       y: real rows; kink at f_k = y_k
    none            Σ_k y_k f_k                           y: any real rows, ones if not given: the output itself

The loss of a data set is the mean over samples. At a kink the gradient is zero: that of the flat piece (hinge), the
mean of both (absolute).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks._softmax import from_top, log_sum_exp, others, softmax

LOSSES = ("square", "cross_entropy", "logistic", "hinge", "absolute", "none")
"""Names that :func:`loss` knows."""


@frozen
class DiagonalCurvature:
    """L''_n = diag(weights_n)."""

    weights: Array

    def product(self, vectors: Array) -> Array:
        """L''_n u_n for vectors of shape (…, samples, outputs)."""
        return self.weights * vectors

    def root_product(self, rows: Array) -> Array:
        """R_n J_n with R_nᵀR_n = L''_n for Jacobians J_n of shape (outputs, samples, columns)."""
        return np.asarray(np.sqrt(self.weights).T[:, :, None] * rows)

    def matrices(self) -> Array:
        """L''_n, samples × outputs × outputs."""
        return np.asarray(self.weights[:, :, None] * np.eye(self.weights.shape[1]))


@frozen
class SoftmaxCurvature:
    """L''_n = diag(p_n) - p_n p_nᵀ."""

    probabilities: Array

    @cached_property
    def _top(self) -> NDArray[np.intp]:
        return np.asarray(self.probabilities.argmax(axis=1))

    @cached_property
    def variances(self) -> Array:
        """p(1 - p), the diagonal of L''_n, with its digits where p is nearly one."""
        rest = 1 - self.probabilities
        rest[np.arange(len(rest)), self._top] = others(self.probabilities, self._top)
        return self.probabilities * rest

    def product(self, vectors: Array) -> Array:
        """L''_n u_n for vectors of shape (…, samples, outputs)."""
        result = from_top(vectors, self._top)
        result -= (self.probabilities * result).sum(axis=-1, keepdims=True)
        result *= self.probabilities
        return result

    def root_product(self, rows: Array) -> Array:
        """R_n J_n with R_nᵀR_n = L''_n for Jacobians J_n of shape (outputs, samples, columns).

        R_n = diag(√p)(1 - 1pᵀ): the variance of a label about its mean, without cancellation.
        """
        p = self.probabilities.T[:, :, None]
        moved = rows - rows[self._top, np.arange(len(self._top))]
        return np.asarray(np.sqrt(p) * (moved - (p * moved).sum(axis=0)))

    def matrices(self) -> Array:
        """L''_n, samples × outputs × outputs."""
        p = self.probabilities
        result = -p[:, :, None] * p[:, None, :]
        each = np.arange(p.shape[1])
        result[:, each, each] = self.variances
        return np.asarray(result)


Curvature = DiagonalCurvature | SoftmaxCurvature


@frozen
class Loss:
    """Loss of one sample as a function of the network's output.

    Use :func:`loss` to make one.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.networks import loss
    >>> square = loss("square")
    >>> square.values(np.array([[1.0, 3.0]]), np.array([[0.0, 1.0]]))
    array([5.])
    """

    name: str
    """"square", "cross_entropy", "logistic", "hinge", "absolute" or "none"."""
    factor: float = 1.0
    """Factor of the square loss; 1 for ‖f − y‖²."""

    def targets(self, targets: Any, samples: int, outputs: int) -> Array:
        """Targets in the form that the other methods take.

        Parameters
        ----------
        targets : array_like or None
            Real rows, class labels or rows of probabilities for "cross_entropy", entries ±1 for "hinge" and
            "logistic". None is accepted by "none" and means ones.
        samples, outputs : int
            Expected shape.

        Returns
        -------
        ndarray
            Rows of shape (samples, outputs).

        Raises
        ------
        ValueError
            If shape or values are not accepted.
        """
        if targets is None:
            if self.name == "none":
                return np.ones((samples, outputs))
            raise ValueError(f"targets=None: the loss {self.name} needs targets, one row a sample")
        try:
            given = np.asarray(targets)
        except ValueError:
            raise ValueError("targets: expected rows of equal length, or labels") from None
        if self.name == "cross_entropy" and given.ndim == 1 and given.dtype.kind in "iu":
            return self._labels(given, samples, outputs)
        rows: Array = validate.real_array("targets", targets)
        if rows.ndim == 1 and outputs == 1:
            rows = rows[:, None]
        if rows.shape != (samples, outputs):
            raise ValueError(
                f"targets of shape {np.shape(targets)}: expected {samples} rows of {outputs} numbers"
                + (" (or one integer label a sample)" if self.name == "cross_entropy" else "")
            )
        if self.name == "cross_entropy":
            return _shares(rows, given.dtype)
        if self.name in ("hinge", "logistic") and not (np.abs(rows) == 1).all():
            culprit = rows[np.abs(rows) != 1][0]
            raise ValueError(f"targets={culprit:g}: the loss {self.name} expects entries -1 or 1")
        return np.asarray(rows)

    def _labels(self, labels: NDArray[Any], samples: int, outputs: int) -> Array:
        if labels.shape != (samples,):
            raise ValueError(f"targets of shape {labels.shape}: expected {samples} labels, one a sample")
        if ((labels < 0) | (labels >= outputs)).any():
            culprit = labels[(labels < 0) | (labels >= outputs)][0]
            raise ValueError(f"targets={culprit}: expected labels in [0, {outputs - 1}]")
        rows = np.zeros((samples, outputs))
        rows[np.arange(samples), labels] = 1.0
        return rows

    def values(self, outputs: Array, targets: Array) -> Array:
        """Loss of each sample.

        Parameters
        ----------
        outputs, targets : ndarray
            Arrays of shape (samples, outputs).

        Returns
        -------
        ndarray
            One number per sample.

        Examples
        --------
        >>> loss("square").values(np.array([[1.0, 3.0]]), np.array([[0.0, 1.0]]))
        array([5.])
        """
        if self.name == "square":
            return np.asarray(self.factor * np.square(outputs - targets).sum(axis=-1))
        if self.name == "cross_entropy":
            # Targets sum to one, so they can be moved into the sum, which avoids cancellation where the label is
            # certain.
            return log_sum_exp(outputs - (outputs * targets).sum(axis=-1, keepdims=True))
        if self.name == "logistic":
            return np.asarray(np.logaddexp(0.0, -targets * outputs).sum(axis=-1))
        if self.name == "hinge":
            return np.asarray(np.maximum(0.0, 1 - targets * outputs).sum(axis=-1))
        if self.name == "absolute":
            return np.asarray(np.abs(outputs - targets).sum(axis=-1))
        return np.asarray((targets * outputs).sum(axis=-1))

    def gradient(self, outputs: Array, targets: Array) -> Array:
        """First derivatives in the outputs.

        Parameters
        ----------
        outputs, targets : ndarray
            Arrays of shape (samples, outputs).

        Returns
        -------
        ndarray
            ``∂L/∂f`` of shape (samples, outputs). At a kink: zero for "hinge", the mean of both sides for
            "absolute".

        Examples
        --------
        >>> loss("hinge").gradient(np.array([[0.5], [2.0]]), np.ones((2, 1))).tolist()
        [[-1.0], [0.0]]
        """
        if self.name == "square":
            return np.asarray(2 * self.factor * (outputs - targets))
        if self.name == "cross_entropy":
            probabilities = softmax(outputs)
            result = probabilities - targets
            labels = targets.argmax(axis=1)
            each = np.arange(len(labels))
            # p - 1 of a label that is certain, without cancellation.
            sure = targets[each, labels] == 1
            result[each[sure], labels[sure]] = -others(probabilities, labels)[sure]
            return np.asarray(result)
        if self.name == "logistic":
            return np.asarray(-targets * expit(-targets * outputs))
        if self.name == "hinge":
            return np.where(targets * outputs < 1, -targets, 0.0)
        if self.name == "absolute":
            return np.asarray(np.sign(outputs - targets))
        return targets

    def curvature(self, outputs: Array, targets: Array) -> Curvature | None:
        """Second derivatives in the outputs.

        Parameters
        ----------
        outputs, targets : ndarray
            Arrays of shape (samples, outputs).

        Returns
        -------
        DiagonalCurvature, SoftmaxCurvature or None
            ``∂²L/∂f²`` of each sample, None if it vanishes away from kinks.
        """
        if self.name == "square":
            return DiagonalCurvature(np.full_like(outputs, 2 * self.factor))
        if self.name == "cross_entropy":
            return SoftmaxCurvature(softmax(outputs))
        if self.name == "logistic":
            return DiagonalCurvature(np.asarray(expit(outputs) * expit(-outputs)))
        return None

    def kink_distance(self, outputs: Array, targets: Array) -> float:
        """Smallest distance of an output to a kink of the loss.

        Parameters
        ----------
        outputs, targets : ndarray
            Arrays of shape (samples, outputs).

        Returns
        -------
        float
            The distance; infinite for smooth losses.

        Examples
        --------
        >>> loss("hinge").kink_distance(np.array([[0.25]]), np.array([[1.0]]))
        0.75
        """
        if self.name == "hinge":
            return float(np.abs(1 - targets * outputs).min())
        if self.name == "absolute":
            return float(np.abs(outputs - targets).min())
        return float("inf")

    def __str__(self) -> str:
        return self.name if self.factor == 1 else f"{self.name}(factor={self.factor:g})"


def _shares(rows: Array, kind: np.dtype[Any]) -> Array:
    """Rows of class probabilities that sum to one in their own precision, made to do so in double precision."""
    single = kind.kind == "f" and kind.itemsize < 8
    room = 64 * float(np.finfo(kind).eps) if single else 1e-9
    sums = rows.sum(axis=1, keepdims=True)
    if not ((rows >= 0).all() and (np.abs(sums - 1) <= room).all()):
        raise ValueError("targets: expected rows of class probabilities, none negative, each of sum one")
    return np.asarray(rows / sums)


def loss(name: str | Loss, *, factor: float = 1.0) -> Loss:
    """Loss function by name.

    Parameters
    ----------
    name : str or Loss
        "square", "cross_entropy", "logistic", "hinge", "absolute" or "none"; a :class:`Loss` is returned unchanged.
    factor : float, optional
        Factor of the square loss: 0.5 gives ½‖f − y‖².

    Returns
    -------
    Loss
        The loss of one sample. The loss of a data set is the mean over samples.

    Raises
    ------
    ValueError
        If the name is unknown, or a factor is given for another loss than "square".

    Notes
    -----
    With output f and target y of one sample:

    - square: factor·‖f − y‖²;
    - cross_entropy: −Σ_c y_c log softmax(f)_c, y a class label or probabilities;
    - logistic: Σ_k log(1 + exp(−y_k f_k)), y_k = ±1;
    - hinge: Σ_k max(0, 1 − y_k f_k), y_k = ±1;
    - absolute: Σ_k |f_k − y_k|;
    - none: Σ_k y_k f_k, with ones for y by default.

    Examples
    --------
    >>> from rmtsim.networks import loss
    >>> str(loss("square", factor=0.5))
    'square(factor=0.5)'
    >>> loss("quartic")
    Traceback (most recent call last):
        ...
    ValueError: loss='quartic': expected one of square, cross_entropy, logistic, hinge, absolute, none
    """
    if isinstance(name, Loss):
        if factor != 1:
            raise TypeError(
                f"factor={validate.shown(factor)}: a factor belongs to a name, and {name} is a loss already"
            )
        return name
    if not isinstance(name, str) or name not in LOSSES:
        raise ValueError(f"loss={validate.shown(name)}: expected one of {', '.join(LOSSES)}")
    factor = validate.positive_number("factor", factor)
    if factor != 1 and name != "square":
        raise ValueError(f"factor={factor}: only the square loss has a factor, and loss is {name!r}")
    return Loss(name, factor)
