"""One hidden layer, f = m^{-1/2} Σ v_i σ(w_i x) with v_i = ±1 fixed and w_i ~ N(0, 1): limits in closed form."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad

from rmtsim import validate
from rmtsim.predict.liu.activations import curvature_bound, derivative

__all__ = ["hessian_constant", "kernel_limit"]


def kernel_limit(activation: str, x: float) -> float:
    """lim K(x, x) = x² E[σ'(wx)²], w ~ N(0, 1): the law of large numbers on the paper's eq. (10).

    >>> bool(np.isclose(kernel_limit("sin", 1.0), (1 + np.exp(-2)) / 2, rtol=1e-12))  # E cos² w
    True
    """
    x = validate.finite_number("x", x, meaning="the input")
    mean, _ = quad(
        lambda w: float(derivative(activation, w * x, 1)) ** 2 * np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi),
        -12.0,
        12.0,
        epsabs=1e-13,
        epsrel=1e-12,
        limit=400,
    )
    return float(x**2 * mean)


def hessian_constant(activation: str, x: float) -> float:
    """lim √m‖H‖ = x² sup|σ''|: the largest of m independent |σ''(w_i x)| reaches the supremum as m grows.

    >>> round(hessian_constant("tanh", 2.0) / 4, 6)  # 4/(3√3)
    0.7698
    """
    x = validate.finite_number("x", x, meaning="the input")
    return x**2 * curvature_bound(activation) if x else 0.0
