"""Batches of networks against one network at a time, and their companions of second order."""

import numpy as np
import pytest

from rmtsim.papers.wu.simulation.halves import product
from rmtsim.papers.wu.simulation.known_averages import deviations
from rmtsim.papers.wu.simulation.known_squares import linear_deviations, quadratic_deviations
from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
from rmtsim.papers.wu.simulation.relu_batches import draw_network_batches
from rmtsim.papers.wu.simulation.two_layer import draw_instances
from rmtsim.papers.wu.statements import layer_hessian, output_norms
from rmtsim.papers.wu.statements.batches import expanded, trace
from tests.papers.wu.simulation.batches import batch_of


@pytest.fixture(scope="module", params=[2, 4])
def networks(request):
    return draw_instances(30, 0.4, request.param, 40, 3, np.random.default_rng(5))


def test_quantities_are_those_of_single_networks(networks):
    batch = batch_of(*networks)
    for name in ("output_energy", "independent_energy", "layer_energy"):
        assert getattr(batch, name) == pytest.approx([getattr(each, name) for each in networks], rel=1e-5)
    for name in ("curvature", "projected_output", "projected_independent", "layer_projected"):
        for half in range(2):
            expected = np.stack([getattr(each, name)[half] for each in networks])
            np.testing.assert_allclose(getattr(batch, name)[half], expected, rtol=1e-4, atol=1e-7)
    lifted = [each.lifted_energy(each.projected_output) for each in networks]
    assert batch.lifted_energy(batch.projected_output) == pytest.approx(lifted, rel=1e-5)
    np.testing.assert_allclose(linear_deviations(batch), [deviations(each) for each in networks], atol=1e-6)


def test_gaps_are_those_of_single_networks(networks):
    batch = batch_of(*networks)
    assert batch.output_gaps() == pytest.approx([each.output_gap() for each in networks], rel=1e-4)
    assert batch.layer_gaps(2) == pytest.approx([each.layer_gap() for each in networks[:2]], rel=1e-3)


def test_distances_are_those_of_full_matrices(networks):
    """The estimate of half a takes E[A] from half b, and meets the M of its own half."""
    measured = output_norms.distance_to_lifted(batch_of(*networks))
    layer = layer_hessian.distance_to_lifted_layer(batch_of(*networks))
    for index, each in enumerate(networks):
        w = each.weights
        lifts = [w.T @ projected @ w for projected in each.projected_independent]
        mixed = sum(product((m, lift)) for m, lift in zip(each.output, lifts, strict=True))
        expected = each.output_energy - mixed + product((lifts[0], lifts[1]))
        assert measured[index] ** 2 == pytest.approx(expected, rel=1e-4)
        top = each.autocorrelation_top()
        mixed = top * sum(map(np.vdot, each.layer_projected, each.projected_independent))
        expected = each.layer_energy - mixed + top**2 * product((lifts[0], lifts[1]))
        assert layer[index] ** 2 == pytest.approx(expected, rel=1e-4)


def test_quadratic_companions_have_mean_zero_at_a_small_width():
    """Exact at every width, so tested where any 1/n term would show: five units, 6400 networks, four errors."""
    rng = np.random.default_rng(0)
    batches = [NetworkBatch(each) for _ in range(20) for each in draw_network_batches(5, 0.9, 4, 8, 320, rng)]
    for dependence in (
        lambda projected, energy, length: trace(projected, energy, length),
        lambda projected, energy, length: trace(energy) ** 2 * trace(projected) / trace(length, length),
    ):
        expansion = expanded(dependence, 4)
        values = np.concatenate([quadratic_deviations(batch, expansion) for batch in batches])
        assert abs(values.mean()) < 4 * values.std() / np.sqrt(len(values))


def test_an_expansion_is_that_of_the_function():
    rng = np.random.default_rng(1)

    def dependence(projected, energy, length):
        return trace(projected, projected, energy) / trace(length, length)

    found = expanded(dependence, 4)
    raw = 1e-3 * rng.standard_normal((3, 3, 3))
    moves = raw + raw.transpose(0, 2, 1)
    centre = [number * np.eye(3) for number in found.centre]
    exact = dependence(*(c + m for c, m in zip(centre, moves, strict=True))) - dependence(*centre)
    traces = np.trace(moves, axis1=1, axis2=2)
    second = np.einsum("aij,bij,ab->", moves, moves, found.squares) + traces @ found.traces @ traces
    assert exact == pytest.approx(found.gradient @ traces / 3 + second, abs=3e-8)
    assert abs(second) > 3e-7


def test_batches_have_the_law_of_single_networks():
    """Mean gates, squared logits and norms of E[A] at one width, four errors; both ways of drawing pre-activations."""
    rng = np.random.default_rng(2)
    for alpha in (0.1, 1.0):
        batches = [
            NetworkBatch(each) for _ in range(40) for each in draw_network_batches(12, alpha, 3, 16, 8, rng)
        ]
        singles = [each for _ in range(40) for each in draw_instances(12, alpha, 3, 16, 8, rng)]
        for of_batch, of_single in (
            (lambda b: b.responses.active.mean(axis=(1, 2)), lambda s: s.response.active[-1].mean()),
            (lambda b: (b.responses.logits**2).mean(axis=(1, 2)), lambda s: (s.response.logits**2).mean()),
            (lambda b: b.output_energy, lambda s: s.output_energy),
        ):
            first = np.concatenate([of_batch(each) for each in batches])
            second = np.array([of_single(each) for each in singles])
            # Eight networks share their inputs: forty independent sets.
            error = np.hypot(*(v.reshape(40, 8).mean(axis=1).std() / np.sqrt(40) for v in (first, second)))
            assert abs(first.mean() - second.mean()) < 4 * error
