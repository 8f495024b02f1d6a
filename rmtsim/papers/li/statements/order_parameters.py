"""Claims of `li` on coupling sets: section 5.1, the cumulants of appendix E and Algorithm 1."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Choice, Computed, Corrected, Identity, Limit, Option, Plan, claim
from rmtsim.papers.li.simulation.entry_statistics import normalised_cumulants

VGG = 8_684_684
"""N, the parameters of the VGG network as appendix G.3 prints them."""


# ---- The statistics themselves -----------------------------------------------------------------------------------


@claim(
    "li.appE.1.kurtosis",
    states=Limit(0.25, within=0.02),
    plan=Plan(
        sizes=(100, 200, 400, 800),
        size_name="n",
        exponents=(1.0,),
        cost=lambda size: 2e-4 + 4e-8 * 8**4 * size / 100,
    ),
)
def co_kurtosis(size: int, rng: np.random.Generator) -> float:
    """Mean of κ₄(a, a, b, b) over pairs of eight entries."""
    scale = np.sqrt(rng.choice([0.5, 1.5], size=(size, 1)))
    fourth = normalised_cumulants(scale * rng.standard_normal((size, 8)), 4)
    pairs = np.triu_indices(8, 1)
    return float(fourth[pairs[0], pairs[0], pairs[1], pairs[1]].mean())


def _chain_cumulants(order: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Joint cumulants of the middle of seven entries with all others, exactly, by a sum over all states.

    w_i = x_i x_{i+1} + a x_i + b x_{i+1} with independent centred variables of two values: an entry is independent of
    all others but its two neighbours, so that its coupling set has three members.
    """
    p, a, b = rng.uniform(0.2, 0.4), *rng.uniform(0.5, 1.5, 2)
    high, low = math.sqrt((1 - p) / p), -math.sqrt(p / (1 - p))
    up = (np.arange(2**8)[:, None] >> np.arange(8)) & 1
    chances = np.where(up, p, 1 - p).prod(axis=1)
    x = np.where(up, high, low)
    w = x[:, :-1] * x[:, 1:] + a * x[:, :-1] + b * x[:, 1:]
    own = chances * w[:, 3]
    if order == 3:
        return np.asarray(np.einsum("s,sj,sk->jk", own, w, w))
    covariance = np.einsum("s,sj,sk->jk", chances, w, w)
    fourth = np.einsum("s,sj,sk,sl->jkl", own, w, w, w, optimize=True)
    pairs = np.einsum("j,kl->jkl", covariance[3], covariance)
    return np.asarray(fourth - pairs - pairs.transpose(1, 0, 2) - pairs.transpose(1, 2, 0))


CUMULANTS = {
    "skewness": Option(3, words={"power": "²", "trees": "3"}),
    "kurtosis": Option(4, words={"power": "³", "trees": "16"}),
}
"""Orders of the cumulants."""


@claim(
    "li.sec5.1.{cumulant}",
    states=Bound(1.0, within=1e-9),
    over=(Choice("cumulant", CUMULANTS),),
    plan=Plan(sizes=(3,), size_name="|N|", cost=1e-3),
)
def coupled_cumulants(size: int, rng: np.random.Generator, form: str, cumulant: int) -> float:
    """Ordered tuples with a non-zero cumulant with one entry, over |N|^(k−1); corrected: over k^(k−2) |N|^(k−1)."""
    count = int((np.abs(_chain_cumulants(cumulant, rng)) > 1e-9).sum())
    trees = cumulant ** (cumulant - 2) if form == "corrected" else 1
    return float(count / (trees * size ** (cumulant - 1)))


# ---- Numbers of section 5.1 --------------------------------------------------------------------------------------


NUMBERS = Plan(sizes=(VGG,), size_name="N", cost=1e-6)
FROM_NUMBERS = Computed(1e-15, chain=("li.sec5.1.skewness",))


@claim("li.sec5.1.coefficients", states=Identity(within=0.005), plan=NUMBERS, evidence=FROM_NUMBERS)
def coefficients_error(size: int, form: str) -> float:
    """Relative error of the number of coefficients of one entry with the others."""
    return abs((8.68e12 if form == "printed" else 7.54e13) / (float(size) ** 2 - 1) - 1)


@claim("li.sec5.1.share", states=Identity(within=0.005), plan=NUMBERS, evidence=FROM_NUMBERS)
def share_error(size: int) -> float:
    """Relative error of the share of N^{3/2} in N²."""
    return float(abs(3.39e-4 / (float(size) ** 1.5 / float(size) ** 2) - 1))


# ---- From a submatrix to the matrix ------------------------------------------------------------------------------


@claim(
    "li.appE.5.exponent",
    states=Limit(1.5, within=0.05),
    plan=Plan(
        sizes=(256, 1024, 4096, 16384),
        size_name="N",
        exponents=(0.5, 1.0),
        cost=lambda size: 2e-5 + 2e-8 * size,
    ),
)
def estimated_exponent(size: int, rng: np.random.Generator, form: str) -> float:
    """log(count)/log N_b; corrected: 2 + log(share)/log N.

    The count is that of coupled pairs per entry of a √N × √N submatrix, entries of the N × N matrix being in √N random
    groups.
    """
    side = math.isqrt(size)
    members = np.bincount(rng.integers(side, size=size), minlength=side).astype(float)
    count = float((members * (members - 1)).sum() / size)
    if form == "printed":
        return math.log(count) / math.log(side)
    return 2 + math.log(count / (size - 1)) / math.log(size)


def stratified_error(size: int, rng: np.random.Generator) -> float:
    """That of shares weighted by stratum (same row or not) as in the matrix, less one; rows without repetition."""
    whole = 4 * size
    rows = rng.choice(whole, size=size, replace=False)
    same = rows[:, None] == rows[None, :]
    coupled_in_row = float(same[np.eye(size, dtype=bool)].mean())
    coupled_elsewhere = float(same[~np.eye(size, dtype=bool)].mean())
    weight = (whole - 1) / (float(whole) ** 2 - 1)
    return abs((coupled_in_row * weight + coupled_elsewhere * (1 - weight)) / weight - 1)


@claim(
    "li.alg1",
    corrected=Corrected(measured=stratified_error, states=Identity(within=1e-12)),
    states=Limit(1.0, within=0.1),
    plan=Plan(sizes=(8, 16, 32, 64), size_name="N_b", exponents=(1.0,), cost=2e-5),
)
def share_ratio(size: int, rng: np.random.Generator) -> float:
    """Share of the pairs of entries of a sampled submatrix in one row of the matrix, over that in the whole matrix."""
    rows = np.bincount(rng.integers(4 * size, size=size)).astype(float) * size
    pairs = float(size) ** 2
    whole = float(4 * size) ** 2
    return float((rows * (rows - 1)).sum() / (pairs * (pairs - 1))) / ((4 * size - 1) / (whole - 1))
