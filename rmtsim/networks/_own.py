"""A network from the user's own arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim.networks._activations import Activation
from rmtsim.networks._activations import activation as activation_named
from rmtsim.networks._architecture import Architecture
from rmtsim.networks._layers import Layer, dense
from rmtsim.networks._losses import Loss
from rmtsim.networks._losses import loss as loss_named
from rmtsim.networks._network import Network

Name = str | Activation


def network_from_arrays(
    weights: Sequence[ArrayLike],
    biases: Sequence[ArrayLike | None] | None = None,
    activation: Name | Sequence[Name] = "tanh",
    loss: str | Loss = "square",
) -> Network:
    """Network from weight matrices and biases: a_l = σ_l(W_l a_{l−1} + b_l), f = a_L.

    Parameters
    ----------
    weights : sequence of array_like
        W₁, W₂, …, each of shape (out, in).
    biases : sequence of array_like or None, optional
        b₁, b₂, …, with None for a layer without bias; no biases by default.
    activation : str, Activation or sequence of these, optional
        One activation for all hidden layers (the last layer is then linear), one per hidden layer, or one per layer
        including the last ("softmax" is accepted there).
    loss : str or Loss, optional
        Loss of one sample, as for :func:`loss`; the loss of a data set is the mean over samples.

    Returns
    -------
    Network
        The network; its parameters are W₁, b₁, W₂, b₂, …, each row-major.

    Raises
    ------
    ValueError
        If shapes do not fit each other; the message names the array.

    Examples
    --------
    >>> from rmtsim.networks import network_from_arrays
    >>> network = network_from_arrays([[[1.0, -1.0]], [[2.0]]], activation="identity")
    >>> network.output([[3.0, 1.0]]), network.gradient([[3.0, 1.0]], [[0.0]])
    (array([[4.]]), array([48., 16., 16.]))
    """
    matrices = [
        validate.real_array(f"weights[{k}]", w) for k, w in enumerate(validate.sequence("weights", weights))
    ]
    if not matrices:
        raise ValueError("weights: expected at least one matrix")
    for k, matrix in enumerate(matrices):
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise ValueError(f"weights[{k}] of shape {matrix.shape}: expected a matrix (out, in)")
        if k and matrix.shape[1] != matrices[k - 1].shape[0]:
            raise ValueError(
                f"weights[{k}] of shape {matrix.shape}: expected {matrices[k - 1].shape[0]} columns, "
                f"the rows of weights[{k - 1}]"
            )
    given = [None] * len(matrices) if biases is None else validate.sequence("biases", biases)
    if len(given) != len(matrices):
        raise ValueError(f"biases: expected {len(matrices)} entries (None for no bias), not {len(given)}")
    vectors = [None if b is None else validate.real_array(f"biases[{k}]", b) for k, b in enumerate(given)]
    parts, layers = [], []
    for k, (matrix, vector, name) in enumerate(
        zip(matrices, vectors, _names(activation, len(matrices)), strict=True)
    ):
        if vector is not None and vector.shape != matrix.shape[:1]:
            raise ValueError(f"biases[{k}] of shape {vector.shape}: expected ({matrix.shape[0]},)")
        layers.append(_layer(matrix.shape, name, vector is not None))
        parts.append(matrix.ravel())
        if vector is not None:
            parts.append(vector)
    return Network(Architecture(tuple(layers), 1, loss_named(loss)), np.concatenate(parts))


def _layer(shape: tuple[int, ...], name: Name, bias: bool) -> Layer:
    return dense(shape[1], shape[0], name, bias=bias)


def _names(activation: Name | Sequence[Name], layers: int) -> list[Name]:
    if isinstance(activation, (str, Activation)):
        if layers == 1:
            activation_named(activation)  # a wrong name is wrong where no hidden layer has it, too
        return [activation] * (layers - 1) + ["identity"]
    names = validate.sequence("activation", activation, meaning="one name, or one a layer")
    if len(names) == layers - 1:
        names.append("identity")
    if len(names) != layers:
        raise ValueError(
            f"activation: expected one name, {layers - 1} (hidden layers) or {layers} (all layers), not {len(names)}"
        )
    return names
