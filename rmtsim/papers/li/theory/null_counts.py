"""How many correlations of independent normal variables exceed a threshold: Table 2 of `li` in closed form.

Pearson's r of two independent normal samples of size n has r√((n-2)/(1-r²)) ~ t_{n-2}. The mean of n products of
independent standard normal variables is (Q₁ - Q₂)/2n with independent χ²_n variables, a variance-gamma law. Among
k variables the coefficients are pairwise independent, so mean *and* variance of the count are exact.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate, special, stats

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, records_take_arrays, takes_arrays
from rmtsim._internal.docstrings import frozen

__all__ = [
    "NullCount",
    "correlation_p_values",
    "correlation_tail",
    "discoveries",
    "family_threshold",
    "null_count",
    "product_mean_tail",
    "threshold_for_count",
]


def _samples(samples: int, least: int = 3) -> int:
    return validate.integer("samples", samples, minimum=least, meaning="number n of observations")


def _probability(name: str, value: float) -> float:
    number = validate.finite_number(name, value)
    if not 0 < number < 1:
        raise ValueError(f"{name}={number}: expected a number between 0 and 1")
    return number


@takes_arrays
def correlation_tail(threshold: float, samples: int) -> float:
    """P(|r| > threshold) for Pearson's r of two independent normal samples.

    >>> round(correlation_tail(0.5, samples=4), 12)
    0.5
    """
    at = validate.finite_number("threshold", threshold)
    n = _samples(samples)
    if not 0 <= at <= 1:
        raise ValueError(f"threshold={at}: expected a number from 0 to 1")
    # 1 - r² has a beta law: no cancellation in the far tail.
    return float(special.betainc((n - 2) / 2, 0.5, 1 - at**2))


@takes_arrays
def product_mean_tail(threshold: float, samples: int) -> float:
    """P(|(1/n) Σ x_i y_i| > threshold) for independent standard normal x_i, y_i, nothing centred or divided.

    Given y the mean is normal with variance ‖y‖²/n²; the integral over ‖y‖² ~ χ²_n is done numerically.

    >>> round(product_mean_tail(1.0, samples=1), 6)  # the law of a product has density K₀(|x|)/π
    0.208994
    """
    at = validate.positive_number("threshold", threshold)
    n = _samples(samples, 1)
    spread = stats.chi(n)

    def integrand(length: float) -> float:
        # The far tail of a normal variable, times a density: both as logarithms.
        return float(2 * np.exp(special.log_ndtr(-at * n / length) + spread.logpdf(length)))

    low, high = max(1e-12, math.sqrt(n) - 12), math.sqrt(n) + 14
    # The weight of the tail moves the peak outwards, by at most a few deviations.
    value, _ = integrate.quad(integrand, low, high, limit=400, epsabs=0.0, epsrel=1e-10)
    return float(value)


@frozen
class NullCount:
    """Expected number of ordered pairs above a threshold, and its standard deviation over repetitions."""

    mean: float
    deviation: float


@records_take_arrays
def null_count(dimension: int, samples: int, threshold: float) -> NullCount:
    """s₀ of Algorithm 3: ordered pairs of the N_b² independent normal entries with |r| above ``threshold``.

    >>> found = null_count(100, samples=157, threshold=0.4)
    >>> round(found.mean, 2), round(found.deviation, 2)
    (21.0, 6.48)
    >>> null_count(100, samples=157, threshold=[0.3, 0.4]).mean.round()
    array([13493.,    21.])
    """
    side = validate.integer("dimension", dimension, minimum=2, meaning="N_b, rows of the sampled submatrix")
    tail = correlation_tail(threshold, samples)
    pairs = float(side) ** 2 * (float(side) ** 2 - 1)
    # A pair counts twice, once in each order.
    return NullCount(pairs * tail, math.sqrt(2 * pairs * tail * (1 - tail)))


@takes_arrays
def threshold_for_count(dimension: int, samples: int, count: float) -> float:
    """The threshold at which ``null_count`` expects ``count`` ordered pairs.

    >>> round(threshold_for_count(100, samples=157, count=1000), 4)
    0.3444
    """
    side = validate.integer("dimension", dimension, minimum=2, meaning="N_b, rows of the sampled submatrix")
    wanted = validate.positive_number("count", count)
    pairs = float(side) ** 2 * (float(side) ** 2 - 1)
    if wanted >= pairs:
        raise ValueError(f"count={wanted}: expected a number below the {pairs:.0f} ordered pairs")
    return _quantile(wanted / pairs, _samples(samples))


@takes_arrays
def family_threshold(dimension: int, samples: int, level: float = 0.05) -> float:
    """Bonferroni: |r| above it occurs anywhere among independent entries with probability at most ``level``.

    >>> round(family_threshold(100, samples=157), 4)
    0.4633
    """
    side = validate.integer("dimension", dimension, minimum=2, meaning="N_b, rows of the sampled submatrix")
    pairs = float(side) ** 2 * (float(side) ** 2 - 1) / 2
    return _quantile(_probability("level", level) / pairs, _samples(samples))


def _quantile(tail: float, n: int) -> float:
    return math.sqrt(1 - float(special.betaincinv((n - 2) / 2, 0.5, tail)))


@takes_arrays(native=("correlations",))
def correlation_p_values(correlations: ArrayLike, samples: int) -> Array:
    """Two-sided p-values of Pearson coefficients under independence and normality.

    >>> correlation_p_values([0.0, 0.5], samples=4).round(12)
    array([1. , 0.5])
    """
    r = validate.real_array("correlations", correlations)
    n = _samples(samples)
    if r.size and np.abs(r).max() > 1 + 1e-9:
        raise ValueError(f"correlations: expected numbers from -1 to 1, found {np.abs(r).max()}")
    return np.asarray(special.betainc((n - 2) / 2, 0.5, np.clip(1 - r**2, 0.0, 1.0)))


@takes_arrays(whole=("p_values",))
def discoveries(p_values: ArrayLike, level: float = 0.05) -> int:
    """How many hypotheses Benjamini and Hochberg reject: false ones are at most a share ``level`` on average.

    >>> discoveries([0.001, 0.02, 0.9], level=0.05)
    2
    """
    p = np.sort(validate.real_array("p_values", p_values).ravel())
    share = _probability("level", level)
    if p.size and (p[0] < 0 or p[-1] > 1):
        raise ValueError("p_values: expected numbers from 0 to 1")
    below = np.nonzero(p <= share * np.arange(1, len(p) + 1) / max(len(p), 1))[0]
    return int(below[-1]) + 1 if below.size else 0
