"""Spectra of the samples: Lemma D.2.3, Lemma D.2.22, Lemma D.3.4, and the tools of appendix D.5."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Parameter, Plan, Probability, Relative, claim
from rmtsim.ensembles import wishart_tridiagonal
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.statements.parameters import SCARCE_RATIOS, L, samples


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
    states=Probability(1.0, within=0.02),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(exponents=(1.0,)),
)
def spectrum_is_contained(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Whether all singular values of X and eigenvalues of H lie in the printed intervals."""
    values, count = singular_values(size, rng, ratio)
    inside = math.sqrt(size / L) <= values[-1] and values[0] <= math.sqrt(L * size)
    return float(inside and values[-1] ** 2 / count >= 1 / L and values[0] ** 2 / count <= L)


@claim(
    "l2l.lemmaD.2.3.largest",
    states=Limit(lambda ratio: (1 + math.sqrt(ratio)) ** 2, within=Relative(0.02)),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(exponents=(2 / 3, 1.0)),
)
def largest_eigenvalue(size: int, rng: np.random.Generator, ratio: float) -> float:
    """λ₁(H)."""
    values, count = singular_values(size, rng, ratio)
    return float(values[0] ** 2) / count


@claim(
    "l2l.lemmaD.2.3.smallest",
    states=Limit(lambda ratio: (1 - math.sqrt(ratio)) ** 2, within=0.01),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(
        sizes=(192, 768, 3072, 12288),
        exponents=(2 / 3, 1.0),
        cost=lambda size, ratio: 1e-4 + 4e-7 * size / ratio,
    ),
)
def smallest_eigenvalue(size: int, rng: np.random.Generator, ratio: float) -> float:
    """λ_n(H), by the bidiagonal model of its law."""
    return float(wishart_tridiagonal(size, samples(size, ratio), rng).smallest(1)[0])


@claim(
    "l2l.lemmaD.2.22.variance",
    states=Limit(1.0, within=0.01),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(exponents=(1.0,)),
)
def eigenvalue_variance(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Variance of the n non-zero eigenvalues of H, over the printed mean of it."""
    values, count = singular_values(size, rng, ratio)
    eigenvalues = values**2 / count
    printed = size / count + size / count**2 - 2 * size / count**3
    return float(np.mean(eigenvalues**2) - np.mean(eigenvalues) ** 2) / printed


@claim(
    "l2l.lemmaD.2.22",
    states=Probability(1.0, within=0.02),
    over=SCARCE_RATIOS,
    plan=SPECTRAL_PLAN.but(exponents=(1.0,)),
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
    states=Probability(1.0, within=0.02),
    over=(_EPSILON,),
    points=({"epsilon": 0.3}, {"epsilon": 0.8}),
    plan=Plan(
        sizes=(6, 12, 24),
        size_name="d",
        exponents=(1.0,),
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
    states=Limit(math.sqrt(2) + 1, within=Relative(0.01)),
    plan=Plan(
        sizes=(20, 40, 80, 160), size_name="n", exponents=(2 / 3, 1.0), cost=lambda size: _cost(2 * size)
    ),
)
def scaled_largest(size: int, rng: np.random.Generator) -> float:
    """Largest singular value of a 2n×n Gaussian matrix over √n."""
    return float(np.linalg.norm(rng.standard_normal((2 * size, size)), 2)) / math.sqrt(size)


@claim(
    "l2l.wishart.inverse",
    states=Limit(1.0, within=0.02),
    plan=Plan(
        sizes=(6, 12, 24, 48), size_name="d", exponents=(1.0,), cost=lambda size: 2e-4 + 2e-7 * size**2
    ),
)
def minimiser_error_ratio(size: int, rng: np.random.Generator) -> float:
    """‖X⁺y - w*‖² over its exact mean, σ = 1."""
    design = rng.standard_normal((3 * size, size))
    gap = np.linalg.lstsq(design, rng.standard_normal(3 * size), rcond=None)[0]
    return float(gap @ gap) / theory.exact_erm_error(3 * size, size, 1.0)
