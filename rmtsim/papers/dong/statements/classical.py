"""Classical laws that `dong` quotes or passes through: Proposition 1, and the log-normal laws behind Proposition 3."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Choice, Law, Option, Plan, claim
from rmtsim.papers.dong.statements.parameters import GAMMA
from rmtsim.papers.dong.statements.resolvents import StatedResolvent

# ---- Proposition 1: generalised Marchenko-Pastur ------------------------------------------------------------------


class Population(NamedTuple):
    """Eigenvalues of Λ and the share of each."""

    values: tuple[float, ...]
    masses: tuple[float, ...]


POSITIVE = Population((0.25, 1.0, 3.0), (0.5, 0.25, 0.25))
INDEFINITE = Population((-2.0, -0.5, 0.0, 1.5), (0.25, 0.125, 0.125, 0.5))


@lru_cache(maxsize=64)
def stated_law(gamma: float, population: Population) -> StatedResolvent:
    """The solution of (37). That of (1/N)XΛXᵀ is known for any population; (1/d)XΛXᵀ has Λ/γ in its place."""
    from rmtsim.laws import GeneralizedMarchenkoPastur

    values, masses = np.array(population.values), np.array(population.masses)
    return StatedResolvent.of(GeneralizedMarchenkoPastur(gamma, values / gamma, masses))


def diagonal_of(population: Population, samples: int) -> Array:
    """The diagonal of Λ: each value repeated according to its share.

    >>> diagonal_of(Population((0.5, 2.0), (0.75, 0.25)), 4).tolist()
    [0.5, 0.5, 0.5, 2.0]
    """
    counts = np.diff(np.round(np.concatenate([[0.0], np.cumsum(population.masses)]) * samples).astype(int))
    return np.repeat(population.values, counts)


@claim(
    "dong.prop1.{population}",
    states=Law(0.0, within=0.02**2),
    over=[
        Choice(
            "population",
            {
                "positive": Option(
                    POSITIVE, "1/4, 1, 3 (masses 1/2, 1/4, 1/4)", words={"entries": "Gaussian entries"}
                ),
                "indefinite": Option(
                    INDEFINITE,
                    "-2, -1/2, 0, 3/2 (masses 1/4, 1/8, 1/8, 1/2)",
                    words={"entries": "entries ±1"},
                ),
            },
        ),
        GAMMA,
    ],
    points=({"gamma": 0.5}, {"gamma": 2.0}),
    plan=Plan(
        sizes=(24, 48, 96, 192),  # all shares of Λ are eighths
        size_name="min(d, N)",
        exponents=(1.0,),
        cost=lambda size, gamma: (
            2e-4 + 4e-8 * size**2 * max(gamma, 1 / gamma) + 5e-10 * size**3 * max(gamma**3, 1 / gamma)
        ),
    ),
)
def distance_to_law(size: int, rng: np.random.Generator, population: Population, gamma: float) -> float:
    """Distance of the spectrum of (1/d)XΛXᵀ to the law: Gaussian X for a positive Λ, signs for an indefinite one."""
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    if min(population.values) > 0:
        inputs = rng.standard_normal((dimension, samples))
    else:
        inputs = np.asarray(2 * rng.integers(2, size=(dimension, samples)) - 1, dtype=np.float64)
    product = (inputs * diagonal_of(population, samples)) @ inputs.T / dimension
    return stated_law(gamma, population).distance(np.asarray(np.linalg.eigvalsh(product)))


# ---- The log-normal laws in the proof of Proposition 3 ------------------------------------------------------------

_DRAWS = 2048
"""Independent values of h a replicate compares with the law."""


def squared_gap_to_uniform(uniforms: Array) -> float:
    """An unbiased value of ∫(F(u) - u)²du from independent draws of F on [0, 1] (Cramér-von Mises without its bias).

    With k(u, v) = ∫(1(u ≤ t) - t)(1(v ≤ t) - t)dt = 1/3 - max(u, v) + (u² + v²)/2, the mean of k over pairs.

    >>> squared_gap_to_uniform(np.array([0.0, 0.0]))
    0.3333333333333333
    """
    ordered = np.sort(uniforms)
    count = len(ordered)
    # The larger of a pair: the k-th smallest value is it in k - 1 pairs.
    larger = 2 * float(ordered @ np.arange(count)) / (count * (count - 1))
    return 1 / 3 - larger + float(np.mean(ordered**2))


@claim(
    "dong.prop3.lognormal.{curvature}",
    states=Law(0.0, within=0.005**2),
    over=[
        Choice(
            "curvature",
            {
                "h1": Option(
                    1,
                    "C√e·h₁(q) → Lognormal(0, 1) in distribution as C → ∞, h₁ = p₁(1 - p₁), p the softmax of C "
                    "standard Gaussians.",
                ),
                "h2": Option(
                    2,
                    "C²e·h₂(q) → the law of a product of two independent Lognormal(0, 1) variables as C → ∞, "
                    "h₂ = p₁p₂.",
                ),
            },
        )
    ],
    plan=Plan(
        sizes=(25, 50, 100, 200),
        size_name="C",
        exponents=(2.0,),
        because="Σ e^q is a mean of C independent terms: the two distribution functions differ by a series in 1/C that "
        "starts with 1/C, and the squared gap by its square, a/C² + b/C³ + …",
        cost=lambda size: 6e-5 + _DRAWS * size * 2.2e-8,
    ),
)
def log_normal_gap(size: int, rng: np.random.Generator, curvature: int) -> float:
    """The squared gap of C√e·h₁ to Lognormal(0, 1), or of C²e·h₂ to the product of two (Lognormal(0, 2))."""
    from scipy.special import ndtr

    from rmtsim.networks._softmax import softmax

    p = softmax(rng.standard_normal((_DRAWS, size)))
    if curvature == 1:
        normal = np.log(p[:, 0] * (1 - p[:, 0])) + math.log(size) + 0.5
    else:
        normal = (np.log(p[:, 0] * p[:, 1]) + 2 * math.log(size) + 1) / math.sqrt(2)
    return squared_gap_to_uniform(ndtr(normal))
