"""Gaudin and Mehta: gaps between neighbouring eigenvalues."""

from __future__ import annotations

from functools import partial

import numpy as np

from rmtsim.claims._declare import claim
from rmtsim.claims._model import Parameter
from rmtsim.claims._papers import PAPERS
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


statement = partial(
    claim,
    paper=PAPERS["textbook"],
    standing="theorem",
    source="Gaudin 1961, Dyson 1962, Mehta 2004",
    tolerance=0.005,
    sizes=(8, 16, 32),
    size_name="n",
    parameters=(GAP,),
    exponents=(2.0,),
    because="the kernel sin(nθ/2)/(n sin(θ/2)) is an even function of 1/n, so the law has a series in 1/n²",
    cost=unitary_cost,
)
statement(
    "textbook.gaudin.cue",
    share_of_small_gaps_cue,
    limit=gaudin_unitary,
    statement="The share of gaps of a Haar unitary matrix that are at most s mean gaps tends to Gaudin's law, β = 2.",
)
statement(
    "textbook.gaudin.coe",
    share_of_small_gaps_coe,
    limit=gaudin_orthogonal,
    statement="The share of gaps of a COE matrix that are at most s mean gaps tends to Gaudin's law, β = 1.",
)
