"""Control variates: exactly zero mean, less noise; cheap algebra against the matrices it replaces."""

import itertools

import numpy as np
import pytest

from rmtsim.claims.registry import find
from rmtsim.claims.wu.common import slopes
from rmtsim.hessian import eigenspaces as wu_subspace
from rmtsim.hessian.known_averages import Controlled, deviations
from rmtsim.hessian.two_layer import draw_trial, draw_trials, product
from rmtsim.kernels.softmax_curvature import curvature_rows


def test_deviations_have_mean_zero_at_a_small_width():
    """Exact at every width, so tested where any 1/n term would show: five units, 4000 networks, four errors."""
    rng = np.random.default_rng(0)
    values = np.array([deviations(draw_trial(5, 0.5, 3, 6, rng)) for _ in range(4000)])
    assert (np.abs(values.mean(axis=0)) < 4 * values.std(axis=0) / np.sqrt(4000)).all()


def test_controls_keep_the_mean_and_take_the_noise():
    rng = np.random.default_rng(1)
    trials = [trial for _ in range(30) for trial in draw_trials(128, 0.3, 3, 64, 4, rng)]

    def statistic(trial):
        return trial.corrected(trial.independent_space, (trial.rows, trial.rows))

    controlled = Controlled(statistic, (*slopes(lambda p, e, g: p**2 / (e * g)), 0.0))
    plain, quiet = (np.array([measure(trial) for trial in trials]) for measure in (statistic, controlled))
    assert quiet.std() < plain.std() / 4
    difference = plain - quiet
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(trials))


def test_projections_and_energies_are_those_of_the_matrices():
    trial = draw_trial(40, 0.4, 3, 24, np.random.default_rng(2))
    w = trial.weights
    for cheap, matrices in (
        (trial.projected_output, trial.output),
        (trial.projected_independent, trial.independent),
    ):
        for small, large in zip(cheap, matrices, strict=True):
            assert np.allclose(small, w @ large @ w.T, rtol=1e-11, atol=1e-15)
    assert trial.output_energy == pytest.approx(product(trial.output), rel=1e-11)


@pytest.mark.parametrize(
    "p", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.5, 0.3], [0.0, 0.4, 0.6]]
)
def test_curvature_rows_factor_the_curvature_even_on_the_edge_of_the_simplex(p):
    out = np.empty((2, 3))
    curvature_rows(np.eye(3), np.array([p]), np.ones((1, 3)), out)
    assert np.allclose(out.T @ out, np.diag(p) - np.outer(p, p), atol=1e-16)


def test_eigenvalues_inside_the_bulk_are_those_of_the_dense_solver():
    rng = np.random.default_rng(3)
    root = rng.standard_normal((120, 300))
    matrix = root @ root.T / 300
    space = wu_subspace.top_eigenspace(matrix, 2, extra=2)
    assert np.allclose(space.values, np.linalg.eigvalsh(matrix)[::-1][:4], rtol=1e-10)
    assert space.residual < 1e-8


def test_average_over_orders_of_the_units_is_the_closed_form(monkeypatch):
    """Theorem G.1's claim averages over all permutations of one model's units: here all 120 of them."""
    from rmtsim.claims.wu import further as wu_further

    rng = np.random.default_rng(4)
    spaces = [np.linalg.qr(rng.standard_normal((5, 2)))[0] for _ in range(2)]
    monkeypatch.setattr(wu_further, "_two_models", lambda *arguments: spaces)
    brute = np.mean(
        [wu_subspace.overlap(spaces[0], spaces[1][list(order)]) for order in itertools.permutations(range(5))]
    )
    value = find("wu.thmG.1").sample({}, 5, rng, 1)[0]
    assert value == pytest.approx(brute * 5 / 2, rel=1e-12)
