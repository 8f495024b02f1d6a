"""What theory predicts about the Hessian and the tangent kernel of wide networks (derivations: docs/liu.md)."""

from rmtsim.predict.liu.activations import curvature_bound, derivative, lipschitz_constant
from rmtsim.predict.liu.one_hidden_layer import hessian_constant, kernel_limit

__all__ = ["curvature_bound", "derivative", "hessian_constant", "kernel_limit", "lipschitz_constant"]
