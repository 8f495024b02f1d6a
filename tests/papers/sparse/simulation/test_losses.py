"""Recovery error, masked loss, isometry, over-realised dictionaries, training: beside naive loops and known cases."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.sparse.simulation import (
    directions_of_pairs,
    draw_codes,
    draw_dictionary,
    draw_measurements,
    draw_orthonormal,
    incoherence,
    initial_dictionary,
    isometry_bounds,
    isometry_constant,
    lattice_net,
    masked_loss,
    masked_losses,
    normalised,
    orthogonal_matching_pursuit,
    recovery_error,
    ridge_estimate,
    sparse_losses,
    train,
    two_columns_each,
)

RNG = np.random.default_rng


def naive_recovery_error(truth, learned):
    total = 0.0
    for a in truth.T:
        total += min(float(((a - c * b) ** 2).sum()) for b in learned.T for c in (-1, 1))
    return total / truth.shape[1]


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 6), st.integers(1, 8))
@settings(max_examples=30, deadline=None)
def test_recovery_error(seed, dimension, atoms, columns):
    rng = RNG(seed)
    truth, learned = rng.standard_normal((dimension, atoms)), rng.standard_normal((dimension, columns))
    assert recovery_error(truth, learned) == pytest.approx(naive_recovery_error(truth, learned), rel=1e-9)
    turned = np.hstack([-truth[:, ::-1], learned])
    assert recovery_error(truth, turned) == 0


def test_recovery_error_depends_on_norms_and_the_loss_does_not():
    """What the errata say of (2.2): 2A reconstructs as A does, and lies at distance one."""
    truth = draw_dictionary(5, 7, RNG(0))
    rows = RNG(1).standard_normal((20, 5))
    assert recovery_error(truth, 2 * truth) == pytest.approx(1.0)
    np.testing.assert_allclose(sparse_losses(rows, truth, 2), sparse_losses(rows, 2 * truth, 2), atol=1e-12)


def test_masked_loss_decodes_from_the_mask_alone():
    rng = RNG(2)
    matrix = rng.standard_normal((8, 5))
    rows, mask = rng.standard_normal((6, 8)), [0, 2, 3, 7, 5]
    hidden = [1, 4, 6]
    expected = []
    for row in rows:
        code = orthogonal_matching_pursuit(row[sorted(mask)], matrix[sorted(mask)], 2).codes[0]
        expected.append(sum((row[i] - matrix[i] @ code) ** 2 for i in hidden))
    np.testing.assert_allclose(masked_losses(rows, matrix, 2, mask), expected)
    assert masked_loss(rows, matrix, 2, mask) == pytest.approx(np.mean(expected))
    rows[:, hidden] += 1.0  # what is hidden must not move the codes
    moved = masked_losses(rows, matrix, 2, mask)
    assert not np.allclose(moved, expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: masked_loss(np.ones((1, 3)), np.eye(3), 1, []), "mask of size 0"),
        (lambda: masked_loss(np.ones((1, 3)), np.eye(3), 1, [0, 1, 2]), "mask of size 3"),
        (lambda: masked_loss(np.ones((1, 3)), np.eye(3), 1, [0, 3]), "mask=3"),
        (lambda: masked_loss(np.ones((1, 3)), np.eye(3), 1, [1, 1]), "distinct"),
        (lambda: masked_loss(np.ones((1, 3)), np.eye(3), 4, [0, 1]), "sparsity=4"),
        (lambda: draw_codes(1, 3, 4, RNG(0)), "sparsity=4"),
        (lambda: train(np.ones((4, 3)), np.eye(3), 1, 1, RNG(0), visible=0), "visible=0"),
        (lambda: train(np.ones((4, 3)), np.eye(3), 1, 1, RNG(0), visible=3), "visible=3"),
        (lambda: train(np.ones((4, 3)), np.eye(3), 2, 1, RNG(0), visible=1), "visible=1"),
        (lambda: initial_dictionary(np.eye(3), np.ones((1, 3)), 2, "local"), "atoms=2"),
        (lambda: initial_dictionary(np.eye(3), np.ones((1, 3)), 5), "expected at least 5"),
        (lambda: isometry_bounds(2 * np.eye(3), 2), "unit norm"),
        (lambda: recovery_error(np.eye(3), np.eye(2)), "expected 3 rows"),
        (lambda: lattice_net(np.eye(3), 1.0, 1e-6), "columns"),
        (lambda: directions_of_pairs(np.ones((3, 1)), 0.1), "at least two atoms"),
    ],
)
def test_bad_input_is_one_clear_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_isometry(order):
    matrix = draw_dictionary(9, 8, RNG(order))
    worst = 0.0
    for support in combinations(range(8), order):
        values = np.linalg.svd(matrix[:, support], compute_uv=False) ** 2
        worst = max(worst, values[0] - 1, 1 - values[-1])
    exact = isometry_constant(matrix, order)
    assert exact == pytest.approx(worst, abs=1e-12)
    low, high = isometry_bounds(matrix, order)
    assert low - 1e-12 <= exact <= high + 1e-12
    if order == 2:
        assert exact == pytest.approx(incoherence(matrix))


@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_bounds_hold_the_exact_constant(seed, order):
    matrix = normalised(RNG(seed).standard_normal((4, 7)) + RNG(seed).uniform(0, 2))
    low, high = isometry_bounds(matrix, order)
    assert low - 1e-9 <= isometry_constant(matrix, order) <= high + 1e-9


def test_nets_cover_and_keep_away():
    matrix = draw_orthonormal(3, RNG(4))
    net = lattice_net(matrix, 1.0, 0.1)
    rng = RNG(5)
    for _ in range(50):
        i, j = rng.choice(3, 2, replace=False)
        angle, radius = rng.uniform(0, 2 * math.pi), rng.uniform(0, 0.85)
        point = radius * (math.cos(angle) * matrix[:, i] + math.sin(angle) * matrix[:, j])
        assert np.linalg.norm(net - point[:, None], axis=0).min() <= 0.1 + 1e-12
    directions = directions_of_pairs(matrix, 0.1)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=0), 1.0)
    nearest = np.arccos(np.abs(matrix.T @ directions).max(axis=1))
    assert (nearest > 0.04).all()
    assert (nearest <= 0.05 + 1e-12).all()
    turned = two_columns_each(matrix, 0.2)
    assert recovery_error(matrix, turned) == pytest.approx(2 - 2 * math.cos(0.2))


def test_ridge_is_the_minimiser_of_its_objective():
    rng = RNG(6)
    seen, hidden, row = rng.standard_normal((4, 3)), rng.standard_normal((2, 3)), rng.standard_normal(4)
    long = np.vstack([seen, math.sqrt(0.7) * np.eye(3)])
    code = np.linalg.lstsq(long, np.append(row, np.zeros(3)), rcond=None)[0]
    np.testing.assert_allclose(ridge_estimate(row, seen, hidden, 0.7)[0], hidden @ code)


def one_step(rows, start, sparsity, seen, hidden, rate):
    """Adam's first step, by finite differences of the batch's loss at fixed codes."""
    codes = orthogonal_matching_pursuit(rows[:, seen], start[seen], sparsity).codes

    def loss(b):
        return ((rows[:, hidden] - codes @ b[hidden].T) ** 2).sum(axis=1).mean()

    gradient = np.zeros_like(start)
    for place in np.ndindex(start.shape):
        for sign in (-1, 1):
            moved = start.copy()
            moved[place] += sign * 1e-6
            gradient[place] += sign * loss(moved) / 2e-6
    return normalised(start - rate * gradient / (np.abs(gradient) + 1e-8))


def test_a_step_of_algorithm_2():
    rng = RNG(7)
    start, rows = draw_dictionary(5, 6, rng), rng.standard_normal((10, 5))
    found = train(rows, start, 2, 1, RNG(8), batch=10, rate=0.01)
    every = np.arange(5)
    np.testing.assert_allclose(found.dictionary, one_step(rows, start, 2, every, every, 0.01), atol=1e-6)


def test_a_step_of_algorithm_3():
    rng = RNG(7)
    start, rows = draw_dictionary(5, 6, rng), rng.standard_normal((10, 5))
    found = train(rows, start, 2, 1, RNG(8), visible=3, batch=10, rate=0.01)
    fits = 0
    for seen in combinations(range(5), 3):
        hidden = np.setdiff1d(np.arange(5), seen)
        fits += np.allclose(
            found.dictionary, one_step(rows, start, 2, np.array(seen), hidden, 0.01), atol=1e-6
        )
    assert fits == 1


def test_training_without_noise_recovers_and_is_reproducible():
    rng = RNG(9)
    truth = draw_dictionary(12, 16, rng)
    rows = draw_measurements(truth, draw_codes(300, 16, 2, rng), 0.0, rng)
    start = initial_dictionary(truth, rows, 24)
    first = train(rows, start, 2, 60, RNG(10), visible=10, batch=100, rate=0.01)
    again = train(rows, start, 2, 60, RNG(10), visible=10, batch=100, rate=0.01)
    assert first.dictionary.tobytes() == again.dictionary.tobytes()
    assert recovery_error(truth, first.dictionary) < 0.5 * recovery_error(truth, start)
    assert first.losses[-1] < first.losses[0]
