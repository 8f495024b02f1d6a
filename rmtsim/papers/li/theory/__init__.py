"""Theory for `li`: second moments of ReLU networks at initialisation, counts under a null hypothesis."""

from rmtsim.papers.li.theory.mean_field import (
    activation_energies,
    entry_variance,
    gradient_energies,
    hessian_energies,
)
from rmtsim.papers.li.theory.null_counts import (
    NullCount,
    correlation_p_values,
    correlation_tail,
    discoveries,
    family_threshold,
    null_count,
    product_mean_tail,
    threshold_for_count,
)
from rmtsim.papers.li.theory.null_skewness import NullTriples, null_triples

__all__ = [
    "NullCount",
    "NullTriples",
    "activation_energies",
    "correlation_p_values",
    "correlation_tail",
    "discoveries",
    "entry_variance",
    "family_threshold",
    "gradient_energies",
    "hessian_energies",
    "null_count",
    "null_triples",
    "product_mean_tail",
    "threshold_for_count",
]
