"""Values of small networks along their training: random labels, Adam on the whole data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rmtsim.papers.dong.simulation.one_hidden_hessian import Pass

CLASSES, HIDDEN, SAMPLES_A_CLASS, RATE = 20, 4, 10, 0.01


MOMENTS = 8
"""Equal parts of a training; its values are taken at their ends and at the start."""


def trained(
    steps: int,
    rng: np.random.Generator,
    replicates: int,
    loss: Literal["mse", "ce"],
    value: Callable[[Pass], float],
    *,
    parts: int = MOMENTS,
) -> NDArray[np.float64]:
    """``value`` of networks (rows) at the start and after each of ``parts`` equal parts of their training."""
    from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    from rmtsim.papers.dong.simulation.one_hidden_batches import train_together
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward

    start = [
        sample_one_hidden(CLASSES, SAMPLES_A_CLASS * CLASSES, HIDDEN, CLASSES, rng, labels="balanced")
        for _ in range(replicates)
    ]
    checks = {steps * part // parts for part in range(parts + 1)}
    found = [
        [value(forward(network, loss)) for network in networks]
        for _, networks in train_together(start, loss, steps, RATE, checks)
    ]
    return np.array(found).T


def residual_share(state: Pass) -> float:
    """‖Vσ(WX) - Y‖²/‖Y‖² (square loss) or the mean of Σ_c(p_nc - δ_nc)² (cross-entropy)."""
    scale = 2.0 if state.loss == "mse" else 1.0
    return float(np.square(state.residuals / scale).sum() / len(state.residuals))


def stripe_energy(state: Pass) -> float:
    """Energy of the stripes of H_wv."""
    from rmtsim.papers.dong.simulation.one_hidden_norms import cross_energies

    return float(cross_energies(state).stripe.sum())


def stripe_share(state: Pass) -> float:
    """Share of the stripes in the energy of H_wv."""
    from rmtsim.papers.dong.simulation.one_hidden_norms import cross_energies

    found = cross_energies(state)
    stripe, rest = float(found.stripe.sum()), float(found.rest.sum())
    return stripe / (stripe + rest)
