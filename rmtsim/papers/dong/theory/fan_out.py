"""Energies of the first of two hidden layers under the square loss, d and N → ∞ with d/N → γ, at every m₁, m₂, C.

H_ij = (2/N) Σ_n g_ni g_nj (J_ni·J_nj) x_n x_nᵀ with J_ni = V D_n W₂ e_i, D_n the gates ω_k·s_n > 0 of the second layer,
ω_k the rows of W₂ and s_n = σ(W₁x_n). Averages over V, then over the independent rows ω_k, are exact: for inputs n, n'

    κ_ij(n, n') = E[1(ω·s_n > 0) 1(ω·s_n' > 0) ω_i ω_j],   μ_ij(n, n') = E[1(ω·s_n > 0) 1(ω·s_n' > 0) ω_i² ω_j²]

E[(J_ni·J_nj)(J_n'i·J_n'j)] is, for i ≠ j,

    C(C + 2)μ_ij/m₂ + C(1 - 1/m₂)(κ_ii κ_jj + κ_ij²),

because κ_ij(n, n) = E[ω_iω_j]/2 vanishes, and on the diagonal

    C(C + 2)μ_ii/m₂ + C²(1 - 1/m₂)/(4m₁²) + 2C(1 - 1/m₂)κ_ii².

κ and μ are moments of a Gaussian over a wedge of angle π - θ, θ the angle of s_n and s_n': elementary. What is left is
an average over two independent standard Gaussians W₁x_n, W₁x_n' in m₁ dimensions, by randomised quasi-Monte Carlo;
where both inputs are one and the same all is rational. This is not in the paper; it decides the conjecture of
appendix A.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, Estimate, records_take_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.quasi_random import sobol_points
from rmtsim._internal.remembered import remembered

__all__ = ["first_layer_diagonal", "first_layer_offdiagonal"]

_SCRAMBLES, _POINTS, _SEED = 8, 2**12, 20261116


@frozen
class _Means:
    """m₁² times means over two inputs, one row a scrambling: gates of i (and j) open in both, times moments of ω."""

    fourth_off: Array
    """g_i g_j g'_i g'_j μ_ij"""
    second_off: Array
    """g_i g_j g'_i g'_j (κ_ii κ_jj + κ_ij²)"""
    fourth_own: Array
    """g_i g'_i μ_ii"""
    second_own: Array
    """g_i g'_i κ_ii²"""


def wedge_moments(first: Array, second: Array, i: int, j: int) -> tuple[Array, Array, Array, Array]:
    """(κ_ii, κ_jj, κ_ij, μ_ij) of a standard Gaussian ω over {ω·s > 0, ω·s' > 0}, for rows s, s' that are not zero.

    In the plane of s and s' the wedge has the half-angle h = (π - θ)/2 about the bisector e; r² of the two coordinates
    there has mean 2 and second moment 8 whatever their angle, and the gates do not depend on the other coordinates.

    >>> s = np.array([[1.0, 2.0, 0.5]])
    >>> [bool(np.isclose(x[0], y)) for x, y in zip(wedge_moments(s, s, 0, 1), (0.5, 0.5, 0.0, 0.5))]
    [True, True, True, True]
    """
    a = first / np.linalg.norm(first, axis=1, keepdims=True)
    b = second / np.linalg.norm(second, axis=1, keepdims=True)
    plus, minus = a + b, a - b
    long, short = np.linalg.norm(plus, axis=1), np.linalg.norm(minus, axis=1)
    e = plus / long[:, None]
    f = minus / np.where(short > 0, short, 1.0)[:, None]
    half = np.arctan2(long, short)
    share = half / np.pi
    sine, quarter = np.sin(2 * half), np.sin(4 * half)
    # Means of r²cos², r²sin², r⁴cos⁴, r⁴cos²sin², r⁴sin⁴ over the wedge.
    c2, s2 = share + sine / (2 * np.pi), share - sine / (2 * np.pi)
    c4 = (6 * half + 4 * sine + quarter / 2) / (2 * np.pi)
    s4 = (6 * half - 4 * sine + quarter / 2) / (2 * np.pi)
    mixed = (2 * half - quarter / 2) / (2 * np.pi)
    ei, ej, fi, fj = e[:, i], e[:, j], f[:, i], f[:, j]
    # The covariance orthogonal to the plane.
    qii, qjj = 1 - ei**2 - fi**2, 1 - ej**2 - fj**2
    qij = (1.0 if i == j else 0.0) - ei * ej - fi * fj
    pii, pjj, pij = ei**2 * c2 + fi**2 * s2, ej**2 * c2 + fj**2 * s2, ei * ej * c2 + fi * fj * s2
    plane = (
        ei**2 * ej**2 * c4
        + (ei**2 * fj**2 + fi**2 * ej**2 + 4 * ei * fi * ej * fj) * mixed
        + fi**2 * fj**2 * s4
    )
    fourth = plane + pii * qjj + pjj * qii + 4 * pij * qij + share * (qii * qjj + 2 * qij**2)
    return pii + share * qii, pjj + share * qjj, pij + share * qij, fourth


@remembered(maxsize=64)
def _means(hidden: int) -> _Means:
    """The four averages over two inputs, from Gaussians whose first coordinates are folded to the open side."""
    from scipy.special import ndtri

    rng = np.random.default_rng(_SEED)
    rows: list[list[float]] = []
    for _ in range(_SCRAMBLES):
        points = ndtri(np.clip(sobol_points(_POINTS, 2 * hidden, rng), 1e-15, 1 - 1e-15))
        row: list[float] = []
        for open_neurons in (2, 1):
            pairs = []
            for own in (points[:, :hidden], points[:, hidden:]):
                folded = own.copy()
                folded[:, :open_neurons] = np.abs(folded[:, :open_neurons])
                pairs.append(np.maximum(folded, 0.0))
            chance = 0.25**open_neurons
            kii, kjj, kij, fourth = wedge_moments(pairs[0], pairs[1], 0, open_neurons - 1)
            second = kii * kjj + kij**2 if open_neurons == 2 else kii**2
            row += [chance * float(fourth.mean()), chance * float(second.mean())]
        rows.append(row)
    table = np.array(rows)
    return _Means(*table.T)


def _check(gamma: float, hidden: int, width: int, classes: int) -> tuple[float, int, int, int]:
    return (
        validate.positive_number("gamma", gamma, meaning="gamma = d/N"),
        validate.integer("hidden", hidden, minimum=2, maximum=500, meaning="first width m₁"),
        validate.integer("width", width, meaning="second width m₂"),
        validate.integer("classes", classes, meaning="number of outputs C"),
    )


def _estimate(values: Array) -> Estimate:
    return Estimate(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))


@records_take_arrays
def first_layer_offdiagonal(gamma: float, hidden: int, width: int, classes: int) -> Estimate:
    """lim E‖∂²ℓ/∂w_i∂w_jᵀ‖²_F/d, i ≠ j, for the first of two hidden layers of widths m₁ = hidden, m₂ = width.

    >>> estimate = first_layer_offdiagonal(1.0, 4, 40, 20)
    >>> bool(estimate.error < 0.005 * estimate.value)
    True
    """
    gamma, hidden, width, classes = _check(gamma, hidden, width, classes)
    means, c = _means(hidden), classes
    single = (c * (c + 2) / (2 * width) + c * (1 - 1 / width) / 4) / 4
    pairs = c * (c + 2) * means.fourth_off / width + c * (1 - 1 / width) * means.second_off
    return _estimate(4 * (gamma * single + pairs) / hidden**2)


@records_take_arrays
def first_layer_diagonal(gamma: float, hidden: int, width: int, classes: int) -> Estimate:
    """lim E‖∂²ℓ/∂w_i∂w_iᵀ‖²_F/d for the first of two hidden layers of widths m₁ = hidden, m₂ = width.

    >>> first_layer_diagonal(1.0, 4, 40, 20).value > first_layer_offdiagonal(1.0, 4, 40, 20).value
    True
    """
    gamma, hidden, width, classes = _check(gamma, hidden, width, classes)
    means, c = _means(hidden), classes
    rest = 1 - 1 / width
    single = (1.5 * c * (c + 2) / width + rest * (c**2 + 2 * c) / 4) / 2
    pairs = c * (c + 2) * means.fourth_own / width + rest * (c**2 / 16 + 2 * c * means.second_own)
    return _estimate(4 * (gamma * single + pairs) / hidden**2)
