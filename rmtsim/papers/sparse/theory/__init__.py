"""Closed forms for sparse coding with a known dictionary (thesis of C. Wu, chapter 2, appendix A).

y = Az + ε, ε ~ N(0, σ²I), z k-sparse. Derivations: docs/papers/sparse/index.md.
"""

from rmtsim.papers.sparse.theory.masking import (
    bayes_risk,
    coherence_probability,
    excess_amplitude,
    least_squares_risk,
    misplaced_noise_amplitude,
    missed_energy_amplitude,
    missed_support_amplitude,
    ridge_risk,
)
from rmtsim.papers.sparse.theory.order_statistics import (
    gain_of_more_atoms,
    largest_moment,
    largest_square_bound,
    net_gain,
    top_squares,
    top_squares_limit,
    two_column_gain,
)

__all__ = [
    "bayes_risk",
    "coherence_probability",
    "excess_amplitude",
    "gain_of_more_atoms",
    "largest_moment",
    "largest_square_bound",
    "least_squares_risk",
    "misplaced_noise_amplitude",
    "missed_energy_amplitude",
    "missed_support_amplitude",
    "net_gain",
    "ridge_risk",
    "top_squares",
    "top_squares_limit",
    "two_column_gain",
]
