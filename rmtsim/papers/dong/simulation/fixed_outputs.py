"""Networks whose output weights V are fixed."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array


def seeded_output(classes: int, hidden: int, output_seed: int) -> Array:
    """V with N(0, 1/m) entries, the same for the same three numbers.

    >>> bool((seeded_output(3, 2, 5) == seeded_output(3, 2, 5)).all())
    True
    """
    return _drawn_once(classes, hidden, output_seed, classes, hidden)


@lru_cache(maxsize=64)
def _drawn_once(classes: int, hidden: int, *seed: int) -> Array:
    """An array that cannot be written to, because later calls return it again."""
    output = np.random.default_rng(seed).standard_normal((classes, hidden)) / math.sqrt(hidden)
    output.setflags(write=False)
    return np.asarray(output)


def energy_of_one_network(
    size: int,
    rng: np.random.Generator,
    gamma: float,
    hidden: int,
    classes: int,
    output_seed: int,
    block: str,
) -> float:
    """‖G_11‖²/d or ‖G_12‖²/d of a network with the fixed V, drawn W and drawn inputs."""
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
    from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((samples, dimension))
    first = rng.standard_normal((hidden, dimension)) / math.sqrt(dimension)
    output = seeded_output(classes, hidden, output_seed)
    state = forward(OneHiddenNetwork(inputs, first, output, np.zeros((samples, classes))), "ce")
    return float(np.square(hidden_block(state, 0, 0 if block == "diagonal" else 1)).sum() / dimension)


def fixed_output(classes: int, hidden: int) -> NDArray[np.float64]:
    """The deterministic V of statements conditional on it: one draw with N(0, 1/m) entries for each (C, m).

    >>> bool((fixed_output(3, 2) == fixed_output(3, 2)).all())
    True
    """
    return _drawn_once(classes, hidden, classes, hidden)
