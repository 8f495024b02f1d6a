"""Projections of ellipsoids and boxes through finite-size models, against brute force."""

import math

import numpy as np
import pytest
from scipy import optimize

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.box import project_box
from rmtsim.verdicts._models.family import limit_families
from rmtsim.verdicts._models.projection import project_ellipsoid, richardson_weights

SIZES = (10, 20, 40, 80)
VALUES = 1 + 0.5 / np.array(SIZES) + np.array([0.001, -0.002, 0.001, 0.0])
AXES = np.array([0.004, 0.004, 0.006, 0.01])
COUPLED = (16, 32, 64, 128)


def test_ellipsoid_projection_against_a_general_optimiser():
    family = limit_families(SIZES, (0.5, 1.0), 1)[0]
    projection = project_ellipsoid(VALUES, AXES, family)
    members = np.flatnonzero(projection.admissible)[::4]
    assert len(members) > 2
    for member in members:
        form = family.forms[member, 0]

        def inside(unknowns, form=form):
            return 1 - (((VALUES - unknowns[0] - unknowns[1] * form) / AXES) ** 2).sum()

        for sign, found in ((1, projection.low), (-1, projection.high)):
            best = optimize.minimize(
                lambda unknowns, sign=sign: sign * unknowns[0],
                [1.0, 0.05],
                constraints=[{"type": "ineq", "fun": inside}],
                options={"ftol": 1e-14, "maxiter": 500},
            )
            assert best.x[0] == pytest.approx(found[member], abs=1e-5)


def test_box_projection_against_linear_programming():
    family = limit_families(SIZES, (0.5, 1.0), 1)[0]
    low, high = VALUES - AXES, VALUES + AXES
    projection = project_box(low, high, family)
    for member in range(0, len(family), 4):
        columns = np.stack((np.ones(4), family.forms[member, 0]), axis=1)
        for sign, found in ((1, projection.low), (-1, projection.high)):
            solved = optimize.linprog(
                [sign, 0.0],
                A_ub=np.concatenate((columns, -columns)),
                b_ub=np.concatenate((high, -low)),
                bounds=[(None, None)] * 2,
            )
            if math.isnan(found[member]):
                assert solved.status == 2  # infeasible
            else:
                assert solved.x[0] == pytest.approx(found[member], abs=1e-7)


def test_stacked_plans_are_projected_one_by_one():
    family = limit_families(SIZES, (0.5, 1.0), 1)[0]
    plans = AXES * np.array([[1.0], [0.5], [0.01]])
    together = project_ellipsoid(VALUES, plans, family)
    for row, axes in enumerate(plans):
        alone = project_ellipsoid(VALUES, axes, family)
        for name in ("low", "high", "centre", "quality"):
            np.testing.assert_allclose(getattr(together, name)[row], getattr(alone, name), rtol=1e-12)
        hull = alone.hull
        ends = (math.inf, -math.inf) if hull is None else hull
        assert (together.lows[row], together.highs[row]) == pytest.approx(ends)


@pytest.fixture
def turned():
    values = 1 + 0.5 / np.array(COUPLED) + 1e-4 * np.array([1, -2, 1, 0])
    axes = np.array([0.01, 0.008, 0.006, 0.005])
    steps = np.abs(np.subtract.outer(range(4), range(4)))
    return MeanSet(COUPLED, values, axes=axes, correlation=0.9**steps)


def test_a_turned_ellipsoid_against_a_general_optimiser(turned):
    family = limit_families(COUPLED, (0.5, 1.0), 1)[0]
    projection = project_ellipsoid(turned.values, turned.axes, family, turned.correlation)
    matrix = np.linalg.inv(turned.correlation * np.outer(turned.axes, turned.axes))
    members = np.flatnonzero(projection.admissible)[::9]
    assert len(members) > 2
    for member in members:
        form = family.forms[member, 0]

        def inside(unknowns, form=form):
            gap = turned.values - unknowns[0] - unknowns[1] * form
            return 1 - gap @ matrix @ gap

        for sign, found in ((1, projection.low), (-1, projection.high)):
            best = optimize.minimize(
                lambda unknowns, sign=sign: sign * unknowns[0],
                [1.0, 0.03],
                constraints=[{"type": "ineq", "fun": inside}],
                options={"ftol": 1e-14, "maxiter": 500},
            )
            assert best.x[0] == pytest.approx(found[member], abs=1e-5)


@pytest.mark.parametrize("coupled", [True, False])
def test_the_interval_is_that_of_the_richardson_combination(turned, coupled):
    """Weights kill the correction, keep the limit, give the centre; their noise is the half-width of a perfect fit."""
    correlation = turned.correlation if coupled else None
    family = limit_families(COUPLED, (0.5, 1.0), 1)[0]
    projection = project_ellipsoid(turned.values, turned.axes, family, correlation)
    matrix = (np.eye(4) if correlation is None else correlation) * np.outer(turned.axes, turned.axes)
    for member in np.flatnonzero(projection.admissible)[::5]:
        weights = richardson_weights(turned.values, turned.axes, family, member, correlation)
        assert weights.sum() == pytest.approx(1)
        assert weights @ family.forms[member, 0] == pytest.approx(0, abs=1e-12)
        assert weights @ turned.values == pytest.approx(projection.centre[member])
        half = (projection.high[member] - projection.low[member]) / 2
        shrunk = math.sqrt(1 - projection.quality[member])
        assert half == pytest.approx(shrunk * math.sqrt(weights @ matrix @ weights))


def test_leaving_out_sizes_takes_the_block_of_the_matrix(turned):
    part = turned.since(1)
    np.testing.assert_array_equal(part.correlation, turned.correlation[1:, 1:])
    assert part.sizes == COUPLED[1:]


def test_two_free_terms_in_a_box_against_linear_programming():
    sizes = (10, 20, 40, 80, 160)
    family = limit_families(sizes, (0.5, 1.0), 1)[1]
    values = 1 + 0.5 * (np.array(sizes) / 10) ** -0.5
    low, high = values - 0.02, values + 0.03
    projection = project_box(low, high, family)
    for member in range(len(family)):
        columns = np.concatenate((np.ones((1, 5)), family.forms[member])).T
        for sign, found in ((1, projection.low), (-1, projection.high)):
            solved = optimize.linprog(
                [sign, 0.0, 0.0],
                A_ub=np.concatenate((columns, -columns)),
                b_ub=np.concatenate((high, -low)),
                bounds=[(None, None)] * 3,
            )
            if math.isnan(found[member]):
                assert solved.status == 2  # infeasible
            else:
                assert solved.x[0] == pytest.approx(found[member], abs=1e-6)


def test_a_model_outside_the_possible_range_is_inadmissible():
    family = limit_families(SIZES, (1.0,), 1)[0]
    projection = project_ellipsoid(VALUES - 2, AXES, family).within(0.0, math.inf)
    assert projection.hull is None
    kept = project_ellipsoid(VALUES, AXES, family).within(1.0, math.inf)
    assert kept.hull is not None
    assert kept.hull[0] >= 1
