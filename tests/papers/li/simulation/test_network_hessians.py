"""Traces and moments of network Hessians against the matrices themselves."""

import numpy as np
import pytest

from rmtsim.papers.li.simulation.hinge_training import hinge_problem
from rmtsim.papers.li.simulation.network_hessians import (
    bulk_moments,
    drawn_hessian,
    sample_hessians,
    skewness,
)


def test_skewness_from_blocks_is_that_of_the_matrix():
    for seed in range(3):
        hessian = drawn_hessian(4, np.random.default_rng(seed), 3)
        square = hessian @ hessian
        expected = np.sum(square * hessian) * len(hessian) ** 0.5 / np.trace(square) ** 1.5
        assert skewness(4, np.random.default_rng(seed)) == pytest.approx(expected, rel=1e-9)


def test_one_sample_is_all_that_single_samples_add():
    """With m = 1 tr H⁴ is tr (∇²T)⁴: the term computed from other samples has its mean, to four standard errors."""
    rng = np.random.default_rng(2)
    found = [bulk_moments(6, 1, rng) for _ in range(250)]
    ratio = np.array([each.network / each.single_samples for each in found if each.single_samples])
    assert abs(ratio.mean() - 1) < 4 * ratio.std() / len(ratio) ** 0.5 < 0.3


def test_the_law_misses_the_bulk_by_the_term_of_single_samples():
    rng = np.random.default_rng(7)
    found = [bulk_moments(16, 16, rng) for _ in range(40)]
    without = [(each.network - each.equation) / (each.network + each.equation) for each in found]
    assert np.mean(without) > 0.15
    assert abs(np.mean([each.gap for each in found])) < 0.07


def test_rows_of_sample_hessians_are_the_engine_s():
    network, inputs, _ = hinge_problem(4, 3, 7, np.random.default_rng(3))
    outputs, rows = sample_hessians(network, inputs)
    plain = network.with_loss("none")
    matrices = np.array([plain.hessian(x[None]) for x in inputs])
    assert outputs == pytest.approx(plain.output(inputs)[:, 0], abs=1e-12)
    assert rows @ rows.T == pytest.approx(np.einsum("iab,jab->ij", matrices, matrices), abs=1e-11)
