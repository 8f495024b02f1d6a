"""Block norms of one-hidden-layer networks through Gram matrices: no block is ever formed.

Hidden layer: N²‖∂²ℓ/∂w_i∂w_jᵀ‖² = λ_ijᵀ (G∘G) λ_ij with G = X Xᵀ and λ_ij(n) the curvature of the pair.
Output layer: N²‖∂²ℓ/∂v_i∂v_jᵀ‖² = κ_ijᵀ (F∘F) κ_ij with F = σ(XWᵀ)σ(XWᵀ)ᵀ and κ_ij = p_i(δ_ij - p_j), so sums over
all C(C-1) pairs need only N × N sums over classes, as for the linear model.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.curvature import BlockEnergies
from rmtsim.networks._block_norms import squared_gram_rows
from rmtsim.papers.dong.simulation.one_hidden_hessian import Pass, check_pass


def hidden_energies(state: Pass) -> NDArray[np.float64]:
    """‖∂²ℓ/∂w_i∂w_jᵀ‖²_F for all pairs, hidden × hidden.

    Work N²(d + m²/2) through the Gram matrix, or N d² m²/2 through the blocks themselves where that is less
    (many more samples than dimensions).

    >>> from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block
    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> state = forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce")
    >>> bool(np.isclose(hidden_energies(state)[0, 1], np.square(hidden_block(state, 0, 1)).sum()))
    True
    """
    check_pass(state)
    return _pair_energies(state.network.inputs, state.hidden_curvatures, state.network.hidden.shape[0])


def _pair_energies(
    inputs: NDArray[np.float64], weights: NDArray[np.float64], hidden: int
) -> NDArray[np.float64]:
    samples, dimension = inputs.shape
    pairs = weights.shape[1]
    first, second = np.triu_indices(hidden)
    values = np.zeros(pairs)
    if pairs * dimension**2 < samples * (dimension + pairs):
        for pair in range(pairs):
            values[pair] = np.square(inputs.T @ (inputs * weights[:, pair : pair + 1])).sum()
    else:
        for rows, squared in squared_gram_rows(inputs):
            values += np.einsum("np,np->p", weights[rows], squared @ weights)
    result = np.zeros((hidden, hidden))
    result[first, second] = values / samples**2
    result[second, first] = result[first, second]
    return result


def output_energies(state: Pass) -> BlockEnergies:
    """‖∂²ℓ/∂v_i∂v_iᵀ‖²_F for every class and the sum over all off-diagonal blocks, work N²C.

    >>> from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, output_block
    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> state = forward(sample_one_hidden(3, 5, 2, 3, np.random.default_rng(0)), "ce")
    >>> energies = output_energies(state)
    >>> bool(np.isclose(energies.diagonal[1], np.square(output_block(state, 1, 1)).sum()))
    True
    """
    check_pass(state)
    samples, classes = state.logits.shape
    if state.loss == "mse":
        energy = float(np.square(2 * state.features.T @ state.features / samples).sum())
        return BlockEnergies(np.full(classes, energy), 0.0)
    validate.memory(
        16.0 * samples * (samples + 3.0 * classes), f"output blocks of {samples} samples, {classes} classes"
    )
    p = state.probabilities
    pairs = np.square(p @ p.T)
    squares = np.square(p)
    pairs -= squares @ squares.T
    # The features have m columns, so every single block is an m × m sum: no N × N matrix per class is needed.
    weights = p - squares
    products = np.einsum("ni,nj->nij", state.features, state.features).reshape(samples, -1)
    diagonal = np.square(products.T @ weights).sum(axis=0)
    offdiagonal = sum(
        float(np.vdot(squared, pairs[rows])) for rows, squared in squared_gram_rows(state.features)
    )
    return BlockEnergies(np.asarray(diagonal / samples**2), max(offdiagonal, 0.0) / samples**2)


@frozen
class CrossEnergies:
    """Energies of ∂²ℓ/∂w_i∂v_jᵀ, hidden × classes each: column i of the block (the stripe), and the others."""

    stripe: NDArray[np.float64]
    rest: NDArray[np.float64]


def cross_energies(state: Pass) -> CrossEnergies:
    """‖column i‖² and Σ_{a≠i}‖column a‖² of every cross-layer block (i, j): the stripes of `dong` (12) and (21).

    >>> from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> data = sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0))
    >>> energies = cross_energies(forward(data, "ce"))
    >>> block = data.as_network("ce").hessian_block(data.inputs, data.targets, (0, 1), (1, 2))
    >>> bool(np.isclose(energies.stripe[1, 2], np.square(block[:, 1]).sum()))
    True
    """
    check_pass(state)
    inputs = state.network.inputs
    samples, classes = state.logits.shape
    hidden = state.network.hidden.shape[0]
    stripe, rest = np.zeros((hidden, classes)), np.zeros((hidden, classes))
    for i in range(hidden):
        mixed = state.mixed_curvature(i)
        # Gates vanish on about half of the samples: only the open ones enter the products.
        open_rows = np.flatnonzero(state.gates[:, i])
        left = inputs[open_rows].T
        for a in range(hidden):
            right = mixed[open_rows] * state.features[open_rows, a : a + 1]
            if a == i:
                right += state.residuals[open_rows]
            energy = np.square(left @ right).sum(axis=0) / samples**2
            if a == i:
                stripe[i] = energy
            else:
                rest[i] += energy
    return CrossEnergies(stripe, rest)
