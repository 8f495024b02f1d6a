"""The compiled block energies of linear softmax models against Hessian blocks that are written out."""

import numpy as np

from rmtsim._kernels.softmax import linear_energies


def _plain(inputs, logits):
    """Mean ‖H_ii‖², Σ_{i≠j} ‖H_ij‖², ‖XᵀX/N‖² and the mean variance of the logits of one model, block by block."""
    samples, classes = inputs.shape[0], logits.shape[0]
    p = np.exp(logits - logits.max(axis=0))
    p /= p.sum(axis=0)
    squares = np.empty((classes, classes))
    for i in range(classes):
        for j in range(classes):
            weights = p[i] * ((i == j) - p[j])
            squares[i, j] = np.sum((inputs.T @ (weights[:, None] * inputs) / samples) ** 2)
    diagonal = np.trace(squares)
    data = np.sum((inputs.T @ inputs / samples) ** 2)
    return diagonal / classes, squares.sum() - diagonal, data, logits.var(axis=0).mean()


def test_energies_of_blocks():
    rng = np.random.default_rng(3)
    inputs, weights = rng.standard_normal((4, 7, 3)), rng.standard_normal((4, 5, 3))
    logits = weights @ inputs.transpose(0, 2, 1)
    expected = [_plain(x, z) for x, z in zip(inputs, logits, strict=True)]
    found = np.empty((4, 4))
    linear_energies(inputs @ inputs.transpose(0, 2, 1), logits.copy(), found)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
