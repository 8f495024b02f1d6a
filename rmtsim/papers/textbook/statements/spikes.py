"""Baik, Ben Arous and Péché: a spike above the threshold 1 + √y produces an outlier, with another exponent."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Limit, Plan, Rate, claim
from rmtsim.ensembles import wishart_tridiagonal
from rmtsim.laws import MarchenkoPastur, SpikedCovariance
from rmtsim.papers.textbook.statements.parameters import RATIO, SPIKE, WEAK_SPIKE, bisection_cost, cost_of_two


def top_eigenvalue(size: int, rng: np.random.Generator, ratio: float, spike: float) -> float:
    """Largest eigenvalue of a sample covariance whose first feature has population variance ``spike``."""
    return float(wishart_tridiagonal(size, round(size / ratio), rng, spike=spike).largest(1)[0])


def fluctuation(size: int, rng: np.random.Generator, ratio: float, spike: float) -> float:
    """|λ − λ'| of two independent draws."""
    return abs(top_eigenvalue(size, rng, ratio, spike) - top_eigenvalue(size, rng, ratio, spike))


def outlier(ratio: float, spike: float) -> float:
    """ℓ(1 + y/(ℓ − 1))."""
    return SpikedCovariance(ratio, [spike]).outliers[0].location


def upper_edge(ratio: float) -> float:
    """(1 + √y)²."""
    return MarchenkoPastur(ratio).support[0][1]


LOCATIONS = Plan(sizes=(50, 100, 200, 400, 800), size_name="d", cost=bisection_cost)
FLUCTUATIONS = LOCATIONS.but(sizes=(32, 128, 512, 2048), cost=cost_of_two)
"""An exponent needs a wide range: six doublings, in steps of four."""

claim(
    "textbook.bbp.above",
    top_eigenvalue,
    states=Limit(outlier, within=0.02),
    over=(RATIO, SPIKE),
    plan=LOCATIONS.but(exponents=(1.0,)),
)
claim(
    "textbook.bbp.below",
    top_eigenvalue,
    states=Limit(upper_edge, within=0.01),
    over=(RATIO, WEAK_SPIKE),
    plan=LOCATIONS.but(exponents=(2 / 3, 1.0)),
)
claim(
    "textbook.bbp.exponent.above",
    fluctuation,
    states=Rate(0.5, within=0.03),
    over=(RATIO, SPIKE),
    plan=FLUCTUATIONS.but(exponents=(1.0,)),
)
claim(
    "textbook.bbp.exponent.below",
    fluctuation,
    states=Rate(2 / 3, within=0.03),
    over=(RATIO, WEAK_SPIKE),
    plan=FLUCTUATIONS.but(sizes=(32, 256, 2048, 16384), exponents=(1 / 3, 2 / 3, 1.0)),
)
