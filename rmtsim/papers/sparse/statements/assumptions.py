"""Incoherence, restricted isometry and Gaussian dictionaries: Section 2.2.3, Remarks 2.3.3 and 2.3.7."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from rmtsim.claims import Bound, Corrected, Limit, Parameter, Plan, Probability, Tolerance, claim
from rmtsim.papers.sparse.simulation import draw_dictionary, incoherence, isometry_constant, normalised
from rmtsim.papers.sparse.statements.parameters import WIDTH

_ORDER = Parameter(
    "order", "sparsity s of the vectors", 3, integer=True, lowest=2, highest=4, draw_range=(2, 4)
)


@claim(
    "sparse.sec2.2.3.gershgorin",
    states=Bound(1.0, within=1e-9),
    over=(_ORDER,),
    points=({"order": 2}, {"order": 4}),
    plan=Plan(sizes=(4, 10), size_name="p", cost=lambda size, order: 5e-5 + 4e-6 * math.comb(size, order)),
)
def isometry_over_incoherence(size: int, rng: Generator, order: int) -> float:
    """δ_s/(sμ) of a dictionary that lies between a Gaussian one and an equiangular one."""
    common = rng.uniform(0, 3) * (rng.random() < 0.5)
    matrix = normalised(rng.standard_normal((size, size)) + common)
    if rng.random() < 0.2:
        matrix = normalised(np.eye(size) + common)
        if common == 0:
            return 0.0
    return isometry_constant(matrix, order) / (order * incoherence(matrix))


@claim(
    "sparse.remark2.3.3.singular",
    states=Limit(
        lambda ratio: (1 - 1 / math.sqrt(ratio)) ** 2, within=Tolerance(absolute=0.01, relative=0.03)
    ),
    over=(WIDTH,),
    points=({"ratio": 2.0}, {"ratio": 4.0}),
    plan=Plan(
        sizes=(20, 40, 80, 160),
        size_name="d",
        exponents=(2 / 3, 1.0),
        cost=lambda size, ratio: 5e-5 + 5e-10 * ratio * size**3 + 2e-8 * ratio * size**2,
    ),
)
def least_singular_value(size: int, rng: Generator, ratio: float) -> float:
    """(d/p)σ_min²(A)."""
    atoms = round(ratio * size)
    matrix = draw_dictionary(size, atoms, rng)
    return float(np.linalg.eigvalsh(matrix @ matrix.T)[0]) * size / atoms


_LEVEL = Parameter(
    "level", "isometry constant δ asked for", 0.5, open_below=True, highest=1.0, draw_range=(0.4, 0.8)
)


@claim(
    "sparse.remark2.3.3.isometry",
    states=Probability(1.0, within=0.02),
    over=(_LEVEL,),
    points=({"level": 0.5}, {"level": 0.6}),
    plan=Plan(
        sizes=(100, 130, 160, 200), size_name="d", exponents=(4.0,), cost=lambda size: 1e-4 + 1e-9 * size**3
    ),
)
def isometric(size: int, rng: Generator, level: float) -> bool:
    """Whether δ₂ = μ is at most the level."""
    return incoherence(draw_dictionary(size, 2 * size, rng)) <= level


@claim(
    "sparse.remark2.3.7",
    states=Probability(1.0, within=0.02),
    plan=Plan(
        sizes=(280, 340, 440, 560),
        size_name="d",
        exponents=(4.0,),
        cost=lambda size: 1e-4 + 1.5e-10 * size**3,
    ),
)
def incoherent_under_a_mask(size: int, rng: Generator) -> bool:
    """Whether the rows in M, any 0.9d of them, are incoherent enough."""
    return incoherence(draw_dictionary(round(0.9 * size), size, rng)) <= 0.99 / 3


@claim(
    "sparse.remark2.3.7.both",
    corrected=Corrected(
        states=Bound(1.0, ">=", likely=True),
        plan=Plan(sizes=(400, 480), size_name="d", cost=lambda size: 1e-4 + 3e-10 * size**3),
    ),
    states=Bound(0.01, ">="),
    plan=Plan(sizes=(8, 16), size_name="d", cost=2e-4),
)
def both_assumptions(size: int, rng: Generator, form: str) -> float:
    """(d/p)σ_min²(A) where A and P_M A have unit columns; corrected: the lesser of 20 times it and 0.33/μ, Gaussian A.

    Corrected: unit columns of A, those of P_M A normalised for μ; p = 2d, |M| = 0.9d.
    """
    seen = round(0.9 * size)
    matrix = rng.standard_normal((size, 2 * size))
    if form == "printed":
        matrix[seen:] = 0.0
        matrix = normalised(matrix)
        if not np.allclose(np.linalg.norm(matrix[:seen], axis=0), 1.0):
            raise AssertionError("the columns of A and of P_M A have norm one")
        return float(np.linalg.eigvalsh(matrix @ matrix.T)[0]) / 2
    matrix = normalised(matrix)
    least = float(np.linalg.eigvalsh(matrix @ matrix.T)[0]) / 2
    return min(20 * least, 0.33 / incoherence(normalised(matrix[:seen])))
