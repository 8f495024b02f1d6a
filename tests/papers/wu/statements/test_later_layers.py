"""Layers that read hidden activations: their Hessians against dense ones, and the overlaps of the claims."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rmtsim.claims import find
from rmtsim.networks import fully_connected
from rmtsim.papers.wu.simulation import two_models
from rmtsim.papers.wu.simulation.eigenspaces import overlap
from rmtsim.papers.wu.simulation.halves import product
from rmtsim.papers.wu.simulation.later_layers import (
    hidden_layer_hessian,
    leading_direction,
    output_layer_hessian,
)
from rmtsim.papers.wu.simulation.layer_hessian import layer_overlap
from rmtsim.papers.wu.simulation.logit_gradients import gradients, roots
from rmtsim.papers.wu.simulation.relu_network import draw_response, respond
from rmtsim.papers.wu.simulation.two_layer import draw_instance
from rmtsim.papers.wu.statements import later_layers, layer_gradients, row_span_steps
from rmtsim.papers.wu.theory import limits
from tests.papers.wu.simulation.batches import batch_of


@pytest.fixture(scope="module")
def network():
    """Two hidden layers, 25 inputs."""
    rng = np.random.default_rng(5)
    net = fully_connected((9, 6, 5, 4), "relu", parametrisation="fan_in", loss="cross_entropy").sample(rng)
    return net, np.maximum(rng.standard_normal((25, 9)), 0)


def gauss_newton(net, inputs, layer):
    """The engine's Gauss–Newton matrix (labels do not enter), its block of one layer's weights."""
    labels = np.zeros(len(inputs), dtype=int)
    dense = np.stack([net.gauss_newton_product(inputs, labels, row) for row in np.eye(net.parameters.size)])
    ends = np.cumsum([0, *(w.size for w in net.weights)])
    block = slice(ends[layer], ends[layer + 1])
    return dense[block, block]


@pytest.mark.parametrize("layer", [1, 2])
def test_top_spaces_are_those_of_the_engines_blocks(network, layer):
    net, inputs = network
    response = respond(net, inputs)
    operator = (
        hidden_layer_hessian(net.weights[-1], response) if layer == 1 else output_layer_hessian(response)
    )
    space = operator.top(3)
    values, vectors = np.linalg.eigh(gauss_newton(net, inputs, layer))
    assert space.values == pytest.approx(values[::-1][:3], rel=1e-9)
    found = np.stack([space.matricized(index).ravel() for index in range(3)], axis=1)
    assert overlap(found, vectors[:, ::-1][:, :3]) == pytest.approx(1, abs=1e-9)


def test_a_network_with_one_hidden_layer_has_no_second_one():
    later, response = draw_response(6, 0.3, 3, 10, np.random.default_rng(0))
    with pytest.raises(ValueError, match="at least two hidden layers"):
        hidden_layer_hessian(later[-1], response)


def test_leading_direction_is_the_top_eigenvector():
    activations = np.random.default_rng(1).random((30, 5))
    expected = np.linalg.eigh(activations.T @ activations)[1][:, -1]
    assert abs(leading_direction(activations) @ expected) == pytest.approx(1, abs=1e-12)
    assert leading_direction(-activations).sum() > 0


def test_all_orders_of_the_classes_average_to_k_over_c_less_one():
    """Spaces inside 1⊥ whose classes are permuted: the mean overlap is k/(c-1), by Schur's lemma."""
    rng = np.random.default_rng(2)
    first, second = (np.linalg.qr((np.eye(4) - 0.25) @ rng.standard_normal((4, 2)))[0] for _ in range(2))
    brute = np.mean([overlap(first, second[list(order)]) for order in itertools.permutations(range(4))])
    stated = find("wu.secG.3.2.below").prediction({"alpha": 0.3, "classes": 4})
    assert brute == pytest.approx(stated, rel=1e-12)
    assert stated == 2 / 3
    assert find("wu.secG.3.2.peak/corrected").prediction({"alpha": 0.3, "classes": 4}) == 3 / 4


def test_the_average_over_orders_is_that_of_all_of_them():
    rng = np.random.default_rng(3)
    first, second = (output_layer_hessian(draw_response(8, 0.3, 4, 24, rng)[1]).top(2) for _ in range(2))
    brute = np.mean(
        [
            layer_overlap(first, replace(second, coefficients=second.coefficients[:, :, list(order)]))
            for order in itertools.permutations(range(4))
        ]
    )
    assert two_models.overlap_over_orders(first, second) == pytest.approx(brute, rel=1e-12)


def test_means_of_two_networks_have_the_stated_cosine():
    """64 pairs at width 160, four standard errors; a limit moved by a tenth would be noticed."""
    rng = np.random.default_rng(11)
    for depth in (2, 3):
        values = [later_layers.squared_cosine_of_means(160, rng, 0.3, depth) for _ in range(64)]
        error = np.std(values, ddof=1) / np.sqrt(64)
        assert abs(np.mean(values) - limits.shared_mean_direction(depth)) < 4 * error
        assert 4 * error < 0.1 * limits.shared_mean_direction(depth)


def test_mean_of_a_rectified_unit_gives_the_limit():
    """(E f)⁴/(E f²)² with f(g) = E max(μg + √v ξ, 0), by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    grid = limits.INPUT_MEAN * nodes[:, None] + np.sqrt(limits.FLUCTUATION) * nodes[None, :]
    f = np.maximum(grid, 0) @ weights
    cosine = (f @ weights) ** 2 / (f**2 @ weights)
    assert cosine**2 == pytest.approx(limits.shared_mean_direction(2), rel=2e-3)


@pytest.fixture(scope="module")
def instance():
    return draw_instance(20, 0.4, 4, 40, np.random.default_rng(3))


def test_row_span_steps_are_those_of_full_matrices(instance):
    w = instance.weights
    gram, basis = w.T @ w, np.linalg.qr(w.T)[0]
    projection = basis @ basis.T
    lifted = [gram @ m @ gram for m in instance.output]
    inside = [projection @ m @ projection for m in instance.output]
    small = [w @ m @ w.T for m in instance.output]
    measured = {
        name: getattr(row_span_steps, name)(instance)
        for name in ("lifted_over_projected", "squared_norm_of_difference")
    }
    difference_of_norms = row_span_steps.squared_difference_of_norms(batch_of(instance))[0]
    energy = product(instance.output)
    norms = [np.sqrt(product((a[0], a[1]))) for a in (lifted, inside)]
    assert measured["lifted_over_projected"] == pytest.approx(
        product((lifted[0], lifted[1])) / product((small[0], small[1])), rel=1e-9
    )
    assert difference_of_norms == pytest.approx((norms[0] - norms[1]) ** 2 / energy, rel=1e-3)
    difference = [a - b for a, b in zip(inside, lifted, strict=True)]
    assert measured["squared_norm_of_difference"] == pytest.approx(
        product((difference[0], difference[1])) / energy, rel=1e-7
    )


def test_centres_of_gradients_in_the_weights_are_those_of_full_arrays(instance):
    stated = []
    full = []
    for half in instance.halves:
        values = half.inputs.values
        assert values is not None
        rows = gradients(instance.weights, half)
        full.append(np.einsum("xjn,xd->jnd", rows, values) / len(rows))
        stated.append(roots(half.confidence).mean(axis=0).T @ instance.weights)
    mean = np.full(instance.response.inputs.dimension, limits.INPUT_MEAN)
    guesses = [s[:, :, None] * mean for s in stated]
    expected = np.sum((full[0] - guesses[0]) * (full[1] - guesses[1])) / np.sum(full[0] * full[1])
    # Each half's Δ̂ meets the other half's guess.
    assert layer_gradients.error_of_centres(instance) == pytest.approx(expected, rel=1e-4)


def test_error_of_products_of_means_is_that_of_formed_matrices(monkeypatch):
    monkeypatch.setattr(layer_gradients, "INPUTS", 12)
    value = layer_gradients.error_of_products_of_means(5, np.random.default_rng(7), 0.3, 3)
    rng = np.random.default_rng(7)
    later, response = draw_response(5, 0.3, 3, 12, rng)
    labels = rng.permutation(np.arange(12) % 3)
    values = response.inputs.values
    rows = gradients(later[-1], response)[:, :, :, None] * values[:, None, None, :]
    flat = rows.reshape(12, 3, -1)
    hessian = np.einsum("xjp,xjq->pq", flat, flat) / 12
    means = np.concatenate([flat[labels == label].mean(axis=0) for label in range(3)])
    expected = np.linalg.norm(means.T @ means / 9 - hessian) / np.linalg.norm(hessian)
    assert value == pytest.approx(expected, rel=1e-5)
