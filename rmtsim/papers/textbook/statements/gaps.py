"""Gaudin and Mehta: gaps between neighbouring eigenvalues."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Choice, Limit, Option, Parameter, Plan, claim
from rmtsim.ensembles import circular
from rmtsim.laws import GaudinMehta

GAP = Parameter("gap", "s, in units of the mean gap", 0.5, lowest=0.05, highest=3.0, draw_range=(0.3, 2.0))
ENSEMBLES = {
    "cue": Option(2, "Haar unitary", words={"beta": "2"}),
    "coe": Option(1, "COE", words={"beta": "1"}),
}
"""β by ensemble."""


def gaudin_law(gap: float, ensemble: int) -> float:
    """The distribution function of the gap."""
    return float(GaudinMehta(2 if ensemble == 2 else 1).cdf(gap))


@claim(
    "textbook.gaudin.{ensemble}",
    states=Limit(gaudin_law, within=0.005),
    over=(Choice("ensemble", ENSEMBLES), GAP),
    plan=Plan(sizes=(8, 16, 32), size_name="n", exponents=(2.0,), cost=lambda size: 2e-4 + 5e-7 * size**2),
)
def share_of_small_gaps(size: int, rng: np.random.Generator, ensemble: int, gap: float) -> float:
    """Share of the gaps of one matrix that are at most s."""
    angles = np.sort(np.angle(np.linalg.eigvals(circular(size, rng, beta=ensemble))))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi)) * size / (2 * np.pi)
    return float((gaps <= gap).mean())
