"""Theory of the Hessian and the tangent kernel of wide networks (docs/papers/liu/index.md)."""

from rmtsim.papers.liu.theory.activations import curvature_bound, derivative, lipschitz_constant
from rmtsim.papers.liu.theory.deep import (
    WideLimit,
    logarithm_as_power,
    logarithmic_constant,
    tangent_kernel_limit,
    wide_limit,
)
from rmtsim.papers.liu.theory.gaussian import expectation
from rmtsim.papers.liu.theory.one_hidden_layer import (
    criterion_constant,
    hessian_constant,
    hessian_deficit_rate,
    kernel_limit,
    output_variance,
    trained_hessian_exceedance,
    trained_hessian_median,
    trained_hessian_quantile,
)

__all__ = [
    "WideLimit",
    "criterion_constant",
    "curvature_bound",
    "derivative",
    "expectation",
    "hessian_constant",
    "hessian_deficit_rate",
    "kernel_limit",
    "lipschitz_constant",
    "logarithm_as_power",
    "logarithmic_constant",
    "output_variance",
    "tangent_kernel_limit",
    "trained_hessian_exceedance",
    "trained_hessian_median",
    "trained_hessian_quantile",
    "wide_limit",
]
