"""Dictionaries with a smaller loss than the truth: Theorem 2.3.2 and Corollary 2.3.4.

Throughout A is orthonormal (δ = 0, σ_min² = p/d = 1) with p = d atoms, codes have norm one, and σ = 1/size.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import (
    Bound,
    Computed,
    Corrected,
    Identity,
    Limit,
    Parameter,
    Plan,
    Rate,
    Relative,
    claim,
)
from rmtsim.papers.sparse import theory
from rmtsim.papers.sparse.simulation import (
    directions_of_pairs,
    draw_codes,
    draw_dictionary,
    draw_measurements,
    draw_orthonormal,
    gains,
    lattice_net,
    recovery_error,
    sparse_losses,
    two_columns_each,
)
from rmtsim.papers.sparse.statements.parameters import SPARSITY

ATOMS = Parameter("atoms", "number p = d of atoms", 4, integer=True, lowest=3, highest=8, draw_range=(3, 6))
PARTS = Parameter(
    "parts",
    "columns of the net per σ, in units of π/2",
    1,
    integer=True,
    lowest=1,
    highest=8,
    draw_range=(1, 3),
)


def _net(matrix: Array, parts: int) -> Array:
    """Directions in the planes of all pairs, ``parts`` to the right angle."""
    return directions_of_pairs(matrix, math.pi / 2 / parts)


def _lattice(size: int, form: str) -> Array:
    """The proof's net over four orthonormal atoms with γ₁ = 2, Λ = 1 and σ = 1/size: ε = 2√2σ², corrected σ/√2.

    Its side is one over an integer, which puts every atom in the middle of a cell: all its distances to the net are ε.
    """
    steps = size**2 // 4 if form == "printed" else size
    return lattice_net(np.eye(4), 2.0, 1 / (math.sqrt(2) * steps))


_SMALL_NOISE = Plan(size_name="1/σ")
_EVEN = _SMALL_NOISE.but(
    exponents=(2.0,), because="replacing σ by -σ turns g into -g, of the same law: the mean is even in σ"
)
_LATTICE = _SMALL_NOISE.but(
    sizes=(6, 8, 12, 16, 24),
    exponents=(1.0,),
    because="lattice points in a disc: its area, and an edge smaller by one power",
    cost=1e-2,
)
_CHAIN = ("sparse.thm2.3.2",)
_AT_LEAST_ONE = Bound(1.0, ">=", likely=True)
"""A gain of kσ² or more: the Ω(kσ²) of Theorem 2.3.2 with a constant."""


@claim(
    "sparse.thm2.3.2",
    states=Limit(lambda atoms, parts: theory.net_gain(atoms, math.pi / 2 / parts), within=Relative(0.03)),
    over=(ATOMS, PARTS),
    points=({"atoms": 4, "parts": 1}, {"atoms": 6, "parts": 2}),
    plan=_EVEN.but(
        sizes=(8, 16, 32, 64), cost=lambda size, atoms, parts: 1e-5 + 3e-8 * size * atoms**2 * parts
    ),
)
def gain_of_the_net(size: int, rng: Generator, replicates: int, atoms: int, parts: int) -> Array:
    """Gain of the net over the truth, k = 1."""
    matrix = draw_orthonormal(atoms, rng)
    learned = _net(matrix, parts * size)
    found = []
    for begin in range(0, replicates, 256):
        codes = draw_codes(min(256, replicates - begin), atoms, 1, rng, magnitudes="equal")
        found.append(gains(matrix, learned, codes, 1 / size, rng))
    return np.concatenate(found)


@claim(
    "sparse.thm2.3.2.order",
    states=Rate(2.0, "Theta", within=0.05),
    plan=_EVEN.but(sizes=(8, 16, 32, 64), cost=lambda size: 2e-5 + 3e-7 * size**2),
)
def loss_difference(size: int, rng: Generator, replicates: int) -> Array:
    """L(A, 2) - L(B, 2) of single measurements."""
    matrix = draw_orthonormal(4, rng)
    codes = draw_codes(replicates, 4, 2, rng, magnitudes="equal")
    return gains(matrix, _net(matrix, size), codes, 1 / size, rng) * 2 / size**2


@claim(
    "sparse.thm2.3.2.columns",
    corrected=Corrected(plan=_LATTICE.but(sizes=(12, 24, 48, 96)), evidence=Computed(4e-3, chain=_CHAIN)),
    states=Rate(-2.0, "O", within=0.05),
    plan=_LATTICE,
    evidence=Computed(1e-12, chain=_CHAIN),
)
def columns_of_the_net(size: int, form: str) -> float:
    """Columns of the lattice net."""
    return float(_lattice(size, form).shape[1])


@claim(
    "sparse.thm2.3.2.distance",
    states=Rate(-2.0, "O", within=0.05),
    plan=_LATTICE,
    evidence=Computed(1e-9, chain=_CHAIN),
)
def inverse_distance(size: int, form: str) -> float:
    """1/d_R(A, B) of the lattice net."""
    return 1 / recovery_error(np.eye(4), _lattice(size, form))


_MAGNITUDE = 100.0
"""|z| on the event of probability 1/(2d), on which Λ does not depend."""


@claim(
    "sparse.thm2.3.2.tail",
    corrected=Corrected(
        states=_AT_LEAST_ONE, plan=_SMALL_NOISE.but(sizes=(4, 8), cost=lambda size: 1e-3 + 4e-4 * size)
    ),
    states=Bound(0.0, ">=", likely=True),
    over=(ATOMS,),
    plan=_SMALL_NOISE.but(sizes=(4, 8), cost=lambda size: 5e-4 + 4e-5 * size),
)
def gain_with_a_tail(size: int, rng: Generator, form: str, atoms: int) -> float:
    """Mean gain when |z| is one, but 100 with probability 1/(2d); the net is as fine as σ, corrected σ/√E‖z‖²."""
    share = 1 / (2 * atoms)
    scale = 1.0 if form == "printed" else math.sqrt(1 + (_MAGNITUDE**2 - 1) / (2 * atoms))
    matrix = draw_orthonormal(atoms, rng)
    learned = _net(matrix, math.ceil(size * scale))
    codes = draw_codes(128, atoms, 1, rng, magnitudes="equal")
    body, tail = (
        gains(matrix, learned, factor * codes, 1 / size, rng).mean() for factor in (1.0, _MAGNITUDE)
    )
    return float((1 - share) * body + share * tail)


@claim(
    "sparse.remark2.3.3.signal",
    states=Bound(1.0, within=1e-6),
    plan=_SMALL_NOISE.but(sizes=(4, 16), cost=2e-3),
)
def loss_over_truth(size: int, rng: Generator) -> float:
    """Largest min ‖y - Bẑ‖² over min ‖y - Aẑ‖² of 32 measurements with Cauchy codes; k = 2, three atoms, d = 8.

    Codes are cut at 300, beyond which rounding of ‖y‖² would decide.
    """
    matrix = draw_orthonormal(8, rng)[:, :3]
    codes = draw_codes(32, 3, 2, rng, magnitudes="equal") * np.clip(rng.standard_cauchy((32, 1)), -300, 300)
    rows = codes @ matrix.T + rng.standard_normal((32, 8)) / size
    learned = _net(matrix, int(rng.integers(1, 4)))
    return float(np.max(sparse_losses(rows, learned, 2) / sparse_losses(rows, matrix, 2)))


@claim(
    "sparse.sec2.4.3.levels",
    states=Identity(within=0.02),
    plan=Plan(sizes=(1,), size_name="-", cost=1e-6),
    evidence=Computed(1e-15),
)
def spacing_error(size: int, form: str) -> float:
    """Largest relative deviation of the five noise levels from five at equal steps; as printed, of their squares."""
    levels = np.array([0.01, 0.0325, 0.055, 0.0775, 0.1]) ** (2 if form == "printed" else 1)
    return float(np.max(np.abs(levels / np.linspace(levels[0], levels[-1], 5) - 1)))


@claim(
    "sparse.sec2.4.1.cosine",
    states=Identity(within=1e-12),
    plan=Plan(sizes=(4, 12), size_name="d", cost=2e-4),
)
def distance_error(size: int, rng: Generator) -> float:
    """d_R(A, B) against twice the mean cosine distance, relative; unit columns, B with more atoms than A."""
    matrix, learned = draw_dictionary(size, size, rng), draw_dictionary(size, 3 * size, rng)
    cosine = np.mean(1 - np.abs(matrix.T @ learned).max(axis=1))
    return abs(recovery_error(matrix, learned) / float(2 * cosine) - 1)


_BEST = math.sqrt(2 / math.pi)
"""Shift in units of the noise at which two columns gain most: E|g|."""


@claim(
    "sparse.cor2.3.4",
    states=Limit(theory.two_column_gain, within=Relative(0.03)),
    over=(
        Parameter("atoms", "number p = d of atoms", 5, integer=True, lowest=4, highest=8, draw_range=(4, 6)),
        SPARSITY,
    ),
    points=({"sparsity": 1}, {"sparsity": 2}),
    plan=_EVEN.but(sizes=(16, 32, 64, 128), cost=lambda size, sparsity: 3e-6 * sparsity),
)
def gain_of_two_columns(size: int, rng: Generator, replicates: int, atoms: int, sparsity: int) -> Array:
    """Gain of the dictionary with two columns per atom."""
    matrix = draw_orthonormal(atoms, rng)
    codes = draw_codes(replicates, atoms, sparsity, rng, magnitudes="equal")
    learned = two_columns_each(matrix, _BEST * math.sqrt(sparsity) / size)
    return gains(matrix, learned, codes, 1 / size, rng)


@claim(
    "sparse.cor2.3.4.distance",
    states=Limit(2 / math.pi, within=1e-3),
    over=(SPARSITY,),
    points=({"sparsity": 1}, {"sparsity": 2}),
    plan=_SMALL_NOISE.but(sizes=(16, 32, 64, 128), exponents=(2.0,), cost=1e-3),
    evidence=Computed(1e-9, chain=("sparse.cor2.3.4",)),
)
def distance_of_two_columns(size: int, sparsity: int) -> float:
    """d_R(A, B)/(kσ²)."""
    learned = two_columns_each(np.eye(5), _BEST * math.sqrt(sparsity) / size)
    return recovery_error(np.eye(5), learned) * size**2 / sparsity


@claim(
    "sparse.cor2.3.4.net",
    corrected=Corrected(
        states=_AT_LEAST_ONE, plan=_SMALL_NOISE.but(sizes=(4, 32), cost=lambda size: 7e-4 + 1e-5 * size)
    ),
    states=Bound(0.0, ">=", likely=True),
    over=(ATOMS,),
    plan=_SMALL_NOISE.but(sizes=(4, 32), cost=7e-4),
)
def gain_of_few_directions(size: int, rng: Generator, form: str, atoms: int) -> float:
    """Mean gain of a net with d directions to the right angle, corrected max(d, 1/σ)."""
    matrix = draw_orthonormal(atoms, rng)
    codes = draw_codes(128, atoms, 1, rng, magnitudes="equal")
    learned = _net(matrix, atoms if form == "printed" else max(atoms, size))
    return float(gains(matrix, learned, codes, 1 / size, rng).mean())


# ---- Section 2.3: what a lower loss says about recovery ----


def excess_with_the_atoms(size: int, rng: Generator) -> float:
    """d_R(A, [B, A]) plus the largest relative excess of a loss of [B, A] over that of B, 64 measurements."""
    sparsity = int(rng.integers(1, 3))
    matrix = draw_orthonormal(5, rng)
    codes = draw_codes(64, 5, sparsity, rng, magnitudes="equal")
    learned = two_columns_each(matrix, _BEST * math.sqrt(sparsity) / size)
    joined = np.hstack([learned, matrix])
    rows = draw_measurements(matrix, codes, 1 / size, rng)
    before, after = (sparse_losses(rows, each, sparsity) for each in (learned, joined))
    return float(recovery_error(matrix, joined) + max(0.0, np.max((after - before) / before)))


@claim(
    "sparse.sec2.3.recovery",
    corrected=Corrected(measured=excess_with_the_atoms, states=Identity(within=1e-9)),
    states=Bound(0.1, ">="),
    plan=_SMALL_NOISE.but(sizes=(4, 16), cost=2e-3),
)
def distance_with_the_atoms(size: int, rng: Generator) -> float:
    """d_R(A, [B, A])/σ²."""
    matrix = draw_orthonormal(5, rng)
    joined = np.hstack([two_columns_each(matrix, _BEST / size), matrix])
    return recovery_error(matrix, joined) * size**2
