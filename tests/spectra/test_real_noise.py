"""Ranks on noise that is not Gaussian: the null is chosen by what the data show, or no rank is given."""

import numpy as np
import pytest
from scipy import stats

from rmtsim.spectra import spectrum
from rmtsim.spectra._deflation import without_directions, without_top
from rmtsim.spectra._entries import entries_of, localised
from rmtsim.spectra._resampling import resampled_test

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
    assert (heavy.test, unequal.test) == ("permutations", "signs")
    assert "kurtosis" in heavy.choice
    assert "columns" in unequal.choice
    assert "permutations of the entries" in heavy.report()
    assert "sign flips" in unequal.report()
    plain = spectrum(gaussian(rng))
    assert (plain.test, plain.choice, plain.reason) == ("tracy-widom", "", "")


def test_equal_data_give_equal_results():
    x = t5(np.random.default_rng(2))
    assert spectrum(x).to_dict() == spectrum(x).to_dict() == spectrum(1024.0 * x / 1024.0).to_dict()


@pytest.mark.thorough
def test_large_data_name_the_remedy():
    x = np.random.default_rng(0).standard_t(4, (10100, 50))
    found = spectrum(x)
    assert found.rank is None
    assert "test='permutations'" in found.reason
    assert spectrum(x, test="permutations").rank == 0


@pytest.mark.parametrize("complex_", [False, True])
def test_entries_are_measured(complex_):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 300))
    if complex_:
        x = x + 1j * rng.standard_normal((400, 300))
    plain = entries_of(x)
    assert plain.excess_kurtosis == pytest.approx(0, abs=0.05)
    assert plain.light
    assert plain.unequal == (False, False)
    assert plain.enough
    # Variances of 1 and 3 have the relative variance 1/4: the edge moves by √(n/p)/4 of its place.
    x[:, ::2] *= np.sqrt(3.0)
    found = entries_of(x)
    assert found.unequal == (True, False)
    heavy = entries_of(rng.laplace(size=(400, 300)))
    assert heavy.excess_kurtosis == pytest.approx(3, abs=0.4)
    assert not heavy.light


def test_move_of_the_edge_by_unequal_variances():
    """The largest eigenvalue of 60 draws moves by the predicted share of its place, up to terms of higher order."""
    shape, spread = (200, 150), 0.25
    scales = np.sqrt(1 + spread * np.tile([-1.0, 1.0], 75))
    places = []
    for seed in range(60):
        z = np.random.default_rng([7, seed]).standard_normal(shape)
        places.append([np.linalg.norm(matrix, 2) ** 2 for matrix in (z, z * scales)])
    white, moved = np.mean(places, axis=0)
    assert moved / white - 1 == pytest.approx(spread**2 * np.sqrt(200 / 150), rel=0.25)


@pytest.mark.parametrize("shape", [(9, 5), (5, 9)])
@pytest.mark.parametrize("complex_", [False, True])
def test_removed_components_and_directions(shape, complex_):
    rng = np.random.default_rng(8)
    x = rng.standard_normal(shape) + complex_ * 1j * rng.standard_normal(shape)
    values = np.linalg.svd(x, compute_uv=False)
    for count in (1, 3):
        rest = without_top(x, count)
        assert rest.shape == (shape[0] - count, shape[1] - count)
        np.testing.assert_allclose(np.linalg.svd(rest, compute_uv=False), values[count:])
    centred = x - x.mean(axis=0)
    inside = without_directions(centred, np.full((shape[0], 1), shape[0] ** -0.5))
    assert inside.shape == (shape[0] - 1, shape[1])
    np.testing.assert_allclose(inside.conj().T @ inside, centred.conj().T @ centred, atol=1e-12)


def test_one_entry_of_heavy_tailed_noise_makes_no_component():
    """Columns of unequal variances with t-distributed entries: at most 8 of 200 draws at 0.05; a column is found."""
    scales = np.sqrt(np.linspace(0.5, 2, 20))
    draws = [np.random.default_rng([10, seed]).standard_t(4, (50, 20)) * scales for seed in range(200)]
    assert sum(localised(x) <= 0.05 for x in draws) <= 8
    assert sum(localised(x * np.where(np.arange(20) == 3, 6, 1)) <= 0.05 for x in draws) >= 150


def test_one_column_against_the_spread_of_the_others():
    """Unequal variances are no component, a column far beyond them is one: false in at most 8 of 100 draws at 0.05."""
    false = found = 0
    for seed in range(100):
        rng = np.random.default_rng([9, seed])
        x = rng.standard_normal((30, 12)) * np.sqrt(5 / rng.chisquare(5, 30))[:, None]
        false += localised(x) <= 0.05
        x = rng.standard_normal((30, 12))
        x[:, 3] *= 3
        found += localised(x) <= 0.05
    assert false <= 8
    assert found >= 95


@pytest.mark.thorough
@pytest.mark.parametrize("shape", [(20, 10), (30, 30), (90, 30), (40, 40)])
@pytest.mark.parametrize("where", ["column", "row", "spread"])
def test_components_of_small_matrices(shape, where):
    """A component of three times the threshold is found in white noise wherever it lies, in 9 of 10 draws."""
    found = 0
    for seed in range(10):
        rng = np.random.default_rng([10, seed])
        left, right = (rng.standard_normal(side) for side in shape)
        if where == "column":
            right = np.eye(shape[1])[1]
        if where == "row":
            left = np.eye(shape[0])[1]
        size = 3 * (shape[0] * shape[1]) ** 0.25 / np.linalg.norm(left) / np.linalg.norm(right)
        found += spectrum(rng.standard_normal(shape) + size * np.outer(left, right)).rank in (1, 2)
    assert found >= 9


def test_permutations_keep_one_huge_entry():
    """One huge entry is as likely anywhere: no component of exchangeable entries, and one to the Tracy–Widom law."""
    x = np.random.default_rng(11).standard_normal((30, 15))
    x[4, 5] = 30.0
    assert spectrum(x, test="tracy-widom").rank == 1
    assert spectrum(x).rank == 0
    assert not resampled_test(x, "permutations", 15, 0.05, np.random.default_rng(0)).split.outliers.any()


@pytest.mark.parametrize("test", ["auto", "permutations", "signs"])
def test_centred_data_have_one_row_fewer(test):
    x = np.random.default_rng(12).standard_t(5, (30, 60)) + 7.0
    assert spectrum(x, centre=True, test=test).rank == 0


def rounded(part):
    """Nested data with numbers to ten digits: routines for complex matrices round differently."""
    if isinstance(part, dict):
        return {name: rounded(value) for name, value in part.items()}
    if isinstance(part, list):
        return [rounded(value) for value in part]
    return float(f"{part:.9e}") if isinstance(part, float) else part


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
    stored, real = (rounded(spectrum(data).to_dict()) for data in (x.real.astype(complex), x.real))
    assert stored == real
    with pytest.raises(ValueError, match="beta=1"):
        spectrum(x, beta=1)
    with pytest.raises(ValueError, match="real eigenvalues"):
        spectrum(np.arange(1, 30) + 1j, samples=50)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": np.arange(1.0, 30), "samples": 50, "test": "signs"}, "data matrix"),
        ({"source": np.eye(30)[:20] + 1.0, "test": "flips"}, "test='flips'"),
        (
            {"source": np.eye(30)[:20] + 1.0, "test": "permutations", "population": [1, 2]},
            "without population",
        ),
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


@pytest.mark.parametrize("factor", [-1.0, 2.5])
def test_proportional_columns_are_named(factor):
    """A measurement in other units, as degrees Celsius and kelvin after centring, is a copy."""
    data = np.random.default_rng(12).standard_normal((60, 20))
    data[:, 7] = factor * data[:, 4]
    found = spectrum(data)
    assert found.rank is None
    assert "columns 4 and 7 are proportional" in found.reason


class _Table:
    """The part of a data frame that is read."""

    def __init__(self, columns):
        self._columns = columns
        self.columns = list(columns)
        self.dtypes = [np.asarray(column).dtype for column in columns.values()]

    def __getitem__(self, name):
        return self._columns[name]

    def to_numpy(self, dtype=None, na_value=None):
        return np.array(list(self._columns.values()), dtype=dtype).T


def test_tables_with_columns_of_text_or_of_objects():
    data = np.random.default_rng(13).standard_normal((50, 15))
    columns = {f"c{k}": data[:, k].astype(object) for k in range(15)}
    np.testing.assert_allclose(spectrum(_Table(columns)).eigenvalues, spectrum(data).eigenvalues)
    with pytest.raises(TypeError, match="columns place of the table hold no numbers"):
        spectrum(_Table({**columns, "place": ["Bonn"] * 50}))


def test_ragged_lists_are_refused_with_the_name_of_the_parameter():
    with pytest.raises(ValueError, match="source: expected eigenvalues or a matrix, all rows of one length"):
        spectrum([[1.0, 2.0], [3.0]])
