"""Theorem 3.3.1: the KL divergence caused by lowering the logit of one word by s."""

from __future__ import annotations

import math

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays

__all__ = ["lowered_word_bound", "lowered_word_divergence"]


def _checked(probability: float, shift: float) -> tuple[float, float]:
    p = validate.finite_number("probability", probability, meaning="p⁻, the word's probability")
    if not 0 < p < 1:
        raise ValueError(f"probability={p}: expected a number in (0, 1) (p⁻, the word's probability)")
    s = validate.finite_number("shift", shift, meaning="s, by which its logit is lowered")
    if s < 0:
        raise ValueError(f"shift={s}: expected a finite number >= 0 (s, by which its logit is lowered)")
    return p, s


@takes_arrays
def lowered_word_divergence(probability: float, shift: float) -> float:
    """D_KL(p* ‖ p) = s p⁻ + log(1 - p⁻(1 - e^{-s})) when the logit of a word of probability p⁻ is lowered by s.

    >>> round(lowered_word_divergence(0.5, 1.0), 12)
    0.120114506958
    >>> lowered_word_divergence(0.5, [0.0, 1.0]).round(6)
    array([0.      , 0.120115])
    """
    p, s = _checked(probability, shift)
    if s * s * p < 1e-5:
        return _series(p, s)
    return s * p + math.log1p(p * math.expm1(-s))


def _series(p: float, s: float) -> float:
    """The same for small s, where the two terms cancel: cumulants of a Bernoulli variable, s²κ₂/2 - s³κ₃/6 + …"""
    if s > 1e-2:  # then p is tiny: expand in p instead
        y = -math.expm1(-s)
        return p * (s - y) - sum((p * y) ** m / m for m in range(2, 8))
    k2 = p * (1 - p)
    k3 = k2 * (1 - 2 * p)
    k4 = k2 * (1 - 6 * k2)
    k5 = k3 * (1 - 12 * k2)
    k6 = k2 * (1 - 30 * k2 + 120 * k2**2)
    return s**2 * (k2 / 2 - s * (k3 / 6 - s * (k4 / 24 - s * (k5 / 120 - s * k6 / 720))))


@takes_arrays
def lowered_word_bound(probability: float, shift: float) -> float:
    """p⁻(s - 1 + e^{-s}), an upper bound of the divergence that is sharp for rare words; itself below s p⁻.

    >>> lowered_word_bound(1e-6, 2.0) > lowered_word_divergence(1e-6, 2.0)
    True
    """
    p, s = _checked(probability, shift)
    return p * (s**2 * (0.5 - s * (1 / 6 - s / 24)) if s < 1e-4 else s + math.expm1(-s))
