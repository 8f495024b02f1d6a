"""Claims of `li` on coupling sets: section 5.1, the cumulants of appendix E and Algorithm 1."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Computed, Corrected, Erratum, Identity, Limit, Place, Plan, claim
from rmtsim.papers.li.simulation.entry_statistics import nonzero_count, normalised_cumulants

VGG = 8_684_684
"""N, the parameters of the VGG network as appendix G.3 prints them."""


# ---- The statistics themselves -----------------------------------------------------------------------------------


@claim(
    "li.appE.1.kurtosis",
    at="appendix E.1",
    standing="equation",
    printed="The normalised fourth cumulant (1/n) Σ w_a w_b w_c w_d - κ₂κ₂ - κ₂κ₂ - κ₂κ₂ over deviations estimates the "
    "joint cumulant: entries s·g_a with a common random scale, s² = ½ or 3/2, have κ₄(a, a, b, b) = ¼ and no "
    "correlation.",
    states=Limit(0.25, within=0.02),
    plan=Plan(
        sizes=(100, 200, 400, 800),
        size_name="n",
        exponents=(1.0,),
        because="means of products and their products have an expansion in 1/n",
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


def triples(size: int, rng: np.random.Generator) -> float:
    """Triples above 1 per entry (an event of probability 0.1 has skewness 2.7), over |𝒩|², less one."""
    return abs(nonzero_count(_grouped(size, 16, rng), 3, 1.0) / 16 / size**2 - 1)


def quadruples(size: int, rng: np.random.Generator) -> float:
    """Quadruples above 2 per entry (an event of probability 0.1 has excess kurtosis 5.1), over |𝒩|³, less one."""
    return abs(nonzero_count(_grouped(size, 16, rng), 4, 2.0) / 16 / size**3 - 1)


claim(
    "li.sec5.1.skewness",
    triples,
    at="Section 5.1",
    standing="remark",
    printed="With coupling sets of size |𝒩|, an entry has up to |𝒩|² non-zero skewness values: counted in independent "
    "groups of |𝒩| skewed entries.",
    states=Identity(within=1e-12),
    plan=Plan(sizes=(2, 4, 8), size_name="|N|", cost=0.05),
)
claim(
    "li.sec5.1.kurtosis",
    quadruples,
    at="Section 5.1",
    standing="remark",
    printed="With coupling sets of size |𝒩|, an entry has up to |𝒩|³ non-zero kurtosis values: counted in independent "
    "groups of |𝒩| entries.",
    states=Identity(within=1e-12),
    plan=Plan(sizes=(2, 4, 8), size_name="|N|", cost=0.05),
)


# ---- Numbers of section 5.1 --------------------------------------------------------------------------------------


def _coefficients_printed(size: int) -> float:
    return abs(8.68e12 / (float(size) ** 2 - 1) - 1)


def _coefficients(size: int) -> float:
    return abs(7.54e13 / (float(size) ** 2 - 1) - 1)


claim(
    "li.sec5.1.coefficients",
    _coefficients_printed,
    at="Section 5.1",
    standing="remark",
    printed="An entry of the VGG's Hessian has 8.68·10¹² coefficients with the others; N = 8 684 684 parameters "
    "(appendix G.3).",
    corrected=Corrected(
        "An entry has N² - 1 = 7.54·10¹³ coefficients with the others.", measured=_coefficients
    ),
    states=Identity(within=0.005),
    plan=Plan(sizes=(VGG,), size_name="N", cost=1e-6),
    evidence=Computed(1e-15, chain=("li.sec5.1.skewness",)),
    erratum=Erratum(
        cause="N·10⁶ is written for N²",
        note="There are N² - 1 = 7.54·10¹³ other entries; 8.68·10¹² is N times a million.",
        credit="The share 3.39·10⁻⁴ printed with it is N^(3/2)/N², with the right N².",
    ),
)

claim(
    "li.sec5.1.share",
    lambda size: abs(3.39e-4 / (float(size) ** 1.5 / float(size) ** 2) - 1),
    at=Place(
        "Section 5.1, Figure 1(f)",
        note="So the share belongs to the exponent 3/2 at N, not to a count among the 10⁸ coefficients that were "
        "computed.",
    ),
    standing="remark",
    printed="A share 3.39·10⁻⁴ of the coefficients is non-zero, roughly N^{3/2} of N²: it is N^{-1/2} to three digits.",
    states=Identity(within=0.005),
    plan=Plan(sizes=(VGG,), size_name="N", cost=1e-6),
    evidence=Computed(1e-15, chain=("li.sec5.1.skewness",)),
)


# ---- From a submatrix to the matrix ------------------------------------------------------------------------------


def _same_group(size: int, rng: np.random.Generator) -> float:
    """Coupled pairs per entry of a √N × √N submatrix; entries of the N × N matrix in √N random groups."""
    side = math.isqrt(size)
    members = np.bincount(rng.integers(side, size=size), minlength=side).astype(float)
    return float((members * (members - 1)).sum() / size)


def exponent_below(size: int, rng: np.random.Generator) -> float:
    """log(count)/log N_b."""
    return math.log(_same_group(size, rng)) / math.log(math.isqrt(size))


def exponent_above(size: int, rng: np.random.Generator) -> float:
    """2 + log(share)/log N."""
    return 2 + math.log(_same_group(size, rng) / (size - 1)) / math.log(size)


claim(
    "li.appE.5.exponent",
    exponent_below,
    at="appendix E.5, Figure 1(f)",
    standing="remark",
    printed="The exponent of N_b in the counts of a sampled submatrix estimates the exponent of N in those of the "
    "whole matrix: entries in random groups of N^{3/2}, N_b = √N.",
    corrected=Corrected(
        "The exponent of the whole matrix is 2 + log f/log N, f the share of coupled pairs in the submatrix.",
        measured=exponent_above,
    ),
    states=Limit(1.5, within=0.05),
    plan=Plan(
        sizes=(256, 1024, 4096, 16384),
        size_name="N",
        exponents=(0.5, 1.0),
        because="the count's mean is (N - 1)/√N and its logarithm fluctuates little",
        cost=lambda size: 2e-5 + 2e-8 * size,
    ),
    erratum=Erratum(
        cause="a count of pairs is extrapolated by its exponent, and what a sample keeps is the share",
        note="A random submatrix keeps the share f of coupled pairs, so its count per entry is f N_b², with exponent 2 "
        "+ log f/log N_b, while the whole has 2 + log f/log N. The two agree only for couplings that follow rows and "
        "columns.",
    ),
)


def _rows_shared(size: int, rng: np.random.Generator) -> tuple[float, float]:
    """Pairs of entries of a sampled submatrix in one row of the matrix, over all pairs; and the population's share."""
    rows = np.bincount(rng.integers(4 * size, size=size)).astype(float) * size
    pairs = float(size) ** 2
    whole = float(4 * size) ** 2
    return float((rows * (rows - 1)).sum() / (pairs * (pairs - 1))), (4 * size - 1) / (whole - 1)


def share_ratio(size: int, rng: np.random.Generator) -> float:
    """Share of coupled pairs in the submatrix over that in the matrix."""
    found, population = _rows_shared(size, rng)
    return found / population


def stratified_error(size: int, rng: np.random.Generator) -> float:
    """That of shares weighted by stratum (same row or not) as in the matrix, less one; rows without repetition."""
    whole = 4 * size
    rows = rng.choice(whole, size=size, replace=False)
    same = rows[:, None] == rows[None, :]
    coupled_in_row = float(same[np.eye(size, dtype=bool)].mean())
    coupled_elsewhere = float(same[~np.eye(size, dtype=bool)].mean())
    weight = (whole - 1) / (float(whole) ** 2 - 1)
    return abs((coupled_in_row * weight + coupled_elsewhere * (1 - weight)) / weight - 1)


claim(
    "li.alg1",
    share_ratio,
    at=Place("Algorithm 1", qualifier="might be subject to refinements"),
    standing="heuristic",
    printed="A submatrix of random rows and columns shows the share of non-zero correlations in the whole matrix: "
    "entries correlated where they share a row, N = 4 N_b; measured as share over share.",
    corrected=Corrected(
        "Shares within the strata (same row, not) weighted as in the whole matrix give the share; rows without "
        "repetition.",
        measured=stratified_error,
        states=Identity(within=1e-12),
    ),
    states=Limit(1.0, within=0.1),
    plan=Plan(
        sizes=(8, 16, 32, 64),
        size_name="N_b",
        exponents=(1.0,),
        because="shares are ratios of counts of rows",
        cost=2e-5,
    ),
    erratum=Erratum(
        cause="pairs that share a row are drawn N/N_b times too often",
        note="Two of N_b² entries share a row with probability about 1/N_b (a little more where rows are drawn with "
        "repetition), two of N² entries with 1/N.",
    ),
)
