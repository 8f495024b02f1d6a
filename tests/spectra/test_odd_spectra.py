"""Finite numbers of any kind have a spectrum: density, masses and far eigenvalues where no bulk fits."""

import json

import numpy as np
import pytest

from rmtsim.spectra import spectrum

RNG = np.random.default_rng(0)
WIGNER = RNG.standard_normal((24, 24))
WIGNER = (WIGNER + WIGNER.T) / np.sqrt(48)
DATA = RNG.standard_normal((40, 16))
PEAKED = np.r_[np.zeros(300), RNG.standard_normal(40) * 1e-5, 1.0, 2.0, 5.0]

ODD = {
    "zeros": (np.zeros(20), {"samples": 30}, "all eigenvalues are zero"),
    "zero matrix": (np.zeros((12, 12)), {}, "all eigenvalues are zero"),
    "one value": ([3.0], {"kind": "wigner"}, "fewer than 10"),
    "one negative value": ([-3.0], {}, "fewer than 10"),
    "one row": (DATA[:1], {}, "fewer than 10"),
    "three": (np.eye(3) + 0.1, {"samples": 9}, "fewer than 10"),
    "constant": (np.ones(30), {"kind": "wigner"}, "coincide"),
    "two values": (np.r_[np.ones(15), -np.ones(15)], {}, "coincide"),
    "permutation": (np.eye(20)[::-1][:, RNG.permutation(20)], {}, "coincide"),
    "rank one": (np.outer(np.arange(20.0), np.arange(15.0)), {}, "fewer than 10"),
    "constant columns": (np.full((30, 20), 0.1), {"centre": True}, "all eigenvalues are zero"),
    "Cauchy": (RNG.standard_cauchy(80), {"kind": "wigner"}, ""),
    "ninth power": (RNG.standard_normal(80) ** 9, {"kind": "wigner"}, ""),
    "600 decades": (np.logspace(-300, 300, 50), {"kind": "wigner"}, "fewer than 10"),
    "peaked": (PEAKED, {"kind": "wigner"}, ""),
    "one-sided": (RNG.exponential(size=60), {"kind": "wigner"}, ""),
    "unknown samples": (RNG.exponential(size=60), {}, "samples=N"),
    "covariance": (np.cov(DATA.T), {}, "samples=N"),
    "correlation, not quite symmetric": (np.corrcoef(DATA.T) + 1e-12 * DATA[:16], {}, "samples=N"),
    "largest doubles": (np.linspace(-1, 1, 30) * 1.7e308, {"kind": "wigner"}, ""),
    "huge and equal": (np.full(30, 1.7e308), {"samples": 60}, "coincide"),
}


@pytest.mark.parametrize("case", ODD)
def test_no_exception(case):
    source, options, reason = ODD[case]
    found = spectrum(source, **options)
    assert (found.rank is None) == bool(found.reason)
    assert reason in found.reason
    json.dumps(found.to_dict(), allow_nan=False)
    if found.law is None:
        assert "no bulk fits" in found.report()
        assert (found.sigma, found.edges, found.fits) == (None, None, None)
    shares = sum(mass.share for mass in found.masses)
    spread = float(np.ptp(found.eigenvalues)) or 1.0
    x = np.linspace(found.eigenvalues[-1] - 5 * spread, found.eigenvalues[0] + 5 * spread, 4001)
    density = found.density(x, width=0.02 * spread)
    assert np.trapezoid(density, x) == pytest.approx(1 - shares, abs=1e-6)


@pytest.mark.parametrize("case", ["zeros", "one value", "constant", "peaked", "600 decades", "Cauchy"])
def test_figures(case):
    source, options, _ = ODD[case]
    assert spectrum(source, **options).plot().axes


@pytest.mark.parametrize("exponent", [-1050, -700, 700, 1020])
def test_units_do_not_matter(exponent):
    """A power of two changes nothing but the scale: data, symmetric matrices and eigenvalues."""
    for source, options in ((DATA, {}), (WIGNER, {}), (np.linalg.eigvalsh(WIGNER), {})):
        moved = np.ldexp(source, exponent)
        if exponent < -1000:  # denormal numbers have lost digits
            source = np.ldexp(moved, -exponent)
        plain, found = spectrum(source, **options), spectrum(moved, **options)
        assert found.rank == plain.rank
        ratio = 2.0 ** (exponent - np.log2(found.scale))
        assert found.sigma == pytest.approx(plain.sigma * ratio, rel=1e-6)
        assert found.next_log10_p == pytest.approx(plain.next_log10_p, rel=1e-6)
        assert "was divided by" in found.report()


def test_masses_and_far_eigenvalues():
    values = np.r_[np.zeros(30), np.full(5, 2.0), np.linspace(3, 4, 20), 50.0]
    found = spectrum(values, kind="wigner")
    assert [(mass.value, mass.count) for mass in found.masses] == [(2.0, 5), (0.0, 30)]
    assert [outlier.eigenvalue for outlier in found.outliers] == [50.0]
    assert found.outliers[0].p_value is None
    assert found.zeros == 30


def test_zero_rows_of_a_symmetric_matrix_are_set_aside():
    padded = np.zeros((30, 30))
    padded[:24, :24] = WIGNER
    plain, found = spectrum(WIGNER), spectrum(padded)
    assert found.zeros == 6
    assert found.sigma == pytest.approx(plain.sigma, rel=1e-9)
    assert found.rank == plain.rank


def test_kind_of_given_eigenvalues():
    values = np.linalg.eigvalsh(WIGNER)
    assert spectrum(values).kind == "wigner"
    assert spectrum(values).to_dict() == spectrum(values, kind="wigner").to_dict()
    assert spectrum(np.abs(values)).samples is None


def test_missing_entries_are_counted():
    data = DATA.copy()
    data[[3, 5], [2, 2]] = np.nan
    with pytest.raises(ValueError, match=r"2 of 640 entries are missing.*38 of 40 are complete.*15 of 16"):
        spectrum(data)
    with pytest.raises(ValueError, match="2 of 640 entries are missing"):
        spectrum(np.ma.masked_invalid(data))
    assert spectrum(np.ma.masked_invalid(DATA)).rank == 0
    assert spectrum(DATA > 0, centre=True).rank == 0
