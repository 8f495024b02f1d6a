"""Steps of proofs and the tables of appendix H: values by hand, and both forms far apart."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from rmtsim.papers.wu.statements import pac_bayes, proof_steps


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        (proof_steps.error_of_kronecker_index, {}),
        (proof_steps.missing_overlap_of_order, {}),
        (proof_steps.error_of_training_hessian, {"classes": 3}),
        (proof_steps.error_of_output, {"depth": 3}),
        (proof_steps.error_of_factorisation, {}),
        (pac_bayes.error_of_bound, {}),
    ],
)
def test_identities_tell_the_forms_apart(measure, options):
    corrected = measure(4, np.random.default_rng(1), form="corrected", **options)
    printed = measure(4, np.random.default_rng(1), form="printed", **options)
    assert corrected < 1e-12 < 1e-3 < printed


def test_the_share_within_one_deviation():
    gamma = ((math.pi - 1) / (2 * math.pi)) ** 2
    inside = 1 - 2 * norm.sf(math.sqrt(gamma))
    assert proof_steps.error_of_share(1, form="printed") == pytest.approx(0.68 / inside - 1)
    assert proof_steps.error_of_share(1, form="corrected") < 0.005


def test_a_space_that_turns_by_a_right_angle():
    """diag(1, 0) and diag(1/2, 1/2 + ε): the sine is one and ‖δ‖_F is about 1/√2."""
    values = [
        proof_steps.rotation_over_bound(4, np.random.default_rng(seed), classes=2, reach=1.0)
        for seed in range(200)
    ]
    assert 1.2 < max(values) <= math.sqrt(2) + 1e-9
    assert min(values) == 0.0


def test_the_minimum_of_a_mean_is_larger():
    assert 0.7 < proof_steps.least_eigenvalue_over_that_of_mean(4000, np.random.default_rng(0), 4) < 0.8


def test_the_bound_of_one_row_of_the_table():
    row = pac_bayes.TABLE_10[0]
    assert round(pac_bayes.bound_of(row), 3) == 0.154
    error = pac_bayes.largest_error(0.1, 0.05)
    back = 0.1 * math.log(0.1 / error) + 0.9 * math.log(0.9 / (1 - error))
    assert back == pytest.approx(0.05)


def test_seven_rows_lie_at_the_end_of_the_range():
    assert sum(pac_bayes.index(row) < 1 for row in pac_bayes.TABLE_10) == 7
    assert pac_bayes.deviation_inside(1) < 1e-4 < pac_bayes.deficit_at_the_edge(1, form="printed")
