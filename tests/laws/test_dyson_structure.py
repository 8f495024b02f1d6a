"""Bands, gaps, atoms and singularities over families: found with their masses, or refused."""

import numpy as np
import pytest

from rmtsim.errors import ConvergenceError
from rmtsim.laws import GeneralizedMarchenkoPastur, MarchenkoPastur, MatrixDyson, Semicircle
from rmtsim.laws.dyson import random_features, weighted_wishart, wishart
from rmtsim.laws.dyson._merge import equitable_classes
from rmtsim.laws.self_energy import Block, GaussianSum, Kronecker, VarianceProfile, Wigner


def check(law, k=2):
    """Masses that add up, edges that enclose the density, a second moment by quadrature beside the series."""
    structure = law._structure
    assert abs(law.unaccounted_mass) < 1e-7
    total = sum(law._masses) + sum(mass for _, mass in law.atoms)
    assert total == pytest.approx(1, abs=1e-9)
    for weight, table in structure.tables:
        assert table.integral == pytest.approx(table.mass, rel=1e-7, abs=1e-12), weight
    if not law._linearised:
        by_tables = sum(w * t.integrate(lambda x: x**k) for w, t in structure.tables)
        by_tables += sum(mass * place**k for place, mass in law.atoms)
        assert by_tables == pytest.approx(law.moment(k), rel=1e-6)
    for lower, upper in law.support:
        width = upper - lower
        assert law.density(0.5 * (lower + upper)) > 0
        gap = 1e-4 * width
        below, above = law.boundary(lower - gap), law.boundary(upper + gap)
        inside = [any(a <= x <= b for a, b in law.support) for x in (lower - gap, upper + gap)]
        assert inside[0] or below.density == 0
        assert inside[1] or above.density == 0


@pytest.mark.thorough
@pytest.mark.parametrize("ratio", [100.0, 1000.0, 0.99, 1.0001, 1.001, 1.0])
def test_wishart(ratio):
    law, closed = wishart(ratio), MarchenkoPastur(ratio)
    np.testing.assert_allclose(np.ravel(law.support), np.ravel(closed.support), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(law.atoms, closed.atoms, atol=1e-9)
    for edge, exact in zip(law.edges, np.ravel(closed.support), strict=True):
        assert abs(edge.location - exact) <= 30 * edge.error
        assert edge.kind == ("hard" if exact == 0 else "square root")
    check(law)


@pytest.mark.parametrize(
    "parameters", [(0.5, 0.9), pytest.param((0.8, 1.5), marks=pytest.mark.slow), (0.223, 4.54, 0.92, 1.27)]
)
def test_random_features(parameters):
    law = random_features(*parameters)
    features, linear, nonlinear = (*parameters, 1.0, 1.0)[1:4]
    if features > 1:
        np.testing.assert_allclose(law.atoms, [(0.0, 1 - 1 / features)], atol=1e-9)
    check(law)
    assert law.moment(1) == pytest.approx(linear**2 + nonlinear**2, rel=1e-7)


def test_weighted_wishart_is_the_generalised_law():
    rng = np.random.default_rng(0)
    for _ in range(2):
        ratio, values = (
            float(10.0 ** rng.uniform(-1, 1)),
            rng.choice([-1, 1], 3) * 10.0 ** rng.uniform(-1, 1, 3),
        )
        law, closed = weighted_wishart(ratio, values), GeneralizedMarchenkoPastur(ratio, values)
        scale = np.abs(closed.support).max()
        np.testing.assert_allclose(np.ravel(law.support), np.ravel(closed.support), atol=1e-10 * scale)
        np.testing.assert_allclose(law._masses, closed._masses, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_gaussian_sums_of_one_matrix_are_mixtures_of_semicircles(n):
    rng = np.random.default_rng(n)
    raw = rng.standard_normal((n, n))
    law = MatrixDyson(0.3, GaussianSum([raw + raw.T]))
    parts = [Semicircle(float(b) ** 2).shifted(0.3) for b in np.linalg.eigvalsh(raw + raw.T)]
    radius = max(part.support[0][1] for part in parts)
    np.testing.assert_allclose(law.support, [(0.6 - radius, radius)], rtol=1e-11)
    x = np.linspace(-0.9, 0.9, 7) * (radius - 0.3) + 0.3
    np.testing.assert_allclose(law.density(x), np.mean([p.density(x) for p in parts], axis=0), rtol=1e-8)
    np.testing.assert_allclose(law.cdf(x), np.mean([p.cdf(x) for p in parts], axis=0), atol=1e-9)
    check(law)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_staircases_have_a_power_at_zero(k):
    # ρ ~ |x|^(-(k-1)/(k+1)) for a k×k profile whose lower right triangle vanishes.
    profile = np.array([[float(i + j < k) for j in range(k)] for i in range(k)])
    law = MatrixDyson(0.0, VarianceProfile(profile))
    assert [(item.location, item.exponent) for item in law.singularities] == [
        (0.0, pytest.approx(-(k - 1) / (k + 1), abs=0.01))
    ]
    check(law)
    assert law.cdf(0.0) == pytest.approx(0.5, abs=1e-9)


def test_zero_patterns():
    rng = np.random.default_rng(3)
    for _ in range(5):
        n = int(rng.integers(2, 5))
        pattern = np.triu(rng.random((n, n)) < 0.5).astype(float)
        profile = pattern + np.triu(pattern, 1).T
        check(MatrixDyson(0.0, VarianceProfile(profile)))


@pytest.mark.parametrize("mean", [1e3, 1e5, 1e7])
def test_far_means(mean):
    law = MatrixDyson(np.diag([-mean, mean]), Wigner(2, 1.0))
    assert len(law.support) == 2
    # Each band is a semicircle of variance 1/2 up to terms of order 1/mean.
    half = np.sqrt(2)
    expected = [(-mean - half, -mean + half), (mean - half, mean + half)]
    np.testing.assert_allclose(law.support, expected, atol=2 / mean + 1e-7)
    assert law._masses == pytest.approx((0.5, 0.5), abs=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-8, 1e-9])
def test_small_gaps_are_found(gap):
    # A = ±1: the gap of width 4/(3√3)·β^(3/2) opens at variance 1 - β.
    beta = gap ** (2 / 3)
    law = MatrixDyson(np.diag([-1.0, 1.0]), Wigner(2, 1 - beta))
    assert len(law.support) == 2
    width = law.support[1][0] - law.support[0][1]
    assert width == pytest.approx(4 / (3 * np.sqrt(3)) * gap, rel=3 * beta + 1e-4)
    merged = MatrixDyson(np.diag([-1.0, 1.0]), Wigner(2, 1 + beta))
    assert len(merged.support) == 1
    assert merged.cdf(0.0) == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(("weight", "place"), [(1e-3, 3.0), (1e-7, 1.77), (1e-7, -10.0), (1e-10, 3.0)])
def test_light_bands_are_found(weight, place):
    energy = Block(
        hermitian=[[[1, 0], [0, 0]], [[0, 0], [0, 1.0]]], general=[[[0, 0.5], [0, 0]]], weights=(1.0, weight)
    )
    law = MatrixDyson(np.diag([0.0, place]), energy)
    assert len(law.support) == 2
    light = 0 if place < 0 else 1
    assert law._masses[light] == pytest.approx(weight / (1 + weight), rel=1e-6)
    lower, upper = law.support[light]
    assert law.density(0.5 * (lower + upper)) > 0
    check(law)


def test_random_ensembles():
    rng = np.random.default_rng(4)
    for index in range(6):
        n = int(rng.integers(2, 6))
        mean = np.diag(rng.uniform(-4, 4, n)) * rng.choice([0, 1])
        if index % 3 == 0:
            profile = rng.random((n, n)) ** 3
            energy = VarianceProfile((profile + profile.T) / n)
        elif index % 3 == 1:
            raw = rng.standard_normal((3, n, n))
            energy = GaussianSum(raw + raw.transpose(0, 2, 1))
        else:
            root = rng.standard_normal((n, n))
            energy = Kronecker(root @ root.T)
        check(MatrixDyson(mean, energy))


def test_a_missing_band_would_be_refused(monkeypatch):
    # Mutation: a level that misses the light band leaves its mass unaccounted for.
    law = MatrixDyson(np.diag([0.0, 9.0]), Wigner(2, 1.0))
    original = type(law._problem).negative_share
    monkeypatch.setattr(
        type(law._problem), "negative_share", lambda self, state: 0.97 * original(self, state)
    )
    with pytest.raises(ConvergenceError, match="unaccounted"):
        _ = law.support


def test_rows_that_cannot_differ_are_merged():
    n = 300
    profile = np.ones((n, n)) / n
    profile[0] *= 40
    profile[:, 0] *= 40
    spike = MatrixDyson(0.0, VarianceProfile(profile))
    assert spike._problem.size == 2
    small = MatrixDyson(
        0.0,
        Block(
            hermitian=[np.diag([np.sqrt(1600.0), 0]), np.diag([0, 1.0])],
            general=[[[0, np.sqrt(40.0)], [0, 0]]],
            weights=(1 / n, 1 - 1 / n),
        ),
    )
    np.testing.assert_allclose(spike.support, small.support, rtol=1e-10)
    z = 0.4 + 0.2j
    solution = spike.solve(z).full()
    image = np.diag(spike.self_energy(solution))
    np.testing.assert_allclose(np.diag(solution), -1 / (z + image), rtol=1e-9)
    x = np.arange(40)
    band = (np.abs(x[:, None] - x) <= 3) / 7.0
    assert equitable_classes([np.zeros(40)], band).max() == 19  # mirror images
    assert equitable_classes([np.zeros(40)], np.ones((40, 40)) + np.diag(x)).max() == 39
    whole = MatrixDyson(0.0, VarianceProfile(band))
    tilted = MatrixDyson(np.diag(1e-13 * x), VarianceProfile(band))
    assert tilted._problem.size == 40
    np.testing.assert_allclose(whole.support, tilted.support, atol=1e-10)
    np.testing.assert_allclose(whole.density([0.3, 1.1]), tilted.density([0.3, 1.1]), rtol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("scale", [0.3, 0.7, 1.0, 1.3, 10.0])
def test_hard_edges_of_a_rotated_vector_equation(scale):
    """H = [[w, 1], [1, −w]] with w semicircular of deviation s: H² = 1 + w², hard edges at ±1 for every s."""
    law = MatrixDyson(np.array([[0.0, 1.0], [1.0, 0.0]]), GaussianSum([scale * np.diag([1.0, -1.0])]))
    outer = np.sqrt(1 + 4 * scale**2)
    np.testing.assert_allclose(law.support, [(-outer, -1), (1, outer)], rtol=1e-13)
    for share in (1e-6, 0.1, 0.5, 0.9):
        x = 1 + (outer - 1) * share
        root = np.sqrt((x - 1) * (x + 1))
        # Half the mass on each side of zero; |w| has twice the semicircle's density.
        exact = 0.5 * 2 * Semicircle(scale**2).density(root) * x / root
        assert law.density([-x, x]) == pytest.approx([exact, exact], rel=1e-9)
        assert law.sf(x) == pytest.approx(Semicircle(scale**2).sf(root), abs=1e-9)
    check(law)


@pytest.mark.thorough
def test_hard_edges_of_narrow_bands_far_from_zero():
    """The same with s = 1e-3: bands of width 2e-6 at ±1, whose edge holds 1e-5 of the mass between two doubles."""
    scale = 1e-3
    law = MatrixDyson(np.array([[0.0, 1.0], [1.0, 0.0]]), GaussianSum([scale * np.diag([1.0, -1.0])]))
    outer = np.sqrt(1 + 4 * scale**2)
    np.testing.assert_allclose(law.support, [(-outer, -1), (1, outer)], rtol=0, atol=1e-15)
    assert 1e-7 < law.unaccounted_mass < 2e-5
    assert law.cdf(np.sqrt(1 + scale**2)) == pytest.approx(1 - Semicircle().sf(1.0), abs=law.unaccounted_mass)
    assert law._masses == pytest.approx((0.5, 0.5), abs=1e-12)


def test_a_basis_is_used_only_if_diagonal_matrices_stay_diagonal():
    mean = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert GaussianSum([np.diag([1.0, -1.0])]).simultaneous(mean) is not None
    assert GaussianSum([np.diag([1.0, -0.9])]).simultaneous(mean) is None
