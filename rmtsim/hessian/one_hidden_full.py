"""The full Hessian of a one-hidden-layer network, by the network engine: dense for small sizes, else as an operator.

Parameters are ordered (w_1, …, w_m, v_1, …, v_C), each vector contiguous: m·d + C·m of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

<<<<<<< HEAD
from rmtsim.hessian.one_hidden import Pass
=======
from rmtsim import validate
from rmtsim.hessian.one_hidden import Pass, check_pass
>>>>>>> main

__all__ = ["dense_hessian", "hessian_operator", "hidden_matrix"]


def hidden_matrix(state: Pass) -> NDArray[np.float64]:
    """H_ww, (m·d) × (m·d): all hidden-layer blocks.

    >>> from rmtsim.hessian.one_hidden import forward
    >>> from rmtsim.sampling.one_hidden import sample_one_hidden
    >>> hidden_matrix(forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce")).shape
    (6, 6)
    """
<<<<<<< HEAD
    data = state.network
    return data.as_network(state.loss).hessian_block(data.inputs, data.targets, 0, 0)
=======
    check_pass(state)
    dimension, samples, hidden, _ = state.network.sizes
    validate.memory(
        8.0 * (hidden * dimension) ** 2, f"a dense hidden-layer Hessian of {hidden * dimension} rows"
    )
    inputs = state.network.inputs
    result = np.empty((hidden * dimension, hidden * dimension))
    for pair, (i, j) in enumerate(zip(*np.triu_indices(hidden), strict=True)):
        block = inputs.T @ (inputs * state.hidden_curvatures[:, pair : pair + 1]) / samples
        rows, columns = (slice(index * dimension, (index + 1) * dimension) for index in (i, j))
        result[rows, columns] = block
        result[columns, rows] = block.T
    return result


def output_matrix(state: Pass) -> NDArray[np.float64]:
    """H_vv, (C·m) × (C·m): all output-layer blocks.

    >>> from rmtsim.hessian.one_hidden import forward
    >>> from rmtsim.sampling.one_hidden import sample_one_hidden
    >>> output_matrix(forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce")).shape
    (8, 8)
    """
    check_pass(state)
    _, samples, hidden, classes = state.network.sizes
    size = classes * hidden
    validate.memory(8.0 * size * (size + samples), f"a dense output-layer Hessian of {size} rows")
    features = state.features
    if state.loss == "mse":
        block = 2 * features.T @ features / samples
        return np.asarray(np.kron(np.eye(classes), block), dtype=np.float64)
    weighted = (state.probabilities[:, :, None] * features[:, None, :]).reshape(samples, size)
    result = -(weighted.T @ weighted) / samples
    products = np.einsum("ni,nj->nij", features, features).reshape(samples, -1)
    own = (state.probabilities.T @ products).reshape(classes, hidden, hidden) / samples
    for c in range(classes):
        rows = slice(c * hidden, (c + 1) * hidden)
        result[rows, rows] += own[c]
    return np.asarray(result)


def cross_matrix(state: Pass) -> NDArray[np.float64]:
    """H_wv, (m·d) × (C·m): all cross-layer blocks.

    >>> from rmtsim.hessian.one_hidden import forward
    >>> from rmtsim.sampling.one_hidden import sample_one_hidden
    >>> cross_matrix(forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce")).shape
    (6, 8)
    """
    check_pass(state)
    dimension, samples, hidden, classes = state.network.sizes
    size = classes * hidden
    validate.memory(
        8.0 * size * (hidden * dimension + 2 * samples), f"a dense cross-layer Hessian of {size} columns"
    )
    result = np.empty((hidden * dimension, size))
    for i in range(hidden):
        right = state.mixed_curvature(i)[:, :, None] * state.features[:, None, :]
        right[:, :, i] += state.residuals
        right *= state.gates[:, i, None, None]
        result[i * dimension : (i + 1) * dimension] = (
            state.network.inputs.T @ right.reshape(samples, size) / samples
        )
    return result
>>>>>>> main


def dense_hessian(state: Pass) -> NDArray[np.float64]:
    """The whole Hessian as a dense symmetric matrix.

    >>> from rmtsim.hessian.one_hidden import forward
    >>> from rmtsim.sampling.one_hidden import sample_one_hidden
    >>> hessian = dense_hessian(forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce"))
    >>> hessian.shape, bool(np.array_equal(hessian, hessian.T))
    ((14, 14), True)
    """
<<<<<<< HEAD
    data = state.network
    return data.as_network(state.loss).hessian(data.inputs, data.targets)
=======
    check_pass(state)
    dimension, samples, hidden, classes = state.network.sizes
    size = hidden * (dimension + classes)
    validate.memory(16.0 * size**2 + 16.0 * samples * hidden * classes, f"a dense Hessian of {size} rows")
    cross = cross_matrix(state)
    return np.block([[hidden_matrix(state), cross], [cross.T, output_matrix(state)]])
>>>>>>> main


def hessian_operator(state: Pass) -> LinearOperator:
    """The whole Hessian as an operator: a product costs two passes over the data and stores no block.

    >>> from rmtsim.hessian.one_hidden import forward
    >>> from rmtsim.sampling.one_hidden import sample_one_hidden
    >>> state = forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "mse")
    >>> vector = np.arange(14.0)
    >>> bool(np.allclose(hessian_operator(state) @ vector, dense_hessian(state) @ vector))
    True
    """
<<<<<<< HEAD
    data = state.network
    return data.as_network(state.loss).hessian_operator(data.inputs, data.targets)
=======
    check_pass(state)
    network = state.network
    dimension, samples, hidden, classes = network.sizes
    border = hidden * dimension
    size = border + classes * hidden

    def product(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        direction = np.asarray(vector, dtype=np.float64).ravel()
        first = direction[:border].reshape(hidden, dimension)
        second = direction[border:].reshape(classes, hidden)
        moved_features = state.gates * (network.inputs @ first.T)
        moved_logits = state.features @ second.T + moved_features @ network.output.T
        if state.loss == "mse":
            moved_residuals = 2 * moved_logits
        else:
            p = state.probabilities
            moved_residuals = p * (moved_logits - np.einsum("nc,nc->n", p, moved_logits)[:, None])
        back = state.gates * (moved_residuals @ network.output + state.residuals @ second)
        result = np.empty(size)
        result[:border] = (back.T @ network.inputs).ravel()
        result[border:] = (moved_residuals.T @ state.features + state.residuals.T @ moved_features).ravel()
        return result / samples

    return LinearOperator((size, size), matvec=product, rmatvec=product, dtype=np.float64)
>>>>>>> main
