"""Ranks on noise that is not Gaussian: the null is chosen by what the data show, or no rank is given."""

import numpy as np
import pytest
from scipy import stats

from rmtsim.spectra import spectrum
from rmtsim.spectra._flips import entries_of

SHAPE = (80, 40)


def t5(rng):
    return rng.standard_t(5, SHAPE)


def lognormal(rng):
    return rng.lognormal(size=SHAPE) - np.exp(0.5)


def sparse(rng):
    return (rng.random(SHAPE) < 0.05) - 0.05


def columns(rng):
    return rng.standard_normal(SHAPE) * np.sqrt(np.linspace(0.3, 3, 40))


def scaled_rows(rng):
    return rng.standard_normal(SHAPE) * np.sqrt(5 / rng.chisquare(5, 80))[:, None]


def gaussian(rng):
    return rng.standard_normal(SHAPE)


def correlated(rng):
    x = rng.standard_normal((82, 40))
    return x[2:] + x[:-2]


def component(rng, noise, strength=4.0):
    left, right = rng.standard_normal(80), rng.standard_normal(40)
    scale = strength * noise.std() * (80 * 40) ** 0.25
    return scale * np.outer(left / np.linalg.norm(left), right / np.linalg.norm(right))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [gaussian, t5, lognormal, sparse, columns, scaled_rows])
def test_level_and_power(kind):
    """At level 0.05 at most 5 of 20 draws of noise have a rank; four times the threshold of white noise is found."""
    false, found = 0, 0
    for seed in range(20):
        rng = np.random.default_rng([3, seed])
        noise = kind(rng)
        false += bool(spectrum(noise).rank)
        found += bool(spectrum(noise + component(rng, noise)).rank)
    assert stats.binom.sf(5, 20, 0.05) < 0.001
    assert false <= 5
    assert found >= 18


@pytest.mark.parametrize("seed", range(5))
def test_correlated_rows_have_no_rank(seed):
    found = spectrum(correlated(np.random.default_rng(seed)))
    assert found.rank is None
    assert "no rank: the bulk does not fit, because" in found.report()
    assert "level" not in found.report().replace("without a level", "")
    assert found.to_dict()["rank"] is None
    assert "no rank" in repr(found)


def test_eigenvalues_alone_of_a_misfitting_bulk_have_no_rank():
    x = columns(np.random.default_rng(0))
    found = spectrum(np.linalg.eigvalsh(x.T @ x / 80), samples=80)
    assert found.rank is None
    assert "rejected" in found.reason


def test_the_choice_is_said():
    rng = np.random.default_rng(1)
    heavy, unequal = spectrum(t5(rng)), spectrum(columns(rng))
    assert (heavy.test, unequal.test) == ("signs", "signs")
    assert "kurtosis" in heavy.choice
    assert "columns" in unequal.choice
    assert "sign flips" in heavy.report()
    plain = spectrum(gaussian(rng))
    assert (plain.test, plain.choice, plain.reason) == ("tracy-widom", "", "")


def test_equal_data_give_equal_results():
    x = t5(np.random.default_rng(2))
    assert spectrum(x).to_dict() == spectrum(x).to_dict() == spectrum(1024.0 * x / 1024.0).to_dict()


def test_large_data_name_the_remedy():
    x = np.random.default_rng(0).standard_t(4, (10100, 50))
    found = spectrum(x)
    assert found.rank is None
    assert "test='signs'" in found.reason
    assert spectrum(x, test="signs").rank == 0


@pytest.mark.parametrize("complex_", [False, True])
def test_entries_are_measured(complex_):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 300))
    if complex_:
        x = x + 1j * rng.standard_normal((400, 300))
    plain = entries_of(x, 0)
    assert plain.excess_kurtosis == pytest.approx(0, abs=0.05)
    assert (plain.columns, plain.rows) == pytest.approx((1, 1), abs=0.2)
    # Standard deviations of variances: 0.5 between columns, √(2/400) by chance (half of it if complex).
    x[:, ::2] *= np.sqrt(3.0)
    assert entries_of(x, 0).columns == pytest.approx(0.5 / np.sqrt((2 - complex_) / 400), rel=0.5)
    assert entries_of(rng.laplace(size=(400, 300)), 0).excess_kurtosis == pytest.approx(3, abs=0.4)


def test_complex_data():
    rng = np.random.default_rng(4)
    x = (rng.standard_normal((200, 80)) + 1j * rng.standard_normal((200, 80))) / np.sqrt(2)
    x[:, 0] *= 3
    found = spectrum(x)
    again = spectrum(np.linalg.svd(x, compute_uv=False) ** 2 / 200, samples=200, beta=2)
    assert found.rank == again.rank == 1
    assert found.sigma == pytest.approx(again.sigma, rel=1e-12)
    assert found.next_log10_p == pytest.approx(again.next_log10_p, rel=1e-6)
    hermitian = x[:80] + x[:80].conj().T
    assert spectrum(hermitian).kind == "wigner"
    assert spectrum(x.real.astype(complex)).to_dict() == spectrum(x.real).to_dict()
    with pytest.raises(ValueError, match="beta=1"):
        spectrum(x, beta=1)
    with pytest.raises(ValueError, match="real eigenvalues"):
        spectrum(np.arange(1, 30) + 1j, samples=50)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": np.arange(1.0, 30), "samples": 50, "test": "signs"}, "data matrix"),
        ({"source": np.eye(30)[:20] + 1.0, "test": "flips"}, "test='flips'"),
        ({"source": np.eye(30)[:20] + 1.0, "test": "signs", "population": [1, 2]}, "without population"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        spectrum(**arguments)


def test_gram_matrix_and_decomposition_agree():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((90, 40))
    for matrix in (x, x.T, x * np.logspace(0, -6, 40)):
        values = spectrum(matrix).eigenvalues
        exact = np.zeros(matrix.shape[1])
        exact[: min(matrix.shape)] = np.linalg.svd(matrix, compute_uv=False) ** 2 / len(matrix)
        np.testing.assert_allclose(values, exact[: values.size], rtol=1e-8, atol=1e-16)
