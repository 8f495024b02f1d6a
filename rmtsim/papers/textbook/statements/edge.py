"""The edge: fluctuations of order n^(−2/3) with the Tracy–Widom law, and the hard edge of a square matrix."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from rmtsim.claims._declare import claim
from rmtsim.claims._model import Parameter
from rmtsim.claims._papers import PAPERS
from rmtsim.ensembles import gaussian_tridiagonal
from rmtsim.laws import TracyWidom, wigner_edge
from rmtsim.papers.textbook.statements.parameters import bisection_cost, cost_of_two

BETA = Parameter("beta", "1 for GOE, 2 for GUE", 1, integer=True, lowest=1, highest=2, draw_range=(1.0, 2.0))

statement = partial(claim, paper=PAPERS["textbook"], standing="theorem", size_name="n", cost=bisection_cost)


@statement(
    "textbook.edge.exponent",
    source="Tracy and Widom 1996",
    rate=2 / 3,
    tolerance=0.03,
    sizes=(32, 128, 512, 2048),
    exponents=(2 / 3, 1.0),
    because="the difference of two draws is free of the centring; the law errs by n^(−2/3), its scale by 1/n",
    cost=cost_of_two,
    statement="The largest eigenvalue of GOE fluctuates by n^(−2/3), in the mean distance of two draws.",
)
def fluctuation(size: int, rng: np.random.Generator) -> float:
    """|λ − λ'| of the largest eigenvalues of two independent draws."""
    first, second = (float(gaussian_tridiagonal(size, rng).largest(1)[0]) for _ in range(2))
    return abs(first - second)


@statement(
    "textbook.edge.mean",
    source="Tracy and Widom 1996; second-order constants Johnstone and Ma 2012",
    limit=TracyWidom(1).mean,
    tolerance=0.05,
    sizes=(64, 256, 1024, 4096),
    exponents=(2 / 3, 1.0),
    because="with centre 2√(1 − 1/2n) and its scale the law errs by n^(−2/3)",
    theory_in_sampler="centre and scale are part of the statement: the standardised eigenvalue is what is stated",
    statement="(λ_max − μ_n)/σ_n of GOE has the mean of the Tracy–Widom law, −1.2065, in the limit.",
)
def standardised_top(size: int, rng: np.random.Generator) -> float:
    """(λ_max − μ_n)/σ_n."""
    return wigner_edge(size).standardise(float(gaussian_tridiagonal(size, rng).largest(1)[0]))


THRESHOLD = -1.5
"""Near the medians of both laws."""


def share_below(beta: float) -> float:
    """F_β at the threshold."""
    return float(TracyWidom(2 if round(beta) == 2 else 1).cdf(THRESHOLD))


@statement(
    "textbook.edge.tracy-widom",
    source="Tracy and Widom 1994, 1996; second-order constants Johnstone and Ma 2012",
    probability=share_below,
    tolerance=0.02,
    sizes=(64, 256, 1024, 4096),
    parameters=(BETA,),
    grid=({"beta": 1}, {"beta": 2}),
    exponents=(2 / 3, 1.0),
    because="with centre 2√(1 − 1/2n) and its scale (β = 1), or n itself (β = 2), the law errs by n^(−2/3)",
    theory_in_sampler="centre and scale are part of the statement: the standardised eigenvalue is what is stated",
    statement="P((λ_max − μ_n)/σ_n ≤ −1.5) → F_β(−1.5), GOE and GUE.",
)
def below_the_threshold(size: int, rng: np.random.Generator, beta: float) -> float:
    """Whether the standardised largest eigenvalue is below the threshold."""
    index = 2 if round(beta) == 2 else 1
    top = gaussian_tridiagonal(size, rng, beta=index).largest(1)[0]
    return float(wigner_edge(size, 2 if index == 2 else 1).standardise(float(top)) <= THRESHOLD)


def singular_cost(size: int) -> float:
    """Nominal seconds of the singular values of a square matrix."""
    return 3e-5 + 1.2e-7 * size**2


def edelman(distance: float) -> float:
    """1 − exp(−t²/2 − t)."""
    return -math.expm1(-0.5 * distance**2 - distance)


@statement(
    "textbook.smallest-singular-value",
    source="Edelman 1988",
    probability=edelman,
    tolerance=0.02,
    sizes=(4, 16, 64),
    parameters=(Parameter("distance", "t, compared with √n·σ_min", 0.5, lowest=0.01, draw_range=(0.1, 2.0)),),
    exponents=(1.0,),
    because="Edelman's density at size n is the limit times a series in 1/n",
    cost=singular_cost,
    statement="P(√n·σ_min ≤ t) → 1 − exp(−t²/2 − t) for a square matrix of n² independent N(0, 1) entries.",
)
def nearly_singular(size: int, rng: np.random.Generator, distance: float) -> float:
    """Whether √n times the smallest singular value is at most t."""
    smallest = np.linalg.svd(rng.standard_normal((size, size)), compute_uv=False)[-1]
    return float(math.sqrt(size) * smallest <= distance)
