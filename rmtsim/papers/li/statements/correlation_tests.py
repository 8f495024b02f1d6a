"""Claims of `li` on tests of correlation: Algorithms 2 and 3, the null hypothesis of appendix E.3, Table 2."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import (
    Bound,
    Computed,
    Corrected,
    Law,
    Limit,
    Parameter,
    Plan,
    Probability,
    Relative,
    Simulated,
    claim,
)
from rmtsim.papers.li.simulation.entry_statistics import correlated_pairs, standardised

SAMPLES = 157
"""n, batches of an epoch."""


AVERAGED = Plan(
    size_name="B",
    exponents=(1.0,),
    because="the expectation does not depend on the number of draws averaged",
)


@claim(
    "li.alg2",
    states=Probability(0.9, within=0.02),
    plan=Plan(
        sizes=(16, 64, 256), size_name="N", exponents=(1.0,), cost=lambda size: 1e-5 + 100 * size * 6e-9
    ),
)
def covers(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    """Whether the interval holds the mean 1; sizes divide 256, so that a byte names a member of the sample fairly."""
    found = []
    for start in range(0, replicates, 64):
        count = min(64, replicates - start)
        sample = rng.exponential(size=(count, size))
        chosen = rng.integers(256, size=(count, 100 * size), dtype=np.uint8) & np.uint8(size - 1)
        means = (
            np.take_along_axis(sample, chosen.astype(np.intp), axis=1).reshape(count, 100, size).mean(axis=2)
        )
        means.partition((4, 94), axis=1)
        found.append((means[:, 4] <= 1.0) & (means[:, 94] >= 1.0))
    return np.concatenate(found).astype(float)


OBSERVED = 12
"""Observations of a pair: few, so that the law is far from normal."""


def _law(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distribution function of Pearson's r of n = 12 observations under independence."""
    from scipy import stats

    r = np.clip(values, -1 + 1e-15, 1 - 1e-15)
    return np.asarray(stats.t.cdf(r * np.sqrt((OBSERVED - 2) / (1 - r**2)), OBSERVED - 2))


@claim(
    "li.appE.3.law",
    states=Law(_law, within=0.01),
    plan=Plan(
        sizes=(256, 1024, 4096), size_name="pairs", exponents=(0.5,), cost=lambda size: 2e-4 + size * 1.2e-6
    ),
)
def correlations(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Pearson's r of ``size`` independent pairs."""
    x, y = (rng.standard_normal((OBSERVED, size)) for _ in range(2))
    x, y = standardised(x), standardised(y)
    return np.asarray((x * y).mean(axis=0))


CHANCE = 0.025
"""A mean of five draws is reproduced if one as far from the expectation, on its side, has at least this probability."""


@claim(
    "li.table2.correlation",
    states=Bound(CHANCE, ">="),
    plan=Plan(sizes=(100,), size_name="N_b", cost=1e-4),
    evidence=Computed(1e-12, chain=("li.appE.3.law",)),
)
def chance_of_few_pairs(size: int) -> float:
    """P(the mean of five counts of ordered pairs is at most 16.00); the number of unordered ones is Poisson."""
    from scipy import stats

    from rmtsim.papers.li.theory import null_count

    return float(stats.poisson.cdf(5 * 16.00 / 2, 5 * null_count(size, SAMPLES, 0.4).mean / 2))


def pairs_that_pass(size: int, rng: np.random.Generator) -> float:
    """Pairs of independent entries with |r| > 0.4, N_b = ``size``."""
    return float(correlated_pairs(rng.standard_normal((SAMPLES, size**2)), 0.4))


def _triples_above(threshold: float, size: int, rng: np.random.Generator) -> float:
    """s₀ for skewness among triples with a repeated entry, N_b = 10, the mean over ``size`` draws."""
    total = 0
    for _ in range(size):
        x = standardised(rng.standard_normal((SAMPLES, 100)))
        large = np.abs((x * x).T @ x / SAMPLES) > threshold
        alone = int(np.diag(large).sum())
        total += alone + 3 * (int(large.sum()) - alone)
    return total / size


def mean_triples(size: int, rng: np.random.Generator) -> float:
    """The mean over ``size`` draws of the triples above 0.4."""
    return _triples_above(0.4, size, rng)


def _expected_triples() -> float:
    from rmtsim.papers.li.theory import null_triples

    found = null_triples(10, SAMPLES, 0.4)
    return found.one + found.two


@claim(
    "li.table2.skewness",
    corrected=Corrected(
        measured=mean_triples,
        states=Limit(_expected_triples, within=Relative(0.1)),
        plan=AVERAGED.but(sizes=(1, 8, 64), cost=lambda size: 6e-4 * size),
    ),
    states=Bound(CHANCE, ">=", of="probability"),
    plan=Plan(sizes=(5,), size_name="B", cost=lambda size: 6e-4 * size),
)
def as_many_triples(size: int, rng: np.random.Generator) -> bool:
    """Whether the mean over B draws comes within 10 of 67.80."""
    return mean_triples(size, rng) >= 67.80 - 10


def quadruples(size: int, rng: np.random.Generator, form: str) -> float:
    """s₀ for kurtosis, N_b = 10, the mean over ``size`` draws; corrected: each set of entries is counted once.

    Only quadruples of at most two different entries are counted.
    """
    total = 0
    for _ in range(size):
        x = standardised(rng.standard_normal((SAMPLES, 100)))
        squares = x * x
        second = x.T @ x / SAMPLES
        three = np.abs((squares * x).T @ x / SAMPLES - 3 * second) > 1
        two = np.abs(squares.T @ squares / SAMPLES - 1 - 2 * second**2) > 1
        alone = int(np.diag(three).sum())
        apart, paired = int(three.sum()) - alone, (int(two.sum()) - int(np.diag(two).sum())) // 2
        total += alone + (4 * apart + 6 * paired if form == "printed" else apart + paired)
    return total / size


@claim(
    "li.table2.kurtosis",
    states=Bound(CHANCE, ">=", of="probability"),
    plan=Plan(sizes=(5,), size_name="B", cost=lambda size: 8e-4 * size),
)
def as_few_quadruples(size: int, rng: np.random.Generator, form: str) -> bool:
    """Whether the mean over B draws is at most 2.20."""
    return quadruples(size, rng, form) <= 2.20


@claim(
    "li.alg3.skewness",
    states=Bound(10.0, within=1e-9, likely=True),
    plan=Plan(sizes=(8,), size_name="B", cost=4.5e-3),
)
def repeated_triples(size: int, rng: np.random.Generator, form: str) -> float:
    """s₀ for skewness among triples with a repeated entry, N_b = 10, the mean over ``size`` draws."""
    return _triples_above(0.4 if form == "printed" else 0.5, size, rng)


claim(
    "li.alg3.kurtosis",
    functools.partial(quadruples, form="printed"),
    states=Bound(10**1.5, within=1e-9, likely=True),
    plan=Plan(sizes=(64,), size_name="B", cost=5e-2),
)

LEVEL = Parameter("level", "family-wise level", 0.05, lowest=1e-3, highest=0.5, draw_range=(0.02, 0.2))


@functools.cache
def _family_threshold(size: int, level: float) -> float:
    from rmtsim.papers.li.theory import family_threshold

    return family_threshold(size, SAMPLES, level)


def none_passes(size: int, rng: np.random.Generator, level: float) -> float:
    """Whether no |r| of independent entries exceeds the Bonferroni threshold."""
    x = standardised(rng.standard_normal((SAMPLES, size**2)))
    found = np.abs(x.T @ x / SAMPLES)
    np.fill_diagonal(found, 0.0)
    return float(found.max() <= _family_threshold(size, level))


claim(
    "li.alg3.ensured",
    pairs_that_pass,
    corrected=Corrected(
        measured=none_passes,
        states=Probability(lambda level: math.exp(-level), within=0.02),
        over=(LEVEL,),
        plan=Plan(
            sizes=(3, 5, 8), size_name="N_b", cost=lambda size: 1e-4 + 2.5e-8 * size**4, exponents=(2.0,)
        ),
        evidence=Simulated(theory="the threshold is part of the statement"),
    ),
    states=Bound(0.0, within=1e-9),
    plan=Plan(sizes=(20, 30), size_name="N_b", cost=lambda size: 3.5e-8 * size**4),
)
