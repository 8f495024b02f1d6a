"""Masking: equations (A.11), (A.15)-(A.17), Theorem A.1.1, (A.20), (A.22)-(A.24), Theorem 2.3.6.

Where σ_z grows it is the size, σ = 1, and the atoms are orthonormal on M and, scaled, on its complement.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import (
    Bound,
    Corrected,
    Grid,
    Identity,
    Limit,
    Parameter,
    Plan,
    Probability,
    Rate,
    Relative,
    claim,
)
from rmtsim.papers.sparse import theory
from rmtsim.papers.sparse.simulation import (
    balanced,
    draw_codes,
    draw_dictionary,
    draw_measurements,
    draw_orthonormal,
    equiangular_pursuit,
    least_squares_estimate,
    masked_losses,
    orthogonal_matching_pursuit,
    pursued,
    recovery_error,
    ridge_estimate,
)
from rmtsim.papers.sparse.statements.parameters import NOISE


@claim(
    "sparse.eqA.11",
    states=Limit(1.0, within=0.02),
    over=(NOISE,),
    points=({"noise": 0.5}, {"noise": 2.0}),
    plan=Plan(sizes=(8, 16, 32), size_name="d", exponents=(1.0,), cost=lambda size: 2e-4 + 2e-6 * size),
)
def cross_term(size: int, rng: Generator, noise: float) -> float:
    """Mean over 16 measurements of ‖[y - Bẑ]‖² - ‖[Az - Bẑ]‖² outside M, over (d - |M|)σ²."""
    matrix, learned = draw_dictionary(size, size, rng), draw_dictionary(size, 2 * size, rng)
    codes = draw_codes(16, size, 2, rng)
    rows = draw_measurements(matrix, codes, noise, rng)
    seen, hidden = np.split(rng.permutation(size), 2)
    found = orthogonal_matching_pursuit(rows[:, seen], learned[seen], 2).codes @ learned[hidden].T
    clean = codes @ matrix[hidden].T
    gap = ((rows[:, hidden] - found) ** 2).sum() - ((clean - found) ** 2).sum()
    return float(gap) / (16 * hidden.size * noise**2)


@claim(
    "sparse.eqA.15",
    corrected=Corrected(points=({"noise": 0.5}, {"noise": 2.0})),
    states=Identity(within=1e-9),
    over=(NOISE,),
    points=({"noise": 0.5},),
    plan=Plan(sizes=(3, 8), size_name="k", cost=2e-4),
)
def ridge_error(size: int, rng: Generator, form: str, noise: float) -> float:
    """Relative distance of ridge regression from the conditional mean of a Gaussian vector, worst of ten rows."""
    matrix = draw_dictionary(2 * size, size, rng)
    seen, hidden = matrix[:size], matrix[size:]
    signal = float(np.exp(rng.uniform(-1, 1)))
    rows = rng.standard_normal((10, size))
    found = ridge_estimate(rows, seen, hidden, _penalty(form, noise) / signal**2)
    covariance = signal**2 * seen @ seen.T + noise**2 * np.eye(size)
    expected = rows @ np.linalg.solve(covariance, signal**2 * seen @ hidden.T)
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def _penalty(form: str, noise: float) -> float:
    """The ridge penalty times σ_z²."""
    return 1.0 if form == "printed" else noise**2


_QUIET = Parameter(
    "noise", "standard deviation σ of the noise", 0.1, open_below=True, highest=0.2, draw_range=(0.05, 0.2)
)


@claim(
    "sparse.eqA.16",
    states=Bound(1.0, ">=", within=0.05, likely=True),
    over=(_QUIET,),
    plan=Plan(sizes=(6,), size_name="p", cost=1e-3),
)
def loss_over_risk(size: int, rng: Generator, form: str, noise: float) -> float:
    """L_mask(B, 2, M) by 1024 measurements over R_M(ŷ*) + (d - |M|)σ²; σ_z = 1, six atoms, B up to 0.1σ from A."""
    matrix = balanced(6, rng)
    codes = draw_codes(1024, 6, 2, rng)
    rows = draw_measurements(matrix, codes, noise, rng)
    learned = matrix + noise * rng.uniform(0, 0.1) * rng.standard_normal(matrix.shape) / math.sqrt(6)
    loss = masked_losses(rows, learned, 2, range(6)).mean()
    # The atoms are orthonormal on both sides of the mask: the risk is the same for every support.
    risk = theory.ridge_risk(np.eye(2), np.eye(2), noise, 1.0, _penalty(form, noise))
    return float(loss / (risk + 6 * noise**2))


SPARSITY = Parameter(
    "sparsity", "number k of atoms in a code", 2, integer=True, lowest=1, highest=4, draw_range=(1, 4)
)
ATOMS = Parameter("atoms", "number p of atoms", 8, integer=True, lowest=6, highest=40, draw_range=(6, 20))

_GROWING = Plan(
    sizes=(8, 16, 32),
    size_name="σ_z",
    cost=lambda size, atoms: 1.2e-7 * atoms + 1e-6,
    exponents=(1.0, 2.0),
    because="the density of a coefficient near zero is a series in 1/σ_z², two small ones at once bring one more "
    "power",
)
_CODES = Grid((ATOMS, SPARSITY), points=({"atoms": 8, "sparsity": 2}, {"atoms": 16, "sparsity": 1}))


@claim(
    "sparse.eqA.17",
    states=Rate(2.0, within=0.05, amplitude=lambda sparsity: float(sparsity)),
    plan=_GROWING.but(sizes=(2, 4, 8), exponents=(2.0,), cost=lambda size: 4e-6),
    over=_CODES,
)
def price_of_least_squares(size: int, rng: Generator, replicates: int, atoms: int, sparsity: int) -> Array:
    """‖h - ŷ_LS‖² - ‖h - ŷ*‖² on the true support, averaged over ε and -ε, so that the noisy term in zε cancels."""
    matrix = balanced(atoms, rng)[:, :sparsity]
    seen, hidden = matrix[:atoms], matrix[atoms:]
    codes = size * rng.standard_normal((replicates, sparsity))
    noise = rng.standard_normal((replicates, atoms))
    truth = codes @ hidden.T
    price = np.zeros(replicates)
    for rows in (codes @ seen.T + noise, codes @ seen.T - noise):
        plain = ((truth - least_squares_estimate(rows, seen, hidden)) ** 2).sum(axis=1)
        shrunk = ((truth - ridge_estimate(rows, seen, hidden, 1 / size**2)) ** 2).sum(axis=1)
        price += (plain - shrunk) / 2
    return price


@claim(
    "sparse.eqA.22",
    states=Rate(1.0, within=Relative(0.05), amplitude=theory.missed_energy_amplitude),
    plan=_GROWING.but(sizes=(8, 16, 32, 64)),
    over=_CODES,
)
def missed_energy(size: int, rng: Generator, replicates: int, atoms: int, sparsity: int) -> Array:
    """Σ z_i² over missed atoms."""
    codes, _, found = pursued(size, rng, replicates, atoms, sparsity)
    return np.asarray((codes**2 * (found == 0)).sum(axis=1))


@claim(
    "sparse.eqA.23",
    corrected=Corrected(states=Rate(1.0, within=Relative(0.05), amplitude=theory.missed_support_amplitude)),
    states=Rate(2.0, "O", within=0.3),
    over=(ATOMS, SPARSITY),
    points=({"atoms": 8, "sparsity": 2}, {"atoms": 8, "sparsity": 3}),
    plan=_GROWING,
)
def missed_support(size: int, rng: Generator, replicates: int, atoms: int, sparsity: int) -> Array:
    """Whether OMP misses an atom."""
    codes, _, found = pursued(size, rng, replicates, atoms, sparsity)
    return np.asarray(((codes != 0) & (found == 0)).any(axis=1), dtype=float)


@claim("sparse.eqA.18", states=Identity(within=1e-9), plan=Plan(sizes=(2, 4), size_name="k", cost=4e-4))
def decomposition_error(size: int, rng: Generator) -> float:
    """Largest relative error of (A.18), (A.19) and the first line of (A.20); 3k atoms, S any k of them, eight codes."""
    seen = draw_dictionary(4 * size, 3 * size, rng)
    worst = 0.0
    for _ in range(8):
        right, found = (np.sort(rng.permutation(3 * size)[:size]) for _ in range(2))
        code, noise = np.zeros(3 * size), rng.standard_normal(4 * size)
        code[right] = 3 * rng.standard_normal(size)
        inverse = {name: np.zeros((3 * size, 4 * size)) for name in ("right", "found")}
        inverse["right"][right], inverse["found"][found] = (
            np.linalg.pinv(seen[:, s]) for s in (right, found)
        )
        row = seen @ code + noise
        part = inverse["found"] @ (row - noise)
        both = code - part + (inverse["right"] - inverse["found"]) @ noise
        missed = np.where(np.isin(np.arange(3 * size), found), 0.0, code)
        first = (inverse["right"] - inverse["found"]) @ row - both
        second = seen @ code - seen @ (code - missed) - seen @ missed
        third = (code - part) - (missed - inverse["found"] @ seen @ missed)
        scale = float(np.abs(code).max())
        worst = max(worst, *(float(np.abs(each).max()) / scale for each in (first, second, third)))
    return worst


@claim(
    "sparse.eqA.20",
    states=Bound(2.0, within=1e-9),
    plan=Plan(sizes=(1, 3), size_name="k", cost=2e-4),
)
def error_over_missed_energy(size: int, rng: Generator) -> float:
    """‖z - z̃‖² over Σ z_i² of the missed atoms; 2k atoms, S* the first k and S any k, μ just below 1/(2k - 1)."""
    coherence = rng.uniform(0.9, 0.9999) / (2 * size - 1)
    signs = rng.choice([-1.0, 1.0], (2 * size, 2 * size)) if rng.random() < 0.5 else _worst_signs(size)
    gram = np.eye(2 * size) + coherence * (np.triu(signs, 1) + np.triu(signs, 1).T)
    missed = int(rng.integers(1, size + 1))
    found = np.append(np.arange(size - missed), size + np.arange(missed))
    lost = np.arange(size - missed, size)
    code = rng.standard_normal(missed) if rng.random() < 0.5 else np.ones(missed)
    false = np.linalg.solve(gram[np.ix_(found, found)], gram[np.ix_(found, lost)] @ code)
    return float((code @ code + false @ false) / (code @ code))


def _worst_signs(size: int) -> Array:
    """Negative products inside either half, positive ones between the halves."""
    half = np.ones((size, size))
    return np.block([[-half, half], [half, -half]])


_DRAWS = 4096
"""Measurements behind one value of (A.24)."""


@claim(
    "sparse.eqA.24",
    corrected=Corrected(
        states=Rate(1.0, within=Relative(0.05), amplitude=theory.misplaced_noise_amplitude),
        plan=_GROWING.but(cost=lambda size, atoms: _DRAWS * (1.2e-7 * atoms + 1e-6)),
    ),
    states=Bound(1.0, within=0.2, likely=True),
    over=(ATOMS, SPARSITY),
    points=({"atoms": 16, "sparsity": 1},),
    plan=_GROWING.but(sizes=(16, 32), cost=lambda size, atoms: _DRAWS * (1.2e-7 * atoms + 1e-6)),
)
def noise_on_wrong_atoms(size: int, rng: Generator, form: str, atoms: int, sparsity: int) -> float:
    """E‖(Λ_{S*}⁺ - Λ_S⁺)ε‖² by 4096 measurements; printed: over P(S ≠ S*) times the mean of the bracket."""
    codes, noise, found = pursued(size, rng, _DRAWS, atoms, sparsity)
    right, chosen = noise**2 * (codes != 0), noise**2 * (found != 0)
    gap = np.where((codes != 0) & (found != 0), 0.0, right + chosen).sum(axis=1)
    if form == "corrected":
        return float(gap.mean())
    failed = ((codes != 0) & (found == 0)).any(axis=1).mean()
    first, second = right.sum(axis=1), chosen.sum(axis=1)
    bracket = (first + second + 2 * np.maximum(first, second)).mean()
    return float(gap.mean() / (max(failed, 1 / _DRAWS) * bracket))


def _excess(size: int, rng: Generator, replicates: int, atoms: int, sparsity: int) -> Array:
    """‖P_{M^c}A(z - ẑ)‖² minus that of least squares on the true support."""
    codes, noise, found = pursued(size, rng, replicates, atoms, sparsity)
    errors = (((codes - found) @ draw_orthonormal(atoms, rng).T) ** 2).sum(axis=1)
    return np.asarray(errors - (noise**2 * (codes != 0)).sum(axis=1))


@claim(
    "sparse.thm2.3.6",
    states=Limit(0.0, within=0.05),
    plan=_GROWING.but(sizes=(32, 64, 128, 256)),
    over=_CODES,
)
def excess_over_bayes(size: int, rng: Generator, replicates: int, atoms: int, sparsity: int) -> Array:
    """Excess of OMP with the truth over the Bayes estimator that knows the support, per atom of the code."""
    identity = np.eye(sparsity)
    known = theory.least_squares_risk(identity, identity, 1.0)
    known -= theory.bayes_risk(identity, identity, 1.0, float(size))
    return (_excess(size, rng, replicates, atoms, sparsity) + known) / sparsity


@claim(
    "sparse.thm2.3.6.rate",
    states=Rate(1.0, within=Relative(0.05), amplitude=theory.excess_amplitude),
    plan=_GROWING,
    over=_CODES,
)
def excess_over_least_squares(size: int, rng: Generator, replicates: int, atoms: int, sparsity: int) -> Array:
    """The excess itself."""
    return _excess(size, rng, replicates, atoms, sparsity)


_ANGLES = np.linspace(0, math.pi / 2, 7)
"""Directions of the second column of B, from that of the first atom to that of the second."""


@claim(
    "sparse.thm2.3.6.minimisers",
    corrected=Corrected(
        states=Rate(1.0, within=Relative(0.05), amplitude=lambda: theory.excess_amplitude(2, 1))
    ),
    states=Probability(1.0, within=0.05),
    plan=_GROWING.but(cost=1e-3),
)
def distance_of_the_minimiser(size: int, rng: Generator, form: str) -> float:
    """Whether d_R(A, B) ≤ 0.1 for the best B of seven; corrected: L_mask(A) less the least; 2048 measurements.

    A has the columns (e₁, e₁) and (e₂, e₂), M is the first half, and the support is always the first atom.
    """
    codes = size * rng.standard_normal(2048)
    seen = np.column_stack([codes, np.zeros(2048)]) + rng.standard_normal((2048, 2))
    truth = np.column_stack([codes, np.zeros(2048)])
    columns = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
    first = seen[:, :1] * columns[0]
    losses = []
    for column in columns:
        product = seen @ column
        guess = np.where((np.abs(product) > np.abs(seen[:, 0]))[:, None], product[:, None] * column, first)
        losses.append(float(((truth - guess) ** 2).sum(axis=1).mean()))
    if form == "corrected":
        return losses[-1] - min(losses)
    matrix = np.vstack([np.eye(2), np.eye(2)])
    best = np.vstack([np.column_stack([columns[0], columns[int(np.argmin(losses))]])] * 2)
    return float(recovery_error(matrix, best) <= 0.1)


_MU = Parameter(
    "coherence", "common product μ of the atoms", 0.2, lowest=0.0, highest=0.3, draw_range=(0.05, 0.3),
    assumption="μ < 1/(2k - 1) = 1/3 at k = 2",
)  # fmt: skip


@claim(
    "sparse.thmA.1.1",
    states=Probability(1.0, within=0.02),
    over=(_MU,),
    points=({"coherence": 0.2}, {"coherence": 0.0}),
    plan=Plan(
        sizes=(8, 16, 32, 64), size_name="p", exponents=(1.0,), cost=lambda size: 2e-5 + 5e-10 * size**3 / 4
    ),
)
def selects(size: int, rng: Generator, form: str, coherence: float) -> Array:
    """Whether both steps select a column of 𝒮; corrected, every step up to the one that completes 𝒮 one of supp(z)."""
    codes, found, threshold = equiangular_pursuit(size, rng, coherence)
    first, second = np.abs(np.take_along_axis(codes, found.supports, axis=1)).T
    if form == "printed":
        return np.asarray((first >= threshold) & (second >= threshold), dtype=float)
    return np.asarray((first >= threshold) | ((first > 0) & (second >= threshold)), dtype=float)
