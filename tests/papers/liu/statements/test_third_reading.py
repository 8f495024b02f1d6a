"""Statements that lack a factor or a condition, and statements between the theorems: small cases."""

import math

import numpy as np
import pytest
from scipy import stats

from rmtsim import verify
from rmtsim.claims import find
from rmtsim.papers.liu.simulation.architectures import bottleneck
from rmtsim.papers.liu.simulation.bottleneck import stratified_bottlenecks
from rmtsim.papers.liu.simulation.training import trained_distances
from rmtsim.papers.liu.simulation.wide_networks import sample_wide

CHEAP = ("sec1.1.taylor", "eq48.scale")


@pytest.mark.parametrize("name", CHEAP)
def test_printed_is_refuted_and_corrected_confirmed(name):
    assert str(verify(f"liu.{name}", budget=1.0)[0].verdict) == "REFUTED"
    assert str(verify(f"liu.{name}/corrected", budget=3.0)[0].verdict) == "CONFIRMED"


def _drawn(name, size, replicates, **point):
    claim = find(name)
    point = claim.point(point)
    return np.ravel(claim.at(point).sample(point, size, np.random.default_rng(0), replicates))


def test_covariance_of_one_neuron_by_direct_products():
    """m = 2: the same covariance from the network's own products, output weights drawn."""
    rng, count = np.random.default_rng(1), 200_000
    w, v = rng.standard_normal((2, count, 2))
    inner = rng.standard_normal((count, 2, 2))
    z = np.einsum("nij,nj->ni", inner, np.tanh(w)) / math.sqrt(2)
    b = np.einsum("nij,ni->nj", inner, v / np.cosh(z) ** 2)[:, 0] / 2
    direct = np.cov(np.cosh(w[:, 0]) ** -4, 2 * b**2)[0, 1]
    drawn = _drawn("liu.sec3.2.independent/corrected", 2, 40_000)
    assert drawn.mean() == pytest.approx(direct, abs=4 * drawn.std() / 200 + 0.004)


def test_odd_networks_do_not_fit_equal_labels_at_opposite_inputs():
    assert not _drawn("liu.thm5.1.data", 50, 20).any()
    assert _drawn("liu.thm5.1.data/corrected", 200, 20).all()


def test_distance_of_training_is_that_of_a_linear_model_for_wide_networks():
    """‖W* - W₀‖² = rᵀK⁻¹r for a model that is linear."""
    inputs, targets = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([1.0, 2.0])
    batch = sample_wide((2, 2000, 1), 3, np.random.default_rng(0), inputs[0])
    points = [batch.at(x) for x in inputs]
    kernel = np.stack([[a.kernels_with(b) for b in points] for a in points]).transpose(2, 0, 1)
    residual = np.stack([point.output for point in points], axis=1) - targets
    linear = np.sqrt(np.einsum("ni,ni->n", residual, np.linalg.solve(kernel, residual[:, :, None])[:, :, 0]))
    assert trained_distances(batch, inputs, targets) == pytest.approx(linear, rel=0.03)


def test_block_norms_from_second_differences_are_those_of_the_network():
    size, x = 6, 1.3
    point = stratified_bottlenecks(size, 1, 16, np.random.default_rng(0))
    exact = []
    for weights in point.transpose(1, 0, 2):
        network = bottleneck(size, np.random.default_rng(1)).with_parameters(weights.ravel())
        exact.append(np.linalg.norm(network.hessian_block([[x]], None, 1, 1), 2))
    assert _drawn("liu.eq109.mean", size, 1, x=x)[0] == pytest.approx(np.mean(exact), rel=1e-9)


def test_largest_constant_of_the_small_ball_bound():
    """The least quantile of |G| at δ, over δ³, is 2.248."""
    delta = np.linspace(0.01, 0.999, 5000)
    assert np.min(stats.norm.ppf((1 + delta) / 2) / delta**3) == pytest.approx(2.248, abs=1e-3)
