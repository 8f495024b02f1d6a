"""The generalised law where two intervals touch: the right root of three, over families of laws."""

import numpy as np
import pytest

from rmtsim.laws import GeneralizedMarchenkoPastur
from tests import law_oracle as oracle


def near_cusp(rng):
    """A population of two atoms whose gap is about to open or close, gap/width down to 1e-16, and its cusp."""
    t = [1.0 if rng.random() < 0.7 else -(10.0 ** rng.uniform(-1, 1)), 10.0 ** rng.uniform(0.02, 2)]
    w = rng.uniform(0.02, 0.98) if rng.random() < 0.7 else 10.0 ** rng.uniform(-6, -1)
    weights = [w, 1 - w]
    a, b = (np.cbrt(share * atom * atom) for share, atom in zip(weights, t, strict=True))
    # Least F between the poles equals the ratio: ((w₁t₁²)^⅓ + (w₂t₂²)^⅓)³/(t₂ - t₁)².
    closing = (a + b) ** 3 / (t[1] - t[0]) ** 2
    gap = 10.0 ** rng.uniform(-16, -2)
    ratio = closing * (1 + rng.choice([-1, 1]) * gap ** (2 / 3))
    v = (t[0] * b + t[1] * a) / (a + b)
    cusp = v * (ratio + sum(s * x / (v - x) for s, x in zip(weights, t, strict=True)))
    return ratio, t, weights, cusp


def cubic_density(ratio, atoms, weights, x):
    """Density from the eigenvalues of companion matrices: good to 1e-5 of 1/|v| at a cusp, and never a wrong root."""
    (t, u), (w, y) = atoms, weights
    coefficients = [
        -ratio * (t + u) + w * t + y * u - x,
        ratio * t * u - (w + y) * t * u + x * (t + u),
        -x * t * u,
    ]
    matrix = np.zeros((x.size, 3, 3))
    for k, c in enumerate(coefficients):
        matrix[:, 0, k] = -c / ratio
    matrix[:, 1, 0] = matrix[:, 2, 1] = 1
    roots = np.linalg.eigvals(matrix)
    v = roots[np.arange(x.size), np.argmax(roots.imag, axis=1)]
    return np.maximum(v.imag, 0) / (np.pi * ratio * np.abs(v) ** 2), 4e-5 / (np.pi * ratio * np.abs(v))


def wrong_points(rng, points):
    ratio, atoms, weights, cusp = near_cusp(rng)
    law = GeneralizedMarchenkoPastur(ratio, atoms, weights)
    width = law.support[-1][1] - law.support[0][0]
    distance = width * 10.0 ** rng.uniform(-14, -1, points // 2)
    x = np.sort(np.concatenate([cusp - distance, cusp + distance]))
    x = x[law._interval_of(x) >= 0]
    density, cdf = law.density(x), law.cdf(x)
    expected, noise = cubic_density(ratio, atoms, weights, x)
    wrong = np.abs(density - expected) > 0.01 * expected + noise
    wrong |= (density < 1e-3 * expected) & (expected > noise)
    return int(wrong.sum()) + int((np.diff(cdf) < -3e-15).sum())


def test_no_wrong_root_near_cusps():
    rng = np.random.default_rng(0)
    assert sum(wrong_points(rng, 400) for _ in range(150)) == 0


@pytest.mark.slow
def test_no_wrong_root_near_ten_thousand_cusps():
    rng = np.random.default_rng(1)
    assert sum(wrong_points(rng, 1000) for _ in range(10_000)) == 0


def test_the_point_of_the_report():
    law = GeneralizedMarchenkoPastur(3.6525622006055545, [1.0, 3.0])
    x = 5.462625136249435
    exact = oracle.generalized_density(law.ratio, [1, 3], [0.5, 0.5], x)
    assert oracle.relative_error(law.density(x), exact) < 1e-9
    assert law.boundary_value(x).identity < 1e-12


def test_digits_near_cusps_against_fifty():
    # At distance d from a cusp the parameters' own rounding moves v by eps/d^⅔; the bound is ten times that.
    rng = np.random.default_rng(2)
    for _ in range(25):
        ratio, atoms, weights, cusp = near_cusp(rng)
        law = GeneralizedMarchenkoPastur(ratio, atoms, weights)
        width = law.support[-1][1] - law.support[0][0]
        for share in (1e-9, 1e-5, 1e-2):
            x = float(cusp + rng.choice([-1, 1]) * share * width)
            if law._interval_of(np.array([x]))[0] < 0 or x in np.ravel(law.support):
                continue
            exact = oracle.generalized_density(ratio, atoms, weights, x)
            distance = min(abs(x - end) for end in [cusp, *np.ravel(law.support)]) / width
            assert oracle.relative_error(law.density(x), exact) < 1e-13 + 1e-14 / distance


def test_many_atoms_with_pinches_between_them():
    rng = np.random.default_rng(5)
    for ratio in (2.0, 20.0, 150.0):
        atoms = np.sort(rng.uniform(1, 3, 60))
        law = GeneralizedMarchenkoPastur(ratio, atoms)
        x = np.concatenate([lo + (up - lo) * rng.random(40) for lo, up in law.support])
        value = law.boundary_value(x)
        v = -1 / (ratio * value.stieltjes)
        # The identity itself, in plain sums.
        total = (atoms**2 / np.abs(v[:, None] - atoms) ** 2).mean(axis=1)
        np.testing.assert_allclose(total, ratio, rtol=1e-9)
        order = np.argsort(x)
        assert (np.diff(law.cdf(x[order])) > -3e-15).all()


def test_extreme_weights_do_not_raise():
    rng = np.random.default_rng(6)
    for _ in range(150):
        size = int(rng.integers(1, 7))
        atoms = rng.choice([-1, 1], size) * 10.0 ** rng.uniform(-6, 6, size)
        weights = np.maximum(rng.dirichlet(np.full(size, 10.0 ** rng.uniform(-1.5, 1))), 1e-300)
        law = GeneralizedMarchenkoPastur(10.0 ** rng.uniform(-6, 6), atoms, weights / weights.sum())
        for lower, upper in law.support:
            x = lower + (upper - lower) * 10.0 ** rng.uniform(-15, 0, 20)
            x = x[(x > lower) & (x < upper)]
            if x.size:
                assert law.boundary_value(x).identity.max() < 1e-11


def test_a_gap_beside_a_hard_edge():
    # ratio = share puts a critical point at v = 0; others may be nearer to zero than to their pole.
    case = 1.0, [-1.0, -10.0], [2 / 3, 1 / 3]
    law = GeneralizedMarchenkoPastur(*case)
    assert len(law.support) == 2
    np.testing.assert_allclose(
        np.ravel(law.support)[:3], [float(edge) for edge in oracle.generalized_edges(*case)][:3], rtol=1e-14
    )
    assert law.support[1][1] == 0.0
    assert law.density(-2.6) == 0
    assert sum(law._masses) == pytest.approx(1, abs=1e-15)


def test_edges_in_two_doubles():
    rng = np.random.default_rng(7)
    for _ in range(12):
        size = int(rng.integers(2, 5))
        atoms = (rng.choice([-1, 1], size) * 10.0 ** rng.uniform(-1, 1, size)).tolist()
        weights = rng.dirichlet(np.ones(size)).tolist()
        ratio = float(10.0 ** rng.uniform(-1, 1))
        law = GeneralizedMarchenkoPastur(ratio, atoms, weights)
        exact = oracle.generalized_edges(ratio, atoms, weights)
        scale = 2.0**law.population.exponent
        with oracle.mp.workdps(50):
            for high, low, edge in zip(law._edges.value, law._edges.value_low, exact, strict=True):
                gap = abs(scale * (oracle.mp.mpf(high) + oracle.mp.mpf(low)) - edge)
                assert gap < 1e-27 * max(map(abs, exact))
        # With the second double the last point before an edge keeps its digits.
        for lower, upper in law.support:
            for x in (np.nextafter(lower, upper), np.nextafter(upper, lower)):
                exact_density = oracle.generalized_density(ratio, atoms, weights, float(x))
                assert oracle.relative_error(law.density(float(x)), exact_density) < 1e-13
