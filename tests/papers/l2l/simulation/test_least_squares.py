"""Tasks through the spectrum against gradient descent on the data, truncation, validation, back-propagation, SGD."""

import math

import numpy as np
import pytest

from rmtsim.papers.l2l.simulation.least_squares import (
    SpectralTask,
    descend,
    descend_stochastically,
    draw_rotated_task,
    draw_spectral_task,
    draw_task,
    spectral_descent,
    validation_losses,
)
from rmtsim.papers.l2l.simulation.meta_objectives import sample_train_by_train, sample_train_by_validation
from rmtsim.papers.l2l.simulation.unrolled import (
    Quadratic,
    backpropagate,
    draw_quadratic,
    meta_descent,
    scaled_tangent,
)


@pytest.mark.parametrize(("n", "d"), [(6, 15), (10, 10), (30, 8)])
@pytest.mark.parametrize("steps", [1, 7, 40])
def test_spectrum_and_steps_on_the_data_agree(n, d, steps):
    rng = np.random.default_rng(n * 100 + d)
    task = draw_task(n, d, 0.7, rng)
    unit = np.eye(d)[0]
    spectral = SpectralTask.of(task, unit)
    largest = spectral.values.max()
    rates = np.array([0.0, 0.3, 1.1, 1.9, 2.05]) / largest
    descent = spectral_descent(spectral, rates, steps, truncation=None)
    for g, rate in enumerate(rates):
        weights, stopped = descend(task, rate, steps, truncation=None)
        assert stopped == 0
        assert descent.errors()[g] == pytest.approx(np.sum((weights - task.truth) ** 2), rel=1e-9)
        assert descent.training_losses()[g] == pytest.approx(task.loss(weights), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(("n", "d"), [(6, 15), (30, 8)])
def test_truncation_stops_at_the_same_step_and_costs_what_u_costs(n, d):
    rng = np.random.default_rng(5)
    for _ in range(10):
        task = draw_task(n, d, 1.0, rng)
        unit = rng.standard_normal(d)
        unit /= np.linalg.norm(unit)
        spectral = SpectralTask.of(task, unit)
        rates = np.array([0.5, 2.2, 3.0, 30.0]) / spectral.values.max()
        descent = spectral_descent(spectral, rates, 40)
        for g, rate in enumerate(rates):
            weights, stopped = descend(task, rate, 40)
            assert stopped == descent.stopped[g]
            weights = 40.0 * unit if stopped else weights
            assert descent.training_losses()[g] == pytest.approx(task.loss(weights), rel=1e-7)
            assert descent.errors()[g] == pytest.approx(np.sum((weights - task.truth) ** 2), rel=1e-7)
        assert descent.stopped[-1] > 0
        assert descent.stopped[0] == 0


def _statistics(task):
    """Eigenvalues, a trained and a truncated weight, w* and u: what any use of a task rests on."""
    rates = np.array([0.3, 40.0]) / task.values.max()
    descent = spectral_descent(task, rates, 10)
    errors, losses = descent.errors(), descent.training_losses()
    along = float(task.unit[:-2] @ task.truth + task.unit[-2] * task.truth_outside)
    return [
        task.values.min(), task.values.max(), *errors, *losses, task.truth_outside, task.floor, along**2,
        task.unit[-1] ** 2,
    ]  # fmt: skip


@pytest.mark.parametrize(("n", "d"), [(4, 9), (5, 6), (6, 6), (14, 5)])
def test_a_rotated_task_has_the_law_of_a_task_with_data(n, d):
    """Means and second moments of ten statistics, 600 draws of each, 4.5 standard errors."""
    rng = np.random.default_rng(d)
    rotated, drawn = (
        np.array([_statistics(draw(n, d, 0.7, rng)) for _ in range(600)])
        for draw in (draw_rotated_task, draw_spectral_task)
    )
    for power in (1, 2):
        first, second = rotated**power, drawn**power
        error = np.sqrt((first.var(axis=0) + second.var(axis=0)) / 600)
        assert np.all(np.abs(first.mean(axis=0) - second.mean(axis=0)) <= 4.5 * error + 1e-12)


def test_validation_loss_has_its_mean_and_variance():
    """Given w the loss is (‖w - w*‖² + σ²) χ²/(2n₂); 4000 sets, four standard errors."""
    rng = np.random.default_rng(2)
    descent = spectral_descent(draw_spectral_task(10, 30, 2.0, rng), np.array([0.05, 0.1]), 20)
    draws = np.array([validation_losses(descent, 5, rng) for _ in range(4000)])
    mean = (descent.errors() + 4.0) / 2
    spread = mean * math.sqrt(2 / 5)
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 4 * spread / math.sqrt(4000))
    assert draws.std(axis=0) == pytest.approx(spread, rel=0.1)
    # One validation set for all step sizes: losses at neighbouring step sizes move together.
    assert np.corrcoef(draws.T)[0, 1] > 0.8


def test_meta_objectives_average_the_tasks_and_repeat_with_the_seed():
    rates = np.geomspace(1e-3, 0.5, 6)
    first, again = (
        sample_train_by_validation(8, 10, 5, 20, 1.0, rates, 10, np.random.default_rng(7)) for _ in range(2)
    )
    assert first.losses.tobytes() == again.losses.tobytes()
    assert first.best() == int(np.argmin(first.losses.mean(axis=0)))
    train = sample_train_by_train(8, 10, 20, 1.0, rates, 10, np.random.default_rng(7))
    assert np.array_equal(train.losses, train.training)
    assert train.losses.shape == (8, 6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_back_propagation_is_the_derivative(dtype):
    problem = Quadratic(np.diag([0.5, 2.0, 3.0]), np.array([0.6, 0.64, 0.48]))
    step, steps, shift = 0.3, 8, 1e-5

    def objective(eta):
        w = problem.start
        for _ in range(steps):
            w = w - eta * (problem.matrix @ w)
        return math.log(w @ problem.matrix @ w / 2) / steps

    difference = (objective(step + shift) - objective(step - shift)) / (2 * shift)
    tolerance = 1e-8 if dtype == np.float64 else 1e-4
    assert backpropagate(problem, step, steps, dtype).gradient == pytest.approx(difference, rel=tolerance)
    tangent = scaled_tangent(problem, step, steps)
    assert tangent.ratio == pytest.approx(difference, rel=1e-8)
    assert tangent.log_loss == pytest.approx(objective(step) * steps, rel=1e-12)


def test_back_propagation_breaks_where_floats_end_and_the_scaled_tangent_does_not():
    problem = draw_quadratic(20, np.random.default_rng(0))
    for steps in (40, 80, 160):
        broken = backpropagate(problem, 0.1, steps, np.float32)
        assert broken.loss == math.inf or math.isnan(broken.loss)
        # The factor 1/(t f) is zero then: training does not move, or stops with NaN once the weights overflow too.
        assert broken.gradient == 0 or math.isnan(broken.gradient)
    true = scaled_tangent(problem, 0.1, 80).ratio
    assert backpropagate(problem, 0.1, 80, np.float64).gradient == pytest.approx(true, rel=1e-9)
    assert not math.isfinite(backpropagate(problem, 0.1, 400, np.float64).loss)
    assert math.isfinite(scaled_tangent(problem, 0.1, 4000).ratio)


def test_meta_descent_stays_where_the_gradient_is_not_finite():
    assert np.all(meta_descent(lambda eta: math.nan, 0.1, 5, "constant", 1.0) == 0.1)
    assert np.all(meta_descent(lambda eta: 1.0, 0.1, 5, "constant", 1.0)[1:] == 0.0)


def test_stochastic_descent_takes_one_sample_at_a_time():
    task = draw_task(5, 3, 0.5, np.random.default_rng(1))
    weights, stopped, squares = descend_stochastically(task, 0.05, 30, np.random.default_rng(2))
    order = np.random.default_rng(2).integers(5, size=30)
    expected = np.zeros(3)
    for i in order:
        expected -= 0.05 * (task.design[i] @ expected - task.labels[i]) * task.design[i]
    np.testing.assert_allclose(weights, expected, rtol=1e-12)
    assert stopped == 0
    assert squares[-1] == pytest.approx(expected @ expected)
    assert descend_stochastically(task, 5.0, 200, np.random.default_rng(2))[1] > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: draw_task(0, 5, 1.0, rng), "samples=0"),
        (lambda rng: draw_task(5, 5, -1.0, rng), "noise=-1.0"),
        (lambda rng: spectral_descent(draw_spectral_task(3, 5, 1.0, rng), np.array([0.1]), 0), "steps=0"),
        (lambda rng: sample_train_by_train(0, 3, 5, 1.0, np.array([0.1]), 3, rng), "tasks=0"),
        (lambda rng: sample_train_by_validation(1, 3, 0, 5, 1.0, np.array([0.1]), 3, rng), "validation=0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))
