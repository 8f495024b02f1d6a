"""Comparison of a network with the theory of `dong`: suitable networks pass, each broken assumption is named."""

import itertools

import numpy as np
import pytest

from rmtsim import networks
from rmtsim.networks import fully_connected, network_from_arrays
from rmtsim.papers.dong.comparison import (
    Row,
    _Average,
    _averages,
    _large_sizes,
    _squared_gram,
    compare_with_theory,
)


def test_something_else_than_a_network_is_refused():
    with pytest.raises(TypeError, match="expected a Network, not ndarray"):
        compare_with_theory(np.eye(2), np.eye(2), np.eye(2))


@pytest.mark.thorough
def test_comparison_at_initialisation_and_away_from_it():
    rng = np.random.default_rng(0)
    x, labels = rng.standard_normal((90, 45)), np.arange(90) % 6
    network = fully_connected((45, 5, 6), loss="cross_entropy").sample(rng)
    fair = compare_with_theory(network, x, labels)
    assert not fair.broken
    assert all(abs(row.distance) < 4 for row in fair.rows)
    assert {row.name for row in fair.rows if row.theory is not None} == {row.name for row in fair.rows}
    for row in fair.rows:
        # Theory is the limit of what is drawn: five standard errors of the draws' mean, and 15 % for size.
        assert abs(row.mean - row.theory) < 5 * row.spread / 24**0.5 + 0.15 * row.theory
    other = network_from_arrays(
        [3 * network.weights[0], network.weights[1]], [np.zeros(5), None], "tanh", "cross_entropy"
    )
    unfair = compare_with_theory(other, x + 1, labels)
    names = " ".join(a.name for a in unfair.broken)
    for part in ("activation ReLU", "no biases", "inputs: mean of entries", "weights of layer 1"):
        assert part in names
    assert "weights of layer 2" not in names
    text = str(unfair)
    assert "BROKEN no biases" in text
    assert "one network at these sizes" in text


def _own_case(change):
    """A fair network and inputs with one thing changed; what is called broken."""
    rng = np.random.default_rng(5)
    x, labels = rng.standard_normal((150, 60)), rng.integers(8, size=150)
    w1, w2 = rng.standard_normal((12, 60)) / 60**0.5, rng.standard_normal((8, 12)) / 12**0.5
    w1, w2, x = change(w1, w2, x)
    network = network_from_arrays([w1, w2], None, "relu", "cross_entropy")
    return {a.name for a in compare_with_theory(network, x, labels[: len(x)]).broken}


MIXED = np.random.default_rng(6).standard_normal((60, 60)) / 60**0.5


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda w1, w2, x: (w1, w2, x), None),
        (lambda w1, w2, x: (2**0.5 * w1, w2, x), "weights of layer 1: fan-in × mean square"),
        (lambda w1, w2, x: (w1, 12**0.5 * w2, x), "weights of layer 2: fan-in × mean square"),
        (lambda w1, w2, x: ((w1 + w1[:1]) / 2**0.5, w2, x), "weights of layer 1: ‖WᵀW‖²_F/(m·fan-in)"),
        (lambda w1, w2, x: (x[:12] / 60**0.5, w2, x), "inputs and weights of layer 1: ‖XWᵀ‖²_F/(N·m)"),
        (lambda w1, w2, x: (w1, w2, x @ MIXED), "inputs: ‖XᵀX/N‖²_F/d"),
        (lambda w1, w2, x: (w1, w2, x + 0.1), "inputs: mean of entries"),
        (
            lambda w1, w2, x: (w1, w2, x * np.where(np.arange(150) % 2, 1.4, 0.6)[:, None] ** 0.5),
            "inputs: mean of (|x|²/d)²",
        ),
        (lambda w1, w2, x: (w1, w2, x[:2]), "d and N large"),
    ],
)
def test_each_broken_assumption_is_named(change, broken):
    found = _own_case(change)
    assert found == set() if broken is None else broken in found


def _exact_moments(averages, count, nodes=5):
    """Mean and variance of some averages over ``count`` standard normal numbers, by Gauss–Hermite quadrature.

    Five nodes are exact for the square of a polynomial of degree four in each number.
    """
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    weights = weights / weights.sum()
    means = squares = 0.0
    for choice in itertools.product(range(nodes), repeat=count):
        values = np.array(averages(points[list(choice)]))
        share = weights[list(choice)].prod()
        means, squares = means + share * values, squares + share * values**2
    return means, squares - np.square(means)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (4, 1), (2, 2), (1, 3), (2, 3), (3, 2)])
def test_squared_gram_matrices_of_gaussian_ones(rows, columns):
    _, mean, variance = _squared_gram(np.ones((rows, columns)))
    found = _exact_moments(lambda v: [_squared_gram(v.reshape(rows, columns))[0]], rows * columns)
    np.testing.assert_allclose(found, [[mean], [variance]], rtol=1e-10)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("shape", "network", "chosen", "nodes"),
    [
        ((2, 2), lambda v: ((2, 1, 2), v[:2] * 0, v[:2] * 0, v), slice(0, 4), 5),
        ((1, 3), lambda v: ((3, 1, 2), v * 0, v[:2] * 0, v), slice(0, 4), 5),
        ((2, 2), lambda v: ((2, 2, 1), v / 2**0.5, v[:2] * 0, v * 0), slice(4, 6), 5),
        ((1, 3), lambda v: ((3, 1, 2), v / 3**0.5, v[:2] * 0, v * 0), slice(4, 6), 5),
        ((2, 2), lambda v: ((1, 2, 2), v[:2] * 0, v / 2**0.5, v[:1] * 0), slice(6, 8), 5),
        ((3, 2), lambda v: ((2, 1, 1), v[:2] / 2**0.5, v[:1] * 0, v[2:]), slice(8, 9), 3),
        ((4, 2), lambda v: ((2, 2, 1), v[:4] / 2**0.5, v[:2] * 0, v[4:]), slice(8, 9), 3),
        ((2, 3), lambda v: ((3, 1, 1), v[:3] / 3**0.5, v[:1] * 0, v[3:]), slice(8, 9), 3),
    ],
)
def test_what_gaussian_inputs_and_weights_give(shape, network, chosen, nodes):
    """Mean and variance that each average is judged by: exactly, in small cases."""

    def drawn(v):
        (d, m, c), w1, w2, x = network(v)
        own = network_from_arrays([w1.reshape(m, d), w2.reshape(c, m)], None, "relu", "cross_entropy")
        return _averages(own, x.reshape(-1, d))[chosen]

    count = shape[0] * shape[1]
    told = drawn(np.ones(count))
    mean, variance = _exact_moments(lambda v: [average.value for average in drawn(v)], count, nodes)
    np.testing.assert_allclose(mean, [average.mean for average in told], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(variance, [average.variance for average in told], rtol=1e-10)


def test_four_deviations_are_far_and_half_a_limit_is_not_near():
    assert _Average("a", 1.39, 1.0, 0.01, "").assumption().met
    assert not _Average("a", 0.59, 1.0, 0.01, "").assumption().met
    for mean, met in ((1.49, True), (1.51, False)):
        (found,) = _large_sizes((Row("a", 1.0, 1.0, mean, 0.0), Row("b", 1.0, None, 9.0, 0.0)), 4)
        assert found.met == met
    (scattered,) = _large_sizes((Row("a", 1.0, 1.0, 1.6, 0.1),), 4)
    assert scattered.met
    assert Row("a", 1.0, None, 1.0, 0.0).distance == 0
    assert Row("a", 2.0, None, 1.0, 0.0).distance == np.inf
    assert Row("a", 2.0, None, 1.0, 0.25).distance == 4


def test_rows_that_are_compared():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 20))

    def named(network, goals):
        return [row.name for row in compare_with_theory(network, x, goals, networks=4).rows]

    three = [f"{{}} {quantity}" for quantity in ("‖H_ii‖²", "‖H_ij‖²", "ratio")]
    small = fully_connected((20, 2, 2), loss="cross_entropy").sample(rng)
    first = [name.format("hidden") + ("" if "ratio" in name else "/d") for name in three]
    assert named(small, np.arange(40) % 2) == first + [name.format("output") for name in three]
    square = small.with_loss("square")
    assert named(square, np.zeros((40, 2))) == [*first, "output ‖H_ii‖²"]
    deep = fully_connected((20, 3, 3, 2), loss="cross_entropy").sample(rng)
    assert named(deep, np.arange(40) % 2)[2:4] == ["layer 1 ratio", "layer 2 ‖H_ii‖²"]
    dead = small.with_parameters(0 * small.parameters)
    assert compare_with_theory(dead, x, np.arange(40) % 2, networks=4).rows == ()


def test_comparison_of_square_loss_linear_and_deep_networks():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 40))
    square = fully_connected((40, 5, 4), loss=networks.loss("square", factor=0.5)).sample(rng)
    rows = {row.name: row for row in compare_with_theory(square, x, np.zeros((60, 4))).rows}
    assert rows["hidden ‖H_ii‖²/d"].theory == pytest.approx(4 * 6 * (1 + 2 * 40 / 60) / (4 * 25))
    assert rows["output ‖H_ii‖²"].theory is None
    deep = fully_connected((40, 5, 5, 4), loss="cross_entropy").sample(rng)
    result = compare_with_theory(deep, x, np.arange(60) % 4)
    assert [a.name for a in result.broken] == ["at most one hidden layer"]
    assert all(row.theory is None for row in result.rows)
    with pytest.raises(ValueError, match="theory exists for cross_entropy and square"):
        compare_with_theory(deep.with_loss("hinge"), x, np.ones((60, 4)))
