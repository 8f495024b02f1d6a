"""Spectra of the samples: Lemma D.2.3, Lemma D.2.22, Lemma D.3.4, and the tools of appendix D.5."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Limit, Parameter, Place, Plan, Probability, Relative, Simulated, claim
from rmtsim.ensembles import wishart_tridiagonal
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.statements.parameters import EXACT, SCARCE_RATIOS, L, samples

Array = NDArray[np.float64]


def singular_values(size: int, rng: np.random.Generator, ratio: float) -> tuple[Array, int]:
    """Singular values of X, n×d with d = size, and n."""
    count = samples(size, ratio)
    values = np.linalg.svd(rng.standard_normal((count, size)), compute_uv=False)
    return np.asarray(values, dtype=np.float64), count


def _cost(size: int, ratio: float = 2.0) -> float:
    return 3e-5 + 1e-8 * size**2 + 5e-10 * size**3 / ratio


SPECTRAL_PLAN = Plan(sizes=(24, 48, 96, 192), size_name="d", cost=_cost)


@claim(
    "l2l.lemmaD.2.3",
    at="Lemma D.2.3",
    standing="lemma",
    printed="For n in [d/4, 3d/4], with probability tending to one, √d/10 ≤ σ_i(X) ≤ 10√d and 1/100 ≤ λ_i(H) ≤ "
    "100.",
    states=Probability(1.0, within=0.02),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(
        exponents=(1.0,), because="the probability of failure is exponentially small in d"
    ),
)
def spectrum_is_contained(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Whether all singular values of X and eigenvalues of H lie in the printed intervals."""
    values, count = singular_values(size, rng, ratio)
    inside = math.sqrt(size / L) <= values[-1] and values[0] <= math.sqrt(L * size)
    return float(inside and values[-1] ** 2 / count >= 1 / L and values[0] ** 2 / count <= L)


_EDGE = "extreme eigenvalues sit at soft edges, where corrections are of order d^(-2/3)"


@claim(
    "l2l.lemmaD.2.3.largest",
    at="Lemma D.2.3, its constant",
    standing="lemma",
    printed="The largest eigenvalue of H tends to (1 + √(d/n))², between 4.6 and 9: the room up to L = 100 is "
    "wide.",
    states=Limit(lambda ratio: (1 + math.sqrt(ratio)) ** 2, within=Relative(0.02)),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(exponents=(2 / 3, 1.0), because=_EDGE),
)
def largest_eigenvalue(size: int, rng: np.random.Generator, ratio: float) -> float:
    """λ₁(H)."""
    values, count = singular_values(size, rng, ratio)
    return float(values[0] ** 2) / count


@claim(
    "l2l.lemmaD.2.3.smallest",
    at="Lemma D.2.3, its constant",
    standing="lemma",
    printed="The n-th eigenvalue of H tends to (1 - √(d/n))², between 0.024 and 1.",
    states=Limit(lambda ratio: (1 - math.sqrt(ratio)) ** 2, within=0.01),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(
        sizes=(192, 384, 768, 1536),
        exponents=(2 / 3, 1.0),
        because=_EDGE,
        cost=lambda size, ratio: 1e-4 + 1e-6 * size / ratio,
    ),
)
def smallest_eigenvalue(size: int, rng: np.random.Generator, ratio: float) -> float:
    """λ_n(H), by the bidiagonal model of its law."""
    return float(wishart_tridiagonal(size, samples(size, ratio), rng).smallest(1)[0])


@claim(
    "l2l.lemmaD.2.22.variance",
    at="Lemma D.2.22, proof",
    standing="lemma",
    printed="E[(1/n)Σλ_i² - ((1/n)Σλ_i)²] = d/n + d/n² - 2d/n³; measured over that value.",
    states=Limit(1.0, within=0.01),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(exponents=(1.0,), because="the printed value is exact at every n and d"),
)
def eigenvalue_variance(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Variance of the n non-zero eigenvalues of H, over the printed mean of it."""
    values, count = singular_values(size, rng, ratio)
    eigenvalues = values**2 / count
    printed = size / count + size / count**2 - 2 * size / count**3
    return float(np.mean(eigenvalues**2) - np.mean(eigenvalues) ** 2) / printed


@claim(
    "l2l.lemmaD.2.22",
    at="Lemma D.2.22",
    standing="lemma",
    printed="With a probability that is at least a positive constant, λ_{μ'n} - λ_{n-μ'n+1} ≥ μ''; it tends to "
    "one, and for μ' = 1/4 the difference is above μ'' = 1.",
    states=Probability(1.0, within=0.02),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(
        exponents=(1.0,), because="eigenvalues inside the bulk are rigid, failures exponentially rare"
    ),
)
def eigenvalues_are_spread(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Whether the upper and lower quartile of the eigenvalues of H differ by at least one."""
    values, count = singular_values(size, rng, ratio)
    eigenvalues = values**2 / count
    quarter = max(1, count // 4)
    return float(eigenvalues[quarter - 1] - eigenvalues[count - quarter] >= 1)


_EPSILON = Parameter(
    "epsilon", "ε", 0.3, open_below=True, highest=0.99, draw_range=(0.2, 0.8), assumption="0 < ε < 1"
)


@claim(
    "l2l.lemmaD.3.4",
    at="Lemma D.3.4",
    standing="lemma",
    printed="For n ≥ 10d/ε², with probability tending to one, (1 - ε)√n ≤ σ_i(X) ≤ (1 + ε)√n and 1 - ε ≤ λ_i(H) "
    "≤ 1 + ε.",
    states=Probability(1.0, within=0.02),
    over=(_EPSILON,),
    points=({"epsilon": 0.3}, {"epsilon": 0.8}),
    plan=Plan(
        sizes=(6, 12, 24),
        size_name="d",
        exponents=(1.0,),
        because="the probability of failure is exponentially small in ε²n",
        cost=lambda size, epsilon: 2e-4 + 4e-7 * size**2 / epsilon**2,
    ),
)
def spectrum_is_near_one(size: int, rng: np.random.Generator, epsilon: float) -> float:
    """Whether the whole spectrum lies in the printed intervals at n = ⌈10d/ε²⌉."""
    count = math.ceil(10 * size / epsilon**2)
    values = np.linalg.svd(rng.standard_normal((count, size)), compute_uv=False) / math.sqrt(count)
    inside = 1 - epsilon <= values[-1] ** 2 and values[0] ** 2 <= 1 + epsilon
    return float(inside and 1 - epsilon <= values[-1] and values[0] <= 1 + epsilon)


@claim(
    "l2l.lemmaD.5.2",
    at="Lemma D.5.2 (from Vershynin)",
    standing="lemma",
    printed="√N - √n ≤ E s_min(A) ≤ E s_max(A) ≤ √N + √n for A N×n Gaussian: (E s_max)/√n tends to √(N/n) + 1 "
    "from below; N = 2n.",
    states=Limit(math.sqrt(2) + 1, within=Relative(0.01)),
    plan=Plan(
        sizes=(20, 40, 80, 160),
        size_name="n",
        exponents=(2 / 3, 1.0),
        because=_EDGE,
        cost=lambda size: _cost(2 * size),
    ),
)
def scaled_largest(size: int, rng: np.random.Generator) -> float:
    """Largest singular value of a 2n×n Gaussian matrix over √n."""
    return float(np.linalg.norm(rng.standard_normal((2 * size, size)), 2)) / math.sqrt(size)


@claim(
    "l2l.wishart.inverse",
    at=Place("Section 5.4.1, last paragraph: E‖w_ERM - w*‖² is roughly dσ²/n", qualifier="roughly"),
    standing="heuristic",
    printed="At finite n > d + 1 the error of the empirical risk minimiser is exactly σ²d/(n - d - 1); measured "
    "over that value, n = 3d.",
    states=Limit(1.0, within=0.02),
    plan=Plan(
        sizes=(6, 12, 24, 48),
        size_name="d",
        exponents=(1.0,),
        because=EXACT,
        cost=lambda size: 2e-4 + 2e-7 * size**2,
    ),
    evidence=Simulated(
        theory="the exact value at each size divides the simulated one; the statement is that the quotient "
        "is one"
    ),
)
def minimiser_error_ratio(size: int, rng: np.random.Generator) -> float:
    """‖X⁺y - w*‖² over its exact mean, σ = 1."""
    design = rng.standard_normal((3 * size, size))
    gap = np.linalg.lstsq(design, rng.standard_normal(3 * size), rcond=None)[0]
    return float(gap @ gap) / theory.exact_erm_error(3 * size, size, 1.0)
