"""The user's own network: arrays, torch modules, comparison with theory, and clear refusals."""

import itertools

import numpy as np
import pytest

from rmtsim import networks
from rmtsim.networks import activation, from_torch, fully_connected, network_from_arrays
from rmtsim.papers.dong.comparison import compare_with_theory

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
    with pytest.raises(TypeError, match="rng=0: expected a numpy"):
        fully_connected((3, 2)).sample(0)


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
        (lambda: compare_with_theory(W1, X, X), "expected a Network, not ndarray"),
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
        lambda x: networks.block_energies(LARGE, x, GOALS),
        lambda x: networks.block_energies(LARGE, x, GOALS, pairs=False),
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
    hidden, _ = networks.block_energies(dead, np.abs(X), GOALS)
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


def test_comparison_at_initialisation_and_away_from_it():
    rng = np.random.default_rng(0)
    x, labels = rng.standard_normal((90, 45)), np.arange(90) % 6
    network = fully_connected((45, 5, 6), loss="cross_entropy").sample(rng)
    fair = compare_with_theory(network, x, labels)
    assert not fair.broken
    assert all(abs(row.distance) < 4 for row in fair.rows)
    assert {row.name for row in fair.rows if row.theory is not None} == {row.name for row in fair.rows}
    for row in fair.rows:
        # Theory is the limit of what is drawn: five standard errors of the draws' mean, and 15 % for size.
        assert abs(row.mean - row.theory) < 5 * row.spread / 24**0.5 + 0.15 * row.theory
    other = network_from_arrays(
        [3 * network.weights[0], network.weights[1]], [np.zeros(5), None], "tanh", "cross_entropy"
    )
    unfair = compare_with_theory(other, x + 1, labels)
    names = " ".join(a.name for a in unfair.broken)
    for part in ("activation ReLU", "no biases", "inputs: mean of entries", "weights of layer 1"):
        assert part in names
    assert "weights of layer 2" not in names
    text = str(unfair)
    assert "BROKEN no biases" in text
    assert "one network at these sizes" in text


def _own_case(change):
    """A fair network and inputs with one thing changed; what is called broken."""
    rng = np.random.default_rng(5)
    x, labels = rng.standard_normal((150, 60)), rng.integers(8, size=150)
    w1, w2 = rng.standard_normal((12, 60)) / 60**0.5, rng.standard_normal((8, 12)) / 12**0.5
    w1, w2, x = change(w1, w2, x)
    network = network_from_arrays([w1, w2], None, "relu", "cross_entropy")
    return {a.name for a in compare_with_theory(network, x, labels[: len(x)]).broken}


MIXED = np.random.default_rng(6).standard_normal((60, 60)) / 60**0.5


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda w1, w2, x: (w1, w2, x), None),
        (lambda w1, w2, x: (2**0.5 * w1, w2, x), "weights of layer 1: fan-in × mean square"),
        (lambda w1, w2, x: (w1, 12**0.5 * w2, x), "weights of layer 2: fan-in × mean square"),
        (lambda w1, w2, x: ((w1 + w1[:1]) / 2**0.5, w2, x), "weights of layer 1: ‖WᵀW‖²_F/(m·fan-in)"),
        (lambda w1, w2, x: (x[:12] / 60**0.5, w2, x), "inputs and weights of layer 1: ‖XWᵀ‖²_F/(N·m)"),
        (lambda w1, w2, x: (w1, w2, x @ MIXED), "inputs: ‖XᵀX/N‖²_F/d"),
        (lambda w1, w2, x: (w1, w2, x + 0.1), "inputs: mean of entries"),
        (
            lambda w1, w2, x: (w1, w2, x * np.where(np.arange(150) % 2, 1.4, 0.6)[:, None] ** 0.5),
            "inputs: mean of (|x|²/d)²",
        ),
        (lambda w1, w2, x: (w1, w2, x[:2]), "d and N large"),
    ],
)
def test_each_broken_assumption_is_named(change, broken):
    found = _own_case(change)
    assert found == set() if broken is None else broken in found


def _exact_moments(averages, count, nodes=5):
    """Mean and variance of some averages over ``count`` standard normal numbers, by Gauss–Hermite quadrature.

    Five nodes are exact for the square of a polynomial of degree four in each number.
    """
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    weights = weights / weights.sum()
    means = squares = 0.0
    for choice in itertools.product(range(nodes), repeat=count):
        values = np.array(averages(points[list(choice)]))
        share = weights[list(choice)].prod()
        means, squares = means + share * values, squares + share * values**2
    return means, squares - np.square(means)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (4, 1), (2, 2), (1, 3), (2, 3), (3, 2)])
def test_squared_gram_matrices_of_gaussian_ones(rows, columns):
    from rmtsim.papers.dong.comparison import _squared_gram

    _, mean, variance = _squared_gram(np.ones((rows, columns)))
    found = _exact_moments(lambda v: [_squared_gram(v.reshape(rows, columns))[0]], rows * columns)
    np.testing.assert_allclose(found, [[mean], [variance]], rtol=1e-10)


@pytest.mark.parametrize(
    ("shape", "network", "chosen", "nodes"),
    [
        ((2, 2), lambda v: ((2, 1, 2), v[:2] * 0, v[:2] * 0, v), slice(0, 4), 5),
        ((1, 3), lambda v: ((3, 1, 2), v * 0, v[:2] * 0, v), slice(0, 4), 5),
        ((2, 2), lambda v: ((2, 2, 1), v / 2**0.5, v[:2] * 0, v * 0), slice(4, 6), 5),
        ((1, 3), lambda v: ((3, 1, 2), v / 3**0.5, v[:2] * 0, v * 0), slice(4, 6), 5),
        ((2, 2), lambda v: ((1, 2, 2), v[:2] * 0, v / 2**0.5, v[:1] * 0), slice(6, 8), 5),
        ((3, 2), lambda v: ((2, 1, 1), v[:2] / 2**0.5, v[:1] * 0, v[2:]), slice(8, 9), 3),
        ((4, 2), lambda v: ((2, 2, 1), v[:4] / 2**0.5, v[:2] * 0, v[4:]), slice(8, 9), 3),
        ((2, 3), lambda v: ((3, 1, 1), v[:3] / 3**0.5, v[:1] * 0, v[3:]), slice(8, 9), 3),
    ],
)
def test_what_gaussian_inputs_and_weights_give(shape, network, chosen, nodes):
    """Mean and variance that each average is judged by: exactly, in small cases."""
    from rmtsim.papers.dong.comparison import _averages

    def drawn(v):
        (d, m, c), w1, w2, x = network(v)
        own = network_from_arrays([w1.reshape(m, d), w2.reshape(c, m)], None, "relu", "cross_entropy")
        return _averages(own, x.reshape(-1, d))[chosen]

    count = shape[0] * shape[1]
    told = drawn(np.ones(count))
    mean, variance = _exact_moments(lambda v: [average.value for average in drawn(v)], count, nodes)
    np.testing.assert_allclose(mean, [average.mean for average in told], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(variance, [average.variance for average in told], rtol=1e-10)


def test_four_deviations_are_far_and_half_a_limit_is_not_near():
    from rmtsim.papers.dong.comparison import Row, _Average, _large_sizes

    assert _Average("a", 1.39, 1.0, 0.01, "").assumption().met
    assert not _Average("a", 0.59, 1.0, 0.01, "").assumption().met
    for mean, met in ((1.49, True), (1.51, False)):
        (found,) = _large_sizes((Row("a", 1.0, 1.0, mean, 0.0), Row("b", 1.0, None, 9.0, 0.0)), 4)
        assert found.met == met
    (scattered,) = _large_sizes((Row("a", 1.0, 1.0, 1.6, 0.1),), 4)
    assert scattered.met
    assert Row("a", 1.0, None, 1.0, 0.0).distance == 0
    assert Row("a", 2.0, None, 1.0, 0.0).distance == np.inf
    assert Row("a", 2.0, None, 1.0, 0.25).distance == 4


def test_rows_that_are_compared():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 20))

    def named(network, goals):
        return [row.name for row in compare_with_theory(network, x, goals, networks=4).rows]

    three = [f"{{}} {quantity}" for quantity in ("‖H_ii‖²", "‖H_ij‖²", "ratio")]
    small = fully_connected((20, 2, 2), loss="cross_entropy").sample(rng)
    first = [name.format("hidden") + ("" if "ratio" in name else "/d") for name in three]
    assert named(small, np.arange(40) % 2) == first + [name.format("output") for name in three]
    square = small.with_loss("square")
    assert named(square, np.zeros((40, 2))) == [*first, "output ‖H_ii‖²"]
    deep = fully_connected((20, 3, 3, 2), loss="cross_entropy").sample(rng)
    assert named(deep, np.arange(40) % 2)[2:4] == ["layer 1 ratio", "layer 2 ‖H_ii‖²"]
    dead = small.with_parameters(0 * small.parameters)
    assert compare_with_theory(dead, x, np.arange(40) % 2, networks=4).rows == ()


def test_comparison_of_square_loss_linear_and_deep_networks():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 40))
    square = fully_connected((40, 5, 4), loss=networks.loss("square", factor=0.5)).sample(rng)
    rows = {row.name: row for row in compare_with_theory(square, x, np.zeros((60, 4))).rows}
    assert rows["hidden ‖H_ii‖²/d"].theory == pytest.approx(4 * 6 * (1 + 2 * 40 / 60) / (4 * 25))
    assert rows["output ‖H_ii‖²"].theory is None
    deep = fully_connected((40, 5, 5, 4), loss="cross_entropy").sample(rng)
    result = compare_with_theory(deep, x, np.arange(60) % 4)
    assert [a.name for a in result.broken] == ["at most one hidden layer"]
    assert all(row.theory is None for row in result.rows)
    with pytest.raises(ValueError, match="theory exists for cross_entropy and square"):
        compare_with_theory(deep.with_loss("hinge"), x, np.ones((60, 4)))


def test_without_torch_the_reason_is_told(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"rmtsim\[torch\]"):
        from_torch(None, X, X)
