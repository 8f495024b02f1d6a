"""Section 3.4: the anchor vector on synthetic dictionaries, and when the partition function is nearly constant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Limit, Parameter, Place, Plan, Rate, Relative, claim
from rmtsim.papers.loglinear import theory
from rmtsim.papers.loglinear.simulation.anchors import (
    draw_contexts,
    draw_dictionary,
    fitted_error,
    half_squared_difference,
    sphere_contexts,
)
from rmtsim.papers.loglinear.simulation.word_model import word_model

DIMENSION = 6
RANK = Parameter(
    "rank", "rank r of the atoms' covariance", 6, integer=True, lowest=1, highest=DIMENSION, draw_range=(1, 6)
)
MEAN = Parameter(
    "mean",
    "length M of the contexts' mean",
    1.0,
    draw_range=(0.1, 1.0),
    highest=1.5,
    assumption="Z/n is a mean of n lognormals with variance e^{s²} - 1, s = ‖v‖: 50 to 400 words are near the limit "
    "for s of order one only",
)
SPREAD = Parameter(
    "spread", "standard deviation τ of the contexts", 0.3, open_below=True, draw_range=(0.2, 0.4), highest=0.6
)
LEVEL = Parameter(
    "level", "constant of log Z: log n in log Z itself", 10.0, draw_range=(1.0, 12.0), highest=100.0
)
LENGTH = Parameter(
    "length", "length of the contexts", 0.8, open_below=True, highest=1.2, draw_range=(0.3, 1.0)
)
SHARE = Parameter(
    "share", "share of words removed", 0.1, open_below=True, highest=0.9, draw_range=(0.01, 0.5)
)
ANCHORED = Plan(
    sizes=(50, 100, 200, 400),
    size_name="n",
    exponents=(1.0,),
    because="log of a mean over n words, as many contexts as words: moments exist, so corrections are powers of 1/n",
    cost=lambda size: 1e-4 + 2.2e-8 * size * size,
)
_MORE_WORDS = ANCHORED.but(sizes=(100, 200, 400, 800))
CONSTANT = Place(
    "Section 3.4.1, after Arora et al. (2016); docs/papers/loglinear/index.md",
    qualifier="close to a constant with high probability",
)


@claim(
    "loglinear.hyp3.4.2.gaussian",
    states=Limit(
        lambda mean, spread, level: theory.anchor_error(DIMENSION, 1.0, mean, spread, level),
        within=Relative(0.03),
    ),
    over=(MEAN, SPREAD, LEVEL),
    points=(
        {"mean": 0.0, "spread": 0.3, "level": 10.0},
        {"mean": 1.0, "spread": 0.3, "level": 10.0},
        {"mean": 1.0, "spread": 0.1, "level": 1.0},
    ),
    plan=_MORE_WORDS,
)
def gaussian_error(size: int, rng: np.random.Generator, mean: float, spread: float, level: float) -> float:
    """ε_MSE, Gaussian atoms of full rank."""
    contexts = draw_contexts(size, DIMENSION, rng, mean=mean, deviation=spread)
    return fitted_error(size, rng, "gaussian", contexts, level)


@claim(
    "loglinear.hyp3.4.2.cone",
    states=Limit(
        lambda rank, mean, spread, level: theory.anchor_error(rank, 1.0, mean, spread, level),
        within=Relative(0.03),
    ),
    over=(RANK, MEAN, SPREAD, LEVEL),
    points=(
        {"rank": 2, "mean": 1.0, "spread": 0.3, "level": 10.0},
        {"rank": 2, "mean": 1.0, "spread": 0.1, "level": 4.0},
    ),
    plan=ANCHORED,
)
def cone_error(
    size: int, rng: np.random.Generator, rank: int, mean: float, spread: float, level: float
) -> float:
    """ε_MSE, atoms 2e₁ + N(0, I_r)."""
    contexts = draw_contexts(size, DIMENSION, rng, mean=mean, deviation=spread)
    return fitted_error(size, rng, "cone", contexts, level, rank=rank)


@claim(
    "loglinear.hyp3.4.2.intercept",
    states=Limit(lambda rank, spread: theory.intercept_error(rank, 1.0, spread), within=Relative(0.05)),
    over=(RANK, MEAN, SPREAD),
    points=({"rank": 6, "mean": 0.0, "spread": 0.4}, {"rank": 3, "mean": 1.0, "spread": 0.4}),
    plan=_MORE_WORDS,
)
def intercept_fit(size: int, rng: np.random.Generator, rank: int, mean: float, spread: float) -> float:
    """ε_MSE with an intercept."""
    contexts = draw_contexts(size, DIMENSION, rng, mean=mean, deviation=spread)
    return fitted_error(size, rng, "cone", contexts, 10.0, rank=rank, intercept=True)


@claim(
    "loglinear.hyp3.4.2.spherical",
    states=Limit(
        lambda length, level: theory.spherical_anchor_error(DIMENSION, 1.0, length, level),
        within=Relative(0.03),
    ),
    over=(LENGTH, LEVEL),
    points=({"length": 0.8, "level": 10.0}, {"length": 0.8, "level": 2.0}),
    plan=ANCHORED,
)
def spherical_error(size: int, rng: np.random.Generator, length: float, level: float) -> float:
    """ε_MSE, spherical atoms and contexts."""
    return fitted_error(size, rng, "spherical", sphere_contexts(size, DIMENSION, rng, length=length), level)


@claim(
    "loglinear.sec3.4.3.spherical",
    corrected=Corrected(
        states=Rate(
            1.0,
            within=Relative(0.05),
            amplitude=lambda length: theory.spherical_intercept_error(DIMENSION, 1.0, length),
        )
    ),
    states=Limit(0.0, within=0.02),
    over=(LENGTH,),
    plan=ANCHORED,
)
def spherical_share(size: int, rng: np.random.Generator, form: str, length: float) -> float:
    """ε_MSE for log Z over (log n + log E e^{⟨v, u⟩})²; corrected: ε_MSE itself, with an intercept."""
    contexts = sphere_contexts(size, DIMENSION, rng, length=length)
    level = float(np.log(size))
    error = fitted_error(size, rng, "spherical", contexts, level, intercept=form == "corrected")
    unit = theory.spherical_anchor_error(DIMENSION, 1.0, length, level) if form == "printed" else 1.0
    return error / unit


@claim(
    "loglinear.hyp3.4.2.bulk",
    states=Limit(lambda length, share: theory.bulk_level(1.0, length, share), within=0.005),
    over=(LENGTH, SHARE),
    points=({"length": 0.8, "share": 0.1}, {"length": 0.4, "share": 0.5}),
    plan=ANCHORED.but(cost=lambda size: 1e-4 + 1e-7 * size),
)
def bulk_average(size: int, rng: np.random.Generator, length: float, share: float) -> float:
    """log(Z_bulk/n), averaged over four contexts."""
    atoms = draw_dictionary("gaussian", size, DIMENSION, rng)
    model = word_model(atoms, sphere_contexts(4, DIMENSION, rng, length=length))
    return float(np.mean(model.log_partition(model.without_top(round(size * share))) - np.log(size)))


@claim(
    "loglinear.hyp3.4.2.heavy",
    states=Limit(1.0, within=0.02),
    over=(LENGTH,),
    plan=ANCHORED.but(cost=lambda size: 1e-4 + 1e-7 * size),
)
def largest_share(size: int, rng: np.random.Generator, length: float) -> float:
    """Probability of the most probable word, one context."""
    atoms = draw_dictionary("heavy", size, DIMENSION, rng, freedom=1.0)
    model = word_model(atoms, sphere_contexts(1, DIMENSION, rng, length=length))
    return float(np.exp(model.log_probabilities().max()))


@claim(
    "loglinear.sec3.4.1.words",
    states=Rate(
        1.0, within=Relative(0.05), amplitude=lambda length: theory.spherical_variance(DIMENSION, 1.0, length)
    ),
    over=(LENGTH,),
    plan=ANCHORED.but(cost=lambda size: 1e-5 + 3e-7 * size),
)
def variance_against_words(
    size: int, rng: np.random.Generator, replicates: int, length: float
) -> NDArray[np.float64]:
    """Unbiased for Var(Z/n), d = 6."""
    return half_squared_difference(size, rng, replicates, DIMENSION, length)


@claim(
    "loglinear.sec3.4.1.dimension",
    states=Limit(lambda length: theory.gaussian_variance(1.0, length), within=Relative(0.05)),
    over=(LENGTH,),
    plan=ANCHORED.but(sizes=(16, 32, 64, 128), size_name="d", cost=lambda size: 1e-5 + 1e-6 * size),
)
def variance_against_dimension(
    size: int, rng: np.random.Generator, replicates: int, length: float
) -> NDArray[np.float64]:
    """Unbiased for n Var(Z/n), n = 32."""
    return 32 * half_squared_difference(32, rng, replicates, size, length)
