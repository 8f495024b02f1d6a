"""Compiled loops against plain implementations: NumPy for sums, mpmath for thirty digits."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import legendre

from rmtsim.laws import GeneralizedMarchenkoPastur, MarchenkoPastur
from rmtsim.laws._kernels import anchor_values, certified_roots, marchenko_pastur_density, upper_sums
from rmtsim.laws.dyson._kernels import panel_masses


def expansion(rng, count):
    poles = np.sort(rng.uniform(-1, 1, count))
    weights = rng.dirichlet(np.ones(count))
    centre = 1.7
    gap = centre - poles
    return poles, weights, gap, weights * (poles / gap) ** 2


@pytest.mark.parametrize("count", [1, 7, 300])
def test_sums_of_the_expansion(count):
    rng = np.random.default_rng(count)
    _, _, gap, mass = expansion(rng, count)
    for a, b in ((0.3, 0.2), (-1e-9, 1e-12), (-2.0, 1e-3)):
        distance = gap + a
        inverse = 1 / (distance**2 + b**2)
        twin = (
            (mass * inverse).sum(),
            (mass * inverse * distance).sum(),
            (mass * inverse**2).sum() * b**2,
            (mass * inverse**2 * distance).sum() * b,
        )
        got = upper_sums(gap, mass, a, b, *np.empty((3, count)))
        np.testing.assert_allclose(got, twin, rtol=1e-12, atol=1e-13 * mass.sum())


def numpy_newton(poles, weights, ratio, centre, slope, target, w):
    """Newton for w(slope + w Q(w)) = target in complex arithmetic, from a good start."""
    gap = centre - poles
    mass = weights * (poles / gap) ** 2
    for _ in range(60):
        q = (mass / (gap + w[:, None])).sum(axis=1)
        turn = -(mass / (gap + w[:, None]) ** 2).sum(axis=1)
        w = w - (w * (slope + w * q) - target) / (slope + 2 * w * q + w * w * turn)
    return w


def test_roots_against_plain_newton():
    rng = np.random.default_rng(3)
    law = GeneralizedMarchenkoPastur(0.7, rng.uniform(-1, 2, 40))
    edges, inverse = law._edges, law._map
    width = edges.value[1] - edges.value[0]
    target = (width * np.array([1e-6, 1e-3, 0.2])).astype(np.complex128)
    start = 0.2j * np.sqrt(target)
    w = np.zeros(3, dtype=np.complex128)
    residual, identity, steps = np.zeros(3), np.zeros(3), np.zeros(3, dtype=np.intp)
    anchor = np.zeros(3, dtype=np.intp)
    wide = np.full(3, 10.0)
    certified_roots(
        inverse.poles,
        inverse.weights,
        inverse.ratio,
        edges.base,
        edges.offset,
        edges.slope,
        anchor,
        target,
        start,
        -wide,
        wide,
        w,
        residual,
        identity,
        steps,
    )
    plain = numpy_newton(
        inverse.poles, inverse.weights, inverse.ratio, edges.location[0], edges.slope[0], target, w * 1.001
    )
    np.testing.assert_allclose(w, plain, rtol=1e-11)
    assert (identity < 1e-13).all()
    assert (residual < 1e-14).all()


def test_anchor_values_have_thirty_digits():
    rng = np.random.default_rng(4)
    poles, weights = np.sort(rng.uniform(-1, 1, 9)), rng.dirichlet(np.ones(9))
    low = weights * 1e-17
    base, offset = np.array([poles[2], poles[8], 0.0]), np.array([0.01, 0.3, 1e-4])
    ratio = 0.8
    spare = np.array([ratio - 1.0, 0.0])
    value, rest, slope = np.empty((3, 3))
    anchor_values(
        poles, weights, low, ratio, spare, base, offset, value, rest, slope, np.zeros(3, dtype=bool)
    )
    with mpmath.workdps(60):
        for i in range(3):
            v = mpmath.mpf(base[i]) + mpmath.mpf(offset[i])
            terms = [
                (mpmath.mpf(w) + mpmath.mpf(u), mpmath.mpf(t))
                for w, u, t in zip(weights, low, poles, strict=True)
            ]
            total = mpmath.fsum(w for w, _ in terms)
            inner = mpmath.mpf(ratio) + mpmath.fsum(w * t / (v - t) for w, t in terms)
            if base[i] == 0:
                inner += mpmath.mpf(spare[0]) - (mpmath.mpf(ratio) - total)
            exact = v * inner
            assert abs(exact - mpmath.mpf(value[i]) - mpmath.mpf(rest[i])) < 1e-29 * abs(exact)
            rise = mpmath.mpf(ratio) - mpmath.fsum(w * (t / (v - t)) ** 2 for w, t in terms)
            assert slope[i] == pytest.approx(float(rise), rel=1e-14)


@pytest.mark.parametrize(("ratio", "variance"), [(0.5, 1.0), (1.0, 0.3), (7.0, 1e-5), (1e-3, 1e4)])
def test_marchenko_pastur_density_is_that_of_the_plain_formula(ratio, variance):
    law = MarchenkoPastur(ratio, variance)
    ((lower, upper),) = law.support
    x = np.linspace(lower - 0.1 * upper, 1.1 * upper, 1001)
    plain = np.where((x >= lower) & (x <= upper), 0.0, 0.0)
    inside = (x >= lower) & (x <= upper)
    plain[inside] = law._density_inside(x[inside])
    np.testing.assert_array_equal(law.density(x), plain)
    np.testing.assert_array_equal(law.density(x.reshape(7, 143)), plain.reshape(7, 143))
    out = np.empty(3)
    bottom, top = law._edges
    points = np.array([0.0, math.nan, upper])
    assert marchenko_pastur_density(
        points, bottom.value, bottom.rest, top.value, top.rest, law._coefficient, out
    )
    # The loop leaves NaN to the method, which propagates it.
    np.testing.assert_array_equal(law.density(np.append(x, math.nan)), np.append(plain, math.nan))


def numpy_panel_masses(u, left, right, before, series):
    panel = np.clip(np.searchsorted(left, u, side="right") - 1, 0, len(left) - 1)
    local = np.clip((2 * u - left[panel] - right[panel]) / (right[panel] - left[panel]), -1, 1)
    inside = (legendre.legvander(local, series.shape[1] - 1) * series[panel]).sum(axis=1)
    return np.clip(before[panel] + inside, 0.0, before[-1])


@given(st.integers(1, 6), st.integers(2, 14), st.integers(0, 40), st.integers(0, 2**32))
def test_masses_of_panels(panels, order, points, seed):
    rng = np.random.default_rng(seed)
    ends = np.concatenate([[0.0], np.sort(rng.random(panels - 1)), [1.0]])
    before = np.concatenate([[0.0], np.cumsum(rng.random(panels))])
    series = rng.standard_normal((panels, order))
    u = np.concatenate([rng.random(points), ends])
    out = np.empty(u.size)
    panel_masses(u, ends[:-1], ends[1:], before, series, out)
    twin = numpy_panel_masses(u, ends[:-1], ends[1:], before, series)
    np.testing.assert_allclose(out, twin, rtol=0, atol=1e-12 * np.abs(series).sum())


def test_the_value_beside_a_critical_point_is_that_at_it():
    """Anchors a little off where z'(v) = 0 carry the critical value, against a root in fifty digits."""
    poles, weights, ratio = np.array([-0.7, 0.4, 0.9]), np.array([0.2, 0.5, 0.3]), 0.8
    value, rest, slope = np.empty((3, 3))
    with mpmath.workdps(50):
        terms = [(mpmath.mpf(w), mpmath.mpf(t)) for w, t in zip(weights, poles, strict=True)]

        def rise(v):
            return mpmath.mpf(ratio) - mpmath.fsum(w * (t / (v - t)) ** 2 for w, t in terms)

        critical = mpmath.findroot(rise, 2.0)
        exact = critical * (mpmath.mpf(ratio) + mpmath.fsum(w * t / (critical - t) for w, t in terms))
        offset = float(critical - poles[2]) + np.array([0.0, 1e-5, -1e-5])
        base, low = np.full(3, poles[2]), np.zeros(3)
        spare = np.array([ratio - 1.0, 0.0])
        anchor_values(
            poles, weights, low, ratio, spare, base, offset, value, rest, slope, np.ones(3, dtype=bool)
        )
        # The square of the slope over the bend: 1e-10 of it is taken off, and 1e-15, the next term, is left.
        for high, small in zip(value, rest, strict=True):
            assert abs(mpmath.mpf(high) + mpmath.mpf(small) - exact) < 1e-14
    assert abs(slope[1]) > 1e-6
