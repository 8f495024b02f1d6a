"""Gradient descent on an output z + a sin z of an infinitely wide hidden layer: how far the tangent kernel moves.

f = m^{-1/2} Σ v_i sin(w_i x) with v_i = ±1, w_i ~ N(0, 1), trained in w. As m grows K → K∞ and stays there, f(w₀) on
the samples tends to N(0, Σ), and descent on ½ Σ (φ(f_i) - y_i)² becomes a map of the vector f alone,

    f ← f - η K∞ φ'(f)(φ(f) - y),   K̃ = φ'(f) K∞ φ'(f) (φ'(f) as a diagonal matrix),

    K∞ = xz (e^{-(x-z)²/2} + e^{-(x+z)²/2})/2,   Σ = (e^{-(x-z)²/2} - e^{-(x+z)²/2})/2:

the kernel of φ(f) moves because f does. Its mean move is an integral over one normal variable a sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, takes_arrays

__all__ = ["bent_kernel_change", "sine_kernel"]

_LARGEST = 1e3


def _pair(inputs: Array) -> tuple[Array, Array]:
    x, z = inputs[:, None], inputs[None, :]
    near, far = np.exp(-((x - z) ** 2) / 2), np.exp(-((x + z) ** 2) / 2)
    return np.asarray(x * z * (near + far) / 2), np.asarray((near - far) / 2)


def _points(name: str, values: ArrayLike) -> Array:
    found = validate.real_array(name, values)
    if found.ndim != 1 or not 1 <= len(found) <= 3 or np.abs(found).max() > _LARGEST:
        raise ValueError(
            f"{name} of shape {found.shape}: expected one to three numbers of size at most {_LARGEST:g} (the "
            "quadrature has nodes^inputs points)"
        )
    return found


def sine_kernel(inputs: ArrayLike) -> Array:
    """K∞ of m^{-1/2} Σ v_i sin(w_i x) in w: xz E[cos(wx) cos(wz)] = xz (e^{-(x-z)²/2} + e^{-(x+z)²/2})/2.

    >>> sine_kernel([1.0]).round(4)  # (1 + e⁻²)/2
    array([[0.5677]])
    """
    return _pair(_points("inputs", inputs))[0]


@takes_arrays(whole=("inputs", "targets"))
def bent_kernel_change(
    bend: float, inputs: ArrayLike, targets: ArrayLike, *, steps: int, rate: float, nodes: int = 24
) -> float:
    """lim E max_{t ≤ steps} ‖K̃_t - K̃_0‖_F/‖K̃_0‖_F for φ(z) = z + a sin z, by Gauss–Hermite quadrature over f(w₀).

    ``nodes`` a sample; the maximum over t has kinks in f(w₀), so errors fall slowly: 10⁻³ of the value at 24.

    >>> few, many = (bent_kernel_change(0.5, [1.0], [2.0], steps=40, rate=0.3, nodes=n) for n in (24, 80))
    >>> 0 < few < 2, abs(few / many - 1) < 0.02
    (True, True)
    >>> bent_kernel_change(0.0, [1.0], [2.0], steps=40, rate=0.3)
    0.0
    """
    bend = validate.finite_number("bend", bend, meaning="a in z + a sin z")
    if not 0 <= bend <= 1:
        raise ValueError(f"bend={bend}: expected a number from 0 to 1 (a in z + a sin z, so that φ' >= 0)")
    rate = validate.positive_number("rate", rate, meaning="step η of the descent")
    steps = validate.integer("steps", steps, maximum=10**5, meaning="steps of the descent")
    nodes = validate.integer("nodes", nodes, maximum=80, meaning="nodes of the quadrature a sample")
    points, wanted = _points("inputs", inputs), _points("targets", targets)
    if points.shape != wanted.shape:
        raise ValueError(f"targets of shape {wanted.shape}: expected {points.shape}, one target an input")
    kernel, covariance = _pair(points)
    largest_rate = 2 / max((1 + bend) ** 2 * float(np.linalg.norm(kernel, 2)), 1e-12)
    if rate > largest_rate:
        raise ValueError(f"rate={rate:g}: expected at most {largest_rate:.4g} (a longer step overshoots)")
    places, weights = np.polynomial.hermite_e.hermegauss(nodes)
    grid = np.stack(np.meshgrid(*[places] * len(points), indexing="ij")).reshape(len(points), -1)
    mass = np.prod(np.stack(np.meshgrid(*[weights] * len(points), indexing="ij")), axis=0).ravel()
    values, vectors = np.linalg.eigh(covariance)
    f = (vectors * np.sqrt(np.maximum(values, 0.0))) @ grid  # equal inputs leave a covariance without inverse
    y = wanted[:, None]
    squares = kernel**2
    start = 1 + bend * np.cos(f)
    if not kernel.any():
        raise ValueError(f"inputs={points.tolist()}: expected an input other than zero (K∞ vanishes there)")
    scale = np.sqrt(np.einsum("in,ij,jn->n", start**2, squares, start**2))
    largest = np.zeros(grid.shape[1])
    for _ in range(steps):
        f = f - rate * kernel @ ((1 + bend * np.cos(f)) * (f + bend * np.sin(f) - y))
        slope = 1 + bend * np.cos(f)
        # ‖D K D - D₀ K D₀‖² = Σ K_ij² (d_i d_j - d⁰_i d⁰_j)²: three quadratic forms in place of a matrix a node.
        move = sum(
            factor * np.einsum("in,ij,jn->n", left, squares, left)
            for factor, left in ((1.0, slope**2), (-2.0, slope * start), (1.0, start**2))
        )
        largest = np.maximum(largest, move)
    change = np.sqrt(np.maximum(largest, 0.0)) / scale
    return float(mass @ change / mass.sum())
