"""A non-linear output φ(f) on one wide hidden layer: limits of its Hessian, of its kernel and of the change of the
kernel.

With f = m^{-1/2} Σ v_i σ(w_i x), v_i = ±1, w_i ~ N(0, 1): f → sG, s² = E σ(wx)², G ~ N(0, 1), K → x² E σ'(wx)² and
‖H‖ → 0, so that ∂²φ(f) = φ''(f) ∇f∇fᵀ + φ'(f) H keeps only its first term.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import quad

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.liu.theory.activations import derivative
from rmtsim.papers.liu.theory.one_hidden_layer import kernel_limit

__all__ = ["output_hessian_limit", "output_kernel_change", "output_kernel_limit", "output_variance"]

_REACH = 12.0
"""The normal density beyond so many deviations is below rounding."""


_LARGEST = 1e3


def _normal_mean(function: Callable[[float], float], kinks: Sequence[float] = ()) -> float:
    """E function(G), split at the kinks."""
    ends = [-_REACH, *sorted(k for k in kinks if abs(k) < _REACH), _REACH]
    pieces = [
        quad(lambda g: function(g) * math.exp(-(g**2) / 2), low, high, epsabs=1e-13, epsrel=1e-11, limit=400)[
            0
        ]
        for low, high in itertools.pairwise(ends)
    ]
    return math.fsum(pieces) / math.sqrt(2 * math.pi)


def _sign_changes(function: Callable[[float], float]) -> list[float]:
    """Where a function of G changes sign, to the spacing of a fine grid: good enough to split an integral at."""
    grid = np.linspace(-_REACH, _REACH, 2401)
    values = np.array([function(float(g)) for g in grid])
    return [float(g) for g in grid[1:][np.sign(values[1:]) != np.sign(values[:-1])]]


@takes_arrays
def output_variance(activation: str, x: float) -> float:
    """s² = E σ(wx)², w ~ N(0, 1): the limiting variance of f(x), which is Gaussian in the limit.

    >>> bool(np.isclose(output_variance("sin", 1.0), (1 - np.exp(-2)) / 2, rtol=1e-12))  # E sin² w
    True
    """
    x = validate.finite_number("x", x, meaning="the input")
    if abs(x) > _LARGEST:
        raise ValueError(
            f"x={x:g}: expected |x| <= {_LARGEST:g} (the input; beyond, the integrals are not resolved)"
        )
    return _normal_mean(lambda w: float(derivative(activation, w * x)) ** 2)


@takes_arrays
def output_kernel_limit(activation: str, output: str, x: float) -> float:
    """lim E K̃(x, x) = K∞ · E φ'(sG)², from the paper's eq. (27).

    >>> output_kernel_limit("tanh", "identity", 1.0) == kernel_limit("tanh", 1.0)
    True
    """
    deviation = math.sqrt(output_variance(activation, x))
    factor = _normal_mean(lambda g: float(derivative(output, deviation * g, 1)) ** 2)
    return kernel_limit(activation, x) * (1.0 if output == "identity" else factor)


@takes_arrays
def output_hessian_limit(activation: str, output: str, x: float) -> float:
    """lim E‖H̃‖ = K∞ · E|φ''(sG)|: in the limit H̃ is φ''(f) ∇f∇fᵀ alone.

    >>> output_hessian_limit("tanh", "identity", 1.0)
    0.0
    """
    deviation = math.sqrt(output_variance(activation, x))

    def bend(g: float) -> float:
        return float(derivative(output, deviation * g, 2))

    return kernel_limit(activation, x) * _normal_mean(lambda g: abs(bend(g)), _sign_changes(bend))


@takes_arrays
def output_kernel_change(activation: str, x: float, label: float) -> float:
    """lim E|K̃(w*) - K̃(w₀)| for a softplus output trained until φ(f(x)) = label > 0.

    K stays, f moves from sG to φ⁻¹(label) = log(e^label - 1), so K̃ moves from φ'(sG)²K∞ to φ'(φ⁻¹(label))²K∞, with
    φ'(φ⁻¹(label)) = 1 - e^-label.

    >>> changes = [output_kernel_change("tanh", 1.0, label) for label in (0.7, 2.0)]
    >>> changes[0] < changes[1] < kernel_limit("tanh", 1.0)
    True
    """
    label = validate.positive_number("label", label, meaning="target of a softplus output")
    deviation = math.sqrt(output_variance(activation, x))
    end = math.expm1(-label) ** 2
    kink = math.log(math.expm1(label)) / deviation if label < 500 and deviation > 0 else math.inf
    mean = _normal_mean(
        lambda g: abs(end - float(derivative("softplus", deviation * g, 1)) ** 2),
        (kink,) if math.isfinite(kink) else (),
    )
    return kernel_limit(activation, x) * mean
