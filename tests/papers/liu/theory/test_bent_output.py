"""The limit of the kernel's change behind z + a sin z against a plain loop over drawn outputs."""

import math

import numpy as np
import pytest

from rmtsim.papers.liu.theory.bent_output import bent_kernel_change, sine_kernel

INPUTS = np.array([0.8, 2.0])
TARGETS = np.array([1.0, -1.0])


def test_against_a_plain_loop():
    rng = np.random.default_rng(0)
    # Moments of sin(wx) and cos(wx) by quadrature of their own.
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    sines, cosines = np.sin(np.outer(INPUTS, nodes)), np.cos(np.outer(INPUTS, nodes))
    kernel = np.outer(INPUTS, INPUTS) * ((cosines * weights) @ cosines.T)
    np.testing.assert_allclose(sine_kernel(INPUTS), kernel, atol=1e-12)
    deviation = np.linalg.cholesky((sines * weights) @ sines.T)
    found = []
    for _ in range(400):
        f = deviation @ rng.standard_normal(2)
        slope = np.diag(1 + 0.5 * np.cos(f))
        first, most = slope @ kernel @ slope, 0.0
        for _ in range(30):
            f = f - 0.2 * kernel @ slope @ (f + 0.5 * np.sin(f) - TARGETS)
            slope = np.diag(1 + 0.5 * np.cos(f))
            most = max(most, np.linalg.norm(slope @ kernel @ slope - first) / np.linalg.norm(first))
        found.append(most)
    stated = bent_kernel_change(0.5, INPUTS, TARGETS, steps=30, rate=0.2, nodes=40)
    assert abs(np.mean(found) - stated) < 4 * np.std(found) / math.sqrt(len(found))


def test_more_nodes_agree():
    values = [bent_kernel_change(0.8, INPUTS, TARGETS, steps=40, rate=0.2, nodes=n) for n in (24, 60)]
    assert values[0] == pytest.approx(values[1], rel=5e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": [1.0]}, "one target an input"),
        ({"rate": 0.0}, "rate"),
        ({"rate": 9.0}, "overshoots"),
        ({"bend": 1.5}, "bend=1.5"),
        ({"inputs": [0.0, 0.0]}, "other than zero"),
        ({"inputs": [1.0] * 4, "targets": [1.0] * 4}, "one to three"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"bend": 0.5, "inputs": [0.8, 2.0], "targets": [1.0, 2.0], "steps": 5, "rate": 0.1}
    with pytest.raises(ValueError, match=message):
        bent_kernel_change(**(arguments | change))


def test_the_longest_step_is_two_over_the_largest_curvature():
    # One input x = 1: the kernel is (1 + e⁻²)/2, and φ' is at most 1 + a.
    longest = 2 / (1.5**2 * (1 + np.exp(-2)) / 2)
    assert bent_kernel_change(0.5, [1.0], [2.0], steps=2, rate=0.999 * longest) > 0
    with pytest.raises(ValueError, match="rate"):
        bent_kernel_change(0.5, [1.0], [2.0], steps=2, rate=1.001 * longest)
