"""Risks with a known support, and how fast the risk of matching pursuit tends to them as the signal grows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betainc

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, takes_arrays
from rmtsim.papers.sparse.theory.order_statistics import largest_moment

__all__ = [
    "bayes_risk",
    "coherence_probability",
    "excess_amplitude",
    "least_squares_risk",
    "misplaced_noise_amplitude",
    "missed_energy_amplitude",
    "missed_support_amplitude",
    "ridge_risk",
]


def _blocks(seen: Any, hidden: Any) -> tuple[Array, Array]:
    inner = validate.matrix("seen", seen, meaning="P_M A_S")
    outer = validate.matrix("hidden", hidden, columns=inner.shape[1], meaning="the other rows of A_S")
    if max(np.abs(inner).max(), np.abs(outer).max()) > 1e100:
        raise ValueError("seen, hidden: expected numbers up to 1e100 in size")
    return inner.T @ inner, outer.T @ outer


def _deviation(name: str, value: float, meaning: str) -> float:
    number = validate.positive_number(name, value, meaning=meaning)
    if not 1e-100 < number < 1e100:
        raise ValueError(f"{name}={number}: expected a number between 1e-100 and 1e100 ({meaning})")
    return number


def _finite(value: Any) -> float:
    return float(validate.computed("risk of seen, hidden", np.asarray(value, dtype=float)))


@takes_arrays(whole=("seen", "hidden"))
def ridge_risk(seen: Any, hidden: Any, noise: float, signal: float, penalty: float) -> float:
    """E‖P_{M^c}A_S z - ŷ‖² of ridge regression with the support known, z ~ N(0, σ_z²I), noise σ, at any penalty λ.

    With G = ΛᵀΛ, Λ = P_M A_S, and H = P_{M^c}A_S squared likewise: tr H(G + λ)⁻¹(λ²σ_z² + σ²G)(G + λ)⁻¹.

    >>> ridge_risk([[1.0]], [[1.0]], noise=0.5, signal=1.0, penalty=1.0)
    0.3125
    """
    gram, outer = _blocks(seen, hidden)
    noise = _deviation("noise", noise, "standard deviation σ of the noise")
    signal = _deviation("signal", signal, "standard deviation σ_z of a code's entries")
    penalty = validate.finite_number("penalty", penalty, meaning="ridge penalty >= 0")
    if penalty < 0:
        raise ValueError(f"penalty={penalty}: expected a finite number >= 0 (ridge penalty)")
    if penalty > 1e100:
        raise ValueError(f"penalty={penalty}: expected a number up to 1e100 (ridge penalty)")
    identity = np.eye(gram.shape[0])
    inverse = np.linalg.pinv(gram + penalty * identity, hermitian=True)
    inside = penalty**2 * signal**2 * identity + noise**2 * gram
    return _finite(np.trace(outer @ inverse @ inside @ inverse))


@takes_arrays(whole=("seen", "hidden"))
def bayes_risk(seen: Any, hidden: Any, noise: float, signal: float) -> float:
    """The least risk of any estimator that knows the support: ridge regression with penalty σ²/σ_z².

    It is σ² tr H(G + σ²/σ_z²)⁻¹; equation (A.16) with the penalty that (A.15) should have.

    >>> bayes_risk([[1.0]], [[1.0]], noise=1.0, signal=1.0)
    0.5
    >>> bayes_risk([[1.0]], [[1.0]], noise=[1.0, 2.0], signal=1.0)  # the atoms stay whole
    array([0.5, 0.8])
    """
    noise = _deviation("noise", noise, "standard deviation σ of the noise")
    signal = _deviation("signal", signal, "standard deviation σ_z of a code's entries")
    return ridge_risk(seen, hidden, noise, signal, (noise / signal) ** 2)


@takes_arrays(whole=("seen", "hidden"))
def least_squares_risk(seen: Any, hidden: Any, noise: float) -> float:
    """R_M(ŷ_LS) = σ² tr H G⁻¹, equation (A.17): the limit of the Bayes risk as σ_z → ∞.

    >>> least_squares_risk([[2.0]], [[1.0]], noise=1.0)
    0.25
    """
    gram, outer = _blocks(seen, hidden)
    noise = _deviation("noise", noise, "standard deviation σ of the noise")
    return _finite(noise**2 * np.trace(outer @ np.linalg.pinv(gram, hermitian=True)))


def _numbers(atoms: int, sparsity: int) -> tuple[int, float]:
    p = validate.integer("atoms", atoms, minimum=2, meaning="number p of atoms")
    k = validate.integer("sparsity", sparsity, maximum=p - 1, meaning="number k of atoms in a code; k < p")
    return p - k, k * math.sqrt(2 / math.pi)


@takes_arrays
def missed_support_amplitude(atoms: int, sparsity: int) -> float:
    """lim (σ_z/σ)·P(OMP misses the support) for orthonormal atoms: k√(2/π) E m, m the largest of p - k |g|.

    A coefficient u of density √(2/π)/σ_z near zero loses against the noise of the other atoms if |u + g| < m, and
    ∫₀^∞ P(|u + g| < m) du = E m.

    >>> round(missed_support_amplitude(2, 1) * math.pi / 2, 12)
    1.0
    """
    others, factor = _numbers(atoms, sparsity)
    return factor * largest_moment(others, 1)


@takes_arrays
def missed_energy_amplitude(atoms: int, sparsity: int) -> float:
    """lim (σ_z/σ³)·E‖z - z̃‖² for orthonormal atoms: k√(2/π) E[m³/3 + m] (the signal that OMP misses, (A.22)).

    >>> round(missed_energy_amplitude(2, 1), 9)
    1.061032954
    """
    others, factor = _numbers(atoms, sparsity)
    return factor * (largest_moment(others, 3) / 3 + largest_moment(others, 1))


@takes_arrays
def excess_amplitude(atoms: int, sparsity: int) -> float:
    """lim (σ_z/σ³)·(L_mask(A) - L_mask of least squares on the true support): (4/3)k√(2/π) E m³.

    For atoms that are orthonormal both on M and on its complement. A missed u costs u², the atom chosen instead m²,
    and least squares would have paid g².

    >>> round(excess_amplitude(2, 1) / missed_energy_amplitude(2, 1), 9)
    1.6
    """
    others, factor = _numbers(atoms, sparsity)
    return 4 / 3 * factor * largest_moment(others, 3)


@takes_arrays
def misplaced_noise_amplitude(atoms: int, sparsity: int) -> float:
    """Limit of σ_z E‖(Λ_{S*}⁺ - Λ_S⁺)ε‖² of (A.24) at σ = 1 and orthonormal atoms: k√(2/π)(E m + E m³).

    The missed atom's own noise does not depend on the event in the limit, the noise m on the atom that takes its place
    does: the event has the probability √(2/π) m/σ_z given m.

    >>> bool(misplaced_noise_amplitude(16, 1) > 4 * missed_support_amplitude(16, 1))
    True
    """
    return missed_support_amplitude(atoms, sparsity) + 0.75 * excess_amplitude(atoms, sparsity)


@takes_arrays
def coherence_probability(dimension: int, atoms: int, level: float) -> float:
    """P(μ(A) ≤ level) of p uniformly random atoms on the sphere of R^d, up to the Poisson approximation.

    exp(-p(p-1)/2 · P(⟨u, v⟩² > level²)), ⟨u, v⟩² ~ Beta(1/2, (d-1)/2): products of pairs are pairwise independent.

    >>> 0.99 < coherence_probability(200, 400, 0.5) < 1
    True
    """
    d = validate.integer("dimension", dimension, minimum=2, meaning="dimension d of measurements")
    p = validate.integer("atoms", atoms, minimum=2, meaning="number p of atoms")
    level = validate.positive_number("level", level, meaning="incoherence μ")
    if level >= 1:
        return 1.0
    return math.exp(-p * (p - 1) / 2 * float(betainc((d - 1) / 2, 0.5, 1 - level**2)))
