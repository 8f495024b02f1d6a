"""Populations ν of the generalised Marchenko-Pastur laws in `dong` Propositions 2 and 4, as equally weighted atoms.

Each is the law of a smooth function of a Gaussian vector. A scrambled Sobol sequence of 2¹⁵ points gives its
values; sorted and averaged over equal cells (their number a power of two, so that they are equal) they become
atoms that keep the mean of the points exactly and the distribution function to about 1/atoms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rmtsim._internal import validate
from rmtsim._internal.quasi_random import sobol_points
from rmtsim._internal.remembered import remembered

__all__ = ["hidden_population", "linear_population"]

_POINTS = 2**15
_SEED = 7


def _gaussians(columns: int) -> NDArray[np.float64]:
    """Sobol points as standard Gaussians; beyond a hundred columns plain random points do as well."""
    rng = np.random.default_rng([_SEED, columns])
    if columns > 100:
        return rng.standard_normal((_POINTS // 4, columns))
    uniforms = sobol_points(_POINTS, columns, rng)
    return np.asarray(ndtri(np.clip(uniforms, 1e-12, 1 - 1e-12)))


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _atoms(values: NDArray[np.float64], atoms: int) -> NDArray[np.float64]:
    cells = np.array_split(np.sort(values), atoms)
    return np.array([cell.mean() for cell in cells])


@remembered(maxsize=64)
def linear_population(classes: int, diagonal: bool, atoms: int = 512) -> NDArray[np.float64]:
    """Atoms of the law of h₁ = p₁(1-p₁) (diagonal) or h₂ = p₁p₂, p the softmax of C standard Gaussians.

    Source: `dong` eq. (55), (56). The off-diagonal block has the population -h₂.

    >>> from rmtsim.papers.dong.theory.softmax_moments import softmax_moment
    >>> bool(abs(linear_population(5, False).mean() / softmax_moment((1, 1), 5) - 1) < 1e-3)
    True
    """
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    diagonal = validate.flag("diagonal", diagonal)
    atoms = validate.integer("atoms", atoms, maximum=_POINTS, meaning="atoms of the population")
    validate.memory(40.0 * _POINTS * classes, f"classes={classes}: quasi-random points")
    p = _softmax(_gaussians(classes))
    return _atoms(p[:, 0] * (1 - p[:, 0]) if diagonal else p[:, 0] * p[:, 1], atoms)


def hidden_population(
    output: NDArray[np.float64], diagonal: bool, atoms: int = 512
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(atoms, weights) of the law of ξ_C(V) (diagonal) or η_C(V), V = ``output``, classes × hidden.

    The closed gates make an atom at zero of weight 1/2 or 3/4. Source: `dong` Proposition 4.

    >>> values, weights = hidden_population(np.eye(3), True)
    >>> float(weights[0]), float(values[0])
    (0.5, 0.0)
    """
    output = validate.matrix("output", output, meaning="V, classes × hidden")
    diagonal = validate.flag("diagonal", diagonal)
    atoms = validate.integer("atoms", atoms, maximum=_POINTS, meaning="atoms of the population")
    hidden = output.shape[1]
    if hidden < (1 if diagonal else 2):
        raise ValueError(
            f"output of shape {output.shape}: expected two hidden neurons (columns) for a pair of them"
        )
    z = _gaussians(hidden)
    # Conditional on open gates: the first neurons take absolute values.
    z[:, : 1 if diagonal else 2] = np.abs(z[:, : 1 if diagonal else 2])
    with np.errstate(over="ignore", invalid="ignore"):
        r = _softmax(validate.computed("output", np.maximum(z, 0.0) @ output.T))
    one, two = output[:, 0], output[:, 0 if diagonal else 1]
    with np.errstate(over="ignore", invalid="ignore"):
        values = validate.computed("output", r @ (one * two) - (r @ one) * (r @ two))
    share = 0.5 if diagonal else 0.25
    inner = _atoms(values, atoms)
    return np.concatenate([[0.0], inner]), np.concatenate([[1 - share], np.full(atoms, share / atoms)])
