"""Section 3.3 and appendix B.1: a rare word can be lost at little cost, and the softmax does not see a shift."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Bound, Corrected, Erratum, Identity, Plan, claim
from rmtsim.papers.loglinear.simulation.students import LoweredWord, common_shift
from rmtsim.papers.loglinear.statements.parameters import ROUNDING, SHIFT, SPREAD

LOWERED = ({"shift": 1.0, "spread": 1.0}, {"shift": 8.0, "spread": 3.0})
SHIFTED = ({"spread": 1.0}, {"spread": 5.0})
INSTANCES = Plan(sizes=(5, 20), size_name="n", cost=1.5e-4)
AT_MOST_ONE = Bound(1.0, within=ROUNDING)
EQUAL = Identity(within=ROUNDING)


@claim(
    "loglinear.thm3.3.1",
    at="Theorem 3.3.1, first part",
    standing="theorem",
    printed="Lowering the logit of a word with p⁻ ≤ 1/2 by s costs D_KL(p* ‖ p) ≤ 2sp⁻; the student has one more "
    "coordinate and serves all contexts. Tested: the largest quotient over the contexts is ≤ 1.",
    states=AT_MOST_ONE,
    over=(SHIFT, SPREAD),
    points=LOWERED,
    plan=INSTANCES,
)
def divergence_quotient(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """max D_KL/(2sp⁻)."""
    drawn = LoweredWord(size, rng, shift, spread)
    return float(np.max(drawn.divergence / (2 * shift * drawn.rare)))


@claim(
    "loglinear.thm3.3.1.task",
    at="Theorem 3.3.1, second part; eq. (B.10)",
    standing="theorem",
    printed="The same student has f = f* - s c*_{t⁻} (so ≤), whatever the sign of c*_{t⁻}; tested: the difference, "
    "over 1 + s.",
    states=EQUAL,
    over=(SHIFT, SPREAD),
    points=LOWERED,
    plan=INSTANCES,
)
def task_error(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """Largest |f - f* + s c|/(1 + s)."""
    drawn = LoweredWord(size, rng, shift, spread)
    change = drawn.task(drawn.student) - drawn.task(drawn.teacher) + shift * drawn.weights[drawn.word]
    return float(np.max(np.abs(change))) / (1 + shift)


@claim(
    "loglinear.eqB.3",
    at="eqs. (B.3) and (B.4)",
    printed="(1 - p⁻)Z* < Z < Z*; tested: the larger of (1 - p⁻)Z*/Z and Z/Z* is ≤ 1.",
    states=AT_MOST_ONE,
    over=(SHIFT, SPREAD),
    points=LOWERED,
    plan=INSTANCES,
)
def partition_quotient(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """max((1 - p⁻)Z*/Z, Z/Z*)."""
    drawn = LoweredWord(size, rng, shift, spread)
    return float(max(np.max((1 - drawn.rare) / drawn.quotient), np.max(drawn.quotient)))


@claim(
    "loglinear.eqB.5",
    at="eqs. (B.5) and (B.6)",
    printed="p*_j/p_j = Z/Z* for j ≠ t⁻ and (Z/Z*)e^s for t⁻ (the exponent -r printed inside (B.6) is -s); tested on "
    "logarithms.",
    states=EQUAL,
    over=(SHIFT, SPREAD),
    points=LOWERED,
    plan=INSTANCES,
)
def ratio_error(size: int, rng: np.random.Generator, shift: float, spread: float) -> float:
    """Largest deviation of log(p*_j/p_j) - log(Z/Z*) - s·1[j = t⁻], over 1 + s."""
    drawn = LoweredWord(size, rng, shift, spread)
    found = drawn.teacher.log_probabilities() - drawn.student.log_probabilities()
    found -= np.log(drawn.quotient)[:, None]
    found[:, drawn.word] -= shift
    return float(np.max(np.abs(found))) / (1 + shift)


@claim(
    "loglinear.eqB.8",
    at="eq. (B.8)",
    printed="D_KL(p* ‖ p) = Σ_{j≠t⁻} p*_j log(Z/Z*) + p⁻ · s log(Z/Z*); tested: the difference, over 1 + s.",
    corrected="D_KL(p* ‖ p) = log(Z/Z*) + s p⁻.",
    states=EQUAL,
    over=(SHIFT, SPREAD),
    points=LOWERED,
    plan=INSTANCES,
    erratum=Erratum(
        cause="the logarithm of a product is written as a product",
        note="By (B.6) the last term is p⁻ log((Z/Z*)e^s) = p⁻(s + log(Z/Z*)). As printed every term is negative, "
        "since Z < Z* by (B.4), and a KL divergence is not.",
        credit="(B.5) and (B.6), from which it follows, are right, and so is Theorem 3.3.1.",
    ),
)
def expansion_error(size: int, rng: np.random.Generator, form: str, shift: float, spread: float) -> float:
    """|D_KL - right side|/(1 + s), in the context where it is largest."""
    drawn = LoweredWord(size, rng, shift, spread)
    log_quotient, rare = np.log(drawn.quotient), drawn.rare
    printed = (1 - rare) * log_quotient + rare * shift * log_quotient
    right = printed if form == "printed" else log_quotient + shift * rare
    return float(np.max(np.abs(drawn.divergence - right)) / (1 + shift))


@claim(
    "loglinear.eqB.9",
    at="eq. (B.9), first inequality",
    printed="D_KL(p* ‖ p) < s p⁻ log(1/(1 - p⁻)); tested: the quotient is ≤ 1.",
    corrected=Corrected(
        "D_KL(p* ‖ p) ≤ p⁻(s - 1 + e^{-s}) < s p⁻; tested: the quotient by the first is ≤ 1.",
        states=Bound(1.0, within=1e-7),
    ),
    states=AT_MOST_ONE,
    over=(SHIFT, SPREAD),
    points=LOWERED,
    plan=INSTANCES,
    erratum=Erratum(
        cause="the logarithm of a product is written as a product",
        note="It would be of order s p⁻² for a rare word; D_KL = s p⁻ + log(1 - p⁻(1 - e^{-s})) is p⁻(s - 1 + e^{-s}) "
        "to first order. log(Z/Z*) < 0 alone gives D_KL < s p⁻, half of what the theorem claims.",
        credit="The theorem's 2sp⁻ holds, and p⁻ ≤ 1/2 is not needed.",
    ),
)
def chain_quotient(size: int, rng: np.random.Generator, form: str, shift: float, spread: float) -> float:
    """max D_KL over the bound."""
    drawn = LoweredWord(size, rng, shift, spread)
    printed = -shift * drawn.rare * np.log1p(-drawn.rare)
    bound = printed if form == "printed" else drawn.rare * (shift + np.expm1(-shift))
    return float(np.max(drawn.divergence / bound))


@claim(
    "loglinear.thm3.3.2",
    at="Theorem 3.3.2, eq. (3.6)",
    standing="theorem",
    printed="With bounded logits some common shift of them leaves every probability unchanged and makes Σ_j a_j σ(ẑ_j "
    "- b_j) zero in every context; realised by one more coordinate. Tested: the larger of both errors.",
    states=EQUAL,
    over=(SPREAD,),
    points=SHIFTED,
    plan=INSTANCES,
)
def useless_error(size: int, rng: np.random.Generator, spread: float) -> float:
    """max(max|log p̂ - log p*|/(1 + spread), max|f̂|)."""
    teacher, student, weights, thresholds = common_shift(size, rng, spread)
    change = np.max(np.abs(student.log_probabilities() - teacher.log_probabilities())) / (1 + spread)
    outputs = np.maximum(student.logits - thresholds, 0) @ weights
    return float(max(change, np.max(np.abs(outputs))))


@claim(
    "loglinear.eq3.7",
    at="Section 3.5.1, eqs. (3.7) and (3.8)",
    standing="remark",
    printed="With the anchor, a common shift of the logits leaves f unchanged: the shifted student's anchor (v₀, τ) "
    "serves as well as v₀. Tested: |f̂ - f*| over Σ|a_j|.",
    states=EQUAL,
    over=(SPREAD,),
    points=SHIFTED,
    plan=INSTANCES,
)
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
