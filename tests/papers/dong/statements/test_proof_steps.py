"""Steps of proofs as claims: values by hand, and both forms far apart."""

import math

import numpy as np
import pytest
from scipy.integrate import dblquad

from rmtsim.papers.dong.statements import proof_steps


def test_the_truncated_integral_is_that_of_the_quadrant():
    direct, _ = dblquad(lambda y, x: math.exp(-((x - y) ** 2) / 2), 0, 3, 0, 3)
    assert proof_steps.truncated_integral(3) == pytest.approx(direct, rel=1e-9)


def test_the_difference_of_derivatives_is_that_of_finite_differences():
    """The left side of (53) by central differences, with code of its own."""
    rng = np.random.default_rng(0)
    d, count, t, z, h = 3, 5, 0.4, -0.5, 1e-5
    x, y = rng.standard_normal((2, d, count))
    v = rng.standard_normal((2, d)) / math.sqrt(d)

    def parts(x, y):
        p = 1 / (1 + np.exp((v[1] - v[0]) @ (math.sqrt(t) * x + math.sqrt(1 - t) * y)))
        a = p * (1 - p)
        return (
            a,
            (1 - 2 * p) * a,
            np.linalg.inv(
                sum(a[n] * np.outer(x[:, n], x[:, n]) for n in range(count)) / count - z * np.eye(d)
            ),
        )

    def f(x, y):
        _, b, g = parts(x, y)
        return x[:, 0] @ g @ x[:, 0] * b[0]

    a, b, g = parts(x, y)
    image = g @ x[:, 0]
    for s in range(d):
        step = np.zeros_like(x)
        step[s, 0] = h
        by_copy = (f(x, y + step) - f(x, y - step)) / (2 * h)
        by_input = (f(x + step, y) - f(x - step, y)) / (2 * h)
        stated = 2 / math.sqrt(t) * b[0] * (a[0] / count * image[s] * (image @ x[:, 0]) - image[s])
        assert by_copy / math.sqrt(1 - t) - by_input / math.sqrt(t) == pytest.approx(stated, abs=1e-8)


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        (proof_steps.error_of_second_moment, {}),
        (proof_steps.error_of_stein_difference, {"classes": 3}),
    ],
)
def test_identities_tell_the_forms_apart(measure, options):
    corrected = measure(4, np.random.default_rng(1), form="corrected", **options)
    printed = measure(4, np.random.default_rng(1), form="printed", **options)
    assert corrected < 1e-10 < 1e-3 < printed


def test_a_resolvent_at_an_eigenvalue_has_the_norm_one_over_the_height():
    value = proof_steps.resolvent_over_bound(6, np.random.default_rng(2), form="corrected", height=0.1)
    assert value == pytest.approx(1.0)
    value = proof_steps.resolvent_over_bound(6, np.random.default_rng(2), form="printed", height=0.1)
    assert value == pytest.approx(10.0)


def test_q_of_two_classes_by_hand():
    """V = (M, -M): |Q| = M³|3 - 4q|q(1-q) at k = 1, whose largest value is near 0.379."""
    values = [
        proof_steps.q_over_bound(
            4, np.random.default_rng(seed), form="corrected", largest=0.05, hidden=3, classes=2
        )
        for seed in range(60)
    ]
    q = np.linspace(0, 1, 10001)
    assert max(values) <= np.max(np.abs(3 - 4 * q) * q * (1 - q)) / 3 + 1e-12
    assert max(values) > 0.1


def test_clusters_of_the_listing():
    assert proof_steps.error_of_cluster_count(500, np.random.default_rng(0), form="printed") == 0.5
    assert proof_steps.error_of_cluster_count(500, np.random.default_rng(0), form="corrected") == 0.0
