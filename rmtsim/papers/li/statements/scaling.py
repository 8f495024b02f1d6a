"""Claims of `li` on scaling and support: Lemma F.2 and Remark D.4."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import (
    Bound,
    Corrected,
    Law,
    Limit,
    Parameter,
    Plan,
    Probability,
    claim,
)
from rmtsim.papers.li.statements.ensembles import WIGNER
from rmtsim.papers.li.statements.theorems import SIZES, eigenvalue_cost

FACTOR = Parameter("factor", "c, by which H is multiplied", 2.0, open_below=True, draw_range=(0.3, 3.0))
EIGENVALUES = Plan(sizes=SIZES, size_name="N", cost=eigenvalue_cost)
REACH = Parameter("reach", "half-width t of the window [−t, t]", 1.0, open_below=True, draw_range=(0.3, 1.5))


def mass(form: str, factor: float, reach: float) -> float:
    """∫ over [−t, t] of μ_H(cx) dx = (1/c) μ_H([−ct, ct]); corrected: μ_H([−t/c, t/c])."""
    from rmtsim.laws import Semicircle

    law, printed = Semicircle(), form == "printed"
    ends = factor * reach if printed else reach / factor
    return float(law.cdf(ends) - law.cdf(-ends)) / (float(factor) if printed else 1.0)


@claim(
    "li.lemmaF.2",
    states=Limit(mass, within=0.01),
    over=(FACTOR, REACH),
    points=({"factor": 2.0, "reach": 1.0}, {"factor": 0.5, "reach": 0.6}),
    plan=EIGENVALUES.but(exponents=(1.0,)),
)
def share_in_window(size: int, rng: np.random.Generator, factor: float, reach: float) -> float:
    """Share of the eigenvalues of cH in [−t, t], H a Wigner matrix of variance 1."""
    drawn = WIGNER.tridiagonal(size, rng, 1.0)
    within = drawn.count_at_most(reach / factor) - drawn.count_at_most(-reach / factor)
    return within / len(drawn)


@claim("li.remarkD.4", states=Bound(1.0, within=1e-6), plan=Plan(sizes=(2, 4), size_name="n", cost=0.02))
def outermost_point(size: int, rng: np.random.Generator) -> float:
    """(largest point certified in the bulk − largest eigenvalue of A)/2‖S‖^½ for random A and S."""
    from rmtsim.laws.dyson import MatrixDyson
    from rmtsim.laws.self_energy import GaussianSum, VarianceProfile, Wigner

    case = rng.integers(3)
    if case == 0:
        energy: GaussianSum | VarianceProfile | Wigner = Wigner(size, float(rng.uniform(0.2, 5)))
    elif case == 1:
        profile = rng.random((size, size)) ** 3
        energy = VarianceProfile(profile + profile.T)
    else:
        raw = rng.standard_normal((size, size, size))
        energy = GaussianSum(raw + raw.transpose(0, 2, 1))
    scale = 2 * np.sqrt(energy.norm)
    mean = np.diag(rng.standard_normal(size)) * scale * rng.choice([0.0, 0.2, 2.0])
    law = MatrixDyson(mean, energy)
    top = float(np.diag(mean).max())
    steps = np.array([0.0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1.0001, 1.01, 1.1, 1.4])
    inside = law.boundary(top + scale * steps).status == "bulk"
    return float(steps[inside].max(initial=0.0))


def _excess(size: int, rng: np.random.Generator) -> float:
    """Largest |eigenvalue| of a Wigner matrix minus 2‖S‖^½.

    ‖S‖ = 1 + 1/n has the transpose term of the real ensemble: the widest reading of the remark.
    """
    from rmtsim.papers.li.simulation.ensembles import wigner

    largest = float(np.abs(np.linalg.eigvalsh(wigner(size, 1.0, rng))[[0, -1]]).max())
    return largest - 2 * float(np.sqrt(1 + 1 / size))


@claim(
    "li.remarkD.4.eigenvalues",
    corrected=Corrected(states=Law(0.0, within=0.01), plan=EIGENVALUES.but(exponents=(2 / 3, 1.0))),
    states=Probability(1.0, within=0.05),
    plan=EIGENVALUES.but(sizes=(16, 32, 64, 128), exponents=(1 / 3, 2 / 3, 1.0)),
)
def reach_outside(size: int, rng: np.random.Generator, form: str) -> float:
    """Whether all eigenvalues lie in the interval; corrected: how far they leave it."""
    excess = _excess(size, rng)
    return float(excess <= 0) if form == "printed" else max(0.0, excess)
