"""Section 3.3 and appendix B.1: a rare word can be lost at little cost, and the softmax is shift-invariant."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Bound, Corrected, Identity, Plan, claim
from rmtsim.papers.loglinear.simulation.students import LoweredWord, common_shift
from rmtsim.papers.loglinear.statements.parameters import ROUNDING, SHIFT, SPREAD

LOWERED = ({"shift": 1.0, "spread": 1.0}, {"shift": 8.0, "spread": 3.0})
SHIFTED = ({"spread": 1.0}, {"spread": 5.0})
INSTANCES = Plan(sizes=(5, 20), size_name="n", cost=1.5e-4)
AT_MOST_ONE = Bound(1.0, within=ROUNDING)
EQUAL = Identity(within=ROUNDING)


@claim("loglinear.thm3.3.1", states=AT_MOST_ONE, over=(SHIFT, SPREAD), points=LOWERED, plan=INSTANCES)
def divergence_quotient(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """max D_KL/(2sp⁻)."""
    drawn = LoweredWord(size, rng, shift, spread)
    return float(np.max(drawn.divergence / (2 * shift * drawn.rare)))


@claim("loglinear.thm3.3.1.task", states=EQUAL, over=(SHIFT, SPREAD), points=LOWERED, plan=INSTANCES)
def task_error(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """Largest |f - f* + s c|/(1 + s)."""
    drawn = LoweredWord(size, rng, shift, spread)
    change = drawn.task(drawn.student) - drawn.task(drawn.teacher) + shift * drawn.weights[drawn.word]
    return float(np.max(np.abs(change))) / (1 + shift)


@claim("loglinear.eqB.3", states=AT_MOST_ONE, over=(SHIFT, SPREAD), points=LOWERED, plan=INSTANCES)
def partition_quotient(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """max((1 - p⁻)Z*/Z, Z/Z*)."""
    drawn = LoweredWord(size, rng, shift, spread)
    return float(max(np.max((1 - drawn.rare) / drawn.quotient), np.max(drawn.quotient)))


@claim("loglinear.eqB.5", states=EQUAL, over=(SHIFT, SPREAD), points=LOWERED, plan=INSTANCES)
def ratio_error(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """Largest deviation of log(p*_j/p_j) - log(Z/Z*) - s·1[j = t⁻], over 1 + s."""
    drawn = LoweredWord(size, rng, shift, spread)
    found = drawn.teacher.log_probabilities() - drawn.student.log_probabilities()
    found -= np.log(drawn.quotient)[:, None]
    found[:, drawn.word] -= shift
    return float(np.max(np.abs(found))) / (1 + shift)


@claim("loglinear.eqB.8", states=EQUAL, over=(SHIFT, SPREAD), points=LOWERED, plan=INSTANCES)
def expansion_error(size: int, rng: np.random.Generator, form: str, shift: float, spread: float) -> float:
    """|D_KL - right side|/(1 + s), in the context where it is largest."""
    drawn = LoweredWord(size, rng, shift, spread)
    log_quotient, rare = np.log(drawn.quotient), drawn.rare
    printed = (1 - rare) * log_quotient + rare * shift * log_quotient
    right = printed if form == "printed" else log_quotient + shift * rare
    return float(np.max(np.abs(drawn.divergence - right)) / (1 + shift))


@claim(
    "loglinear.eqB.9",
    corrected=Corrected(states=Bound(1.0, within=1e-7)),
    states=AT_MOST_ONE,
    over=(SHIFT, SPREAD),
    points=LOWERED,
    plan=INSTANCES,
)
def chain_quotient(size: int, rng: np.random.Generator, form: str, shift: float, spread: float) -> float:
    """max D_KL over the bound."""
    drawn = LoweredWord(size, rng, shift, spread)
    printed = -shift * drawn.rare * np.log1p(-drawn.rare)
    bound = printed if form == "printed" else drawn.rare * (shift + np.expm1(-shift))
    return float(np.max(drawn.divergence / bound))


@claim("loglinear.thm3.3.2", states=EQUAL, over=(SPREAD,), points=SHIFTED, plan=INSTANCES)
def useless_error(size: int, rng: np.random.Generator, spread: float) -> float:
    """max(max|log p̂ - log p*|/(1 + spread), max|f̂|)."""
    teacher, student, weights, thresholds = common_shift(size, rng, spread)
    change = np.max(np.abs(student.log_probabilities() - teacher.log_probabilities())) / (1 + spread)
    outputs = np.maximum(student.logits - thresholds, 0) @ weights
    return float(max(change, np.max(np.abs(outputs))))


@claim("loglinear.eq3.7", states=EQUAL, over=(SPREAD,), points=SHIFTED, plan=INSTANCES)
def anchored_error(size: int, rng: np.random.Generator, spread: float) -> float:
    """Largest difference between anchored outputs of the teacher and of its shifted copy."""
    teacher, student, weights, thresholds = common_shift(size, rng, spread)
    anchor = rng.standard_normal(teacher.dictionary.shape[1])
    moved = np.append(anchor, student.dictionary[0, -1])
    outputs = [
        np.maximum(model.logits - (model.contexts @ vector)[:, None] - thresholds, 0) @ weights
        for model, vector in ((teacher, anchor), (student, moved))
    ]
    return float(np.max(np.abs(outputs[0] - outputs[1])) / np.sum(np.abs(weights)))


@claim("loglinear.sec3.3.1.threshold", states=Bound(0.0, within=ROUNDING), plan=INSTANCES)
def divergence_at_the_boundary(size: int, rng: np.random.Generator, form: str) -> float:
    """(D_KL - 2p⁻s)/(1 + |s|) where the logit of a word with p⁻ ≤ ½ is lowered by s = f*/c*; corrected: where s > 0."""
    while True:
        logits, weights = rng.standard_normal((2, size))
        chances = np.exp(logits - np.logaddexp.reduce(logits))
        word = int(rng.integers(size))
        shift = float(weights @ logits / weights[word])
        if chances[word] <= 0.5 and abs(shift) < 50 and (form == "printed" or shift > 0):
            break
    moved = logits.copy()
    moved[word] -= shift
    student = moved - np.logaddexp.reduce(moved)
    divergence = float(chances @ (np.log(chances) - student))
    return (divergence - 2 * float(chances[word]) * shift) / (1 + abs(shift))
