"""The log-linear word model (thesis of C. Wu, eqs. (3.1)–(3.4)): p(x_i = j | x_{-i}) ∝ exp⟨v(x_{-i}), v_j⟩.

A model holds a dictionary (atoms v_j in its rows) and the encoded contexts v(x_{-i}), one per row; the network that
encodes them is not modelled, as in the thesis. Teacher and student are two models with the same words and contexts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen


@frozen
class WordModel:
    """A dictionary and encoded contexts, checked by :func:`word_model`."""

    dictionary: Array
    """Atoms, one per row: n × d."""
    contexts: Array
    """Encoded contexts v(x_{-i}), one per row: T × d."""

    @property
    def logits(self) -> Array:
        """z_j(x) = ⟨v(x), v_j⟩, T × n."""
        return np.asarray(self.contexts @ self.dictionary.T)

    def log_partition(self, bulk: Any = None) -> Array:
        """log Z(x), or log Z_bulk(x) over the words of a mask (n, or T × n for one mask per context)."""
        logits = self.logits
        if bulk is None:
            return log_sum(logits)
        mask = checked_mask("bulk", bulk, logits.shape)
        return log_sum(np.where(mask, logits, -np.inf))

    def log_probabilities(self) -> Array:
        """log p(x_i = j | x_{-i}), T × n."""
        logits = self.logits
        return np.asarray(logits - log_sum(logits)[:, None])

    def without_top(self, removed: int) -> NDArray[np.bool_]:
        """Masks of the bulk words of each context: all but the ``removed`` most probable ones."""
        n = self.dictionary.shape[0]
        count = validate.integer(
            "removed", removed, minimum=0, maximum=n - 1, meaning="words removed; at least one must remain"
        )
        mask = np.ones((self.contexts.shape[0], n), dtype=bool)
        if count:
            top = np.argpartition(self.logits, n - count, axis=1)[:, n - count :]
            np.put_along_axis(mask, top, False, axis=1)
        return mask


def word_model(dictionary: Any, contexts: Any) -> WordModel:
    """A log-linear model of n words (rows of ``dictionary``) on encoded contexts (rows of ``contexts``).

    >>> model = word_model([[0.0, 1.0], [1.0, 0.0]], [[0.0, np.log(3)]])
    >>> np.exp(model.log_probabilities()).round(12).tolist()
    [[0.75, 0.25]]
    >>> word_model([[0.0, np.nan]], [[0.0, 1.0]])
    Traceback (most recent call last):
        ...
    ValueError: dictionary=nan at index 0, 1: expected rows × columns finite real numbers (atoms, one per row)
    """
    atoms = validate.matrix("dictionary", dictionary, meaning="atoms, one per row")
    encoded = validate.matrix(
        "contexts", contexts, columns=atoms.shape[1], meaning="encoded contexts, one per row"
    )
    return WordModel(atoms, encoded)


def log_sum(logits: Array) -> Array:
    """log Σ_j exp(z_j) of each row, without overflow; each row needs one finite entry."""
    top = logits.max(axis=1)
    return np.asarray(top + np.log(np.exp(logits - top[:, None]).sum(axis=1)))


def checked_mask(name: str, mask: Any, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """A mask of bulk words broadcast to ``shape``; a context without any bulk word is refused."""
    array = np.asarray(mask)
    expected = f"expected booleans of shape ({shape[1]},) or {shape}, true for the bulk words"
    if array.dtype != np.bool_:
        raise TypeError(f"{name}={validate.shown(mask)}: {expected}, not {array.dtype}")
    if array.shape not in ((shape[1],), shape):
        raise ValueError(f"{name} has shape {array.shape}: {expected}")
    full = np.broadcast_to(array, shape)
    if not full.any(axis=1).all():
        empty = int(np.argmin(full.any(axis=1)))
        raise ValueError(
            f"{name} selects no word in context {empty}: a bulk partition function needs at least one"
        )
    return full


def kl_divergence(teacher: WordModel, student: WordModel) -> Array:
    """D_KL(p* ‖ p) of each context, in nats.

    >>> one = word_model([[0.0], [1.0]], [[0.0], [2.0]])
    >>> kl_divergence(one, one).tolist()
    [0.0, 0.0]
    """
    first, second = _both(teacher, student)
    ratio = first - second
    # p* - p sums to zero; with it every term is >= 0 and small divergences keep their digits.
    return np.asarray(np.sum(np.exp(first) * (ratio + np.expm1(-ratio)), axis=1))


def l1_distance(teacher: WordModel, student: WordModel) -> Array:
    """Σ_j |p*_j - p_j| of each context: twice the total variation distance.

    >>> l1_distance(word_model([[0.0], [50.0]], [[1.0]]), word_model([[50.0], [0.0]], [[1.0]])).round(12).tolist()
    [2.0]
    """
    first, second = _both(teacher, student)
    return np.asarray(np.sum(np.abs(np.exp(first) - np.exp(second)), axis=1))


def _both(teacher: WordModel, student: WordModel) -> tuple[Array, Array]:
    first = validate.instance("teacher", teacher, WordModel).log_probabilities()
    second = validate.instance("student", student, WordModel).log_probabilities()
    if first.shape != second.shape:
        raise ValueError(
            f"teacher and student have {first.shape} and {second.shape} (contexts, words): expected the same"
        )
    return first, second


def shifted_student(teacher: WordModel, shifts: Any) -> WordModel:
    """A student whose logits are z*_j(x) + shift_j, in every context: one more coordinate, 1 in every context.

    A single number shifts all words alike, which does not change the softmax (Theorem 3.3.2); one entry alone is the
    student of Theorem 3.3.1.

    >>> teacher = word_model([[0.0], [1.0]], [[0.5], [2.0]])
    >>> shifted_student(teacher, [0.0, -3.0]).logits.tolist()
    [[0.0, -2.5], [0.0, -1.0]]
    """
    validate.instance("teacher", teacher, WordModel)
    n, contexts = teacher.dictionary.shape[0], teacher.contexts
    each = validate.real_array("shifts", shifts, meaning="one number, or one per word")
    if each.shape not in ((), (n,)):
        raise ValueError(f"shifts has shape {each.shape}: expected one number, or {n} (one per word)")
    atoms = np.column_stack([teacher.dictionary, np.broadcast_to(each, (n,))])
    return WordModel(atoms, np.column_stack([contexts, np.ones(contexts.shape[0])]))
