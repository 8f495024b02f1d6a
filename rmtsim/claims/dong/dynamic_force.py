"""The "dynamic force" of `dong`: what is said after (12) and (21) about training, measured along training.

One setting, a small one with the proportions of section 3.1 (d = C, ten samples a class, random labels, more classes
than neurons): C = 20, m = 4, Adam on the whole data at the constant rate 0.01. The size is the number of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.declare import claim, correction
from rmtsim.claims.model import Tolerance
from rmtsim.claims.papers import PAPERS

if TYPE_CHECKING:
    from rmtsim.hessian.one_hidden import Pass

CLASSES, HIDDEN, SAMPLES_A_CLASS, RATE = 20, 4, 10, 0.01
STEPS = (100, 200, 400, 800)


def trained(
    steps: Sequence[int], rng: np.random.Generator, loss: Literal["mse", "ce"], value: Callable[[Pass], float]
) -> NDArray[np.float64]:
    """``value`` of one network after each number of steps of its training."""
    from rmtsim.hessian.one_hidden import forward
    from rmtsim.sampling.one_hidden import sample_one_hidden
    from rmtsim.sampling.one_hidden_training import train

    network = sample_one_hidden(CLASSES, SAMPLES_A_CLASS * CLASSES, HIDDEN, CLASSES, rng, labels="balanced")
    checked = train(network, loss, max(steps), RATE, set(steps), annealed=False)
    return np.array([value(forward(now.network, loss)) for now in checked])


def residual_share(state: Pass) -> float:
    """‖Vσ(WX) - Y‖²/‖Y‖² (square loss) or the mean of Σ_c(p_nc - δ_nc)² (cross-entropy)."""
    scale = 2.0 if state.loss == "mse" else 1.0
    return float(np.square(state.residuals / scale).sum() / len(state.residuals))


def stripe_energy(state: Pass) -> float:
    """Energy of the stripes of H_wv."""
    from rmtsim.hessian.one_hidden_norms import cross_energies

    return float(cross_energies(state).stripe.sum())


def square_residuals(sizes: Sequence[int], rng: np.random.Generator) -> NDArray[np.float64]:
    """‖Vσ(WX) - Y‖²/‖Y‖² along one training with the square loss."""
    return trained(sizes, rng, "mse", residual_share)


def square_residual(size: int, rng: np.random.Generator) -> float:
    """‖Vσ(WX) - Y‖²/‖Y‖² after ``size`` steps."""
    return float(trained((size,), rng, "mse", residual_share)[0])


def entropy_residuals(sizes: Sequence[int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Mean of Σ_c(p_nc - δ_nc)² along one training with the cross-entropy."""
    return trained(sizes, rng, "ce", residual_share)


def entropy_residual_stays(size: int, rng: np.random.Generator) -> float:
    """Whether the mean of Σ_c(p_nc - δ_nc)² is above one half after ``size`` steps."""
    return float(trained((size,), rng, "ce", residual_share)[0] > 0.5)


def stripes(sizes: Sequence[int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Energy of the stripes of H_wv along one training, over that at the start."""
    values = trained((0, *sizes), rng, "ce", stripe_energy)
    return np.asarray(values[1:] / values[0])


def stripes_stay(size: int, rng: np.random.Generator) -> float:
    """Whether the stripes of H_wv have more than a fifth of their first energy after ``size`` steps."""
    return float(stripes((size,), rng)[0] > 0.2)


def stripes_are_drowned(size: int, rng: np.random.Generator) -> float:
    """Whether the stripes hold less than half of the energy of H_wv after ``size`` steps."""
    from rmtsim.hessian.one_hidden_norms import cross_energies

    def value(state: Pass) -> float:
        found = cross_energies(state)
        return float(found.stripe.sum() < found.rest.sum())

    return float(trained((size,), rng, "ce", value)[0])


def _cost(size: int) -> float:
    return 6e-4 * size


_SETTING = "(d = C = 20, m = 4, ten samples a class with random labels, Adam at rate 0.01)"
statement_on_training = partial(
    claim,
    paper=PAPERS["dong"],
    standing="remark",
    sizes=STEPS,
    size_name="steps",
    exponents=(0.5, 1.0),
    because="full-batch training falls to a stationary value exponentially fast, or like a power where the minimum is "
    "flat: 1/steps for a fourth-order minimum, its root for flatter ones",
)

statement_on_training(
    "dong.eq12.residual",
    square_residuals,
    source="section 4, after (12)",
    statement=f"As the training goes, σ(Wx_n)ᵀv_j - Y_nj → 0 {_SETTING}: ‖Vσ(WX) - Y‖²/‖Y‖² → 0.",
    limit=0.0,
    coupled=True,
    tolerance=Tolerance(absolute=0.05),
    cost=_cost(max(STEPS)),
    cause="a network with fewer neurons than classes cannot fit one-hot labels",
    note="The outputs Vσ(WX) have rank at most m, and one-hot labels, n a class, have C singular values √n: by "
    "Eckart and Young ‖Vσ(WX) - Y‖²/‖Y‖² ≥ 1 - m/C for every W and V. At m = 8, C = 500 at least 98.4 % stay.",
    credit="That H_wv is small beside H_ww under the square loss is right, and so is Figure 2.",
    corrected=correction(
        "dong.eq12.residual/corrected",
        measured=square_residual,
        coupled=False,
        sizes=(50, 100),
        bound=1 - HIDDEN / CLASSES,
        sense=">=",
        cost=_cost,
        statement="‖Vσ(WX) - Y‖²/‖Y‖² ≥ 1 - m/C at every step, for balanced one-hot labels.",
        tolerance=Tolerance(absolute=1e-9),
        because="an inequality at every step",
    ),
)
statement_on_training(
    "dong.eq21.residual",
    entropy_residuals,
    source="section 4, after (21)",
    statement=f"As the training goes, p_nc - δ_nc → 0 {_SETTING}: the mean of Σ_c(p_nc - δ_nc)² → 0.",
    limit=0.0,
    coupled=True,
    tolerance=Tolerance(absolute=0.05),
    cost=_cost(max(STEPS)),
    cause="random labels are not learnt by m(d + C) weights",
    note="With random labels, ten a class, and few neurons the network does not learn its labels: the "
    "loss ends near 2 of log 20 = 3 here, at 4.5 of 6.2 at the paper's size, and p - δ keeps most of its length.",
    credit="p - δ does fall, and the stripes lose their place to the rest of H_wv (`dong.eq21.contrast`).",
    corrected=correction(
        "dong.eq21.residual/corrected",
        measured=entropy_residual_stays,
        coupled=False,
        probability=1.0,
        statement=f"The mean of Σ_c(p_nc - δ_nc)² stays above one half {_SETTING}, with probability → 1.",
        cost=_cost,
    ),
)
statement_on_training(
    "dong.eq21.stripes",
    stripes,
    source="section 4, after (21)",
    statement=f"As the training goes, the block-circulant part of H_wv disappears {_SETTING}: the energy of its "
    "stripes, over that at the start, → 0.",
    limit=0.0,
    coupled=True,
    tolerance=Tolerance(absolute=0.05),
    cost=_cost(max(STEPS)),
    cause="random labels are not learnt by m(d + C) weights",
    note="The stripes fall at first and then grow again, beyond their energy at the start: what makes the pattern "
    "fade is the rest of H_wv, which grows faster.",
    credit="The pattern does fade in the figure: its contrast goes (`dong.eq21.contrast`).",
    corrected=correction(
        "dong.eq21.stripes/corrected",
        measured=stripes_stay,
        coupled=False,
        probability=1.0,
        statement=f"The stripes of H_wv keep more than a fifth of their first energy {_SETTING}, with probability → 1.",
        cost=_cost,
    ),
)
statement_on_training(
    "dong.eq21.contrast",
    stripes_are_drowned,
    source="section 3.1, Finding 2; section 4, after (21)",
    statement=f"The block-circulant pattern of H_wv vanishes along training {_SETTING}: its stripes hold less than "
    "half of the energy of H_wv with probability → 1 (at the start about nine tenths).",
    probability=1.0,
    tolerance=Tolerance(absolute=0.05),
    cost=_cost,
)
