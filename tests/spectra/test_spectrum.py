"""``rmtsim.spectrum``: inputs, results, and independence of units and order."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

import rmtsim
from rmtsim.laws import SpikedCovariance


def data(rows=120, columns=40, seed=0, spikes=(9.0, 5.0)):
    x = np.random.default_rng(seed).standard_normal((rows, columns))
    x[:, : len(spikes)] *= np.sqrt(spikes)
    return x


def test_one_matrix_three_doors():
    x = data()
    s = x.T @ x / 120
    doors = [
        rmtsim.spectrum(x),
        rmtsim.spectrum(s, samples=120),
        rmtsim.spectrum(np.linalg.eigvalsh(s), samples=120),
    ]
    for found in doors:
        assert found.rank == 2
        assert found.sigma == pytest.approx(doors[0].sigma, rel=1e-10)
        assert found.p_value == pytest.approx(doors[0].p_value, rel=1e-6)
        assert [o.spike for o in found.outliers] == pytest.approx(
            [o.spike for o in doors[0].outliers], rel=1e-9
        )


def test_a_matrix_and_its_transpose_have_one_bulk():
    x = data(60, 200)
    one, other = rmtsim.spectrum(x), rmtsim.spectrum(x.T)
    assert one.zeros == 140
    assert other.zeros == 0
    assert one.sigma == pytest.approx(other.sigma, rel=1e-12)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-8)
    assert one.rank == other.rank
    assert [o.log10_p for o in one.outliers] == pytest.approx([o.log10_p for o in other.outliers], rel=1e-8)
    # What are features here are samples there.
    assert [o.alignment for o in one.outliers] == pytest.approx(
        [o.sample_alignment for o in other.outliers], abs=0.02
    )


@settings(deadline=None, max_examples=25)
@given(exponent=st.integers(-60, 60), seed=st.integers(0, 5))
def test_units_and_order_do_not_matter(exponent, seed):
    values = np.linalg.eigvalsh(data(seed=seed).T @ data(seed=seed) / 120)
    unit = 2.0**exponent
    one = rmtsim.spectrum(values, samples=120)
    other = rmtsim.spectrum(np.random.default_rng(seed).permutation(values) * unit, samples=120)
    assert one.rank == other.rank
    assert other.sigma == pytest.approx(one.sigma * np.sqrt(unit), rel=1e-12)
    assert other.p_value == one.p_value
    assert [o.spike for o in other.outliers] == pytest.approx(
        [o.spike * unit for o in one.outliers], rel=1e-12
    )
    assert [o.log10_p for o in other.outliers] == [o.log10_p for o in one.outliers]


@pytest.mark.thorough
@settings(deadline=None, max_examples=20)
@given(
    spikes=st.lists(st.floats(6.0, 60.0), min_size=0, max_size=6),
    shape=st.sampled_from([(100, 50), (50, 100), (80, 80)]),
    seed=st.integers(0, 100),
)
def test_spikes_are_found_and_inverted(spikes, shape, seed):
    rows, columns = shape
    found = rmtsim.spectrum(data(rows, columns, seed, spikes), level=0.001)
    strong = [s for s in spikes if s > 2.5 * (1 + np.sqrt(columns / rows))]
    assert len(strong) <= found.rank <= len(spikes) + 1
    for outlier in found.outliers:
        # The map back: a spike puts its eigenvalue where it was found.
        law = SpikedCovariance((columns - found.rank) / rows, entry_variance=found.sigma**2)
        assert law.location(outlier.spike) == pytest.approx(outlier.eigenvalue, rel=1e-6)
        assert 0 <= outlier.alignment <= 1
        assert 0 <= outlier.sample_alignment <= 1


def test_alignments_are_those_of_the_vectors():
    """Ten matrices, 300 × 150: mean squared cosines within 0.03 of the implied ones."""
    cosines, implied = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        left, right = rng.standard_normal(300), rng.standard_normal(150)
        left, right = left / np.linalg.norm(left), right / np.linalg.norm(right)
        x = rng.standard_normal((300, 150)) + 1.4 * np.sqrt(300) * np.outer(left, right)
        u, _, v = np.linalg.svd(x)
        (outlier,) = rmtsim.spectrum(x, level=1e-3).outliers
        cosines.append([(v[0] @ right) ** 2, (u[:, 0] @ left) ** 2])
        implied.append([outlier.alignment, outlier.sample_alignment])
    np.testing.assert_allclose(np.mean(cosines, axis=0), np.mean(implied, axis=0), atol=0.03)


def test_wigner_doors():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((100, 100))
    matrix = (rows + rows.T) / np.sqrt(2)
    up, down = np.eye(100)[0], np.eye(100)[1]
    matrix += 30 * np.outer(up, up) - 40 * np.outer(down, down)
    found = rmtsim.spectrum(matrix)
    assert found.kind == "wigner"
    assert found.rank == 2
    assert [o.spike for o in found.outliers] == pytest.approx([30, -40], rel=0.15)
    assert found.sigma == pytest.approx(1, rel=0.03)
    same = rmtsim.spectrum(np.linalg.eigvalsh(matrix), kind="wigner")
    assert same.to_dict() == {**found.to_dict(), "name": ""} or same.sigma == pytest.approx(
        found.sigma, rel=1e-12
    )
    assert rmtsim.spectrum(aslinearoperator(matrix)).rank == 2


def test_another_law_is_rejected():
    rng = np.random.default_rng(0)
    two = rng.standard_normal((400, 100)) * np.sqrt(np.repeat([1.0, 3.0], 50))
    plain = rmtsim.spectrum(two)
    assert not plain.fits
    assert plain.method == "trimmed"
    assert plain.tail is not None
    told = rmtsim.spectrum(two, population=[1, 3])
    assert told.fits
    assert told.rank == 0
    assert "generalised" in told.report()
    heavy = rmtsim.spectrum(rng.standard_t(2.2, (300, 100)))
    assert not heavy.fits or heavy.rank > 0


def test_small_eigenvalues_are_not_followed():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((400, 200))
    dead = x.copy()
    dead[:, :40] = 0
    found = rmtsim.spectrum(dead)
    assert (found.zeros, found.rank) == (40, 0)
    assert found.sigma == pytest.approx(1, rel=5e-3)
    faint = x.copy()
    faint[:, :20] *= 0.05
    found = rmtsim.spectrum(faint)
    assert not found.fits
    assert found.sigma == pytest.approx(1, rel=0.05)


def test_centring_takes_the_mean():
    x = data(spikes=()) + 100.0
    assert rmtsim.spectrum(x).rank >= 1
    centred = rmtsim.spectrum(x, centre=True)
    assert (centred.rank, centred.samples) == (0, 119)
    assert centred.sigma == pytest.approx(1, rel=0.05)


def test_complex_entries():
    rng = np.random.default_rng(2)
    x = (rng.standard_normal((100, 50)) + 1j * rng.standard_normal((100, 50))) / np.sqrt(2)
    found = rmtsim.spectrum(np.linalg.svd(x, compute_uv=False) ** 2 / 100, samples=100, beta=2)
    assert found.sigma == pytest.approx(1, rel=0.03)
    assert found.fits
    assert found.rank == 0


def test_report_and_dictionary():
    found = rmtsim.spectrum(data(), name="mine")
    text = found.report()
    for word in ("mine", "Marchenko–Pastur", "outliers   2", "level 0.05", "convention", "population spike"):
        assert word in text
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rank"] == 2
    assert str(found) == text
    assert "2 outliers" in repr(found)
    with pytest.raises(ValueError, match="read-only"):
        found.eigenvalues[0] = 1


def test_figures_show_every_outlier():
    near, far = rmtsim.spectrum(data(spikes=(6.0,))).plot(), rmtsim.spectrum(data(spikes=(400.0, 6.0))).plot()
    for figure, values in ((near, 1), (far, 2)):
        shown = 0
        for ax in figure.axes:
            low, high = ax.get_xlim()
            marks = [line for line in ax.get_lines() if line.get_marker() == "v"]
            for line in marks:
                x = np.asarray(line.get_xdata())
                assert ((x > low) & (x < high)).all()
                shown += x.size
        assert shown == values


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": np.arange(1.0, 30), "kind": "covariance"}, "samples=None"),
        ({"source": -np.arange(1.0, 30), "samples": 50}, "negative eigenvalue"),
        ({"source": np.arange(1.0, 60), "samples": 20}, "at most 20"),
        ({"source": np.arange(1.0, 60), "samples": 90, "dimension": 5}, "dimension=5"),
        ({"source": np.full((20, 20, 20), 1.0)}, "shape"),
        ({"source": np.ones((20, 30)), "samples": 7}, "samples=7"),
        ({"source": np.array([np.nan] * 20), "samples": 30}, "finite"),
        ({"source": np.arange(1.0, 30), "samples": 50, "level": 0.5}, "level=0.5"),
        ({"source": np.ones((20, 20)), "kind": "nonsense"}, "kind='nonsense'"),
        ({"source": np.arange(1.0, 30), "samples": 50, "population": [1, -1]}, "population=-1"),
        ({"source": np.arange(1.0, 30), "kind": "wigner", "population": [1, 2]}, "population"),
        ({"source": np.arange(12.0).reshape(3, 4), "kind": "wigner"}, "symmetric"),
        ({"source": "folder"}, "expected a file that ends in"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message) as error:
        rmtsim.spectrum(**arguments)
    assert "\n" not in str(error.value)
