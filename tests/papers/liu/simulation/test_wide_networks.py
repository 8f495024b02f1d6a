"""Batches of dense networks at one input against the network engine, one at a time."""

import numpy as np
import pytest

from rmtsim.errors import ConvergenceError
from rmtsim.matrix_free._batched_lanczos import spectral_norms
from rmtsim.networks import Network, activation, fully_connected, loss
from rmtsim.papers.liu.simulation.ascent import ascend
from rmtsim.papers.liu.simulation.layer_norms import (
    batch_in_weights,
    batch_q_infinity,
    batch_q_tensor,
    layer_norms,
    q_infinity,
    q_lipschitz,
    q_tensor,
)
from rmtsim.papers.liu.simulation.training import largest_changes
from rmtsim.papers.liu.simulation.wide_networks import in_portions, sample_wide

X = np.array([1.0, -2.0, 0.5])
CASES = [
    ((3, 7, 1), "tanh", False),
    ((3, 6, 6, 1), "gelu", False),
    ((3, 4, 9, 5, 1), "sigmoid", False),
    ((3, 5, 5, 5, 1), "tanh", True),
]


def engine(batch, widths, sigma, skips, row):
    architecture = fully_connected(widths, sigma, parametrisation="ntk", skips=skips)
    return Network(architecture, np.concatenate([weight[row].ravel() for weight in batch.weights]))


def flat(parts, row):
    return np.concatenate([part[row].ravel() for part in parts])


@pytest.mark.parametrize(("widths", "sigma", "skips"), CASES)
def test_everything_is_as_the_engine_has_it(widths, sigma, skips):
    batch = sample_wide(widths, 2, np.random.default_rng(0), X, sigma, skips=skips)
    other = batch.at(-X)
    vectors = np.random.default_rng(1).standard_normal((2, batch.size))
    products = batch.directions(batch.hessian_product(vectors))
    slopes = np.array([0.5, -2.0]), np.array([1.5, 3.0])
    norms = batch.hessian_norms(np.random.default_rng(2), tolerance=1e-9).norms
    bent = batch.hessian_norms(np.random.default_rng(2), output=slopes, tolerance=1e-9).norms
    for row in range(2):
        network = engine(batch, widths, sigma, skips, row)
        hessian, gradient = network.hessian(X[None]), network.gradient(X[None])
        assert batch.output[row] == pytest.approx(network.output(X[None])[0, 0])
        assert batch.kernels_with(other)[row] == pytest.approx(
            network.tangent_kernel(X[None], -X[None])[0, 0]
        )
        assert flat(batch.gradients(), row) == pytest.approx(gradient)
        for mine, theirs in zip(
            batch.activation_gradients, network.activation_gradients(X[None]), strict=False
        ):
            assert mine[row] == pytest.approx(theirs[0, 0])
        assert flat(products, row) == pytest.approx(hessian @ flat(batch.directions(vectors), row))
        assert norms[row] == pytest.approx(np.linalg.norm(hessian, 2))
        whole = slopes[0][row] * hessian + slopes[1][row] * np.outer(gradient, gradient)
        assert bent[row] == pytest.approx(np.linalg.norm(whole, 2))


def test_layer_norms_of_a_batch():
    widths = (3, 6, 6, 6, 1)
    batch = sample_wide(widths, 3, np.random.default_rng(4), X, "swish")
    found = batch_q_infinity(batch), np.max(batch_in_weights(batch), axis=0)
    tensor = batch_q_tensor(batch, np.random.default_rng(5))
    for row in range(3):
        layers = layer_norms(engine(batch, widths, "swish", False, row), X[None])
        assert found[0][row] == pytest.approx(q_infinity(layers))
        assert found[1][row] == pytest.approx(q_lipschitz(layers))
        # Lanczos stops at a residual of 10⁻³, which leaves an error of its square in a root of the norm.
        assert tensor[row] == pytest.approx(q_tensor(layers), rel=1e-3)


def test_training_follows_gradient_descent_of_the_engine():
    inputs, targets = np.array([X, -X + 1]), np.array([1.0, 2.0])
    batch = sample_wide((3, 8, 8, 1), 2, np.random.default_rng(6), X)
    changes = largest_changes(batch, inputs, targets, activation("identity"))
    for row in range(2):
        network = engine(batch, (3, 8, 8, 1), "tanh", False, row).with_loss(loss("square", factor=0.5))
        first = network.tangent_kernel(inputs)
        start, largest = network.loss(inputs, targets[:, None]), 0.0
        while network.loss(inputs, targets[:, None]) > 1e-3 * start:
            rate = 0.8 / np.linalg.norm(network.tangent_kernel(inputs), 2)
            step = rate * network.gradient(inputs, targets[:, None])
            network = network.with_parameters(network.parameters - step)
            moved = np.linalg.norm(network.tangent_kernel(inputs) - first) / np.linalg.norm(first)
            largest = max(largest, moved)
        assert changes[row] == pytest.approx(largest)
    with pytest.raises(ConvergenceError, match="of 2 losses"):
        largest_changes(batch, inputs, targets, activation("identity"), most=2)


def test_an_ascent_stays_in_the_ball_and_finds_larger_norms():
    batch = sample_wide((3, 12, 12, 1), 4, np.random.default_rng(7), X)
    before = batch.hessian_norms(np.random.default_rng(8)).norms
    assert ascend(batch, np.random.default_rng(9), 0.0) == pytest.approx(before, rel=1e-3)
    assert (ascend(batch, np.random.default_rng(9), 2.0) > 1.1 * before).all()


def test_batched_lanczos():
    rng = np.random.default_rng(10)
    matrices = rng.standard_normal((5, 40, 40))
    matrices += matrices.transpose(0, 2, 1)
    matrices[3] = 0.0
    matrices[4] = np.diag([7.0] + [0.0] * 39)
    found = spectral_norms(lambda v: (matrices @ v[:, :, None])[:, :, 0], 5, 40, rng)
    assert found.norms == pytest.approx(np.linalg.norm(matrices, 2, axis=(1, 2)), abs=1e-12)
    with pytest.raises(ConvergenceError, match="after 3 Lanczos steps"):
        spectral_norms(lambda v: (matrices @ v[:, :, None])[:, :, 0], 5, 40, rng, most=3)


def test_portions_and_bad_input():
    assert sum(in_portions(1000, (4, 300, 300, 1))) == 1000
    rng = np.random.default_rng(0)
    for call, words in (
        (lambda: sample_wide((3, 0, 1), 2, rng, X), "widths=0"),
        (lambda: sample_wide((3, 5, 2), 2, rng, X), "one output"),
        (lambda: sample_wide((3, 5, 1), 2, rng, [1.0]), "x of shape"),
        (lambda: sample_wide((3, 5, 1), 2, rng, X, "nonsense"), "nonsense"),
        (lambda: sample_wide((3, 5, 1), 2, rng, X).on_the_sphere(rng, -1.0), "radius=-1"),
        (lambda: sample_wide((3, 5, 1), 2, rng, X).at([1.0]), "x of shape"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
