"""Logit gradients: the factor of eq. (25), and M as the sum of their products."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.wu.simulation.logit_gradients import gradients, roots
from rmtsim.papers.wu.simulation.output_hessian import output_hessian
from tests.papers.wu.simulation.small_networks import small


@given(seed=st.integers(0, 10**6), classes=st.integers(2, 6))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_roots_factor_the_curvature_from_one_side_only(seed, classes):
    logits = 3 * np.random.default_rng(seed).standard_normal((1, classes))
    p = np.exp(logits) / np.exp(logits).sum()
    (q,) = roots(p)
    curvature = np.diag(p[0]) - np.outer(p[0], p[0])
    assert np.allclose(q.T @ q, curvature, atol=1e-15)
    # Q Qᵀ, as the proof of Lemma B.12 has it, is A only for equal probabilities.
    assert not np.allclose(q @ q.T, curvature, atol=1e-6)
    assert np.allclose(roots(np.full((1, classes), 1 / classes))[0].sum(axis=1), 0, atol=1e-15)


def test_products_of_gradients_sum_to_the_output_hessian():
    network, response = small(2, units=9, classes=4, count=20)
    found = gradients(network.weights[-1], response)
    for x in range(3):
        by_hand = (
            roots(response.confidence[x : x + 1])[0] @ network.weights[-1] @ np.diag(response.active[-1][x])
        )
        assert np.allclose(found[x], by_hand, atol=1e-15)
    total = sum(rows.T @ rows for rows in found) / len(found)
    assert np.allclose(total, output_hessian(network.weights[-1], response), rtol=1e-12, atol=1e-15)
