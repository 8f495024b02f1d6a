"""Outputs, gradients, Hessians, products against the stated loss differentiated by loops and in 50 digits."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rmtsim.curvature import block_energies
from rmtsim.networks import (
    Architecture,
    activation,
    convolution,
    dense,
    fully_connected,
    loss,
)
from rmtsim.networks import _dense_hessian as dense_hessian
from rmtsim.networks._activations import ACTIVATIONS
from rmtsim.networks._losses import LOSSES
from rmtsim.testing.strategies import architectures, sampled_network, seeds
from tests.networks import oracle

SMOOTH = 1e-6
"""Networks whose nearest kink is nearer than this are not drawn: no derivative is defined across it."""


def close(actual, expected, factor=1e-11):
    scale = max(1e-300, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=factor * max(scale, 1e-3))


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_activation_derivatives(name, order):
    chosen = activation(name)
    points = np.array([-30.0, -4.2, -1.3, -0.2, 0.15, 0.9, 3.7, 25.0])
    with mpmath.workdps(60):
        exact = [
            mpmath.diff(
                lambda z: oracle.activate(name, z, chosen.parameter, oracle.Exact), mpmath.mpf(z), order
            )
            for z in points.tolist()
        ]
    got = chosen.derivative(points, order)
    for value, wanted in zip(got, exact, strict=True):
        assert abs(value - float(wanted)) <= 1e-13 * abs(float(wanted)) + 1e-15 * (order > 0) + 1e-28


SIZES = [0.0, 5e-324, 1e-300, 1e-9, 38.0, 750.0, 1e8, 1e154, 1e160, 1e300, 1.7e308]


@pytest.mark.parametrize("name", [name for name in ACTIVATIONS if name != "quadratic"])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_activations_of_any_size_are_numbers(name, order):
    """No overflow, no NaN and no warning up to the largest double; far out the straight lines they tend to."""
    chosen = activation(name, beta=3.0) if name == "swish" else activation(name)
    points = np.array([-z for z in SIZES[::-1]] + SIZES)
    values = chosen.derivative(points, order)
    assert np.isfinite(values).all()
    if order > 1 and name != "sin":
        assert (values[np.abs(points) >= 1e8] == 0).all()


@pytest.mark.parametrize(
    ("name", "order", "rate"), [("sigmoid", 2, -1 / 8), ("softplus", 3, -1 / 8), ("swish", 3, -1 / 2)]
)
def test_digits_near_a_zero_of_a_derivative(name, order, rate):
    """Odd derivatives at zero: c·z to all digits, where 1 - 2σ(z) would have half of them."""
    z = np.array([-1e-8, 1e-9, 1e-300])
    np.testing.assert_allclose(activation(name).derivative(z, order), rate * z, rtol=1e-14)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_slope_and_bend_are_the_derivatives(name):
    z = np.linspace(-3, 3, 13)
    slope, bend = activation(name).slope_and_bend(z)
    np.testing.assert_array_equal(np.ones(13) if slope is None else slope, activation(name).derivative(z, 1))
    np.testing.assert_array_equal(np.zeros(13) if bend is None else bend, activation(name).derivative(z, 2))


def test_kinks_are_declared_where_slopes_jump():
    for name in ACTIVATIONS:
        chosen = activation(name)
        jump = abs(chosen.derivative(1e-9, 1) - chosen.derivative(-1e-9, 1))
        assert bool(jump > 1e-6) == (0.0 in chosen.kinks)


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    """Value, gradient and curvature of each loss against 50-digit differences in the outputs."""
    rng = np.random.default_rng(1)
    chosen = loss(name, factor=0.5 if name == "square" else 1.0)
    out = 4 * rng.standard_normal((2, 3))  # margins on both sides of the kink of the hinge
    y = {"cross_entropy": rng.dirichlet(np.ones(3), 2)}.get(name, rng.choice([-1.0, 1.0], (2, 3)))
    assert 0 < np.count_nonzero(out * y > 1) < 6 or name == "cross_entropy"
    curvature = chosen.curvature(out, y)
    matrices = np.zeros((2, 3, 3)) if curvature is None else curvature.matrices()
    with mpmath.workdps(50):
        step = mpmath.mpf(10) ** -15
        for n in range(2):
            centre = [mpmath.mpf(v) for v in out[n].tolist()]

            def at(*moves, n=n, centre=centre):
                moved = list(centre)
                for index, sign in moves:
                    moved[index] += sign * step
                return oracle.sample_loss(chosen, moved, y[n].tolist(), oracle.Exact)

            assert abs(chosen.values(out, y)[n] - at()) < 1e-14
            for i in range(3):
                slope = (at((i, 1)) - at((i, -1))) / (2 * step)
                assert abs(chosen.gradient(out, y)[n, i] - slope) < 1e-14
                for j in range(3):
                    second = (
                        at((i, 1), (j, 1)) - at((i, 1), (j, -1)) - at((i, -1), (j, 1)) + at((i, -1), (j, -1))
                    ) / (4 * step**2)
                    assert abs(matrices[n, i, j] - second) < 1e-14
    distance = {"hinge": np.abs(1 - out * y), "absolute": np.abs(out - y)}.get(name, np.array(np.inf))
    assert chosen.kink_distance(out, y) == distance.min()
    if curvature is not None:
        u = rng.standard_normal((4, 2, 3))
        close(curvature.product(u), np.einsum("nij,knj->kni", matrices, u))


@pytest.mark.thorough
@settings(max_examples=40)
@given(architectures(), st.integers(1, 3), seeds())
def test_hessian_and_gradient_in_fifty_digits(architecture, samples, seed):
    network, x, y = sampled_network(architecture, samples, seed)
    assume(network.kink_distance(x, y) > SMOOTH)
    theta = network.parameters
    close(network.gradient(x, y), oracle.exact_gradient(architecture, theta, x, y))
    size = theta.size
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, size, (6, 2))
    hessian = network.hessian(x, y)
    wanted = oracle.exact_hessian(architecture, theta, x, y, pairs)
    scale = max(float(np.abs(hessian).max()), 1e-3)
    np.testing.assert_allclose(hessian[pairs[:, 0], pairs[:, 1]], wanted, rtol=0, atol=1e-11 * scale)


@pytest.mark.thorough
def test_whole_hessian_in_fifty_digits():
    """Every entry of one network that has everything: convolution, skip, biases, scale, swish output, cross-entropy."""
    layers = (
        convolution(1, 2, 3, "tanh", scale=0.7, bias=True, bias_deviation=0.3),
        convolution(2, 2, 3, "gelu", skip=True),
        dense(6, 2, "softplus", bias=True),
        dense(2, 2, activation("swish", beta=0.1), skip=True),
    )
    network, x, y = sampled_network(Architecture(layers, 3, loss("cross_entropy")), 2, 5)
    size = network.parameters.size
    pairs = [(r, c) for r in range(size) for c in range(r, size)]
    wanted = oracle.exact_hessian(network.architecture, network.parameters, x, y, pairs)
    hessian = network.hessian(x, y)
    close([hessian[r, c] for r, c in pairs], wanted)
    assert (hessian == hessian.T).all()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("final", "name", "gap"),
    [
        ("identity", "cross_entropy", 12.0),
        ("identity", "cross_entropy", 60.0),
        ("softmax", "none", 60.0),
        ("softmax", "square", 12.0),  # beyond 36 the output itself is 1 in double precision
    ],
)
def test_a_certain_softmax_keeps_its_digits(final, name, gap, monkeypatch):
    """Probabilities of 1 - e^-gap: loss, gradient, Hessian, products and block norms to 1e-10 of their own size."""
    monkeypatch.setattr(oracle, "DIGITS", 120)
    architecture = Architecture((dense(2, 3, "tanh"), dense(3, 3, final, bias=True)), 1, loss(name))
    rng = np.random.default_rng(3)
    network = architecture.sample(rng)
    theta = network.parameters.copy()
    theta[-3:] = [0.0, gap, -gap / 2]
    network = network.with_parameters(theta)
    x, y = rng.standard_normal((2, 2)), np.eye(3)[[1, 1]]
    with mpmath.workdps(120):
        points = [[mpmath.mpf(v) for v in row] for row in (theta.tolist(), *x.tolist())]
        exact = oracle.total_loss(architecture, points[0], points[1:], y.astype(int).tolist(), oracle.Exact)
        assert abs(network.loss(x, y) / exact - 1) < 1e-11
    size = theta.size
    pairs = [(r, c) for r in range(size) for c in range(r, size)]
    wanted = np.zeros((size, size))
    for (r, c), value in zip(pairs, oracle.exact_hessian(architecture, theta, x, y, pairs), strict=True):
        wanted[r, c] = wanted[c, r] = value
    room = 1e-10 * np.abs(wanted).max()
    np.testing.assert_allclose(
        network.gradient(x, y),
        slopes := oracle.exact_gradient(architecture, theta, x, y),
        rtol=0,
        atol=1e-10 * np.abs(slopes).max(),
    )
    np.testing.assert_allclose(network.hessian(x, y), wanted, rtol=0, atol=room)
    np.testing.assert_allclose(network.hessian_product(x, y, np.eye(size)), wanted, rtol=0, atol=room)
    for energies in block_energies(network, x, y, pairs=True):
        owners = [architecture.layout.neuron(energies.layer, i) for i in range(energies.neurons)]
        blocks = [[np.square(wanted[np.ix_(a, b)]).sum() for b in owners] for a in owners]
        np.testing.assert_allclose(energies.pairs, blocks, rtol=0, atol=1e-9 * np.max(blocks))


@settings(max_examples=60)
@given(architectures(), st.integers(1, 5), seeds())
def test_gradient_against_complex_steps(architecture, samples, seed):
    assume(all(layer.activation.name != "gelu" for layer in architecture.layers))
    network, x, y = sampled_network(architecture, samples, seed)
    assume(network.kink_distance(x, y) > SMOOTH)
    close(network.gradient(x, y), oracle.complex_step_gradient(architecture, network.parameters, x, y))
    wanted = [
        [float(v.real) for v in oracle.outputs(architecture, network.parameters, row, oracle.Complex)]
        for row in x + 0j
    ]
    close(network.output(x), wanted, 1e-13)
    assert np.isclose(
        network.loss(x, y),
        oracle.total_loss(architecture, network.parameters, x + 0j, y, oracle.Complex).real,
    )


@settings(max_examples=120)
@given(architectures(most=6), st.integers(1, 6), seeds())
def test_products_against_dense(architecture, samples, seed):
    network, x, y = sampled_network(architecture, samples, seed)
    hessian = network.hessian(x, y)
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((architecture.parameters, 3))
    close(network.hessian_product(x, y, vectors), hessian @ vectors)
    close(network.hessian_product(x, y, vectors[:, 0]), hessian @ vectors[:, 0])
    operator = network.hessian_operator(x, y)
    close(operator @ vectors, hessian @ vectors)


@settings(max_examples=80)
@given(architectures(most=5), st.integers(1, 4), seeds())
def test_jacobian_gauss_newton_and_kernel(architecture, samples, seed):
    network, x, y = sampled_network(architecture, samples, seed)
    flat = network.jacobian(x)
    rows = flat.reshape(-1, architecture.parameters)
    # Column by column the Jacobian is the gradient of the loss "none" with one coefficient.
    bare = network.with_loss("none")
    for n in range(samples):
        for k in range(architecture.outputs):
            unit = np.zeros((samples, architecture.outputs))
            unit[n, k] = samples
            close(flat[n, k], bare.gradient(x, unit))
    close(network.tangent_kernel(x), rows @ rows.T)
    others = np.random.default_rng(seed).standard_normal((2, architecture.inputs))
    close(
        network.tangent_kernel(x, others),
        rows @ network.jacobian(others).reshape(-1, architecture.parameters).T,
    )
    loss_ = architecture.loss
    curvature = loss_.curvature(network.output(x), y)
    size = architecture.parameters
    wanted = np.zeros((size, size))
    if curvature is not None:
        wanted = np.einsum("nkp,nkl,nlq->pq", flat, curvature.matrices(), flat) / samples
    close(network.gauss_newton_product(x, y, np.eye(size)), wanted)


@settings(max_examples=40)
@given(architectures(most=4), st.integers(1, 4), seeds(), st.data())
def test_blocks(architecture, samples, seed, draw):
    network, x, y = sampled_network(architecture, samples, seed)
    hessian, layout = network.hessian(x, y), architecture.layout
    layers = range(len(architecture.layers))
    for _ in range(3):
        first, second = draw.draw(st.sampled_from(layers)), draw.draw(st.sampled_from(layers))
        unit = draw.draw(st.integers(0, architecture.layers[first].outputs - 1))
        other = draw.draw(st.integers(0, architecture.layers[second].outputs - 1))
        rows, columns = layout.neuron(first, unit), layout.neuron(second, other)
        close(network.hessian_block(x, y, (first, unit), (second, other)), hessian[np.ix_(rows, columns)])
        close(network.hessian_block(x, y, first, second), hessian[layout.layer(first), layout.layer(second)])
        close(network.hessian_block(x, y, (first, unit), second), hessian[rows, layout.layer(second)])


@settings(max_examples=40)
@given(architectures(most=4), st.integers(1, 7), st.integers(1, 60), seeds())
def test_bands_of_samples_make_the_same_hessian(architecture, samples, numbers, seed):
    """However few answers are held at once."""
    network, x, y = sampled_network(architecture, samples, seed)
    whole = network.hessian(x, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense_hessian, "ANSWERS", numbers)
        close(network.hessian(x, y), whole)
        layout = architecture.layout
        for layer in range(len(architecture.layers)):
            close(network.hessian_block(x, y, 0, layer), whole[layout.layer(0), layout.layer(layer)])


class _Counting(np.ndarray):
    """An array that counts the multiplications of its matrix products."""

    counted = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(a) if isinstance(a, _Counting) else a for a in inputs]
        if out is not None:
            kwargs["out"] = tuple(np.asarray(a) if isinstance(a, _Counting) else a for a in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        if ufunc is np.matmul:
            _Counting.counted += int(np.prod(np.shape(result))) * plain[0].shape[-1]
        if isinstance(result, np.ndarray):
            return result.view(_Counting)
        return result


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("name", ["tanh", "relu"])
def test_a_product_costs_at_most_six_forward_passes(depth, name):
    """Counted in multiplications of matrix products, once the pass is linearised."""
    from rmtsim.networks import _passes as passes
    from rmtsim.networks import _products as products

    network = fully_connected((7, *[9] * depth, 3), name, loss="cross_entropy").sample(
        np.random.default_rng(0)
    )
    x = np.random.default_rng(1).standard_normal((5, 7))
    _Counting.counted = 0
    passes.forward(network.architecture, network.parameters.view(_Counting), x.view(_Counting))
    forward = _Counting.counted
    assert forward == 5 * network.parameters.size
    point = network.linearise(x, np.zeros(5, dtype=int))
    watched = passes.Linearisation(
        passes.ForwardPass(
            network.architecture,
            tuple(w.view(_Counting) for w in point.passed.weights),
            tuple(r.view(_Counting) for r in point.passed.reads),
            point.passed.before,
            point.passed.output,
        ),
        point.cotangent.view(_Counting),
        point.curvature,
        point.weight,
    )
    assert len(watched.deltas) == depth + 1  # the backward pass belongs to the linearisation
    _Counting.counted = 0
    vector = np.random.default_rng(2).standard_normal(network.parameters.size)
    result = products.hessian_product(watched, vector.view(_Counting))
    counted = _Counting.counted
    np.testing.assert_allclose(np.asarray(result), products.hessian_product(point, vector), atol=1e-12)
    sizes = [layer.parameters for layer in network.architecture.layers]
    assert counted == 5 * (2 * sizes[0] + 6 * sum(sizes[1:]))
    assert counted <= 6 * forward


def test_memory_of_a_product_is_linear_in_width_times_inputs():
    import tracemalloc

    from rmtsim.networks import _products as products

    network = fully_connected((64, 128, 128, 1), "tanh", loss="square").sample(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    peaks = []
    for samples in (500, 1000):
        point = network.linearise(rng.standard_normal((samples, 64)), np.zeros(samples))
        vector = rng.standard_normal(network.parameters.size)
        products.hessian_product(point, vector)
        tracemalloc.start()
        products.hessian_product(point, vector)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    widths = 64 + 128 + 128 + 1
    assert peaks[1] < 8 * (6 * widths * 1000 + 3 * network.parameters.size)
    assert peaks[1] < 2.1 * peaks[0]
