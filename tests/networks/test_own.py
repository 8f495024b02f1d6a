"""The user's own network: arrays, torch modules, and errors."""

import numpy as np
import pytest

from rmtsim import networks
from rmtsim.curvature import block_energies
from rmtsim.networks import activation, from_torch, fully_connected, network_from_arrays

RNG = np.random.default_rng(0)
W1, W2 = RNG.standard_normal((4, 3)), RNG.standard_normal((2, 4))
B1, B2 = RNG.standard_normal(4), RNG.standard_normal(2)
X = RNG.standard_normal((6, 3))


def test_arrays_mean_what_the_page_says():
    network = network_from_arrays([W1, W2], [B1, B2])
    wanted = np.tanh(X @ W1.T + B1) @ W2.T + B2
    np.testing.assert_allclose(network.output(X), wanted, rtol=1e-14)
    y = RNG.standard_normal((6, 2))
    assert np.isclose(network.loss(X, y), np.square(wanted - y).sum(axis=1).mean(), rtol=1e-14)
    order = np.concatenate([W1.ravel(), B1, W2.ravel(), B2])
    assert (network.parameters == order).all()
    assert [w.shape for w in network.weights] == [(4, 3), (2, 4)]
    assert (network.biases[1] == B2).all()


def test_activations_of_hidden_layers_and_of_all():
    for names in ("relu", ["relu"], ["relu", "identity"]):
        network = network_from_arrays([W1, W2], activation=names)
        np.testing.assert_allclose(network.output(X), np.maximum(X @ W1.T, 0) @ W2.T, rtol=1e-14)
    probabilities = network_from_arrays([W1, W2], activation=["relu", "softmax"], loss="none").output(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_parameters_cannot_be_changed_from_outside():
    mine = W1.copy()
    network = network_from_arrays([mine, W2])
    before = network.output(X)
    mine[:] = 0
    assert (network.output(X) == before).all()
    with pytest.raises(ValueError, match="read-only"):
        network.parameters[0] = 1.0


def test_labels_and_rows_are_the_same_targets():
    network = network_from_arrays([W1, W2], loss="cross_entropy")
    labels = np.arange(6) % 2
    np.testing.assert_array_equal(network.gradient(X, labels), network.gradient(X, np.eye(2)[labels]))


def test_probabilities_in_single_precision_are_probabilities():
    network = network_from_arrays([W1, W2], loss="cross_entropy")
    rows = np.random.default_rng(1).dirichlet([1, 1], 6)
    single = rows.astype(np.float32)
    assert np.isclose(network.loss(X, single), network.loss(X, rows), rtol=1e-6)
    with pytest.raises(ValueError, match="sum one"):
        network.loss(X, single * 1.001)
    with pytest.raises(ValueError, match="sum one"):
        network.loss(X, rows * (1 + 1e-7))


NETWORK = network_from_arrays([W1, W2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: network_from_arrays([]), "weights: expected at least one matrix"),
        (lambda: network_from_arrays([W1, W1]), r"weights\[1\] of shape \(4, 3\): expected 4 columns"),
        (lambda: network_from_arrays([W1[0]]), r"weights\[0\] of shape \(3,\): expected a matrix"),
        (lambda: network_from_arrays([np.full((2, 2), np.nan)]), r"weights\[0\]=nan at index 0, 0"),
        (lambda: network_from_arrays([W1, W2], [B1]), "biases: expected 2 entries"),
        (lambda: network_from_arrays([W1, W2], [B2, B1]), r"biases\[0\] of shape \(2,\): expected \(4,\)"),
        (lambda: network_from_arrays([W1, W2], activation="cube"), "activation='cube': expected one of"),
        (lambda: network_from_arrays([W1], activation="cube"), "activation='cube': expected one of"),
        (lambda: fully_connected((3, 2), "cube"), "activation='cube': expected one of"),
        (lambda: network_from_arrays([W1, W2], activation=["relu"] * 3), "activation: expected one name"),
        (
            lambda: network_from_arrays([W1, W2], activation=["softmax", "relu"]),
            "softmax is understood as output",
        ),
        (lambda: network_from_arrays([W1, W2], loss="mse"), "loss='mse': expected one of square"),
        (lambda: NETWORK.output(X.T), r"inputs of shape \(3, 6\): expected \(samples, 3\)"),
        (lambda: NETWORK.output(np.empty((0, 3))), "inputs of shape"),
        (lambda: NETWORK.gradient(X, np.zeros((6, 3))), "expected 6 rows of 2 numbers"),
        (lambda: NETWORK.gradient(X), "targets=None: the loss square needs targets"),
        (lambda: NETWORK.hessian_product(X, np.zeros((6, 2)), np.ones(3)), r"vector of shape \(3,\)"),
        (lambda: NETWORK.with_loss("hinge").loss(X, np.zeros((6, 2))), "expects entries -1 or 1"),
        (lambda: NETWORK.with_loss("cross_entropy").loss(X, np.full(6, 2)), r"labels in \[0, 1\]"),
        (lambda: NETWORK.with_loss("cross_entropy").loss(X, np.ones((6, 2))), "sum one"),
        (lambda: network_from_arrays([1e200 * W1, 1e200 * W2], activation="identity").output(X), "too large"),
        (lambda: fully_connected((3, 0, 1)), r"widths\[1\]=0"),
        (lambda: fully_connected((3,)), "expected at least input and output"),
        (lambda: fully_connected((3, 2), parametrisation="he"), "parametrisation='he'"),
        (lambda: networks.loss("hinge", factor=2.0), "only the square loss has a factor"),
        (lambda: networks.convolution(2, 2, 4), "filter=4: expected an odd integer"),
        (lambda: networks.dense(2, 3, skip=True), "as many outputs as inputs"),
        (lambda: networks.Architecture((networks.convolution(2, 2, 3),), 4), "last layer must be dense"),
        (
            lambda: NETWORK.hessian_block(X, np.zeros((6, 2)), (0, 1, 2), 0),
            r"rows=\(0, 1, 2\): expected a layer or",
        ),
        (lambda: NETWORK.hessian_block(X, np.zeros((6, 2)), 0, (1, 2)), r"columns: unit=2: expected"),
        (
            lambda: networks.Architecture((networks.convolution(2, 2, 3), networks.dense(7, 1)), 4),
            "layer 2 reads 7 numbers, and the layer before gives 8",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_type_errors():
    with pytest.raises(TypeError, match="takes beta alone"):
        activation("swish", slope=1.0)
    with pytest.raises(TypeError, match="takes no parameter"):
        activation("relu", slope=1.0)
    with pytest.raises(TypeError, match=r"rng=0\.5: expected None, an integer"):
        fully_connected((3, 2)).sample(0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: networks.loss(networks.loss("square"), factor=0.5), "square is a loss already"),
        (lambda: NETWORK.with_loss(networks.loss("square"), factor=0.5), "square is a loss already"),
        (lambda: networks.dense(3, 2, bias="no"), "bias='no': expected True or False"),
        (lambda: fully_connected((3, 2), biases="no"), "biases='no': expected True or False"),
        (lambda: fully_connected((3, 3, 3, 2), skips=1), "skips=1: expected True or False"),
        (lambda: networks.Architecture((3,)), r"layers\[0\]=3: expected a Layer"),
        (
            lambda: networks.Architecture((networks.dense(3, 2),), 1, "square"),
            "loss='square': expected a Loss",
        ),
    ],
)
def test_values_of_another_kind(call, message):
    with pytest.raises(TypeError, match=message):
        call()


LARGE = network_from_arrays([W1, W2], activation="relu")
GOALS = np.zeros((6, 2))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: LARGE.loss(x, GOALS),
        lambda x: LARGE.gradient(x, GOALS),
        lambda x: LARGE.hessian(x, GOALS),
        lambda x: LARGE.hessian_block(x, GOALS, 0, 0),
        lambda x: LARGE.hessian_product(x, GOALS, np.ones(20)),
        lambda x: LARGE.gauss_newton_product(x, GOALS, np.ones(20)),
        lambda x: LARGE.tangent_kernel(x),
        lambda x: block_energies(LARGE, x, GOALS, pairs=True),
        lambda x: block_energies(LARGE, x, GOALS),
        lambda x: networks.hessian_spectrum(LARGE, x, GOALS),
        lambda x: networks.hessian_spectrum(LARGE, x, GOALS, per="layer"),
        lambda x: networks.hessian_spectrum(LARGE, x, GOALS, per="neuron"),
        lambda x: networks.hessian_extremes(LARGE, x, GOALS, rng=np.random.default_rng(0)),
    ],
)
def test_what_leaves_the_range_of_doubles_is_refused(call):
    """Inputs of 1e200 are numbers, their squares are not: no infinity and no NaN is handed out, and no warning."""
    with pytest.raises(ValueError, match=r"overflow.*too large for double precision"):
        call(1e200 * X)


def test_layers_counted_by_numpy_integers():
    """A block's order of weights and biases does not depend on the type of its index."""
    network = network_from_arrays([W1, W2], [B1, B2])
    hessian = network.hessian(X, GOALS)
    block = network.hessian_block(X, GOALS, np.int64(0), np.int32(1))
    np.testing.assert_allclose(block, hessian[:16, 16:], atol=1e-13)


def test_the_operator_is_its_own_adjoint_and_takes_any_numbers():
    hessian, operator = NETWORK.hessian(X, GOALS), NETWORK.hessian_operator(X, GOALS)
    for v in (np.arange(20), np.arange(40, dtype=np.int32).reshape(20, 2), np.ones(20, dtype=np.float32)):
        np.testing.assert_allclose(operator @ v, hessian @ v, atol=1e-12)
        np.testing.assert_allclose(operator.T @ v, hessian @ v, atol=1e-12)


def test_a_dead_network_has_no_ratio():
    dead = network_from_arrays([-np.abs(W1), W2], activation="relu")
    hidden, _ = block_energies(dead, np.abs(X), GOALS)
    with pytest.raises(ValueError, match="layer 1: its diagonal blocks are zero"):
        _ = hidden.ratio


def test_every_export_is_callable_after_everything_was_imported():
    """No module may hide behind, or in front of, an exported name."""
    exports = {name: getattr(networks, name) for name in networks.__all__}
    again = {name: getattr(networks, name) for name in networks.__all__}
    assert exports == again
    for name, value in exports.items():
        assert callable(value) or name.isupper(), name


def test_parametrisations_scale_as_said():
    rng = np.random.default_rng(1)
    for name in ("plain", "fan_in", "ntk"):
        network = fully_connected((50, 400, 3), parametrisation=name, gain=2.0).sample(rng)
        layer, w = network.architecture.layers[1], network.weights[1]
        scale, variance = {"plain": (1, 2), "fan_in": (1, 2 / 400), "ntk": (400**-0.5, 2)}[name]
        assert np.isclose(layer.scale, scale)
        # 1200 Gaussian numbers: the relative error of a variance is 4 %; five of those.
        assert abs(np.square(w).mean() / variance - 1) < 0.21


def test_without_torch_the_reason_is_reported(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"rmtsim\[torch\]"):
        from_torch(None, X, X)
