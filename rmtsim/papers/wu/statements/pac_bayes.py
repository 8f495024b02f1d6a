"""Claims of `wu` appendix H: the bound (277) and the arithmetic of Tables 1 and 10."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rmtsim.claims import Bound, Computed, Identity, Plan, claim

SAMPLES, CONFIDENCE, PRECISION, LARGEST = 60000, 0.025, 100.0, 0.1
"""|S|, δ, b and c of appendix H."""


class Optimised(NamedTuple):
    """A row of Table 10."""

    bound: float
    divergence: float
    error: float
    log_scale: float
    """ϱ = log(λ)/2, the column "λ (prior)"."""


# Rows of the methods BASE, APPR, ITER, ITER(D), ITER.M, as far as the table has them.
TABLE_10 = tuple(
    Optimised(*row)
    for row in (
        (0.154, 4612.6, 0.03373, -1.3313),
        (0.1432, 3980.6, 0.03417, -1.6063),
        (0.1198, 3766.1, 0.02347, -1.2913),
        (0.1199, 3751.1, 0.02366, -1.2913),
        (0.1255, 3929.9, 0.02494, -1.3213),
        (0.1921, 6966.6, 0.03262, -1.4163),
        (0.1658, 5176.1, 0.03468, -2.0963),
        (0.1456, 5086.5, 0.02473, -1.7963),
        (0.1443, 4956.8, 0.02523, -1.7963),
        (0.1502, 5024.5, 0.02767, -1.8363),
        (0.1754, 5917.6, 0.03295, -1.5463),
        (0.1725, 5318.8, 0.03701, -1.8313),
        (0.1417, 5071.0, 0.02292, -1.4763),
        (0.1413, 5021.1, 0.02316, -1.4763),
        (0.1493, 5185.4, 0.02576, -1.5363),
        (0.1686, 5514.9, 0.03329, -1.1513),
        (0.1434, 4105.4, 0.03296, -1.8063),
        (0.1249, 3873.2, 0.02514, -1.4763),
        (0.1244, 3833.7, 0.02526, -1.4763),
        (0.1308, 3987.2, 0.02721, -1.5713),
        (0.6046, 1144.8, 0.507, -1.8263),
        (0.5653, 390.25, 0.5066, -2.4713),
        (0.5681, 431.62, 0.5066, -2.4513),
        (0.5616, 340.62, 0.5065, -2.5263),
        (0.4165, 21896.0, 0.04706, -1.1513),
        (0.2621, 11068.0, 0.0366, -1.4213),
        (0.2145, 9821.0, 0.02229, -1.1513),
        (0.2311, 9758.5, 0.03071, -1.1513),
        (0.2728, 13406.0, 0.02605, -1.1513),
        (0.2879, 12674.0, 0.03854, -1.1513),
        (0.2424, 9095.8, 0.04159, -1.6013),
        (0.2132, 8697.9, 0.02947, -1.3063),
        (0.2227, 8870.9, 0.03294, -1.4613),
        (0.3472, 17212.0, 0.03884, -1.1513),
        (0.2896, 11618.0, 0.04723, -2.0563),
        (0.2431, 10568.0, 0.03057, -1.5713),
    )
)


def index(row: Optimised) -> float:
    """j = b log(c/λ), which (277) takes the logarithm of and the union over j = 1, 2, … needs to be at least one."""
    return PRECISION * (math.log(LARGEST) - 2 * row.log_scale)


def largest_error(error: float, budget: float) -> float:
    """The largest e with KL(error ‖ e) ≤ budget, for Bernoulli variables.

    >>> round(largest_error(0.03373, 0.0772), 3)
    0.154
    """
    from scipy.optimize import brentq

    def excess(e: float) -> float:
        return error * math.log(error / e) + (1 - error) * math.log((1 - error) / (1 - e)) - budget

    return float(brentq(excess, error, 1 - 1e-12))


def bound_of(row: Optimised) -> float:
    """(275) with the right side of (277), j not below one."""
    union = 2 * math.log(max(index(row), 1.0)) + math.log(math.pi**2 * SAMPLES / (6 * CONFIDENCE))
    return largest_error(row.error, (row.divergence + union) / (SAMPLES - 1))


TABLE_PLAN = Plan(sizes=(1,), size_name="table", cost=1e-3)
_ROUNDING = 1e-4
"""Bounds have four digits; errors of five and divergences of five digits move them by less than half a unit."""


@claim("wu.table10", states=Bound(0.0, within=_ROUNDING), plan=TABLE_PLAN, evidence=Computed(1e-9))
def deviation_inside(size: int) -> float:
    """Largest |bound - (275) with (277)| over rows with λ below c."""
    return max(abs(row.bound - bound_of(row)) for row in TABLE_10 if index(row) >= 1)


@claim("wu.table10.edge", states=Bound(0.0, within=_ROUNDING), plan=TABLE_PLAN, evidence=Computed(1e-9))
def deficit_at_the_edge(size: int, form: str) -> float:
    """Largest excess of (275) with (277), j ≥ 1, over the printed bound: all rows, or those with λ below c."""
    return max(bound_of(row) - row.bound for row in TABLE_10 if form == "printed" or index(row) >= 1)


# ---- (277) against (275) --------------------------------------------------------------------------------------------


@claim("wu.eq277", states=Identity(), plan=Plan(sizes=(2, 8), size_name="parameters", cost=5e-5))
def error_of_bound(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of B_RE against (275) with the share 6δ/(π²j²) of the confidence that j receives."""
    j = int(rng.integers(1, 300))
    prior = LARGEST * math.exp(-j / PRECISION)
    mean, variances = rng.standard_normal(size), prior * rng.uniform(0.2, 2.0, size)

    def divergence(means: float, first: np.ndarray, second: np.ndarray) -> float:
        return float(0.5 * np.sum(first / second - 1 - np.log(first / second)) + means)

    priors = np.full(size, prior)
    forward = divergence(0.5 * float(mean @ mean) / prior, variances, priors)
    backward = divergence(0.5 * float(np.sum(mean**2 / variances)), priors, variances)
    stated = backward if form == "printed" else forward
    stated += 2 * math.log(PRECISION * math.log(LARGEST / prior))
    stated += math.log(math.pi**2 * SAMPLES / (6 * CONFIDENCE))
    truth = forward + math.log(SAMPLES / (6 * CONFIDENCE / (math.pi**2 * j**2)))
    return abs(stated - truth) / truth
