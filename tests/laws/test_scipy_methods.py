"""Every law against the frozen distributions of scipy.stats: names, shapes, identities, values where SciPy has them."""

import dataclasses
import inspect
import math
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rmtsim.errors import ConvergenceError
from rmtsim.laws import (
    Arcsine,
    Circular,
    Discrete,
    Elliptic,
    GaudinMehta,
    GeneralizedMarchenkoPastur,
    Ginibre,
    KestenMcKay,
    LawArray,
    MarchenkoPastur,
    MatrixDyson,
    Semicircle,
    SpikedCovariance,
    TracyWidom,
    Wachter,
    WignerSurmise,
    free_compression,
    free_product,
    free_sum,
    self_energy,
)
from rmtsim.testing import check_law
from rmtsim.testing.strategies import laws as any_law

LAWS = [
    Semicircle(2.0),
    MarchenkoPastur(0.5),
    MarchenkoPastur(1.0),
    MarchenkoPastur(4.0, 0.5),
    MarchenkoPastur(0.5).scaled(-2.0).shifted(1.0),
    GeneralizedMarchenkoPastur(10, [1, 3, 7]),
    GeneralizedMarchenkoPastur(0.5, [-1.0, 0.0, 2.0], [0.25, 0.5, 0.25]),
    Arcsine(1.5),
    KestenMcKay(4),
    Wachter(0.5, 2.0),
    SpikedCovariance(0.4, [6.0], population=[1.0, 3.0]),
    Discrete([-1.0, 0.5, 2.0], [1, 2, 3]),
    free_sum(Semicircle(), Discrete([-2.0, 2.0])),
    free_compression(Discrete([0.0, 1.0, 3.0]), 0.6),
    MatrixDyson(0.0, self_energy.Wigner(2)),
    TracyWidom(1),
    TracyWidom(4),
    WignerSurmise(2),
    GaudinMehta(1),
]
NAMES = [f"{type(law).__name__}-{number}" for number, law in enumerate(LAWS)]
METHODS = (
    "pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "rvs", "mean", "var", "std", "median", "stats",
    "moment", "interval", "expect", "support", "entropy",
)  # fmt: skip
every = pytest.mark.parametrize("law", LAWS, ids=NAMES)


@every
def test_names_and_argument_order(law):
    """Each method of a frozen distribution is there, and its arguments are called the same, in the same order."""
    frozen = stats.norm()
    for name in METHODS:
        ours = list(inspect.signature(getattr(law, name)).parameters)
        theirs = [key for key in inspect.signature(getattr(frozen, name)).parameters if key not in ("kwds",)]
        if name != "support":
            assert ours[: len(theirs)] == theirs, name
    low, high = law.support()
    assert low <= min(np.ravel(law.support), default=np.inf)
    assert high >= max(np.ravel(law.support), default=-np.inf)


@pytest.mark.thorough
@every
def test_shapes_and_points_that_are_no_numbers(law):
    x = law.median()
    for name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"):
        method = getattr(law, name)
        assert isinstance(method(x), float)
        assert method(np.zeros((0, 3))).shape == (0, 3)
        assert method([]).shape == (0,)
        assert method(np.full((2, 1, 3), x)).shape == (2, 1, 3)
        assert math.isnan(method(math.nan))
        found = method([x, math.nan])
        assert math.isnan(found[1])
        assert found[0] == method(x)
    assert (law.pdf(-np.inf), law.pdf(np.inf)) == (0.0, 0.0)
    assert (law.logpdf(np.inf), law.logcdf(-np.inf), law.logsf(np.inf)) == (-np.inf, -np.inf, -np.inf)
    assert (law.cdf(-np.inf), law.cdf(np.inf), law.sf(-np.inf), law.sf(np.inf)) == (0.0, 1.0, 1.0, 0.0)
    for name in ("ppf", "isf"):
        method = getattr(law, name)
        assert method(np.zeros((0,))).shape == (0,)
        assert np.isnan(method([0.3, math.nan])).tolist() == [False, True]
        with pytest.raises(ValueError, match=r"expected probabilities in \[0, 1\]"):
            method(1.1)
    ends = law.support()
    assert (law.ppf(0.0), law.ppf(1.0)) == pytest.approx(ends)
    assert (law.isf(1.0), law.isf(0.0)) == pytest.approx(ends)


@pytest.mark.thorough
@every
def test_moments_are_expectations(law):
    mean, variance, skewness, kurtosis = law.stats("mvsk")
    assert law.expect() == pytest.approx(mean, rel=1e-8, abs=1e-8)
    assert law.expect(lambda x: (x - mean) ** 2) == pytest.approx(variance, rel=1e-8)
    assert law.expect(lambda x: (x - mean) ** 3) == pytest.approx(
        skewness * variance**1.5, rel=1e-7, abs=1e-8
    )
    assert law.expect(lambda x: (x - mean) ** 4) == pytest.approx((kurtosis + 3) * variance**2, rel=1e-7)
    assert (law.mean(), law.var(), law.std()) == (mean, variance, math.sqrt(variance))
    assert law.moment(2) == pytest.approx(variance + mean**2, rel=1e-9)
    assert law.stats("v") == variance
    assert law.stats() == (mean, variance)
    middle = law.median()
    below, above = law.expect(lambda x: 1.0, ub=middle), law.expect(lambda x: 1.0, lb=middle)
    at = sum(mass for place, mass in law.atoms if place == middle)
    assert below == pytest.approx(law.cdf(middle), rel=1e-7)
    assert above == pytest.approx(law.sf(middle) + at, rel=1e-7)
    assert law.expect(lambda x: 1.0, lb=middle, conditional=True) == pytest.approx(1.0, rel=1e-7)


@pytest.mark.thorough
@every
def test_intervals_draws_and_drawings(law):
    lower, upper = law.interval([0.5, 0.9])
    assert (lower[1], upper[1]) == pytest.approx((law.ppf(0.05), law.isf(0.05)), rel=1e-12)
    assert law.interval(0.9) == pytest.approx((lower[1], upper[1]), rel=1e-12)
    assert isinstance(law.rvs(random_state=3), float)
    assert law.rvs(random_state=3) == law.rvs(rng=np.random.default_rng(3))
    np.testing.assert_array_equal(
        law.rvs((2, 3), random_state=5), law.sample((2, 3), np.random.default_rng(5))
    )
    legacy = np.random.RandomState(1)
    first, second = law.rvs(64, legacy), law.rvs(64, legacy)
    assert (first != second).any()  # the state advances
    np.testing.assert_array_equal(first, law.rvs(64, np.random.RandomState(1)))
    assert law.rvs(0).shape == (0,)
    with pytest.raises(TypeError, match="two names"):
        law.rvs(1, 2, rng=3)
    for y in ("pdf", "cdf", "ppf"):
        assert law.plot(y).lines
    with pytest.raises(ValueError, match="y='nothing'"):
        law.plot("nothing")
    ax = law.plot()
    assert law.plot("sf", ax=ax) is ax


@pytest.mark.thorough
@every
def test_conformance(law):
    check_law(law, tolerance=2e-5).assert_passed()


@every
def test_support_is_a_tuple_that_can_be_called(law):
    support = law.support
    assert isinstance(support, tuple)
    assert pickle.loads(pickle.dumps(support))() == support()
    assert support == tuple(support)


@pytest.mark.parametrize(
    ("law", "frozen"),
    [
        (Semicircle(2.25), stats.semicircular(scale=3.0)),
        (Arcsine(1.5), stats.arcsine(loc=-1.5, scale=3.0)),
        (Arcsine(0.5).shifted(0.5), stats.arcsine()),
        (Semicircle(0.25).shifted(-2.0), stats.semicircular(loc=-2.0)),
    ],
    ids=["semicircle", "arcsine", "arcsine on [0, 1]", "shifted semicircle"],
)
def test_as_scipy_has_it(law, frozen):
    low, high = frozen.support()
    x = np.concatenate([np.linspace(low - 1, high + 1, 41), [low + 1e-3, high - 1e-3]])
    q = np.linspace(0.01, 0.99, 23)
    for name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"):
        inside = x[(np.abs(x - low) > 1e-9) & (np.abs(x - high) > 1e-9)]
        with np.errstate(divide="ignore"):
            theirs = getattr(frozen, name)(inside)
        np.testing.assert_allclose(getattr(law, name)(inside), theirs, rtol=1e-9, atol=1e-12)
    for name in ("ppf", "isf"):
        np.testing.assert_allclose(getattr(law, name)(q), getattr(frozen, name)(q), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(law.stats("mvsk"), frozen.stats("mvsk"), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(law.interval(0.8), frozen.interval(0.8), rtol=1e-7)
    assert law.support() == pytest.approx(frozen.support())
    assert law.entropy() == pytest.approx(float(frozen.entropy()), rel=1e-7, abs=1e-9)
    assert law.expect(np.cos) == pytest.approx(frozen.expect(np.cos), rel=1e-6)
    inner = (low + 0.1, low + 0.4)
    theirs = frozen.expect(np.exp, lb=inner[0], ub=inner[1], conditional=True)
    assert law.expect(np.exp, *inner, True) == pytest.approx(theirs, rel=1e-6)
    assert law.moment(3) == pytest.approx(frozen.moment(3), rel=1e-9, abs=1e-12)


@pytest.mark.thorough
@settings(max_examples=25)
@given(law=any_law(), q=st.floats(1e-12, 0.5))
def test_quantiles_and_tails(law, q):
    """Where the law has a density, levels come back; in the tails with relative accuracy."""
    for point, level, tail in ((law.ppf(q), law.cdf, law.logcdf), (law.isf(q), law.sf, law.logsf)):
        atom = any(place == point for place, _ in law.atoms)
        spacing = abs(float(law.pdf(point))) * np.spacing(abs(point)) * 4
        if not atom and math.isfinite(spacing):
            assert abs(level(point) - q) <= 1e-7 * q + spacing + 1e-13
        found = level(point)
        assert tail(point) == (pytest.approx(math.log(found), rel=1e-9, abs=1e-12) if found else -math.inf)
    assert law.cdf(law.median()) >= 0.5 - 1e-12
    x = np.linspace(*law.support(), 9)
    np.testing.assert_allclose(law.cdf(x) + law.sf(x), 1.0, atol=1e-12)
    assert law.var() == pytest.approx(law.moment(2) - law.mean() ** 2, rel=1e-6, abs=1e-9 * law.moment(2))


def test_variance_of_a_narrow_law_far_from_zero():
    """m₂ − m₁² has no digit left: the variance comes from the centred law."""
    assert MarchenkoPastur(1e-17).var() == pytest.approx(1e-17, rel=1e-12)
    assert Semicircle(1e-20).shifted(1.0).var() == pytest.approx(1e-20, rel=1e-12)


def test_expectations_that_cannot_be_computed_are_refused():
    law = MarchenkoPastur(4.0)
    with pytest.raises(ValueError, match=r"func\(0.0\) = inf"):
        law.expect(lambda x: math.inf if x == 0 else 1 / x)
    with pytest.raises(TypeError, match="expected one real number"):
        law.expect(lambda x: 1j)
    with pytest.raises(ConvergenceError, match="estimated error"):
        law.expect(lambda x: math.sin(1e9 * x))
    with pytest.raises(ValueError, match=r"lb=3\.0, ub=1\.0"):
        law.expect(None, 3.0, 1.0)
    with pytest.raises(ValueError, match="probability zero"):
        law.expect(None, 20.0, 30.0, True)
    with pytest.raises(ValueError, match=r"an atom of mass 0\.75 at 0"):
        law.entropy()
    with pytest.raises(ValueError, match="moments='x'"):
        law.stats("x")
    # A kink inside the support is found by subdivision.
    whole = Semicircle().expect(lambda x: abs(x - 0.123))
    parts = Semicircle().expect(lambda x: 0.123 - x, ub=0.123) + Semicircle().expect(
        lambda x: x - 0.123, lb=0.123
    )
    assert whole == pytest.approx(parts, rel=1e-9)


def test_one_meaning_of_variance():
    """The law's variance is var(); the parameter of the entries has a name of its own, and the old one warns."""
    law = MarchenkoPastur(0.5, 2.0)
    assert law.var() == pytest.approx(0.5 * 4.0)
    assert law.entry_variance == 2.0
    for make in (
        lambda: MarchenkoPastur(0.5, variance=2.0),
        lambda: Semicircle(variance=2.0),
        lambda: Circular(variance=2.0),
        lambda: Elliptic(0.3, variance=2.0),
        lambda: SpikedCovariance(0.5, variance=2.0),
    ):
        with pytest.warns(DeprecationWarning, match="use entry_variance="):
            old = make()
        assert old.entry_variance == 2.0
        with pytest.warns(DeprecationWarning, match="entry_variance"):
            assert old.variance == 2.0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert repr(pickle.loads(pickle.dumps(old))) == repr(old)
    with pytest.raises(TypeError, match="two names"):
        Semicircle(variance=2.0, entry_variance=1.0)
    for law in (TracyWidom(2), WignerSurmise(2)):
        with pytest.warns(DeprecationWarning, match=r"use .*var\(\)"):
            assert law.variance == law.var()


def test_arrays_of_parameters():
    ratios = np.array([0.5, 1.0, 2.0])
    laws = MarchenkoPastur(ratios)
    x = np.linspace(-0.5, 6.0, 14)
    for name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"):
        table = getattr(laws, name)(x[:, None])
        assert table.shape == (14, 3)
        for column, ratio in enumerate(ratios):
            np.testing.assert_array_equal(table[:, column], getattr(MarchenkoPastur(ratio), name)(x))
    assert laws.pdf(1.0).shape == (3,)
    assert laws.ppf([0.2, 0.5, 0.9]).tolist() == [
        MarchenkoPastur(r).ppf(q) for r, q in zip(ratios, [0.2, 0.5, 0.9], strict=True)
    ]
    assert laws.isf(np.full((4, 1), 0.1)).shape == (4, 3)
    assert laws.mean().tolist() == [1.0, 1.0, 1.0]
    assert laws.std() == pytest.approx(np.sqrt(ratios))
    assert laws.moment(2) == pytest.approx(1 + ratios)
    low, high = laws.support()
    assert high == pytest.approx((1 + np.sqrt(ratios)) ** 2)
    assert low.tolist() == [MarchenkoPastur(0.5).support()[0], 0.0, 0.0]
    assert [part.shape for part in laws.stats("mvs")] == [(3,)] * 3
    assert laws.interval(0.9)[0].shape == (3,)
    assert laws.median() == pytest.approx(laws.ppf(0.5))
    assert laws.expect(lambda x: x**2) == pytest.approx(1 + ratios)
    assert laws.rvs(random_state=1).shape == (3,)
    assert laws.rvs((5, 3), random_state=1).shape == (5, 3)
    assert len(laws.plot().lines) >= 3
    with pytest.raises(ValueError, match="size=4: expected a shape"):
        laws.rvs(4)
    with pytest.raises(ValueError, match=r"x of shape \(2,\)"):
        laws.pdf([1.0, 2.0])
    assert laws[1] == MarchenkoPastur(1.0)
    assert laws[1:].shape == (2,)
    assert MarchenkoPastur([[0.5], [2.0]], [1.0, 3.0]).shape == (2, 2)
    assert LawArray.of(TracyWidom, [1, 2, 4]) == TracyWidom([1, 2, 4])
    assert GeneralizedMarchenkoPastur([0.5, 2.0], [1.0, 4.0]).mean().tolist() == [2.5, 2.5]
    assert KestenMcKay([3, 4]).moment(2).tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match=r"ratio=-1\.0"):
        MarchenkoPastur([0.5, -1.0])
    with pytest.raises(TypeError, match="ratio="):
        MarchenkoPastur(["a"])


def test_classes_show_the_signature_of_their_constructor():
    assert list(inspect.signature(MarchenkoPastur).parameters) == ["ratio", "entry_variance"]
    assert list(inspect.signature(TracyWidom).parameters) == ["beta", "k", "convention"]
    law = MarchenkoPastur(0.5)
    assert dataclasses.replace(law, ratio=2.0) == MarchenkoPastur(2.0)
    assert pickle.loads(pickle.dumps(law)) == law


@pytest.mark.parametrize(
    "law",
    [
        Semicircle(3.0),
        MarchenkoPastur(0.3, 2.0),
        MarchenkoPastur(3.0),
        Arcsine(1.5),
        KestenMcKay(5),
        Wachter(3.0, 2.0),
    ],
    ids=str,
)
def test_parameters_from_quantiles(law):
    """On a fine grid of quantiles the moments are those of the law, so that fit returns its parameters."""
    grid = (np.arange(20_000) + 0.5) / 20_000
    found = type(law).fit(law.ppf(grid))
    assert dataclasses.astuple(found) == pytest.approx(dataclasses.astuple(law), rel=2e-3)


@pytest.mark.thorough
def test_fit_keeps_parameters_and_names_what_it_refuses():
    x = MarchenkoPastur(0.5, 2.0).rvs(4000, random_state=0)
    assert MarchenkoPastur.fit(x, fratio=0.25).ratio == 0.25
    kept = MarchenkoPastur.fit(x, fix_entry_variance=2.0)
    assert kept.entry_variance == 2.0
    assert kept.ratio == pytest.approx(0.5, abs=0.05)
    for law in (TracyWidom(2), WignerSurmise(4), GaudinMehta(1)):
        assert type(law).fit(law.rvs(800, random_state=0)) == law
    assert Circular.fit(Circular(3.0).rvs(4000, random_state=0)).entry_variance == pytest.approx(
        3.0, rel=0.05
    )
    with pytest.raises(TypeError, match="fscale=2: fit accepts the keywords fratio, fentry_variance"):
        MarchenkoPastur.fit(x, fscale=2)
    with pytest.raises(ValueError, match="expected numbers >= 0"):
        MarchenkoPastur.fit([-1.0, 1.0])
    with pytest.raises(ValueError, match="moments give ratio=0"):
        MarchenkoPastur.fit([1.0, 1.0])
    with pytest.raises(ValueError, match="at least 2"):
        Semicircle.fit([1.0])
    with pytest.raises(TypeError, match=r"GeneralizedMarchenkoPastur.fit: this kind of law has no estimator"):
        GeneralizedMarchenkoPastur.fit(x)
    with pytest.raises(TypeError, match="no estimator"):
        Ginibre.fit([1.0, 2.0j])


@pytest.mark.parametrize("law", [Circular(2.0), Elliptic(-0.4, 0.5), Ginibre(7)], ids=str)
def test_laws_of_the_plane(law):
    assert law.pdf(0.1j) == law.density(0.1j)
    assert law.logpdf(0.1j) == pytest.approx(math.log(law.pdf(0.1j)))
    assert (law.mean(), law.var()) == (0.0, law.moment(1, 1))
    assert law.std() == pytest.approx(math.sqrt(law.var()))
    assert isinstance(law.rvs(random_state=1), complex)
    draws = law.rvs(20_000, random_state=1)
    assert np.mean(np.abs(draws) ** 2) == pytest.approx(law.var(), rel=0.03)
    np.testing.assert_array_equal(draws, law.sample(20_000, 1))
    assert law.plot().get_xlabel() == "real part"


@pytest.mark.parametrize("law", [TracyWidom(3.0), TracyWidom(2, k=2)])
def test_integrals_over_laws_of_the_edge_that_are_tabulated(law):
    assert law.expect() == pytest.approx(law.mean(), rel=1e-10)
    assert law.expect(lambda x: 1.0) == pytest.approx(1.0, rel=1e-10)
    assert law.entropy() == pytest.approx(-law.expect(lambda x: math.log(max(law.pdf(x), 1e-99))), rel=1e-8)


def test_a_product_with_a_hard_edge_is_drawn_and_pickled():
    law = free_product(MarchenkoPastur(1.0), MarchenkoPastur(1.0))
    assert law.pdf(0.0) == math.inf
    assert law.rvs(200, random_state=1).min() > 0
    for each in (law, free_sum(Semicircle(), MarchenkoPastur(0.5))):
        each.cdf(1.0)
        assert pickle.loads(pickle.dumps(each)).cdf(1.0) == each.cdf(1.0)
