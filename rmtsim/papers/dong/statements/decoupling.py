"""Steps of `dong`'s decoupling that are about expectations: (46), and the entrywise limits before (102).

Both compare a model with a decoupled copy. The two are drawn from the same numbers, so that what they have in common
cancels and the small difference of the expectations is seen.
"""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Choice, Limit, Option, Plan, Rate, claim
from rmtsim.papers.dong.simulation.decoupled import expected_gap, squared_entries
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, SMALL_CLASSES

# ---- (46): expected Stieltjes transforms -------------------------------------------------------------------------


@claim(
    "dong.eq46",
    states=Rate(1.0, "O", within=0.2),
    over=(GAMMA, SMALL_CLASSES),
    points=({"gamma": 1.0, "classes": 5},),
    plan=Plan(
        sizes=(5, 10, 20, 40),
        size_name="min(d, N)",
        exponents=(1.0,),
        cost=lambda size, gamma: 8e-4 + 2e-8 * size**3 * max(gamma**3, 1 / gamma),
    ),
)
def squared_expected_gap(size: int, rng: np.random.Generator, gamma: float, classes: int) -> float:
    """Re(δ conj δ') of two independent unbiased values."""
    one, two = (expected_gap(size, rng, gamma, classes) for _ in range(2))
    return (one * two.conjugate()).real


# ---- Before (102): squared entries of the output layer's blocks ---------------------------------------------------


def entry_option(number: int, power: str, entry: str, within: float) -> Option:
    """One kind of entry: its position in :func:`squared_entries`, its scale, its indices, and the tolerance of its gap.

    Squared entries themselves are of order one on the diagonal of G and of order a tenth off it, in these units.
    """
    where = "" if entry.endswith("(k,k)") else "for k ≠ l "
    return Option(number, entry, words={"power": power, "where": where}, states=Limit(0.0, within=within))


@claim(
    "dong.sec7.2.3.{entry}",
    over=[
        Choice(
            "entry",
            {
                "diagonal-kk": entry_option(0, "C²", "ii(k,k)", 0.02),
                "diagonal-kl": entry_option(1, "C²", "ii(k,l)", 0.004),
                "offdiagonal-kk": entry_option(2, "C⁴", "ij(k,k)", 0.02),
                "offdiagonal-kl": entry_option(3, "C⁴", "ij(k,l)", 0.004),
            },
        ),
        GAMMA,
        HIDDEN,
        SMALL_CLASSES,
    ],
    points=({"gamma": 1.0, "hidden": 5, "classes": 5}, {"gamma": 0.5, "hidden": 8, "classes": 10}),
    plan=Plan(
        sizes=(40, 80, 160, 320),
        size_name="min(d, N)",
        exponents=(1.0,),
        cost=lambda size, gamma, hidden, classes: (
            3e-4 + 2e-9 * size / gamma * (40 * classes + hidden**2 * (classes + 4))
        ),
    ),
)
def entry_gap(
    size: int, rng: np.random.Generator, entry: int, gamma: float, hidden: int, classes: int
) -> float:
    """The difference of G and G̃ in the mean squared entries of one kind."""
    coupled, decoupled = squared_entries(size, rng, gamma, hidden, classes)
    return float(coupled[entry] - decoupled[entry])
