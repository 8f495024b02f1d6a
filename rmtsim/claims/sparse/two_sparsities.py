"""What 2k atoms gain over k: equations (A.3)-(A.7), measurement by measurement, and Lemma A.1.2."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Tolerance
from rmtsim.claims.sparse.parameters import NOISE, SPARSITY, statement
from rmtsim.dictionaries import (
    draw_codes,
    draw_dictionary,
    draw_measurements,
    explained_energy,
)
from rmtsim.dictionaries.decoding import best_codes

Array = NDArray[np.float64]
_BATCH = 8
"""Measurements per dictionary."""


def _drawn(size: int, rng: np.random.Generator, sparsity: int, noise: float) -> tuple[Array, Array, Array]:
    """A Gaussian dictionary with p = size atoms in d = 4size/5 dimensions, measurements and their noise.

    Signals range from none at all to a hundred times the noise.
    """
    matrix = draw_dictionary(max(2 * sparsity, 4 * size // 5), size, rng)
    codes = draw_codes(_BATCH, size, sparsity, rng)
    codes *= 10 ** rng.uniform(-2, 2, (_BATCH, 1)) * noise
    clean = codes @ matrix.T
    rows = draw_measurements(matrix, codes, noise, rng)
    return matrix, rows, rows - clean


def _cost(size: int, sparsity: float) -> float:
    return 4e-4 + 3e-7 * math.comb(size, 2 * int(sparsity)) * _BATCH


chained = partial(
    statement,
    parameters=(SPARSITY, NOISE),
    grid=({"sparsity": 1}, {"sparsity": 2}),
    sizes=(6, 12),
    size_name="p",
    cost=_cost,
)


@chained(
    "sparse.eqA.3",
    source="Equation (A.3)",
    statement="L(A, k) - L(A, 2k) ≥ E‖Az̃‖², z̃ the best k-sparse code of the residual y - Aẑ*: measured for every y as "
    "the quotient, least of a batch; exhaustive.",
    bound=1.0,
    sense=">=",
    tolerance=Tolerance(absolute=1e-8),
)
def gain_over_second_code(size: int, rng: np.random.Generator, sparsity: int, noise: float) -> float:
    """Least (‖y - Aẑ*‖² - min over 2k-sparse codes)/‖Az̃‖² of a batch."""
    matrix, rows, _ = _drawn(size, rng, int(sparsity), noise)
    residual = rows - best_codes(rows, matrix, int(sparsity)).codes @ matrix.T
    second, _ = explained_energy(residual, matrix, int(sparsity))
    both, _ = explained_energy(rows, matrix, 2 * int(sparsity))
    one, _ = explained_energy(rows, matrix, int(sparsity))
    return float(((both - one) / second).min())
