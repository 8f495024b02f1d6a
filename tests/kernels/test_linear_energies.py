"""The compiled block energies of linear softmax models against Hessian blocks that are written out."""

import numpy as np

from rmtsim._kernels.softmax import curvature_vectors, linear_energies
from rmtsim.curvature._linear_batches import reduce_models


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
    reduce_models(inputs @ inputs.transpose(0, 2, 1), logits.copy(), found)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_vectors_and_sums():
    rng = np.random.default_rng(4)
    logits, found = 3.0 * rng.standard_normal((3, 5, 7)), np.empty((3, 10, 7))
    spreads, p = np.empty(3), logits.copy()
    curvature_vectors(p, found, spreads)
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p, expected, rtol=1e-13)
    np.testing.assert_allclose(
        found, np.concatenate([expected**2, expected - expected**2], axis=1), rtol=1e-12
    )
    np.testing.assert_allclose(spreads, logits.var(axis=1).mean(axis=1), rtol=1e-12)
    forms, products = rng.standard_normal((3, 7, 7)), rng.standard_normal((3, 7, 7))
    applied, table = rng.standard_normal((3, 10, 7)), np.empty((3, 3))
    linear_energies(forms, products, found, applied, table)
    squares, own = np.split((found * applied).sum(axis=2), 2, axis=1)
    off = (forms * products**2).sum(axis=(1, 2)) - squares.sum(axis=1)
    wanted = np.stack([own.mean(axis=1), off, forms.sum(axis=(1, 2))], axis=1) / 49
    np.testing.assert_allclose(table, wanted, rtol=1e-11)
