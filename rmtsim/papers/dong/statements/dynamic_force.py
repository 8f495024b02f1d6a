"""The "dynamic force" of `dong`: what is said after (12) and (21) about training, measured along training.

One setting, a small one with the proportions of section 3.1 (d = C, ten samples a class, random labels, more classes
than neurons): C = 20, m = 4, Adam on the whole data at the constant rate 0.01. The size is the number of steps.
"As the training goes, … → 0" is tested as far as a run can show it: at one of nine moments, the last at 800 steps, no
more than a twentieth is left. The corrections are lower bounds on what is left, and hold at every step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Erratum, Place, Plan, claim
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


_SETTING = "(d = C = 20, m = 4, ten samples a class with random labels, Adam at rate 0.01)"
TRAINING_PLAN = Plan(sizes=(400, 800), size_name="steps", cost=lambda size: 2e-3 + 4e-5 * size)
VANISHES = Bound(0.0, within=0.05)
"""A twentieth or less is left at one of nine moments."""

claim(
    "dong.eq12.residual",
    square_residual,
    at="section 4, after (12)",
    standing="remark",
    printed=f"As the training goes, σ(Wx_n)ᵀv_j - Y_nj → 0 {_SETTING}: at some moment ‖Vσ(WX) - Y‖²/‖Y‖² is "
    "0 ± 0.05.",
    corrected=Corrected(
        "‖Vσ(WX) - Y‖²/‖Y‖² ≥ 1 - m/C at every step, for balanced one-hot labels.",
        states=Bound(1 - HIDDEN / CLASSES, ">="),
        plan=TRAINING_PLAN.but(sizes=(40, 400)),
    ),
    states=VANISHES,
    plan=TRAINING_PLAN,
    erratum=Erratum(
        cause="a network with fewer neurons than classes cannot fit one-hot labels",
        note="The outputs Vσ(WX) have rank at most m, and one-hot labels, n a class, have C singular values √n: by "
        "Eckart and Young ‖Vσ(WX) - Y‖²/‖Y‖² ≥ 1 - m/C for every W and V. At m = 8, C = 500 at least 98.4 % stay.",
        credit="That H_wv is small beside H_ww under the square loss is right, and so is Figure 2.",
    ),
)
claim(
    "dong.eq21.residual",
    entropy_residual,
    at="section 4, after (21)",
    standing="remark",
    printed=f"As the training goes, p_nc - δ_nc → 0 {_SETTING}: at some moment the mean of Σ_c(p_nc - δ_nc)² is "
    "0 ± 0.05.",
    corrected=Corrected(
        f"The mean of Σ_c(p_nc - δ_nc)² stays above one half {_SETTING}.",
        states=Bound(0.5, ">="),
    ),
    states=VANISHES,
    plan=TRAINING_PLAN,
    erratum=Erratum(
        cause="random labels are not learnt by m(d + C) weights",
        note="With random labels, ten a class, and few neurons the network does not learn its labels: the "
        "loss ends near 2 of log 20 = 3 here, at 4.5 of 6.2 at the paper's size, and p - δ keeps most of its length.",
        credit="p - δ does fall, and the stripes lose their place to the rest of H_wv (`dong.eq21.contrast`).",
    ),
)
claim(
    "dong.eq21.stripes",
    stripes,
    at="section 4, after (21)",
    standing="remark",
    printed=f"As the training goes, the block-circulant part of H_wv disappears {_SETTING}: at some moment the "
    "energy of its stripes, over that at the start, is 0 ± 0.05.",
    corrected=Corrected(
        f"The stripes of H_wv keep more than a fifth of their first energy {_SETTING}.",
        states=Bound(0.2, ">="),
    ),
    states=VANISHES,
    plan=TRAINING_PLAN,
    erratum=Erratum(
        cause="random labels are not learnt by m(d + C) weights",
        note="The stripes fall at first and then grow again, beyond their energy at the start: what makes the pattern "
        "fade is the rest of H_wv, which grows faster.",
        credit="The pattern does fade in the figure: its contrast goes (`dong.eq21.contrast`).",
    ),
)
claim(
    "dong.eq21.contrast",
    stripes_at_the_end,
    at=Place(
        "section 3.1, Finding 2; section 4, after (21)",
        note="After 400 steps one network of 920 still had more than half.",
    ),
    standing="remark",
    printed=f"The block-circulant pattern of H_wv vanishes along training {_SETTING}: after 800 steps its stripes "
    "hold less than half of the energy of H_wv (at the start about nine tenths).",
    states=Bound(0.5),
    plan=TRAINING_PLAN.but(sizes=(800,)),
)
