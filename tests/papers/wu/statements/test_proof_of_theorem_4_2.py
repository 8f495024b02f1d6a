"""Steps of the proof of Theorem 4.2: c × c algebra against the n × n matrices that the paper writes."""

import numpy as np
import pytest

from rmtsim.papers.wu.simulation import row_span
from rmtsim.papers.wu.simulation.halves import product
from rmtsim.papers.wu.simulation.two_layer import draw_instance
from rmtsim.papers.wu.statements import proof_of_theorem_4_2 as steps
from tests.papers.wu.simulation.batches import batch_of


@pytest.fixture(scope="module")
def instance():
    return draw_instance(30, 0.4, 4, 40, np.random.default_rng(3))


@pytest.fixture(scope="module")
def projection(instance):
    basis = np.linalg.qr(instance.weights.T)[0]
    return basis @ basis.T


def squared(first, second):
    return float(np.sum(first * second))


def test_parts_of_m_by_the_row_span(instance, projection):
    outside = np.eye(len(projection)) - projection
    energy = product(instance.output)
    parts = {
        (left, right): squared(*(a @ m @ b for m in instance.output))
        for left, a in (("in", projection), ("out", outside))
        for right, b in (("in", projection), ("out", outside))
    }
    assert row_span.inside(instance) == pytest.approx(parts["in", "in"], rel=1e-10)
    assert row_span.half_inside(instance) == pytest.approx(parts["in", "in"] + parts["in", "out"], rel=1e-10)
    assert steps.inside_share(instance) == pytest.approx(np.sqrt(parts["in", "in"] / energy), rel=1e-10)
    assert steps.mixed_share(instance) == pytest.approx(np.sqrt(parts["in", "out"] / energy), rel=1e-9)
    assert steps.complement_share(instance) == pytest.approx(np.sqrt(parts["out", "out"] / energy), rel=1e-9)
    assert steps.lost_energy(instance) == pytest.approx(
        (parts["in", "out"] + parts["out", "in"] + parts["out", "out"]) / energy, rel=1e-9
    )


def test_norms_of_differences(instance, projection):
    w = instance.weights
    gram = w.T @ w
    inside = [m - projection @ m @ projection for m in instance.output]
    lifted = [m - gram @ m @ gram for m in instance.output]
    orthonormal = np.linalg.qr(w.T)[0].T
    orthonormal *= np.sign(
        np.sum(orthonormal * w, axis=1, keepdims=True)
    )  # Gram–Schmidt keeps the first direction
    coins = [
        m - orthonormal.T @ a @ orthonormal / 4
        for m, a in zip(instance.output, instance.curvature, strict=True)
    ]
    assert steps.distance_to_inside(instance) ** 2 == pytest.approx(squared(*inside), rel=1e-9)
    batch = batch_of(instance)
    assert steps.distance_to_own_lift(batch)[0] ** 2 == pytest.approx(squared(*lifted), rel=1e-4)
    assert steps.distance_to_orthonormal_fair_coins(instance) ** 2 == pytest.approx(squared(*coins), rel=1e-9)
    assert steps.lifted_over_output(batch)[0] == pytest.approx(
        squared(*(gram @ m @ gram for m in instance.output)) / product(instance.output), rel=1e-5
    )
