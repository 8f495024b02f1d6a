"""Predictions of the log-linear word model (thesis of C. Wu, chapter 3, appendix B): when pre-training helps.

Derivations: docs/papers/loglinear/index.md.
"""

from rmtsim.papers.loglinear.theory.anchors import (
    anchor_error,
    bulk_level,
    gaussian_variance,
    intercept_error,
    spherical_anchor_error,
    spherical_intercept_error,
    spherical_log_mean,
    spherical_variance,
)
from rmtsim.papers.loglinear.theory.lowered_word import lowered_word_bound, lowered_word_divergence
from rmtsim.papers.loglinear.theory.transfer import least_tradeoff, tradeoff, tradeoff_floor

__all__ = [
    "anchor_error",
    "bulk_level",
    "gaussian_variance",
    "intercept_error",
    "least_tradeoff",
    "lowered_word_bound",
    "lowered_word_divergence",
    "spherical_anchor_error",
    "spherical_intercept_error",
    "spherical_log_mean",
    "spherical_variance",
    "tradeoff",
    "tradeoff_floor",
]
