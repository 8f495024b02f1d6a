"""Conditions of `li`'s theorem on ensembles whose constants are known, and block linearisations on drawn matrices."""

import numpy as np
import pytest

from rmtsim.laws import GeneralizedMarchenkoPastur
from rmtsim.laws.dyson import (
    anticommutator,
    comparability,
    covariance_norms,
    mean_condition,
    random_features,
    support_bound,
    weighted_wishart,
)
from rmtsim.laws.self_energy import GaussianSum, Kronecker, Wigner
from rmtsim.spectra import empirical, gaussian_matrix, random_matrix


def test_comparability_of_the_orthogonal_ensemble_is_exact():
    # u* S[vv*] u = (v/n)(1 + |uᵀv|²): c = v and C = 2v.
    result = comparability(Wigner(5, 0.7, transpose=True))
    np.testing.assert_allclose((*result.c, *result.C), (0.7, 0.7, 1.4, 1.4), rtol=1e-9)


def test_comparability_brackets_random_probes():
    rng = np.random.default_rng(0)
    raw = rng.standard_normal((12, 4, 4))
    energy = GaussianSum(raw + raw.transpose(0, 2, 1))
    result = comparability(energy)
    assert 0 <= result.c[0] <= result.c[1] <= result.C[0] <= result.C[1]
    for _ in range(300):
        root = rng.standard_normal((4, 2))
        t = root @ root.T
        values = np.linalg.eigvalsh(energy(t)) * 4 / np.trace(t)
        assert values[0] >= result.c[1] - 1e-9
        assert values[-1] <= result.C[0] + 1e-9


def test_rank_one_self_energy_has_no_lower_constant():
    result = comparability(GaussianSum([np.eye(3)]))
    assert result.c == (0.0, 0.0)
    assert pytest.approx((3.0, 3.0)) == result.C


def test_comparability_from_samples():
    rng = np.random.default_rng(1)
    energy = Wigner(3, 1.0, transpose=True)
    result = comparability(np.array([gaussian_matrix(energy, rng) for _ in range(1500)]))
    # The true ensemble has c = 1 and C = 2.
    assert result.c[1] == pytest.approx(1, abs=0.2)
    assert result.C[0] == pytest.approx(2, abs=0.25)


def test_mean_condition_of_samples():
    rng = np.random.default_rng(2)
    draws = np.array([gaussian_matrix(Wigner(6), rng) for _ in range(500)])
    assert mean_condition(draws).holds
    assert not mean_condition(draws + 0.5 * np.eye(6)).holds
    assert mean_condition(np.diag([0.0, -3.0])).norm == 3


def test_support_bound_merges_overlaps():
    assert support_bound(0.0, Wigner(2, 4.0)) == ((-4.0, 4.0),)
    bound = support_bound(np.diag([0.0, 1.0, 9.0]), Wigner(3, 1.0))
    np.testing.assert_allclose(bound, [(-2, 3), (7, 11)])


def test_covariance_norms_of_known_ensembles():
    norms = covariance_norms(Wigner(5, 3.0, transpose=True))
    assert norms.average == pytest.approx(6.0)
    np.testing.assert_allclose(norms.isotropic, (6.0, 6.0), rtol=1e-6)
    # H = g·1 couples all diagonal entries: κ(aa, cc) = n, and the average norm grows like n².
    assert covariance_norms(GaussianSum([np.eye(4)])).average == pytest.approx(16.0)
    separable = covariance_norms(Kronecker(np.diag([0.5, 1.0, 1.5]), transpose=True))
    assert separable.isotropic[0] <= separable.isotropic[1] * (1 + 1e-12)
    with pytest.raises(ValueError, match="size=30: expected at most limit=24"):
        covariance_norms(Wigner(30))


@pytest.mark.parametrize(
    ("law", "side"),
    [(anticommutator(), 300), (random_features(0.8, 0.5), 300), (weighted_wishart(0.6, [1, -2]), 300)],
)
def test_linearisations_against_schur_complements(law, side):
    values = np.linalg.eigvalsh(random_matrix(law, side, np.random.default_rng(3)))
    assert len(values) == side
    x = np.quantile(values, [0.1, 0.3, 0.5, 0.7, 0.9])
    assert np.all(law.density(x) > 0)
    assert np.mean(values**2) == pytest.approx(law.moment(2), rel=0.06)


def test_random_features_against_their_definition():
    rng = np.random.default_rng(4)
    n, d, p = 600, 480, 300
    w, x, z = rng.standard_normal((p, d)), rng.standard_normal((d, n)), rng.standard_normal((p, n))
    features = 0.7 * w @ x / np.sqrt(d) + 0.4 * z
    law = random_features(d / n, p / n, 0.7, 0.4)
    assert empirical(np.linalg.eigvalsh(features @ features.T / n)).kolmogorov(law) < 0.01


def test_weighted_wishart_is_the_generalised_law():
    law, truth = (
        weighted_wishart(0.5, [1.0, 4.0], [0.25, 0.75]),
        GeneralizedMarchenkoPastur(0.5, [1.0, 4.0], [0.25, 0.75]),
    )
    np.testing.assert_allclose(law.support, truth.support, atol=1e-8)
    x = np.linspace(*truth.support[0], 17)[1:-1]
    np.testing.assert_allclose(law.density(x), truth.density(x), atol=1e-9)
    with pytest.raises(ValueError, match="none of them zero"):
        weighted_wishart(0.5, [1.0, 0.0])
