"""The limits (87)-(90) of `dong`: energies of the hidden layer's blocks given V, by quasi-Monte Carlo with an error.

At a fixed V, ‖G_ii‖²/d → γE[ξ²] + (Eξ)² and ‖G_ij‖²/d → γE[η²] + (Eη)², where ξ and η are functions of one Gaussian
vector z with m entries. The gates are taken out: ξ vanishes unless z_1 > 0, η unless z_1, z_2 > 0, so both are averaged
over |z_1|, |z_2| with the weights 1/2 and 1/4; what is left is smooth.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rmtsim._internal import validate
from rmtsim._internal.arrays import Estimate, records_take_arrays
from rmtsim._internal.quasi_random import sobol_points

__all__ = ["hidden_energy_given_output"]

_SCRAMBLES, _POINTS, _SEED = 8, 4096, 20240918


@records_take_arrays(whole=("output",))
def hidden_energy_given_output(output: ArrayLike, gamma: float, diagonal: bool) -> Estimate:
    """γE[λ²] + (Eλ)² at a fixed V (``output``, classes × hidden); λ = ξ_C(V) (``diagonal``) or η_C(V).

    With r = softmax(Vσ(z)), ξ = 1(z_1 > 0)(Σ r_k V_k1² - (Σ r_k V_k1)²) and η the covariance of V_k1, V_k2 behind both
    gates. The error is the standard error over eight scramblings. Source: `dong` (87), (88).

    Equal rows of V leave no spread, and unit rows are an example by hand: r is uniform over two classes if σ(z) = 0.

    >>> import numpy as np
    >>> float(hidden_energy_given_output(np.ones((3, 2)), 1.0, True).value)
    0.0
    >>> found = hidden_energy_given_output(np.random.default_rng(0).standard_normal((5, 4)) / 2, 1.0, True)
    >>> bool(0 < found.error < 1e-3 * found.value)
    True
    """
    weights = validate.matrix("output", output, meaning="V, classes × hidden")
    gamma = validate.positive_number("gamma", gamma, meaning="gamma = d/N")
    diagonal = validate.flag("diagonal", diagonal)
    gated = 1 if diagonal else 2
    if weights.shape[1] < gated:
        raise ValueError(
            f"output of shape {weights.shape}: expected two hidden neurons (columns) for a pair of them"
        )
    one, two = weights[:, 0], weights[:, gated - 1]
    share = 0.5**gated
    values = np.empty(_SCRAMBLES)
    for scramble in range(_SCRAMBLES):
        rng = np.random.default_rng([_SEED, scramble])
        z = ndtri(np.clip(sobol_points(_POINTS, weights.shape[1], rng), 1e-12, 1 - 1e-12))
        z[:, :gated] = np.abs(z[:, :gated])
        with np.errstate(over="ignore", invalid="ignore"):
            logits = validate.computed("output", np.maximum(z, 0.0) @ weights.T)
            r = np.exp(logits - logits.max(axis=1, keepdims=True))
            r /= r.sum(axis=1, keepdims=True)
            spread = validate.computed("output", r @ (one * two) - (r @ one) * (r @ two))
            values[scramble] = gamma * share * np.mean(spread**2) + (share * np.mean(spread)) ** 2
    return Estimate(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(_SCRAMBLES))
