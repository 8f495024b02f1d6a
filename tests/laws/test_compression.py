"""Corners of free matrices: closed forms, the R-transform, composition, random corners, refusals."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rmtsim.laws import (
    Arcsine,
    Discrete,
    MarchenkoPastur,
    Semicircle,
    SpikedCovariance,
    Wachter,
    free_compression,
    r_transform,
)
from rmtsim.laws._free.compression import Compression
from rmtsim.spectra import empirical, random_matrix

quick = settings(derandomize=True, deadline=None, max_examples=12)
COIN = Discrete([-1.0, 1.0])


def agree(law, truth, z=(0.3 + 0.2j, 40.0, -7.0 + 1e-9j, 0.1 + 1e-12j, -0.2 - 3j)):
    assert np.allclose(law.support, truth.support, rtol=1e-12, atol=1e-14)
    assert np.allclose(law.atoms, truth.atoms)
    x = np.concatenate([np.linspace(*band, 19)[1:-1] for band in truth.support])
    np.testing.assert_allclose(law.density(x), truth.density(x), rtol=1e-11)
    np.testing.assert_allclose(law.cdf(x), truth.cdf(x), atol=1e-12)
    np.testing.assert_allclose(law.ppf([0.7, 0.97]), truth.ppf([0.7, 0.97]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(law.stieltjes(np.array(z)), truth.stieltjes(np.array(z)), rtol=1e-11)
    for k in range(1, 7):
        assert law.moment(k) == pytest.approx(truth.moment(k), rel=1e-11, abs=1e-13)


@quick
@given(st.floats(0.01, 50), st.floats(0.02, 0.98))
def test_a_semicircle_keeps_its_shape(variance, share):
    agree(free_compression(Semicircle(variance), share), Semicircle(share * variance))


@quick
@given(st.floats(0.05, 8), st.floats(0.05, 0.95))
def test_a_corner_of_a_covariance_is_that_of_fewer_features(ratio, share):
    if abs(ratio * share - 1) > 1e-3 and abs(ratio - 1) > 1e-3:
        agree(free_compression(MarchenkoPastur(ratio), share), MarchenkoPastur(ratio * share))


def test_a_hard_edge_goes_and_comes():
    agree(free_compression(MarchenkoPastur(1.0), 0.5), MarchenkoPastur(0.5))
    agree(free_compression(MarchenkoPastur(4.0), 0.25), MarchenkoPastur(1.0))


def test_half_a_coin_is_the_arcsine_law():
    agree(free_compression(COIN, 0.5), Arcsine(1.0), z=(0.3 + 0.2j, 40.0, 0.1 + 1e-12j))


@quick
@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_projections_meet_in_wachters_law(rank, share):
    # QPQ on Q's range, P of rank p: Jacobi with n₁ = p·n, n₂ = (1 - p)n for tn features. Where an atom vanishes to
    # rounding the edge is soft at a distance of 1e-16 from zero or one: a ConvergenceError.
    assume(min(abs(rank + share - 1), abs(rank - share)) > 1e-12)
    law = free_compression(Discrete([0.0, 1.0], [1 - rank, rank]), share)
    root = 2 * math.sqrt(rank * (1 - rank) * share * (1 - share))
    middle = rank * (1 - share) + share * (1 - rank)
    assert np.allclose(law.support, [(middle - root, middle + root)], atol=1e-12)
    expected = [(0.0, max(0.0, (share - rank) / share)), (1.0, max(0.0, (share + rank - 1) / share))]
    assert np.allclose(
        [mass for _, mass in law.atoms], [mass for _, mass in expected if mass > 1e-14], atol=1e-12
    )
    assert math.fsum(band.mass for band in law._bands) + math.fsum(m for _, m in law.atoms) == pytest.approx(
        1
    )
    if rank / share > 1.01 and (1 - rank) / share > 1.01:
        truth = Wachter(rank / share, (1 - rank) / share)
        np.testing.assert_allclose(law.density(middle), truth.density(middle), rtol=1e-10)


BASES = {
    "two bands": (SpikedCovariance(0.1, population=[1.0, 6.0]), 0.9, 2),
    "bands that merge": (SpikedCovariance(0.1, population=[1.0, 6.0]), 0.2, 1),
    "four atoms": (Discrete([0.0, 1.0, 5.0, 6.0], [0.5, 0.2, 0.2, 0.1]), 0.6, 2),
    "an atom and a bulk": (MarchenkoPastur(3.0), 0.9, 1),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", BASES)
def test_r_transform_and_composition(name):
    base, share, bands = BASES[name]
    law = free_compression(base, share)
    assert len(law.support) == bands
    g = np.array([-0.15, -0.02, 0.01, 0.05])
    np.testing.assert_allclose(r_transform(law, g), r_transform(base, share * g), rtol=1e-9)
    # The defining equation itself, at other points than those that were solved for.
    z = np.array([0.7 + 0.3j, 3.0 + 1e-6j, -1 + 0.5j])
    s = law.stieltjes(z)
    omega = z - (1 - share) / (share * s)
    np.testing.assert_allclose(base.stieltjes(omega) / share, s, rtol=1e-9)


@pytest.mark.slow
def test_a_corner_of_a_corner_is_a_corner():
    base, share, _ = BASES["four atoms"]
    once = free_compression(base, share)
    assert free_compression(free_compression(base, 0.8), share / 0.8).share == pytest.approx(share)
    # Without the short cut: the law of a law that is itself solved for.
    twice = Compression(Compression(base, 0.8), share / 0.8)
    assert np.allclose(twice.support, once.support, rtol=1e-9, atol=1e-12)
    x = np.concatenate([np.linspace(*band, 7)[1:-1] for band in once.support])
    np.testing.assert_allclose(twice.density(x), once.density(x), rtol=1e-8)


@pytest.mark.parametrize("name", BASES)
def test_random_corners_follow_the_law(name):
    base, share, _ = BASES[name]
    law, n = free_compression(base, share), 300
    values = np.linalg.eigvalsh(random_matrix(law, n, np.random.default_rng(4)))
    # Eigenvalues are rigid: log n/n apart, with a constant of a few. Atoms to rounding only.
    for place, _ in law.atoms:
        values[np.abs(values - place) < 1e-9] = place
    assert empirical(values).kolmogorov(law) < 3 * math.log(n) / n
    wrong = free_compression(base, share * 0.9)
    assert empirical(values).kolmogorov(wrong) > empirical(values).kolmogorov(law)


def test_a_share_moved_by_three_per_cent_is_noticed():
    assert not np.allclose(
        free_compression(Semicircle(2.0), 0.3 * 1.03).support, Semicircle(0.6).support, rtol=1e-3
    )


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="law="):
        free_compression(3.0, 0.5)
    with pytest.raises(ValueError, match=r"share=1.5: expected a number in \[1e-06, 1\]"):
        free_compression(COIN, 1.5)
    with pytest.raises(ValueError, match="share=0"):
        free_compression(COIN, 0)
    assert free_compression(COIN, 1) is COIN
    point = Discrete([2.0])
    assert free_compression(point, 0.2) is point


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_law_far_from_zero_is_compressed_as_one_beside_it(share):
    """Corners of A + c are corners of A, plus c: walls and brackets must not depend on where zero is."""
    near, far = Discrete([0.0, 1.0, 3.0], [0.3, 0.4, 0.3]), Discrete([100.0, 101.0, 103.0], [0.3, 0.4, 0.3])
    here, there = free_compression(near, share), free_compression(far, share)
    np.testing.assert_allclose(np.array(there.support) - 100, here.support, atol=1e-10)
    np.testing.assert_allclose(
        [mass for _, mass in there.atoms], [mass for _, mass in here.atoms], atol=1e-12
    )
    middles = np.array([0.5 * (low + high) for low, high in here.support])
    np.testing.assert_allclose(there.density(middles + 100), here.density(middles), rtol=1e-9)
    ends = np.ravel(here.support)
    outside = np.array([ends[0] - 0.5, *(0.5 * (ends[1:-1:2] + ends[2::2])), ends[-1] + 0.5])
    np.testing.assert_allclose(there.stieltjes(outside + 100), here.stieltjes(outside), rtol=1e-9)
