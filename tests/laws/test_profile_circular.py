"""Complex eigenvalues of matrices with variance profiles: closed forms, fifty digits, single rings, drawn matrices."""

import math

import mpmath
import numpy as np
import pytest

from rmtsim.laws import Circular, MarchenkoPastur, ProfileCircular, SingleRing, StructuredNoise

PROFILE = np.array([[2.0, 0.3, 0.1], [0.5, 1.0, 4.0], [0.0, 0.7, 0.2]])
SHARES = np.array([0.5, 0.3, 0.2])


def fifty_digits(profile, shares, radius):
    """Mass of a disc from 1/v₁ = Sv₂ + r²/Sᵀv₁, 1/v₂ = Sᵀv₁ + r²/Sv₂ and Σv₁ = Σv₂, by Newton's method in mpmath."""
    count = len(shares)
    # A damped iteration of the regularised equations in doubles, for the start.
    v = np.ones((2, count))
    forward, backward = profile * shares, profile.T * shares
    for _ in range(4000):
        a, b = forward @ v[1] + 1e-7, backward @ v[0] + 1e-7
        v = 0.5 * v + 0.5 / np.array([a + radius**2 / b, b + radius**2 / a])
    with mpmath.workdps(60):
        s, w, square = mpmath.matrix(profile.tolist()), list(map(mpmath.mpf, shares)), mpmath.mpf(radius) ** 2

        def equations(*v):
            v1, v2 = v[:count], v[count:]
            a = [sum(s[i, j] * w[j] * v2[j] for j in range(count)) for i in range(count)]
            b = [sum(s[j, i] * w[j] * v1[j] for j in range(count)) for i in range(count)]
            # One equation follows from the others, as (λv₁, v₂/λ) are solutions too.
            found = [1 / v1[i] - a[i] - square / b[i] for i in range(count)]
            found += [1 / v2[i] - b[i] - square / a[i] for i in range(count - 1)]
            return [*found, sum(x * y for x, y in zip(w, v1, strict=True)) - sum(map(mpmath.fmul, w, v2))]

        root = list(mpmath.findroot(equations, v.ravel().tolist(), tol=1e-50, maxsteps=50))
        overlap = sum(
            w[i] * root[i] * s[i, j] * w[j] * root[count + j] for i in range(count) for j in range(count)
        )
        return float(1 - overlap)


def test_equal_variances_give_the_circular_law():
    law, z = ProfileCircular(np.full((3, 3), 2.0)), np.array([0.0, 0.5j, -1.2, 1.4143, 3.0])
    circular = Circular(entry_variance=2.0)
    assert law.pdf(z) == pytest.approx(circular.pdf(z), rel=1e-12)
    assert law.radial_cdf(np.abs(z)) == pytest.approx(circular.radial_cdf(np.abs(z)), rel=1e-12)
    assert law.support == pytest.approx(circular.support)
    assert law.var() == pytest.approx(1.0, rel=1e-10)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_fifty_digits(share):
    law = ProfileCircular(PROFILE, weights=SHARES)
    radius = share * law.support[0]
    assert law.radial_cdf(radius) == pytest.approx(fifty_digits(PROFILE, SHARES, radius), rel=1e-11)


def test_two_variances_of_rows_by_hand():
    """Variances 3 and 1 of rows: ab = (3q, q) with 3/(r² + 3q) + 1/(r² + q) = 2, at r = 1 a quadratic equation."""
    q = (math.sqrt(13) - 1) / 6
    expected = 0.5 * (1 / (1 + 3 * q) + 1 / (1 + q))
    assert ProfileCircular([[3.0, 3.0], [1.0, 1.0]]).radial_cdf(1.0) == pytest.approx(expected, rel=1e-13)


def test_a_profile_of_rank_one_is_a_single_ring():
    """Eigenvalues of D₁GD₂ are those of GD₁D₂, whose singular values have a Marchenko–Pastur law with a population."""
    rows, columns = np.array([1.0, 4.0, 0.5]), np.array([2.0, 0.3, 1.0])
    law = ProfileCircular(np.outer(rows, columns))
    ring = SingleRing(StructuredNoise(1.0, rows * columns))
    r = np.array([0.2, 0.6, 1.0])
    assert law.support[0] == pytest.approx(ring.outer_radius, rel=1e-12)
    assert law.radial_cdf(r) == pytest.approx(ring.radial_cdf(r), rel=1e-9)
    assert law.pdf(r) == pytest.approx(ring.pdf(r), rel=1e-7)
    assert SingleRing(MarchenkoPastur(1.0)).radial_cdf(0.5) == pytest.approx(0.25)


def test_products_of_two_matrices_have_the_circular_law():
    """[[0, X], [Y, 0]] with a small diagonal tends to the square roots of the eigenvalues of XY: a uniform disc."""
    law = ProfileCircular([[1e-9, 2.0], [2.0, 1e-9]])
    assert law.radial_cdf(0.5) == pytest.approx(0.25, abs=1e-8)


def test_the_density_is_the_slope_of_the_mass():
    law = ProfileCircular(PROFILE, weights=SHARES)
    for r in (0.3, 1.0, 0.95 * law.support[0]):
        step = 1e-5
        slope = (law.radial_cdf(r + step) - law.radial_cdf(r - step)) / (4 * math.pi * r * step)
        assert law.pdf(1j * r) == pytest.approx(slope, rel=1e-7)


def test_drawn_matrices_and_drawn_numbers():
    n, rng = 600, np.random.default_rng(3)
    law = ProfileCircular(PROFILE, weights=SHARES)
    classes = np.repeat([0, 1, 2], (SHARES * n).astype(int))
    matrix = rng.standard_normal((n, n)) * np.sqrt(PROFILE[classes][:, classes] / n)
    found = np.abs(np.linalg.eigvals(matrix))
    for r in (0.4, 0.7, 1.0):
        assert np.mean(found < r) == pytest.approx(law.radial_cdf(r), abs=0.02)
    assert found.max() == pytest.approx(law.support[0], rel=0.05)
    drawn = law.rvs(4000, random_state=1)
    assert np.mean(np.abs(drawn) < 0.7) == pytest.approx(law.radial_cdf(0.7), abs=0.03)
    assert law.var() == pytest.approx(np.mean(np.abs(drawn) ** 2), rel=0.06)


def test_units_ends_and_many_classes():
    law, small = ProfileCircular(PROFILE), ProfileCircular(1e-30 * PROFILE)
    assert small.pdf(3e-16) * 1e-30 == pytest.approx(law.pdf(0.3), rel=1e-11)
    assert law.radial_cdf([-1.0, 0.0, law.support[0], math.inf]).tolist() == [0, 0, 1, 1]
    assert law.radial_cdf(law.support[0] * (1 - 1e-9)) == pytest.approx(1, abs=1e-8)
    assert law.moment(1, 0) == 0
    assert law.mean() == 0
    band = np.abs(np.subtract.outer(np.arange(60), np.arange(60))) <= 10
    no_loops = band & ~np.eye(60, dtype=bool)
    assert 0 < ProfileCircular(no_loops.astype(float)).radial_cdf(0.3) < 1


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[1.0, 2.0]],), {}, "variances of shape"),
        (([[1.0, -2.0], [1.0, 1.0]],), {}, "variances: expected numbers >= 0"),
        (([[0.0]],), {}, "not all zero"),
        (([[1.0, 1.0], [0.0, 1.0]],), {}, "fall into blocks"),
        (([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],), {}, "singular"),
        (([[0.0, 1.0], [1.0, 0.0]],), {}, "blocks"),
        (([[1.0, 1.0], [1.0, 0.0]],), {"weights": [0.3, 0.7]}, "diagonal"),
        (([[1.0, 1.0], [1.0, 1.0]],), {"weights": [0.3, 0.3]}, "weights"),
        (([[1.0, math.nan], [1.0, 1.0]],), {}, "variances"),
        (([[1e200]],), {}, "variances from"),
        (([[1.0, 1e-20], [1e-20, 1.0]],), {}, "variances from"),
    ],
)
def test_what_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        ProfileCircular(*arguments, **options)


def test_draws_have_the_second_moment_of_the_law():
    law = ProfileCircular(PROFILE)
    squares = np.abs(law.rvs(20_000, random_state=3)) ** 2
    assert abs(squares.mean() - law.moment(1, 1)) < 4.5 * squares.std() / math.sqrt(20_000)
    assert squares.std() < 1.2 * squares.mean()
