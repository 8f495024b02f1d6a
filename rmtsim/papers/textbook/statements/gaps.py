"""Gaudin and Mehta: gaps between neighbouring eigenvalues."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Limit, Parameter, Plan, claim
from rmtsim.ensembles import circular
from rmtsim.laws import GaudinMehta

GAP = Parameter("gap", "s, in units of the mean gap", 0.5, lowest=0.05, highest=3.0, draw_range=(0.3, 2.0))


def unitary_cost(size: int) -> float:
    """Nominal seconds of a Haar matrix and its eigenvalues."""
    return 2e-4 + 5e-7 * size**2


def share_of_small_gaps(size: int, rng: np.random.Generator, gap: float, *, beta: int) -> float:
    """Share of the gaps of one matrix that are at most s."""
    angles = np.sort(np.angle(np.linalg.eigvals(circular(size, rng, beta=beta))))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi)) * size / (2 * np.pi)
    return float((gaps <= gap).mean())


def share_of_small_gaps_cue(size: int, rng: np.random.Generator, gap: float) -> float:
    """The same for CUE."""
    return share_of_small_gaps(size, rng, gap, beta=2)


def share_of_small_gaps_coe(size: int, rng: np.random.Generator, gap: float) -> float:
    """The same for COE."""
    return share_of_small_gaps(size, rng, gap, beta=1)


def gaudin_unitary(gap: float) -> float:
    """The cdf of the gap, β = 2."""
    return float(GaudinMehta(2).cdf(gap))


def gaudin_orthogonal(gap: float) -> float:
    """The cdf of the gap, β = 1."""
    return float(GaudinMehta(1).cdf(gap))


STATEMENT_PLAN = Plan(
    sizes=(8, 16, 32),
    size_name="n",
    exponents=(2.0,),
    because="the kernel sin(nθ/2)/(n sin(θ/2)) is an even function of 1/n, so the law has a series in 1/n²",
    cost=unitary_cost,
)
claim(
    "textbook.gaudin.cue",
    share_of_small_gaps_cue,
    at="Gaudin 1961, Dyson 1962, Mehta 2004",
    standing="theorem",
    printed="The share of gaps of a Haar unitary matrix that are at most s mean gaps tends to Gaudin's law, β = 2.",
    states=Limit(gaudin_unitary, within=0.005),
    over=(GAP,),
    plan=STATEMENT_PLAN,
)
claim(
    "textbook.gaudin.coe",
    share_of_small_gaps_coe,
    at="Gaudin 1961, Dyson 1962, Mehta 2004",
    standing="theorem",
    printed="The share of gaps of a COE matrix that are at most s mean gaps tends to Gaudin's law, β = 1.",
    states=Limit(gaudin_orthogonal, within=0.005),
    over=(GAP,),
    plan=STATEMENT_PLAN,
)
