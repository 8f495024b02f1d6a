"""Batches of least-squares tasks against single ones, and validation sets that are drawn on request."""

import numpy as np
import pytest

from rmtsim.papers.l2l.simulation.least_squares import draw_rotated_task, spectral_descent, validation_losses
from rmtsim.papers.l2l.simulation.task_batches import ValidationSets, draw_tasks

RATES = np.array([0.1, 0.3])


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "d"), [(4, 9), (5, 6), (6, 6), (14, 5)])
def test_a_task_of_a_batch_has_the_law_of_a_single_one(n, d):
    """First two moments of error, training and validation loss: 1500 draws of each, 4.5 standard errors."""
    rng = np.random.default_rng(n)

    def shared():
        tasks = draw_tasks(1, 2, n, d, 0.7, rng)
        sets = ValidationSets(tasks, 3, rng)
        return [tasks.errors(RATES, 7)[1], tasks.training_losses(RATES, 7)[1], sets.losses(RATES, 7)[1]]

    def single():
        descent = spectral_descent(draw_rotated_task(n, d, 0.7, rng), RATES, 7, truncation=None)
        return [descent.errors(), descent.training_losses(), validation_losses(descent, 3, rng)]

    drawn = [np.array([draw() for _ in range(1500)]) for draw in (shared, single)]
    for power in (1, 2):
        first, second = drawn[0] ** power, drawn[1] ** power
        error = np.sqrt((first.var(axis=0) + second.var(axis=0)) / 1500)
        assert np.all(np.abs(first.mean(axis=0) - second.mean(axis=0)) <= 4.5 * error + 1e-12)
    # what a validation set shares between step sizes: the covariance of their losses
    pairs = [np.prod(values[:, 2] - drawn[1][:, 2].mean(axis=0), axis=1) for values in drawn]
    spread = np.sqrt(sum(pair.var() for pair in pairs) / 1500)
    assert abs(pairs[0].mean() - pairs[1].mean()) <= 4.5 * spread


def test_tasks_share_a_spectrum_and_nothing_else():
    tasks = draw_tasks(2, 2, 4, 9, 1.0, np.random.default_rng(3))
    assert tasks.values.shape == (2, 4)
    for field in (tasks.truth, tasks.fitted):
        assert len(np.unique(field)) == field.size
    lengths = (tasks.truth**2).sum(axis=1) + tasks.truth_outside**2
    np.testing.assert_allclose(lengths, 1.0, rtol=1e-14)
    # at η = 1/λ and one step the direction of λ is learned: of the first spectrum in its tasks alone
    first = tasks.gaps(np.array([1 / tasks.values[0, 1]]), 1)[:, 0, 1]
    fitted = (tasks.fitted - tasks.truth)[:, 1]
    np.testing.assert_allclose(first[:2], fitted[:2], rtol=1e-12)
    assert not np.isclose(first[2:], fitted[2:]).any()


def test_validation_sets_answer_alike_in_any_order():
    tasks = draw_tasks(2, 1, 5, 8, 1.0, np.random.default_rng(0))
    sets = ValidationSets(tasks, 6, np.random.default_rng(1))
    coarse = sets.losses(np.geomspace(0.01, 0.3, 9), 5)
    np.testing.assert_allclose(
        sets.losses(np.geomspace(0.01, 0.3, 9)[[8, 2]], 5), coarse[:, [8, 2]], rtol=1e-10
    )


def test_the_bound_on_norms_holds_on_the_way():
    tasks = draw_tasks(3, 2, 6, 6, 1.0, np.random.default_rng(4))
    for rate in np.array([0.5, 2.0, 3.0]) / tasks.values.max():
        bound = tasks.norm_bound(rate, 12)
        for steps in range(1, 13):
            gaps = tasks.gaps(np.array([0.3, 1.0]) * rate, steps)[:, :, :-1]
            weights = gaps + tasks.truth[:, None, :]
            assert np.sqrt((weights**2).sum(axis=2)).max() <= bound


def test_bad_input_is_named():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="noise=-1"):
        draw_tasks(1, 1, 3, 4, -1.0, rng)
    with pytest.raises(ValueError, match="spectra=0"):
        draw_tasks(0, 1, 3, 4, 1.0, rng)
    with pytest.raises(ValueError, match="samples=0"):
        ValidationSets(draw_tasks(1, 1, 3, 4, 1.0, rng), 0, rng)
