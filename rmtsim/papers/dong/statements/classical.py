"""Classical laws that `dong` quotes or passes through: Proposition 1, and the log-normal laws behind Proposition 3."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Law, Plan, Simulated, claim
from rmtsim.papers.dong.statements.parameters import GAMMA
from rmtsim.papers.dong.statements.resolvents import StatedResolvent

Array = NDArray[np.float64]

# ---- Proposition 1: generalised Marchenko-Pastur ------------------------------------------------------------------

POSITIVE = ((0.25, 1.0, 3.0), (0.5, 0.25, 0.25))
"""Places and masses of a population above zero."""
INDEFINITE = ((-2.0, -0.5, 0.0, 1.5), (0.25, 0.125, 0.125, 0.5))
"""Places and masses of one of both signs, with a part that is zero."""


@lru_cache(maxsize=64)
def stated_law(gamma: float, places: tuple[float, ...], masses: tuple[float, ...]) -> StatedResolvent:
    """The solution of (37). That of (1/N)XΛXᵀ is known for any population; (1/d)XΛXᵀ has Λ/γ in its place."""
    from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur

    return StatedResolvent.of(GeneralizedMarchenkoPastur(gamma, np.array(places) / gamma, np.array(masses)))


def placed(population: tuple[tuple[float, ...], tuple[float, ...]], samples: int) -> Array:
    """The diagonal of Λ: each place as often as its mass says.

    >>> placed(((0.5, 2.0), (0.75, 0.25)), 4).tolist()
    [0.5, 0.5, 0.5, 2.0]
    """
    places, masses = population
    counts = np.diff(np.round(np.concatenate([[0.0], np.cumsum(masses)]) * samples).astype(int))
    return np.repeat(places, counts)


def _eigenvalues(inputs: Array, diagonal: Array) -> Array:
    """Of (1/d) X Λ Xᵀ, X dimension × samples."""
    dimension = inputs.shape[0]
    return np.asarray(np.linalg.eigvalsh((inputs * diagonal) @ inputs.T / dimension))


POPULATIONS_PLAN = Plan(
    sizes=(25, 50, 100, 200),
    size_name="min(d, N)",
    exponents=(1.0,),
    because="the transform is a smooth function of independent entries (and of N independent weights): variance and "
    "squared bias are series in 1/N",
    cost=lambda size, gamma: (
        2e-4 + 4e-8 * size**2 * max(gamma, 1 / gamma) + 5e-10 * size**3 * max(gamma**3, 1 / gamma)
    ),
)
POPULATIONS_THEORY = (
    "the measured quantity is a distance to the stated law, whose transform is needed to form it"
)


@claim(
    "dong.prop1.positive",
    at="Proposition 1, eq. (37)",
    standing="theorem",
    printed="X with Gaussian entries, Λ deterministic with places 1/4, 1, 3 (masses 1/2, 1/4, 1/4): the spectrum of "
    "(1/d)XΛXᵀ tends to the law of (37).",
    states=Law(0.0, within=0.02**2),
    over=(GAMMA,),
    points=({"gamma": 0.5}, {"gamma": 2.0}),
    plan=POPULATIONS_PLAN,
    evidence=Simulated(theory=POPULATIONS_THEORY),
)
def positive_distance(size: int, rng: np.random.Generator, gamma: float) -> float:
    """Distance of the spectrum of (1/d)XΛXᵀ to the law, Λ deterministic and positive."""
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((dimension, samples))
    return stated_law(gamma, *POSITIVE).distance(_eigenvalues(inputs, placed(POSITIVE, samples)))


@claim(
    "dong.prop1.indefinite",
    at="Proposition 1, eq. (37)",
    standing="theorem",
    printed="X with entries ±1, Λ deterministic with places -2, -1/2, 0, 3/2 (masses 1/4, 1/8, 1/8, "
    "1/2): the spectrum of (1/d)XΛXᵀ tends to the law of (37).",
    states=Law(0.0, within=0.02**2),
    over=(GAMMA,),
    points=({"gamma": 0.5}, {"gamma": 2.0}),
    plan=POPULATIONS_PLAN,
    evidence=Simulated(theory=POPULATIONS_THEORY),
)
def indefinite_distance(size: int, rng: np.random.Generator, gamma: float) -> float:
    """Distance of the spectrum of (1/d)XΛXᵀ to the law, Λ deterministic and of both signs."""
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs = np.asarray(2 * rng.integers(2, size=(dimension, samples)) - 1, dtype=np.float64)
    return stated_law(gamma, *INDEFINITE).distance(_eigenvalues(inputs, placed(INDEFINITE, samples)))


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


def log_normal_gap(size: int, rng: np.random.Generator, pairs: bool) -> float:
    """The squared gap of C√e·h₁ to Lognormal(0, 1), or of C²e·h₂ to the product of two (Lognormal(0, 2))."""
    from scipy.special import ndtr

    from rmtsim.networks._softmax import softmax

    p = softmax(rng.standard_normal((_DRAWS, size)))
    if pairs:
        return squared_gap_to_uniform(
            ndtr((np.log(p[:, 0] * p[:, 1]) + 2 * math.log(size) + 1) / math.sqrt(2))
        )
    return squared_gap_to_uniform(ndtr(np.log(p[:, 0] * (1 - p[:, 0])) + math.log(size) + 0.5))


SOFTMAX_PLAN = Plan(
    sizes=(25, 100, 400, 1600),
    size_name="C",
    exponents=(1.0,),
    because="the mean of C exponentials fluctuates by C^-1/2 about its limit, symmetrically to first order: the "
    "distribution function is a series in 1/C",
    cost=lambda size: 6e-5 + _DRAWS * size * 2.2e-8,
)


@claim(
    "dong.prop3.lognormal.h1",
    at="proof of Proposition 3",
    standing="lemma",
    printed="C√e·h₁(q) → Lognormal(0, 1) in distribution as C → ∞, h₁ = p₁(1 - p₁), p the softmax of C standard "
    "Gaussians.",
    states=Law(0.0, within=0.005**2),
    plan=SOFTMAX_PLAN,
)
def h1_gap(size: int, rng: np.random.Generator) -> float:
    """∫(F_C - F)²dF for C√e·h₁ and Lognormal(0, 1)."""
    return log_normal_gap(size, rng, pairs=False)


@claim(
    "dong.prop3.lognormal.h2",
    at="proof of Proposition 3",
    standing="lemma",
    printed="C²e·h₂(q) → the law of a product of two independent Lognormal(0, 1) variables as C → ∞, h₂ = p₁p₂.",
    states=Law(0.0, within=0.005**2),
    plan=SOFTMAX_PLAN,
)
def h2_gap(size: int, rng: np.random.Generator) -> float:
    """∫(F_C - F)²dF for C²e·h₂ and the product of two."""
    return log_normal_gap(size, rng, pairs=True)
