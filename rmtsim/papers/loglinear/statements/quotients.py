"""Inequalities of Section 3.5 as quotients over instances; -inf where an instance does not qualify."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.papers.loglinear import theory
from rmtsim.papers.loglinear.simulation.adversary import maximise
from rmtsim.papers.loglinear.simulation.misclassified import (
    Instances,
    draw_instances,
    instances_from,
    point_length,
)

Quotient = Callable[[Instances], Array]
TINY = 1e-4
"""Least Γ and least probability that count: below, quotients are of rounding errors."""
COUNT = 64
"""Instances of one random replicate."""


def worst_random(size: int, rng: np.random.Generator, quotient: Quotient, largest_error: float) -> float:
    """The largest quotient among 64 random instances with k = ``size`` that qualify."""
    worst = -np.inf
    while not np.isfinite(worst):
        worst = float(np.max(_kept(quotient, draw_instances(COUNT, size, rng, largest_error=largest_error))))
    return worst


def worst_found(size: int, rng: np.random.Generator, quotient: Quotient, largest_error: float) -> float:
    """The largest quotient that a search over instances with k = ``size`` finds."""

    def objective(points: Array) -> Array:
        drawn = instances_from(points, size, largest_error=largest_error, equal_bulk=True)
        return _kept(quotient, drawn)

    worst = -np.inf
    while not np.isfinite(worst):
        worst = maximise(objective, point_length(size), rng, population=24, generations=30)[1]
    return worst


def _kept(quotient: Quotient, drawn: Instances) -> Array:
    large = drawn.bulk[0] > TINY
    wrong = drawn.wrong & (drawn.normalised_margin > TINY) & large
    with np.errstate(all="ignore"):
        found = quotient(drawn)
    return np.asarray(np.where(wrong & np.isfinite(found), found, -np.inf))


def _relu(values: Array) -> Array:
    return np.maximum(values, 0.0)


class Side:
    """One of the two sums of (3.23), (3.24): the words that fell (a > 0) or those that rose (a < 0)."""

    def __init__(self, drawn: Instances, *, rising: bool):
        high, low = drawn.above, drawn.student_above
        sign = 1.0
        if rising:
            high, low, sign = low, high, -1.0
        self.weights = _relu(sign * drawn.weights)
        self.obstacle = high - _relu(low)
        """Δ_j of (3.25), Δ'_j after (3.48)."""
        self.members = (self.weights > 0) & (self.obstacle > 0)
        """S(x), or S'(x)."""
        self.sum = np.sum(self.weights * (_relu(high) - _relu(low)), axis=-1)
        self.case = self.sum >= drawn.margin / 2
        """Whether this sum is at least γ/2."""
        self.changes = np.abs(np.exp(drawn.teacher) - np.exp(drawn.student))[..., : drawn.words]
        self.total = np.sum(np.where(self.members, self.obstacle, 0.0), axis=-1)
        self.largest = np.max(np.where(self.members, self.weights, 0.0), axis=-1)


def sides(drawn: Instances) -> tuple[Side, Side]:
    """Falling, then rising words."""
    return Side(drawn, rising=False), Side(drawn, rising=True)


def over_sides(drawn: Instances, value: Callable[[Side], Array]) -> Array:
    """The larger value of the sides whose sum is at least γ/2."""
    return np.asarray(np.max([np.where(side.case, value(side), -np.inf) for side in sides(drawn)], axis=0))


def bulk_error(drawn: Instances) -> Array:
    """ε_p, the error of the log bulk probability."""
    teacher, student = drawn.bulk
    return np.asarray(np.abs(np.log(teacher) - np.log(student)))


def bulk_change(drawn: Instances) -> Array:
    """|Z*_bulk/Z* - Z_bulk/Z|."""
    teacher, student = drawn.bulk
    return np.asarray(np.abs(teacher - student))


def activity(drawn: Instances) -> Array:
    """K = k min_j e^{b_j - ε_b}."""
    return np.asarray(drawn.words * np.exp(drawn.thresholds.min(axis=-1) - drawn.error))


def words_bound(drawn: Instances, side: Side) -> Array:
    """Right sides of (3.35), zero outside S."""
    shift = bulk_error(drawn)
    left = _relu(side.obstacle - (2 * drawn.error + shift)[..., None])
    scale = drawn.bulk[0][..., None] * np.exp(drawn.thresholds - (drawn.error + shift)[..., None])
    return np.where(side.members, scale * np.expm1(left), 0.0)


# ---- quotients, right side over left side: at most one where the inequality holds ----


def empty(drawn: Instances) -> Array:
    """Lemma 3.5.10: 1 where S(x) is empty although its sum is at least γ/2."""
    return over_sides(drawn, lambda side: np.asarray(1.0 - side.members.any(axis=-1)))


def obstacles(drawn: Instances, form: str = "corrected") -> Array:
    """Lemma 3.5.11; printed: γ over Σ_S Δ_j, as the text before the lemma has it."""

    def value(side: Side) -> Array:
        return np.asarray(drawn.margin / (side.total if form == "printed" else 2 * side.largest * side.total))

    return over_sides(drawn, value)


def top_part(drawn: Instances, form: str) -> Array:
    """e^z(e^Δ - 1) against e^{z*} - e^z, z* and z the arguments of words of S: relative error; corrected: e^{σ(z)}."""
    side = sides(drawn)[0]
    true = np.exp(drawn.above) - np.exp(drawn.student_above)
    base = drawn.student_above if form == "printed" else _relu(drawn.student_above)
    found = np.exp(base) * np.expm1(side.obstacle) / true
    found = np.abs(found - 1) if form == "printed" else found
    counted = side.members & (side.obstacle > TINY)
    return np.asarray(np.max(np.where(counted, found, -np.inf), axis=-1))


def relu_step(drawn: Instances, form: str) -> Array:
    """Proof of Lemma 3.5.10: (σ(z*) - σ(z)) - Δ (corrected: - σ(Δ)), the largest over words outside S with a > 0."""
    side = sides(drawn)[0]
    excess = _relu(drawn.above) - _relu(drawn.student_above)
    excess = excess - (side.obstacle if form == "printed" else _relu(side.obstacle))
    outside = (side.weights > 0) & ~side.members
    return np.asarray(np.max(np.where(outside, excess, -np.inf), axis=-1))


def distance_parts(drawn: Instances, share: float = 1.0) -> Array:
    """(3.31) over (3.27); or (3.37) over a ``share`` of the l₁ norm."""

    def value(side: Side) -> Array:
        words = np.sum(np.where(side.members, side.changes, 0.0), axis=-1)
        return np.asarray((bulk_change(drawn) + words) / (share * drawn.l1))

    return over_sides(drawn, value)


def bulk_part(drawn: Instances) -> Array:
    """Lemma 3.5.12."""
    shift = bulk_error(drawn)
    return np.where(shift > 1e-6, drawn.bulk[0] * -np.expm1(-shift) / bulk_change(drawn), -np.inf)


def words_part(drawn: Instances) -> Array:
    """Lemma 3.5.13, the largest quotient over the words of S(x) (or S'(x))."""

    def value(side: Side) -> Array:
        bound = words_bound(drawn, side)
        return np.asarray(np.max(np.where(bound > 1e-9, bound / side.changes, 0.0), axis=-1))

    return over_sides(drawn, value)


def jensen(drawn: Instances) -> Array:
    """(3.44) over (3.38): Jensen's inequality, |S| ≤ k and Lemma 3.5.11 together."""
    shift = bulk_error(drawn)
    first = drawn.bulk[0] * -np.expm1(-shift)

    def value(side: Side) -> Array:
        lowest = np.min(np.where(side.members, drawn.thresholds, np.inf), axis=-1)
        room = _relu(drawn.margin / (2 * drawn.words * side.largest) - 2 * drawn.error - shift)
        scale = drawn.bulk[0] * drawn.words * np.exp(lowest - drawn.error - shift)
        left, right = scale * np.expm1(room), np.sum(words_bound(drawn, side), axis=-1)
        # Where both terms vanish the quotient is one whatever the statement says.
        return np.where(np.maximum(left, right) > 1e-9, (first + left) / (first + right), -np.inf)

    return over_sides(drawn, value)


def lemma_bound(drawn: Instances) -> Array:
    """Right side of (3.12)."""
    room = _relu(drawn.normalised_margin / 2 - 2 * drawn.error)
    return drawn.bulk[0] * theory.least_tradeoff(activity(drawn), room)


def lemma_half(drawn: Instances) -> Array:
    """Lemma 3.5.9 with TV = ½Σ|p* - p|."""
    return 2 * lemma_bound(drawn) / drawn.l1


def lemma_whole(drawn: Instances) -> Array:
    """Lemma 3.5.9 with TV = Σ|p* - p|."""
    return lemma_bound(drawn) / drawn.l1


def full_margin(drawn: Instances) -> Array:
    """Both sums taken together: (3.12) with Γ in place of Γ/2, against Σ|p* - p|."""
    room = _relu(drawn.normalised_margin - 2 * drawn.error)
    return np.asarray(drawn.bulk[0] * theory.least_tradeoff(activity(drawn), room) / drawn.l1)


def pinsker(drawn: Instances, share: float) -> Array:
    """2TV²/D_KL, TV a ``share`` of the l₁ norm."""
    return np.asarray(2 * (share * drawn.l1) ** 2 / drawn.divergence)


def floor_divergence(drawn: Instances) -> Array:
    """(3.22) with one context, μ = 1."""
    room = _relu(drawn.normalised_margin / 2 - 2 * drawn.error)
    least = theory.tradeoff_floor(activity(drawn), room)
    return np.asarray(2 * (drawn.bulk[0] * least) ** 2 / drawn.divergence)


def main_theorem(drawn: Instances, *, highest: float = 6.0, constant: float = 288.0) -> Array:
    """(3.10) with one context, μ = 1: p_b² Γ²/(288 D_KL)."""
    margin = drawn.normalised_margin
    found = (drawn.bulk[0] * margin) ** 2 / (constant * drawn.divergence)
    return np.where(margin < highest, found, -np.inf)


def second_case(drawn: Instances, form: str) -> Array:
    """(B.48) for words of S(x) whose student neuron is off: relative error of the equality; corrected: excess of ≥."""
    side = sides(drawn)[0]
    shift = bulk_error(drawn)
    off = side.members & (drawn.student_above < 0)
    off &= side.obstacle > (2 * drawn.error + shift)[..., None]
    teacher = np.exp(drawn.teacher[..., : drawn.words])
    student = np.exp(drawn.student[..., : drawn.words])
    # The student's probability if its logit were ⟨v, v₀⟩ + b_j: the neuron just on.
    raised = student * np.exp(-drawn.student_above)
    right, left = np.abs(teacher - raised), np.abs(teacher - student)
    found = (np.abs(right - left) if form == "printed" else right - left) / teacher
    return np.asarray(np.max(np.where(off, found, -np.inf), axis=-1))
