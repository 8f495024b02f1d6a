from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.curvature._differentiation import hessian_by_differences
from rmtsim.papers.dong.simulation.one_hidden import (
    INPUT_LAWS,
    OneHiddenNetwork,
    sample_inputs,
    sample_one_hidden,
)
from rmtsim.papers.dong.simulation.one_hidden_average import (
    averaged_energies,
    hidden_kernel,
    output_kernel,
    sampled_energies,
)
from rmtsim.papers.dong.simulation.one_hidden_full import dense_hessian, hidden_matrix
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block, output_block
from rmtsim.papers.dong.simulation.one_hidden_norms import (
    cross_energies,
    hidden_energies,
    output_energies,
)
from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations
from rmtsim.papers.dong.simulation.stated_losses import network_cross_entropy, network_square_loss
from tests import naive

LOSSES = ("mse", "ce")


def network(seed, dimension=4, samples=7, hidden=3, classes=5, **options):
    return sample_one_hidden(dimension, samples, hidden, classes, np.random.default_rng(seed), **options)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(st.integers(0, 1000), st.integers(1, 4), st.integers(1, 6), st.integers(1, 4), st.integers(2, 4))
def test_blocks_match_slow_loops(seed, dimension, samples, hidden, classes):
    net = network(seed, dimension, samples, hidden, classes)
    for loss in LOSSES:
        state = forward(net, loss)
        ww, vv, wv = naive.network_blocks(net.inputs, net.hidden, net.output, net.targets, loss)
        for i in range(hidden):
            for j in range(hidden):
                np.testing.assert_allclose(hidden_block(state, i, j), ww[i, j], rtol=1e-10, atol=1e-13)
        for a in range(classes):
            for b in range(classes):
                np.testing.assert_allclose(output_block(state, a, b), vv[a, b], rtol=1e-10, atol=1e-13)
        energies = cross_energies(state)
        np.testing.assert_allclose(
            energies.stripe + energies.rest, np.square(wv).sum(axis=(2, 3)), rtol=1e-10, atol=1e-20
        )


@pytest.mark.parametrize("loss", LOSSES)
def test_the_full_hessian_is_that_of_the_printed_loss(loss):
    net = network(1, 2, 4, 2, 3)
    if loss == "mse":
        net = replace(net, targets=np.random.default_rng(2).standard_normal(net.targets.shape))
    make = network_square_loss if loss == "mse" else network_cross_entropy
    theta = np.concatenate([net.hidden.ravel(), net.output.ravel()])
    truth = hessian_by_differences(make(net.inputs, net.targets, 2), theta)
    state = forward(net, loss)
    np.testing.assert_allclose(dense_hessian(state), truth, rtol=1e-12, atol=1e-14)
    value = net.as_network(loss).loss(net.inputs, net.targets)
    assert value == pytest.approx(float(make(net.inputs, net.targets, 2)(list(theta))), rel=1e-13)


@pytest.mark.parametrize("loss", LOSSES)
def test_operator_norms_and_dense_agree(loss):
    net = network(3, 5, 9, 4, 6)
    state = forward(net, loss)
    dense = dense_hessian(state)
    operator = net.as_network(loss).hessian_operator(net.inputs, net.targets)
    vectors = np.random.default_rng(0).standard_normal((dense.shape[0], 3))
    np.testing.assert_allclose(operator @ vectors, dense @ vectors, rtol=1e-11, atol=1e-12)
    hidden = net.hidden.size
    np.testing.assert_allclose(hidden_matrix(state), dense[:hidden, :hidden], rtol=1e-12, atol=1e-15)
    norms = hidden_energies(state)
    output = output_energies(state)
    total = norms.sum() + output.diagonal.sum() + output.offdiagonal
    cross = cross_energies(state)
    total += 2 * (cross.stripe.sum() + cross.rest.sum())
    assert total == pytest.approx(np.square(dense).sum(), rel=1e-11)


@pytest.mark.parametrize("shape", [(3, 200), (40, 6)])
def test_both_ways_to_hidden_energies_agree_with_blocks(shape):
    net = network(5, *shape, 3, 4)
    state = forward(net, "ce")
    expected = [[np.square(hidden_block(state, i, j)).sum() for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(hidden_energies(state), expected, rtol=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
def test_averages_over_output_matrices_are_means_over_networks(loss):
    net = network(6, 6, 8, 3, 4)
    outputs = np.random.default_rng(9).standard_normal((5, 4, 3))
    states = [forward(replace(net, output=v), loss) for v in outputs]
    hidden = [hidden_energies(state) for state in states]
    values = net.inputs @ net.hidden.T
    features = np.maximum(values, 0.0)
    found = averaged_energies(values, np.square(net.inputs @ net.inputs.T / 8), outputs, "hidden", loss)
    assert found[0] == pytest.approx(np.mean([np.diag(e).mean() for e in hidden]), rel=1e-11)
    off = ~np.eye(3, dtype=bool)
    assert found[1] == pytest.approx(np.mean([e[off].mean() for e in hidden]), rel=1e-11)
    output = [output_energies(state) for state in states]
    found = averaged_energies(values, np.square(features @ features.T / 8), outputs, "output", loss)
    assert found[0] == pytest.approx(np.mean([e.mean_diagonal for e in output]), rel=1e-11)
    assert found[1] == pytest.approx(np.mean([e.mean_offdiagonal for e in output]), rel=1e-9, abs=1e-18)


@pytest.mark.thorough
@pytest.mark.parametrize(("dimension", "hidden"), [(6, 3), (3, 5)])
def test_averaging_over_inputs_keeps_the_expectation_of_networks(dimension, hidden):
    """Plain networks at small d, N (also d < m) against the estimator that draws pre-activations only."""
    samples, classes, count = 4, 3, 3000
    rng = np.random.default_rng(11)
    plain, averaged = np.empty((count, 4)), np.empty((count, 4))
    off = ~np.eye(hidden, dtype=bool)
    for index in range(count):
        state = forward(sample_one_hidden(dimension, samples, hidden, classes, rng), "ce")
        energies, output = hidden_energies(state), output_energies(state)
        plain[index] = (
            np.diag(energies).mean(),
            energies[off].mean(),
            output.mean_diagonal,
            output.mean_offdiagonal,
        )
        drawn = sample_pre_activations(dimension, hidden, 4, rng)
        v = rng.standard_normal((2, classes, hidden)) / np.sqrt(hidden)
        averaged[index, :2] = averaged_energies(
            drawn.values, hidden_kernel(drawn, samples), v, "hidden", "ce"
        )
        averaged[index, 2:] = averaged_energies(
            drawn.values, output_kernel(drawn, samples), v, "output", "ce"
        )
    error = np.sqrt((plain.var(axis=0) + averaged.var(axis=0)) / count)
    # Eight comparisons at 4.5 standard errors: a false alarm in less than one of 10⁴ choices of the seed.
    assert (np.abs(plain.mean(axis=0) - averaged.mean(axis=0)) < 4.5 * error).all()
    assert (error < 0.1 * plain.mean(axis=0)).all()


@pytest.mark.thorough
@pytest.mark.parametrize("layer", ["hidden", "output"])
@pytest.mark.parametrize("dimension", [2, 9])
def test_inputs_drawn_more_widely_have_the_same_means(layer, dimension):
    """Also with fewer dimensions than neurons; eight comparisons at 4.5 standard errors."""
    options = {"layer": layer, "loss": "ce", "pairs": 4, "draws": 2}
    plain, wide = (
        sampled_energies(dimension, 5, 3, 4, np.random.default_rng(seed), 4000, spread=spread, **options)
        for seed, spread in ((1, 1.0), (2, 1.25))
    )
    error = np.sqrt((plain.var(axis=0) + wide.var(axis=0)) / len(plain))
    assert (np.abs(plain.mean(axis=0) - wide.mean(axis=0)) < 4.5 * error).all()
    assert (error < 0.06 * plain.mean(axis=0)).all()


@pytest.mark.parametrize("law", INPUT_LAWS)
def test_input_laws_have_mean_zero_and_variance_one(law):
    x = sample_inputs(400, 500, np.random.default_rng(0), law)
    assert abs(x.mean()) < 5 / np.sqrt(x.size)
    assert abs(x.var() - 1) < 0.05


def test_labels():
    assert (network(0, labels="balanced").targets.argmax(axis=1) == np.arange(7) % 5).all()
    assert (network(0).targets.sum(axis=1) == 1).all()


def test_bad_input_is_named():
    net = network(0)
    with pytest.raises(ValueError, match="loss='hinge'"):
        forward(net, "hinge")
    with pytest.raises(ValueError, match="neuron=3"):
        hidden_block(forward(net, "ce"), 0, 3)
    with pytest.raises(ValueError, match="class=5"):
        output_block(forward(net, "ce"), 0, 5)
    with pytest.raises(ValueError, match="targets of shape"):
        OneHiddenNetwork(net.inputs, net.hidden, net.output, net.targets[:, :2])
    with pytest.raises(ValueError, match="law='cauchy'"):
        network(0, law="cauchy")
    with pytest.raises(ValueError, match="labels='none'"):
        network(0, labels="none")
    with pytest.raises(ValueError, match="layer='middle'"):
        averaged_energies(net.inputs @ net.hidden.T, np.eye(7), net.output[None], "middle", "ce")
