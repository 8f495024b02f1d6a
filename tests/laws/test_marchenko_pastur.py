import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from rmtsim.laws import MarchenkoPastur
from rmtsim.spectra import random_matrix
from rmtsim.testing.strategies import fractions, ratios, upper_points, variances
from tests import law_oracle as oracle

quick = settings(derandomize=True, deadline=None, max_examples=60)

REGION = [
    (ratio, variance)
    for ratio in (1e-3, 0.037, 0.5, 0.999999, 1.0, 1.000001, 2.0, 33.0, 1e3)
    for variance in (1e-6, 0.7, 1e6)
]


def support_points(law):
    """Doubles through the bulk and down to the last one before each edge."""
    ((lower, upper),) = law.support
    shares = np.array([1e-12, 1e-6, 0.01, 0.2, 0.5, 0.9, 1 - 1e-6, 1 - 1e-12])
    inner = lower + (upper - lower) * shares
    return np.unique([np.nextafter(lower, upper), *inner, np.nextafter(upper, lower)])


@pytest.mark.parametrize(("ratio", "variance"), REGION)
def test_density_has_full_relative_accuracy_up_to_the_last_double_before_an_edge(ratio, variance):
    law = MarchenkoPastur(ratio, variance)
    points = support_points(law)
    errors = [
        oracle.relative_error(value, oracle.mp_density(ratio, variance, x))
        for x, value in zip(points, law.density(points), strict=True)
    ]
    assert max(errors) < 1e-14


@pytest.mark.parametrize(("ratio", "variance"), [pair for pair in REGION if pair[1] == 0.7] + [(1e-9, 1.0)])
def test_cdf_against_quadrature(ratio, variance):
    law = MarchenkoPastur(ratio, variance)
    ((lower, upper),) = law.support
    points = lower + (upper - lower) * np.array([1e-6, 0.02, 0.3, 0.7, 0.999])
    errors = [
        abs(float(oracle.mp_cdf(ratio, variance, x) - value))
        for x, value in zip(points, law.cdf(points), strict=True)
    ]
    # An ulp of x moves the cdf by density × ulp: for tiny ratios that exceeds the rounding of the formula.
    conditioning = max(law.density(points) * np.spacing(points))
    assert max(errors) < max(1e-13, 4 * conditioning)


@pytest.mark.parametrize(("ratio", "variance"), REGION)
def test_stieltjes_near_and_far_in_both_half_planes_and_on_the_real_axis(ratio, variance):
    law = MarchenkoPastur(ratio, variance)
    ((lower, upper),) = law.support
    width = upper - lower
    real = [-width, -1e-8 * upper, upper * 1.0001, upper + width, 1e12 * upper]
    if lower > 0:
        real += [0.5 * lower, lower * (1 - 1e-6)]
    bulk = lower + width * np.array([0.0, 0.1, 0.5, 1.0])
    upper_half = [x + 1j * h * width for x in bulk for h in (1e-9, 1e-3, 1.0, 1e9)]
    for z in [*real, *upper_half, *np.conj(upper_half)]:
        error = oracle.relative_error(law.stieltjes(z), oracle.mp_stieltjes(ratio, variance, z))
        assert error < 1e-12, z
    assert isinstance(law.stieltjes(-1.0), float)


@pytest.mark.thorough
@pytest.mark.parametrize(("ratio", "variance"), REGION)
def test_moments_up_to_twenty(ratio, variance):
    law = MarchenkoPastur(ratio, variance)
    for k in range(21):
        assert oracle.relative_error(law.moment(k), oracle.mp_moment(ratio, variance, k)) < 1e-14


@quick
@given(ratios(), variances(), fractions())
def test_ppf_inverts_the_cdf(ratio, variance, q):
    law = MarchenkoPastur(ratio, variance)
    x = law.ppf(q)
    if law.atoms and q <= law.atoms[0][1]:
        assert x == 0
    else:
        assert law.cdf(x) == pytest.approx(q, abs=1e-13 + 2 * law.density(x) * np.spacing(x))


@quick
@given(ratios(), variances(), fractions(), fractions())
def test_cdf_is_monotone(ratio, variance, a, b):
    law = MarchenkoPastur(ratio, variance)
    ((lower, upper),) = law.support
    x, y = sorted(lower + (upper - lower) * np.array([a, b]))
    assert law.cdf(x) <= law.cdf(y) + 1e-15


@quick
@given(ratios(), upper_points())
def test_stieltjes_solves_its_equation_to_a_few_ulps_of_the_terms(ratio, z):
    s = MarchenkoPastur(ratio).stieltjes(z)
    terms = [ratio * z * s * s, z * s, -(1 - ratio) * s, 1.0]
    assert abs(sum(terms)) <= 16 * np.finfo(float).eps * max(map(abs, terms))
    assert s.imag > 0


@quick
@given(ratios(), variances(), upper_points())
def test_conjugate_symmetry_scaling_and_decay(ratio, variance, z):
    unit, law = MarchenkoPastur(ratio), MarchenkoPastur(ratio, variance)
    assert law.stieltjes(z.conjugate()) == law.stieltjes(z).conjugate()
    assert law.stieltjes(variance * z) * variance == pytest.approx(unit.stieltjes(z), rel=1e-9)
    far = 1e12 * max(1.0, ratio) * 1j
    assert far * unit.stieltjes(far) == pytest.approx(-1, rel=1e-11)


def test_ratio_above_one_has_the_dual_law_and_an_atom():
    law, dual = MarchenkoPastur(4.0), MarchenkoPastur(0.25)
    x = np.linspace(0.1, 10, 50)
    assert law.atoms == ((0.0, 0.75),)
    # (1/N) X Xᵀ and (1/d) Xᵀ X share their non-zero eigenvalues up to the factor 4.
    np.testing.assert_allclose(law.density(x), dual.density(x / 4) / 16, rtol=1e-14, atol=0)
    assert law.cdf(-1e-9) == 0
    assert law.cdf(0.0) == 0.75
    assert law.continuous_mass == 0.25
    assert law.ppf([0.0, 0.75, 1.0]).tolist() == [0.0, 0.0, law.support[0][1]]


def test_hard_edge():
    law = MarchenkoPastur(1.0)
    assert law.support == ((0.0, 4.0),)
    assert law.density(0.0) == math.inf
    x = np.array([1e-300, 1e-20])
    np.testing.assert_allclose(law.density(x) * np.sqrt(x) * np.pi, 1.0, rtol=1e-14)
    assert law.ppf(law.cdf(1e-10)) == pytest.approx(1e-10, rel=1e-9)


@pytest.mark.parametrize("variance", [5e-324, 1e-310, 1e-300, 1e300])
def test_extreme_scales_keep_the_mass(variance):
    law = MarchenkoPastur(0.5, variance)
    ((_, upper),) = law.support
    assert law.cdf(upper) == 1.0
    assert 0 < law.cdf(law.ppf(0.5)) <= 1
    if variance >= 1e-300:
        assert law.density(variance) * variance == pytest.approx(MarchenkoPastur(0.5).density(1.0), rel=1e-14)
    else:
        with pytest.raises(OverflowError, match="rescale"):
            law.density(upper / 2)


def test_shapes_and_scalars():
    law = MarchenkoPastur(0.5)
    grid = np.array([[0.5, 1.0, 1.5]])
    for method in (law.density, law.cdf, law.stieltjes):
        argument = grid if method != law.stieltjes else grid + 1j
        assert method(argument).shape == (1, 3)
        assert method(argument.item(1)) == method(argument)[0, 1]
    assert type(law.density(1)) is float
    assert type(law.cdf(np.float64(1))) is float
    assert type(law.ppf(0.5)) is float
    assert type(law.stieltjes(1j)) is complex
    assert law.density([]).shape == (0,)
    assert law.cdf([-np.inf, np.inf]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MarchenkoPastur(0.0), ValueError, r"ratio=0.0: expected a finite number > 0"),
        (lambda: MarchenkoPastur(-1.0), ValueError, r"ratio=-1.0"),
        (lambda: MarchenkoPastur(math.inf), ValueError, r"ratio=inf"),
        (lambda: MarchenkoPastur("1"), TypeError, r"ratio='1'"),
        (lambda: MarchenkoPastur(1.0, 0.0), ValueError, r"variance=0.0"),
        (lambda: MarchenkoPastur(1.0, math.nan), ValueError, r"variance=nan"),
        (lambda: MarchenkoPastur(0.5).density("a"), TypeError, r"x='a'"),
        (lambda: MarchenkoPastur(0.5).cdf(1j), TypeError, r"x="),
        (lambda: MarchenkoPastur(0.5).ppf(1.5), ValueError, r"q=1.5: expected probabilities in \[0, 1\]"),
        (lambda: MarchenkoPastur(0.5).ppf([0.5, -0.1]), ValueError, r"q=-0.1"),
        (lambda: MarchenkoPastur(0.5).stieltjes(1.0), ValueError, r"z=1.0: on the support"),
        (lambda: MarchenkoPastur(4.0).stieltjes([0.0, 1j]), ValueError, r"z=0.0: on the support"),
        (lambda: MarchenkoPastur(0.5).stieltjes(math.nan), ValueError, r"z="),
        (lambda: MarchenkoPastur(0.5).moment(-1), ValueError, r"order=-1"),
        (lambda: MarchenkoPastur(0.5).moment(1.5), TypeError, r"order=1.5"),
        (lambda: MarchenkoPastur(0.5).sample(3, "0"), TypeError, r"rng=.0.: expected None, an integer"),
        (lambda: MarchenkoPastur(0.5).sample(-3, np.random.default_rng(0)), ValueError, r"size=-3"),
        (lambda: random_matrix(MarchenkoPastur(0.5), 0, np.random.default_rng(0)), ValueError, r"n=0"),
        (
            lambda: random_matrix(MarchenkoPastur(1e3), 10, np.random.default_rng(0)),
            ValueError,
            r"n=10: .*ratio 1000",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_ratios_beyond_all_use():
    assert MarchenkoPastur(1e-300).cdf(1.0) == pytest.approx(0.5, abs=1e-12)
    assert MarchenkoPastur(0.5, 1e-300).stieltjes(-1e300) == pytest.approx(1e-300)
    with pytest.raises(OverflowError, match="order=5"):
        MarchenkoPastur(1e100).moment(5)


@pytest.mark.parametrize("gap", [1e-4, 1e-6, 1e-8, 1e-11, 1e-14])
@pytest.mark.parametrize("side", [-1, 1])
def test_cdf_near_ratio_one_has_full_relative_accuracy(gap, side):
    """The pole of the density at zero is gap²/4 away from the lower edge."""
    ratio = 1 + side * gap
    law = MarchenkoPastur(ratio, 0.7)
    ((lower, upper),) = law.support
    steps = np.concatenate([lower * np.logspace(-2, 4, 13), (upper - lower) * np.logspace(-14, -1, 14)])
    for x in lower + steps[lower + steps < upper]:
        with mpmath.workdps(60):
            y, v, t = (mpmath.mpf(value) for value in (ratio, 0.7, x))
            bottom, width = v * (1 - mpmath.sqrt(y)) ** 2, 4 * v * mpmath.sqrt(y)
            # ∫ √(t(w − t))/(b + t) dt from 0, by t = w sin² φ.
            angle = mpmath.asin(mpmath.sqrt((t - bottom) / width))
            part = mpmath.sqrt((bottom + width) / bottom)
            mass = width * (angle + mpmath.sin(2 * angle) / 2) + 2 * bottom * angle
            mass -= 2 * bottom * part * mpmath.atan(part * mpmath.tan(angle))
            exact = mass / (2 * mpmath.pi * y * v) + max(0, 1 - 1 / y)
        allowed = 1e-12 + 2 * law.density(x) * np.spacing(x) / float(exact)
        assert abs(float(law.cdf(x) / exact - 1)) < allowed


def test_ratio_fitted_with_a_known_variance_of_the_entries():
    # The second moment is σ⁴(1 + y); the mean of the data is not used.
    data = np.array([1.0, 2.0, 6.0])
    fitted = MarchenkoPastur.fit(data, fentry_variance=2.0)
    assert (fitted.entry_variance, fitted.ratio) == pytest.approx((2.0, (41 / 3) / 4 - 1))
