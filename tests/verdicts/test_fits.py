"""Projections through finite-size models against brute force; extrapolation of exact sequences."""

import math

import numpy as np
import pytest
from scipy import optimize

from rmtsim.verdicts.evidence.measured import MeanSet
from rmtsim.verdicts.examinations.analysis import analyse_limit, analyse_rate
from rmtsim.verdicts.models.family import limit_family, two_term_family
from rmtsim.verdicts.models.projection import project_box, project_ellipsoid
from rmtsim.verdicts.models.richardson import extrapolate

SIZES = (10, 20, 40, 80)
VALUES = 1 + 0.5 / np.array(SIZES) + np.array([0.001, -0.002, 0.001, 0.0])
AXES = np.array([0.004, 0.004, 0.006, 0.01])


def test_ellipsoid_projection_against_a_general_optimiser():
    family = limit_family(SIZES, (0.5, 1.0))
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
    family = limit_family(SIZES, (0.5, 1.0))
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


def test_an_open_side_leaves_an_open_interval():
    means = MeanSet((10, 20, 40), np.zeros(3), low=np.full(3, -math.inf), high=np.array([3.0, 2.0, 1.0]))
    low, high = analyse_limit(means, (1.0,)).interval
    assert math.isinf(low)
    assert math.isinf(high)  # a steep negative correction hides any limit


def test_a_model_that_misses_the_set_is_ruled_out():
    steep = MeanSet(SIZES, 1 + np.array(SIZES) ** -0.5, axes=np.full(4, 1e-4))
    rows = {row.name: row for row in analyse_limit(steep, (0.5, 1.0)).rows}
    assert rows["1, one term"].interval is None
    low, high = rows["0.5, one term"].interval
    assert low < 1 < high


def test_the_edge_of_the_spectrum_needs_two_thirds():
    """Exact means 2 - 1.2 n^-2/3 (1 + 1.5 n^-2/3): a fit in 1/n is confidently wrong, the family is not."""
    sizes = (40, 80, 160, 320, 640)
    n = np.array(sizes, dtype=float)
    means = MeanSet(sizes, 2 - 1.2 * n ** (-2 / 3) * (1 + 1.5 * n ** (-2 / 3)), axes=np.full(5, 3e-4))
    naive = np.polyfit(1 / n, means.values, 1)[1]
    assert naive < 1.99
    low, high = analyse_limit(means, (0.5, 2 / 3, 1.0)).interval
    assert 1.99 < low < 2 < high < 2.01


def test_two_free_terms_when_nothing_smaller_fits():
    sizes = (10, 20, 40, 80, 160)
    x = (np.array(sizes) / 10) ** -0.5
    means = MeanSet(sizes, 1 + x - 0.9 * x**2, axes=np.full(5, 1e-5))
    analysis = analyse_limit(means, (0.5,))
    assert analysis.interval[0] < 1 < analysis.interval[1]
    assert two_term_family(sizes, (0.5,)).names[0] == analysis.rows[0].name


def test_rates_recover_the_exponent_and_bound_it_when_means_vanish():
    n = np.array(SIZES, dtype=float)
    clear = analyse_rate(MeanSet(SIZES, 3 / n, axes=0.01 / n), (1.0,))
    assert clear.interval[0] < 1 < clear.interval[1]
    lost = analyse_rate(MeanSet(SIZES, 3 / n, axes=np.array([0.01, 0.2, 0.1, 0.1])), (1.0,))
    assert math.isinf(lost.interval[1])
    assert lost.interval[0] < 1


@pytest.mark.parametrize("exponent", [0.5, 2 / 3, 1.0, 0.8])
def test_exact_sequences_are_extrapolated_within_their_error(exponent):
    sizes = (100, 200, 400, 800, 1600)
    values = [1 + 2 * n**-exponent - 3 * n ** (-2 * exponent) for n in sizes]
    found = extrapolate(sizes, values, [1e-14] * 5, (0.5, 2 / 3, 1.0))
    low = min(item.limit - item.error for item in found)
    high = max(item.limit + item.error for item in found)
    assert low <= 1 <= high
    assert high - low < 0.05


def test_extrapolation_needs_three_sizes():
    with pytest.raises(ValueError, match="at least three sizes"):
        extrapolate((1, 2), (1.0, 1.0), (0.0, 0.0), (1.0,))


@pytest.mark.parametrize("exponent", [0.5, 2 / 3, 1.0])
@pytest.mark.parametrize("second", [-0.158, 0.07, 0.19])
def test_precise_means_find_their_own_exponent(exponent, second):
    """Second terms off every grid point: refinement must find them before a wrong exponent looks best."""
    sizes = (20, 40, 80, 160, 320)
    x = (np.array(sizes) / 20) ** -exponent
    for axis in (1e-3, 1e-4, 1e-5):
        means = MeanSet(sizes, 1 - 0.15 * (x + second * x**2), axes=np.full(5, axis))
        low, high = analyse_limit(means, (0.5, 2 / 3, 1.0)).interval
        assert low <= 1 <= high


@pytest.mark.parametrize(
    ("first", "second"), [(0.5, 1.0), (0.5, 1.5), (2 / 3, 7 / 6), (2 / 3, 5 / 3), (1.0, 1.5)]
)
def test_second_exponents_other_than_the_double(first, second):
    """A quantity such as √(c/n)·(1 + b/n) steps by one, not by its own exponent; its limit 0 must be in reach."""
    sizes = (40, 80, 160, 320)
    x = np.array(sizes) / 40
    for axis in (1e-2, 1e-4, 1e-6):
        means = MeanSet(sizes, 0.3 * (x**-first + 0.08 * x**-second), axes=axis * x**-first)
        found = analyse_limit(means, (0.5, 2 / 3, 1.0))
        assert found.window == 0
        assert found.interval[0] <= 0 <= found.interval[1]


def test_stacked_plans_are_projected_one_by_one():
    family = limit_family(SIZES, (0.5, 1.0))
    plans = AXES * np.array([[1.0], [0.5], [0.01]])
    together = project_ellipsoid(VALUES, plans, family)
    for row, axes in enumerate(plans):
        alone = project_ellipsoid(VALUES, axes, family)
        for name in ("low", "high", "centre", "quality"):
            np.testing.assert_allclose(getattr(together, name)[row], getattr(alone, name), rtol=1e-12)
        hull = alone.hull
        assert together.widths[row] == pytest.approx(math.inf if hull is None else hull[1] - hull[0])
