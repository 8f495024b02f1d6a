"""Pre-activations Wx of Gaussian inputs without the inputs: their exact joint law, at a cost that does not grow with d.

Rotating the inputs does not change their law, so W (m × d, entries N(0, 1/d)) may be replaced by the lower triangular
factor of W = L Qᵀ: independent χ_{d-i}/√d on the diagonal and N(0, 1/d) below (Bartlett). With u = Qᵀx, the first r =
min(m, d) coordinates of x in the rotated frame, Wx = L u, and W does not act on the other d - r coordinates.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen


@frozen
class PreActivations:
    """The components of inputs in the row span of W: 2 × pairs of them, the second half the first with its sign turned.

    ``values`` = Wx, inputs × hidden; ``coordinates`` = u, inputs × r; ``unseen`` = d - r; ``weights``, one an input, by
    which means over Gaussian inputs are weighted (ones, unless inputs were drawn more widely).
    """

    values: NDArray[np.float64]
    coordinates: NDArray[np.float64]
    unseen: int
    weights: NDArray[np.float64]

    @property
    def independent(self) -> NDArray[np.bool_]:
        """Which pairs of inputs are independent, inputs × inputs: all but an input with itself and its mirror image."""
        return _independent(len(self.values) // 2)


@lru_cache(maxsize=8)
def _independent(pairs: int) -> NDArray[np.bool_]:
    """An array that cannot be written to, because later calls return it again."""
    found = np.tile(~np.eye(pairs, dtype=bool), (2, 2))
    found.setflags(write=False)
    return found


def sample_pre_activations(
    dimension: int, hidden: int, pairs: int, rng: np.random.Generator, spread: float = 1.0
) -> PreActivations:
    """One hidden layer at LeCun initialisation and ``pairs`` Gaussian inputs with their mirror images -x.

    Given W the inputs of different pairs are independent N(0, I_d), as in `dong` Assumptions 1 and 2; with mirror
    images exactly half of the gates of every neuron are open. With a ``spread`` s other than one the coordinates on
    which W acts are N(0, s²), and the weight of an input is the ratio of the densities, sʳ exp(-|u|²(1 - 1/s²)/2):
    means are the same, and quantities dominated by rare large inputs have less noise.

    >>> drawn = sample_pre_activations(1000, 8, 3, np.random.default_rng(0))
    >>> drawn.values.shape, drawn.unseen, bool((drawn.values[:3] == -drawn.values[3:]).all())
    ((6, 8), 992, True)
    """
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    hidden = validate.integer("hidden", hidden, meaning="number of hidden neurons m")
    pairs = validate.integer("pairs", pairs, minimum=2, meaning="independent inputs")
    rng = validate.generator("rng", rng)
    spread = validate.positive_number(
        "spread", spread, meaning="standard deviation of the coordinates that are drawn"
    )
    if not 1e-100 < spread < 1e100:
        raise ValueError(f"spread={spread}: expected a number in (1e-100, 1e100)")
    rank = min(hidden, dimension)
    validate.memory(8.0 * (4 * pairs + hidden) * rank, f"pre-activations with pairs={pairs}, hidden={hidden}")
    factor = np.tril(rng.standard_normal((hidden, rank)), -1)
    factor[np.arange(rank), np.arange(rank)] = np.sqrt(rng.chisquare(dimension - np.arange(rank)))
    half = spread * rng.standard_normal((pairs, rank))
    weights = np.exp(rank * np.log(spread) - (1 - 1 / spread**2) / 2 * np.square(half).sum(axis=1))
    coordinates = np.concatenate([half, -half])
    return PreActivations(
        coordinates @ factor.T / np.sqrt(dimension), coordinates, dimension - rank, np.tile(weights, 2)
    )
