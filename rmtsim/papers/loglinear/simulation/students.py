"""Random teachers and the students of Section 3.3: one word lowered, or all logits shifted."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.papers.loglinear.simulation.word_model import (
    WordModel,
    kl_divergence,
    shifted_student,
    word_model,
)

CONTEXTS = 3
"""Contexts of a random instance: constructions must serve all of them with one dictionary."""
DIMENSION = 4
WORDS_OF_INTEREST = 3


def draw_teacher(size: int, rng: np.random.Generator, spread: float, contexts: int = CONTEXTS) -> WordModel:
    """Gaussian atoms and contexts; logits have the standard deviation ``spread``."""
    atoms = rng.standard_normal((size, DIMENSION))
    return word_model(atoms, spread / np.sqrt(DIMENSION) * rng.standard_normal((contexts, DIMENSION)))


class LoweredWord:
    """Teacher and the student of Theorem 3.3.1: the logit of word t⁻ lowered by s in every context, d' = d + 1.

    t⁻ is the rarest of the words of interest in the first context, so that p⁻ ≤ 1/2 there; contexts where p⁻ is
    larger are left out.
    """

    def __init__(self, size: int, rng: np.random.Generator, shift: float, spread: float):
        teacher = draw_teacher(size, rng, spread)
        self.weights = rng.standard_normal(WORDS_OF_INTEREST)
        first = teacher.log_probabilities()
        word = int(np.argmin(first[0, :WORDS_OF_INTEREST]))
        kept = first[:, word] <= -np.log(2)
        shifts = np.zeros(size)
        shifts[word] = -shift
        self.shift, self.word = shift, word
        self.teacher = WordModel(teacher.dictionary, teacher.contexts[kept])
        self.student = shifted_student(self.teacher, shifts)
        self.rare: Array = np.exp(first[kept, word])
        self.divergence = kl_divergence(self.teacher, self.student)
        self.quotient: Array = np.exp(self.student.log_partition() - self.teacher.log_partition())
        """Z/Z*."""

    def task(self, model: WordModel) -> Array:
        """f = Σ_t c_t ⟨v, v_t⟩ over the words of interest."""
        return np.asarray(model.logits[:, :WORDS_OF_INTEREST] @ self.weights)


def common_shift(
    size: int, rng: np.random.Generator, spread: float
) -> tuple[WordModel, WordModel, Array, Array]:
    """Teacher, the student of Theorem 3.3.2, coefficients and thresholds of a network on all logits."""
    teacher = draw_teacher(size, rng, spread)
    weights, thresholds = rng.standard_normal((2, size))
    logits = teacher.logits
    shift = thresholds.min() - logits.max() - 1e-3
    return teacher, shifted_student(teacher, float(shift)), weights, thresholds
