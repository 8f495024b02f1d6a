"""Claims of `li` on coupling sets: section 5.1, the cumulants of appendix E and Algorithm 1."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Choice, Computed, Corrected, Identity, Limit, Option, Plan, claim
from rmtsim.papers.li.simulation.entry_statistics import nonzero_count, normalised_cumulants

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


def _grouped(group: int, entries: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """2000 draws of entries in independent groups of one rare event each, with a little noise of their own."""
    common = rng.random((2000, entries // group)) < 0.1
    return np.asarray(np.repeat(common, group, axis=1) + 0.1 * rng.standard_normal((2000, entries)))


CUMULANTS = {
    "skewness": Option((3, 1.0), words={"power": "²", "kind": "skewed "}),
    "kurtosis": Option((4, 2.0), words={"power": "³", "kind": ""}),
}
"""Order and threshold; an event of probability 0.1 has the skewness 2.7 and the excess kurtosis 5.1."""


@claim(
    "li.sec5.1.{cumulant}",
    states=Identity(within=1e-12),
    over=(Choice("cumulant", CUMULANTS),),
    plan=Plan(sizes=(2, 4, 8), size_name="|N|", cost=0.05),
)
def coupled_cumulants(size: int, rng: np.random.Generator, cumulant: tuple[int, float]) -> float:
    """Cumulants of one order above a threshold per entry, over their stated number, less one."""
    order, threshold = cumulant
    return abs(nonzero_count(_grouped(size, 16, rng), order, threshold) / 16 / float(size) ** (order - 1) - 1)


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
