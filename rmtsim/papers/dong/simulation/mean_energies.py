"""Mean energies of the blocks of drawn networks with one hidden layer, and what they cost."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Layer = Literal["hidden", "output"]
Loss = Literal["ce", "mse"]
Block = tuple[Layer, Loss, Literal[0, 1]]
"""Layer, loss, and 0 for diagonal or 1 for off-diagonal blocks."""

_PAIRS = 32
"""Independent inputs per drawn W, each with its mirror image."""


def _draws(classes: int) -> int:
    """Output matrices V per drawn W: a replicate is the mean over that many networks."""
    return max(1, min(32, 2000 // classes))


def mean_energies(
    block: Block,
    size: int,
    rng: np.random.Generator,
    replicates: int,
    gamma: float,
    hidden: int,
    classes: int,
    *,
    factor: float = 1.0,
    spread: float = 1.0,
) -> NDArray[np.float64]:
    """Mean ``factor``·‖H‖²_F (over d for the hidden layer), one drawn W per replicate, at min(d, N) = ``size``.

    ``spread``: how widely inputs are drawn; they are weighted, and no mean depends on it.
    """
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
    from rmtsim.papers.dong.simulation.one_hidden_average import sampled_energies

    layer, loss, kind = block
    dimension, samples = proportional_shape(size, gamma)
    energies = sampled_energies(
        dimension,
        samples,
        hidden,
        classes,
        rng,
        replicates,
        layer=layer,
        loss=loss,
        pairs=_PAIRS,
        draws=_draws(classes),
        spread=spread,
    )[:, kind]
    return energies * (factor / dimension) if layer == "hidden" else energies


def energy_cost(size: int, hidden: int, block: Block, classes: int = 100) -> float:
    """Nominal seconds of a replicate; the default number of classes is for iterated limits, which set it themselves."""
    layer, loss, _ = block
    draws, inputs = _draws(classes), 2 * _PAIRS
    base = 2e-4 + draws * classes * hidden * (2e-8 + (5e-9 if layer == "hidden" else 0.0) * hidden)
    softmax = 1.6e-8 * draws * inputs * classes
    if loss == "mse":
        return float(base)
    if layer == "hidden":
        products = draws * inputs * (hidden * (hidden + 1) / 2) * (2e-10 * (classes + inputs) + 4e-9)
    else:
        products = draws * inputs * (2e-10 * inputs * classes + 4e-9 * inputs)
    return float(base + softmax + products)


def energy_memory(size: int, classes: int = 1) -> float:
    """Bytes of a batch."""
    return 3e7 + 1e3 * classes
