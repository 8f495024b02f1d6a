"""The edge: fluctuations of order n^(−2/3) with the Tracy–Widom law, and the hard edge of a square matrix."""

from __future__ import annotations

import math

import numpy as np

from rmtsim.claims import Limit, Parameter, Plan, Probability, Rate, Simulated, claim
from rmtsim.ensembles import gaussian_tridiagonal
from rmtsim.laws import TracyWidom, wigner_edge
from rmtsim.papers.textbook.statements.parameters import bisection_cost, cost_of_two

BETA = Parameter("beta", "1 for GOE, 2 for GUE", 1, integer=True, lowest=1, highest=2, draw_range=(1.0, 2.0))

TRIDIAGONAL = Plan(sizes=(64, 256, 1024, 4096), size_name="n", exponents=(2 / 3, 1.0), cost=bisection_cost)
STANDARDISED = Simulated(
    theory="centre and scale are part of the statement: the standardised eigenvalue is what is stated"
)


@claim(
    "textbook.edge.exponent",
    states=Rate(2 / 3, within=0.03),
    plan=TRIDIAGONAL.but(sizes=(32, 128, 512, 2048), cost=cost_of_two),
)
def fluctuation(size: int, rng: np.random.Generator) -> float:
    """|λ − λ'| of the largest eigenvalues of two independent draws."""
    first, second = (float(gaussian_tridiagonal(size, rng).largest(1)[0]) for _ in range(2))
    return abs(first - second)


@claim(
    "textbook.edge.mean",
    states=Limit(TracyWidom(1).mean(), within=0.05),
    plan=TRIDIAGONAL,
    evidence=STANDARDISED,
)
def standardised_top(size: int, rng: np.random.Generator) -> float:
    """(λ_max − μ_n)/σ_n."""
    return wigner_edge(size).standardise(float(gaussian_tridiagonal(size, rng).largest(1)[0]))


THRESHOLD = -1.5
"""Near the medians of both laws."""


def share_below(beta: float) -> float:
    """F_β at the threshold."""
    return float(TracyWidom(2 if round(beta) == 2 else 1).cdf(THRESHOLD))


@claim(
    "textbook.edge.tracy-widom",
    states=Probability(share_below, within=0.02),
    over=(BETA,),
    points=({"beta": 1}, {"beta": 2}),
    plan=TRIDIAGONAL.but(sizes=(64, 512, 4096)),
    evidence=STANDARDISED,
)
def below_the_threshold(size: int, rng: np.random.Generator, beta: float) -> float:
    """Whether the standardised largest eigenvalue is below the threshold."""
    index = 2 if round(beta) == 2 else 1
    top = gaussian_tridiagonal(size, rng, beta=index).largest(1)[0]
    return float(wigner_edge(size, 2 if index == 2 else 1).standardise(float(top)) <= THRESHOLD)


def edelman(distance: float) -> float:
    """1 − exp(−t²/2 − t)."""
    return -math.expm1(-0.5 * distance**2 - distance)


@claim(
    "textbook.smallest-singular-value",
    states=Probability(edelman, within=0.02),
    over=(Parameter("distance", "t, compared with √n·σ_min", 0.5, lowest=0.01, draw_range=(0.1, 2.0)),),
    plan=TRIDIAGONAL.but(sizes=(4, 16, 64), exponents=(1.0,), cost=lambda size: 3e-5 + 1.2e-7 * size**2),
)
def nearly_singular(size: int, rng: np.random.Generator, distance: float) -> float:
    """Whether √n times the smallest singular value is at most t."""
    smallest = np.linalg.svd(rng.standard_normal((size, size)), compute_uv=False)[-1]
    return float(math.sqrt(size) * smallest <= distance)
