"""The "dynamic force" of `dong`: the sentences after (12) and (21) about training, measured along training.

One setting, a small one with the proportions of section 3.1 (d = C, ten samples a class, random labels, more classes
than neurons): C = 20, m = 4, Adam on the whole data at the constant rate 0.01. The size is the number of steps.
"As the training goes, … → 0" is tested as follows: at one of nine times, the last at 800 steps, no more than a
twentieth is left. The corrections are lower bounds on what is left, and hold at every step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Plan, claim
from rmtsim.papers.dong.simulation.training_moments import (
    CLASSES,
    HIDDEN,
    residual_share,
    stripe_energy,
    stripe_share,
    trained,
)


def square_residual(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    """Least ‖Vσ(WX) - Y‖²/‖Y‖² at nine moments of ``size`` steps."""
    return np.asarray(trained(size, rng, replicates, "mse", residual_share).min(axis=1))


def entropy_residual(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    """Least mean of Σ_c(p_nc - δ_nc)² at nine moments of ``size`` steps."""
    return np.asarray(trained(size, rng, replicates, "ce", residual_share).min(axis=1))


def stripes(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    """Least energy of the stripes of H_wv at nine moments of ``size`` steps, over that at the start."""
    values = trained(size, rng, replicates, "ce", stripe_energy)
    return np.asarray((values / values[:, :1]).min(axis=1))


def stripes_at_the_end(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    """Share of the stripes in the energy of H_wv after ``size`` steps."""
    return np.asarray(trained(size, rng, replicates, "ce", stripe_share, parts=1)[:, -1])


TRAINING_PLAN = Plan(sizes=(400, 800), size_name="steps", cost=lambda size: 2e-3 + 4e-5 * size)
VANISHES = Bound(0.0, within=0.05)
"""A twentieth or less is left at one of nine moments."""

claim(
    "dong.eq12.residual",
    square_residual,
    corrected=Corrected(
        states=Bound(1 - HIDDEN / CLASSES, ">=", likely=True), plan=TRAINING_PLAN.but(sizes=(40, 400))
    ),
    states=VANISHES,
    plan=TRAINING_PLAN,
)
claim(
    "dong.eq21.residual",
    entropy_residual,
    corrected=Corrected(states=Bound(0.5, ">=", likely=True)),
    states=VANISHES,
    plan=TRAINING_PLAN,
)
claim(
    "dong.eq21.stripes",
    stripes,
    corrected=Corrected(states=Bound(0.2, ">=", likely=True)),
    states=VANISHES,
    plan=TRAINING_PLAN,
)
claim(
    "dong.eq21.contrast",
    stripes_at_the_end,
    states=Bound(0.5, likely=True),
    plan=TRAINING_PLAN.but(sizes=(800,)),
)
