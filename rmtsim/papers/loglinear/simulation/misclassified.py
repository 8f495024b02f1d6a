"""Teacher and student of Section 3.5 in the coordinates in which its assumptions hold by construction.

Any matrix of logits is a word model (contexts encoded as unit vectors), so an instance is given by logits: k words of
interest, a bulk of m words, one other word. The input of the network from word j is ⟨v, v_j - v₀⟩ - b_j: ``above``
for the teacher, ``student_above`` for the student; the anchors miss log Z_bulk by ``miss`` and ``student_miss``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

BULK = 3
"""Words of the bulk."""


@frozen
class Instances:
    """Many instances at once; the last axis is that of the words [k of interest, bulk, other]."""

    weights: Array
    """a*_j, scaled to max|a*_j| = 1."""
    thresholds: Array
    above: Array
    student_above: Array
    teacher: Array
    """log p*, words last."""
    student: Array
    """log p."""
    error: Array
    """ε_b: a bound of how far both anchors miss."""
    margin: Array
    """γ = |f*|, the largest margin that Assumption 3.5.2 allows."""
    outputs: Array
    """f*."""
    student_outputs: Array
    """f."""

    @property
    def words(self) -> int:
        """k."""
        return int(self.weights.shape[-1])

    @property
    def normalised_margin(self) -> Array:
        """Γ = γ/(k max|a|)."""
        return self.margin / self.words

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """f·f* ≤ 0: ties count as errors, which is stricter than the thesis."""
        return np.asarray(self.outputs * self.student_outputs <= 0)

    @property
    def bulk(self) -> tuple[Array, Array]:
        """Probability of the bulk, teacher's and student's."""
        rows = slice(self.words, self.words + BULK)
        return np.exp(self.teacher[..., rows]).sum(axis=-1), np.exp(self.student[..., rows]).sum(axis=-1)

    @property
    def l1(self) -> Array:
        """Σ_j |p*_j - p_j|."""
        return np.asarray(np.abs(np.exp(self.teacher) - np.exp(self.student)).sum(axis=-1))

    @property
    def divergence(self) -> Array:
        """D_KL(p* ‖ p)."""
        ratio = self.teacher - self.student
        return np.asarray(np.sum(np.exp(self.teacher) * (ratio + np.expm1(-ratio)), axis=-1))


def point_length(words: int) -> int:
    """Length of the points that :func:`instances_from` takes.

    >>> point_length(2)
    19
    """
    return 4 * validate.integer("words", words, meaning="k, words of interest") + 5 + 2 * BULK


def _normalised(weights: Array) -> Array:
    return np.asarray(weights - np.log(np.exp(weights).sum(axis=-1, keepdims=True)))


def instances_from(
    points: Array, words: int, *, largest_error: float, offset: float | None = None, equal_bulk: bool = False
) -> Instances:
    """Instances of real coordinates, one per row: weights, both ``above``, slack of the thresholds, errors, rest.

    ε_b is a share in (0, ``largest_error``) of Γ; thresholds satisfy b_j ≥ ε_b - log(4k), or b_j ≥ ``offset``.
    ``equal_bulk`` gives teacher and student the same distribution within the bulk. Signs are chosen so that f* > 0.

    >>> drawn = instances_from(np.ones((1, 19)), 2, largest_error=0.125)
    >>> bool(drawn.error[0] < drawn.normalised_margin[0] / 8), drawn.teacher.shape
    (True, (1, 6))
    """
    k = validate.integer("words", words, meaning="k, words of interest")
    x = validate.matrix("points", points, columns=point_length(k))
    share = validate.positive_number("largest_error", largest_error, meaning="largest ε_b/Γ")
    if offset is not None:
        offset = validate.finite_number("offset", offset, meaning="least threshold")
    x = np.clip(x, -30, 30)
    weights, above, below, slack = (x[:, i * k : (i + 1) * k] for i in range(4))
    rest = x[:, 4 * k :]
    weights = weights / np.maximum(np.abs(weights).max(axis=-1, keepdims=True), 1e-300)
    outputs = np.sum(weights * np.maximum(above, 0), axis=-1)
    sign = np.where(outputs < 0, -1.0, 1.0)
    weights, outputs = weights * sign[:, None], outputs * sign
    error = share / (1 + np.exp(-rest[:, 0])) * outputs / k
    miss, student_miss = error * np.tanh(rest[:, 1]), error * np.tanh(rest[:, 2])
    least = error - np.log(4 * k) if offset is None else np.full_like(error, offset)
    # Slack is exp(θ) - 1 cut at zero: thresholds at their least are reached, not only approached.
    thresholds = least[:, None] + np.maximum(np.expm1(np.minimum(slack, 1.5)), 0)
    bulk = _normalised(rest[:, 5 : 5 + BULK])
    student_bulk = bulk if equal_bulk else _normalised(rest[:, 5 + BULK :])
    teacher = np.column_stack([above + (thresholds + miss[:, None]), bulk, rest[:, 3]])
    student = np.column_stack([below + (thresholds + student_miss[:, None]), student_bulk, rest[:, 4]])
    return Instances(
        weights, thresholds, above, below, _normalised(teacher), _normalised(student), error, outputs, outputs,
        np.sum(weights * np.maximum(below, 0), axis=-1),
    )  # fmt: skip


def draw_instances(
    count: int, words: int, rng: np.random.Generator, *, largest_error: float = 0.125, spread: float = 1.5
) -> Instances:
    """Random instances, each as likely right as wrong; see :func:`instances_from`.

    >>> draw_instances(5, 3, np.random.default_rng(0)).divergence.shape
    (5,)
    """
    number = validate.integer("count", count)
    width = validate.positive_number("spread", spread)
    points = width * validate.generator("rng", rng).standard_normal((number, point_length(words)))
    return instances_from(points, words, largest_error=largest_error)
