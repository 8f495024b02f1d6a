"""The bottleneck network in batches against the network engine, and what a flow and a flat point must satisfy."""

import math

import numpy as np
import pytest

from rmtsim.papers.liu.simulation.architectures import bottleneck
from rmtsim.papers.liu.simulation.bottleneck import (
    bottleneck_flow,
    bottleneck_gradients,
    bottleneck_norms,
    distance_to_flat_point,
    sample_bottlenecks,
    stratified_bottlenecks,
)


@pytest.mark.parametrize("x", [1.0, -0.4])
def test_values_gradients_and_norms_are_the_engine_s(x):
    network = bottleneck(40, np.random.default_rng(0))
    point = sample_bottlenecks(40, 3, np.random.default_rng(1))
    values, gradients = bottleneck_gradients(point, x)
    norms = bottleneck_norms(point, x)
    for k in range(3):
        same = network.with_parameters(point[:, k].ravel())
        assert values[k] == pytest.approx(same.output([[x]])[0, 0], rel=1e-12)
        assert gradients[:, k].ravel() == pytest.approx(same.gradient([[x]]), rel=1e-10, abs=1e-14)
        assert norms[k] == pytest.approx(np.linalg.norm(same.hessian([[x]]), 2), rel=1e-6)


def test_flat_points_are_flat_and_nearly_the_nearest():
    point = sample_bottlenecks(4000, 4, np.random.default_rng(0))
    flat, distances = distance_to_flat_point(point, 1.0)
    assert bottleneck_norms(flat, 1.0).max() < 1e-9
    w1, w2, w3, w4 = point
    s, b = (w4 * w3**2).sum(axis=1) / math.sqrt(4000), (w2 * w1**2).sum(axis=1) / 2 / math.sqrt(4000)
    assert distances == pytest.approx(np.sqrt(s**2 / 7 + b**2 / 1.75), rel=0.1)


def test_flow_conserves_and_ends_at_the_label_or_at_rest():
    point = sample_bottlenecks(2000, 24, np.random.default_rng(3))
    flow = bottleneck_flow(point, 1.0)
    arrived = np.abs(flow.last - 1.0) < 1e-3
    w1, w2, w3, w4 = point
    s, b = (w4 * w3**2).sum(axis=1) / math.sqrt(2000), (w2 * w1**2).sum(axis=1) / 2 / math.sqrt(2000)
    stuck = (s < 0) & (s**2 > 2 * b**2 + 0.3)
    clear = (s > 0) | (s**2 < 2 * b**2 - 0.3)
    assert not arrived[stuck].any()
    assert arrived[clear].all()
    assert stuck.any()
    assert np.abs(flow.kernel_after[stuck]).max() < 1e-6


def test_bad_shapes_are_refused():
    with pytest.raises(ValueError, match="expected \\(4, networks, width\\)"):
        bottleneck_norms(np.ones((3, 2, 2)), 1.0)


def test_strata_change_no_expectation_and_take_spread_away():
    rng = np.random.default_rng(11)
    plain = bottleneck_norms(sample_bottlenecks(200, 2000, rng), 1.0, blocks=3)
    groups = (
        bottleneck_norms(stratified_bottlenecks(200, 120, 16, rng), 1.0, blocks=3)
        .reshape(120, 16)
        .mean(axis=1)
    )
    error = np.sqrt(plain.var() / 2000 + groups.var() / 120)
    assert abs(plain.mean() - groups.mean()) < 4 * error
    assert groups.var() < 0.5 * plain.var() / 16
    point = stratified_bottlenecks(24, 250, 16, rng)
    for index, power in ((1, 2), (3, 2), (1, 4), (3, 4), (0, 2)):
        moment = {2: 1.0, 4: 3.0}[power]
        assert (point[index] ** power).mean() == pytest.approx(moment, abs=0.05)


def test_three_blocks_are_enough_for_a_mean():
    point = sample_bottlenecks(32, 200, np.random.default_rng(12))
    few, many = (bottleneck_norms(point, 1.0, blocks=blocks) for blocks in (3, 7))
    assert few == pytest.approx(many, rel=1e-4)
