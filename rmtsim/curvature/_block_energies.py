"""Squared norms of the Hessian blocks of a model: one function for linear softmax models and for networks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim.curvature._linear_energies import block_norms, linear_block_energies
from rmtsim.curvature._linear_model import LinearModel
from rmtsim.networks import Network
from rmtsim.networks._block_norms import BlockEnergies


@overload
def block_energies(model: LinearModel, *, pairs: bool = False) -> BlockEnergies: ...


@overload
def block_energies(
    model: Network,
    inputs: ArrayLike,
    targets: Any = None,
    *,
    layers: Sequence[int] | None = None,
    pairs: bool = False,
) -> tuple[BlockEnergies, ...]: ...


def block_energies(
    model: LinearModel | Network,
    inputs: ArrayLike | None = None,
    targets: Any = None,
    *,
    layers: Sequence[int] | None = None,
    pairs: bool = False,
) -> BlockEnergies | tuple[BlockEnergies, ...]:
    """Squared Frobenius norms of the Hessian blocks between neurons, without forming the blocks.

    Parameters
    ----------
    model : LinearModel or Network
        A linear softmax model, which contains its inputs, or a network.
    inputs : array_like
        Only for a network: samples, one per row.
    targets : array_like, optional
        Only for a network: targets of its loss, as in :meth:`Network.loss`.
    layers : sequence of int, optional
        Only for a network: layers to examine, counted from zero; all layers by default.
    pairs : bool, optional
        Whether to compute the table of all pairs as well; by default only the diagonal blocks and the sum over all
        other blocks.

    Returns
    -------
    BlockEnergies or tuple of BlockEnergies
        One result for a linear model, whose only layer it describes; for a network a tuple with one result per layer.

    Raises
    ------
    TypeError
        If ``model`` is neither of the two, or if ``inputs``, ``targets`` or ``layers`` are given with a linear model.
    ValueError
        If inputs, targets or layers do not fit the network, or if a norm exceeds the range of doubles.

    See Also
    --------
    block_norms : Frobenius norms of single blocks of a linear model.

    Notes
    -----
    Block (i, j) of a layer is ``Σ_n Γ^n_ij r_n r_nᵀ``, with ``r_n`` what the layer reads of sample n (a one appended
    if it has a bias) and ``Γ^n_ij`` the second derivative of the loss of sample n, divided by the number N of samples,
    in the pre-activations i and j. Hence ``‖H_ij‖²_F = γ_ijᵀ (G∘G) γ_ij`` with the Gram matrix ``G = R Rᵀ``, which
    all blocks share.

    Examples
    --------
    >>> from rmtsim.curvature import block_energies, sample_linear
    >>> from rmtsim.networks import fully_connected
    >>> model = sample_linear(dimension=30, samples=60, classes=10, rng=np.random.default_rng(0))
    >>> energies = block_energies(model)
    >>> energies.diagonal.shape, bool(energies.ratio < 0.1)
    ((10,), True)

    Layers of a network:

    >>> network = fully_connected((6, 4, 3), "relu", loss="cross_entropy").sample(np.random.default_rng(0))
    >>> x, labels = np.random.default_rng(1).standard_normal((8, 6)), np.arange(8) % 3
    >>> hidden, output = block_energies(network, x, labels, pairs=True)
    >>> block = network.hessian_block(x, labels, (0, 1), (0, 2))
    >>> bool(np.isclose(hidden.pairs[1, 2], np.square(block).sum()))
    True
    """
    pairs = validate.flag("pairs", pairs, meaning="whether to compute all pairs of blocks")
    if isinstance(model, LinearModel):
        for name, value in (("inputs", inputs), ("targets", targets), ("layers", layers)):
            if value is not None:
                raise TypeError(f"{name}: expected together with a Network; a LinearModel has its own inputs")
        found = linear_block_energies(model)
        return dataclasses.replace(found, pairs=np.square(block_norms(model))) if pairs else found
    if not isinstance(model, Network):
        raise TypeError(f"model: expected a LinearModel or a Network, not {type(model).__name__}")
    if inputs is None:
        raise TypeError("inputs=None: expected rows of numbers, one sample a row, for a Network")
    from rmtsim.networks._energies import layer_energies

    return layer_energies(model, inputs, targets, layers, pairs)
