"""Classical ensembles: dense and tridiagonal forms agree in law, exact moments, groups, extremes of large matrices."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.ensembles import (
    Tridiagonal,
    circular,
    gaussian,
    gaussian_tridiagonal,
    haar,
    jacobi,
    jacobi_tridiagonal,
    wishart,
    wishart_tridiagonal,
)
from rmtsim.ensembles._tridiagonal import tridiagonal_form
from rmtsim.laws import GaudinMehta, SpikedCovariance, TracyWidom, Wachter, wigner_edge

CASES = {
    "gaussian": (gaussian, gaussian_tridiagonal, (5,), {"variance": 1.3}),
    "gaussian spiked": (gaussian, gaussian_tridiagonal, (4,), {"spike": 2.0}),
    "wishart": (wishart, wishart_tridiagonal, (4, 7), {"variance": 0.7}),
    "wishart wide": (wishart, wishart_tridiagonal, (6, 4), {}),
    "wishart square": (wishart, wishart_tridiagonal, (4, 4), {}),
    "wishart spiked": (wishart, wishart_tridiagonal, (4, 7), {"spike": 3.0}),
    "wishart wide spiked": (wishart, wishart_tridiagonal, (6, 4), {"spike": 3.0}),
    "jacobi": (jacobi, jacobi_tridiagonal, (3, 5, 4), {}),
}


def spectra(dense, tridiagonal, sizes, options, beta, count):
    """Eigenvalues of both forms, as many of the largest as the tridiagonal one has."""
    rng = np.random.default_rng(beta)
    plain = {("spikes" if key == "spike" else key): value for key, value in options.items()}
    step = 2 if beta == 4 else 1
    first = [np.linalg.eigvalsh(dense(*sizes, rng, beta=beta, **plain))[::step] for _ in range(count)]
    second = [tridiagonal(*sizes, rng, beta=beta, **options).eigenvalues() for _ in range(count)]
    return np.array(first)[:, -len(second[0]) :], np.array(second)


STATISTICS = (
    lambda v: v[:, -1],
    lambda v: v[:, 0],
    lambda v: v.mean(1),
    lambda v: (v**2).mean(1),
    lambda v: np.abs(v[:, -1]) ** 3,
)


@pytest.mark.thorough
@pytest.mark.parametrize("beta", [1, 2, 4])
@pytest.mark.parametrize("name", CASES)
def test_both_forms_agree_in_law(name, beta):
    """Means of extreme eigenvalues and of powers: 120 comparisons in all, at 4.5 standard errors each."""
    first, second = spectra(*CASES[name], beta, 1200)
    assert first.shape == second.shape
    for function in STATISTICS:
        one, two = function(first), function(second)
        error = math.sqrt((one.var() + two.var()) / len(one))
        assert abs(one.mean() - two.mean()) < 4.5 * error


@pytest.mark.parametrize("beta", [1, 2, 4])
def test_normalisations(beta):
    """E tr H²/n = v(1 + (2/β - 1)/n), E tr S/d = v, E tr J/p = n₁/(n₁ + n₂): exact means, 4.5 standard errors."""
    rng = np.random.default_rng(10 + beta)
    half = 2 if beta == 4 else 1

    def mean(draw, power):
        values = [np.linalg.matrix_power(draw(), power).trace().real / half for _ in range(1500)]
        return np.mean(values), np.std(values) / math.sqrt(1500)

    found, error = mean(lambda: gaussian(3, rng, beta=beta, variance=2.0) / math.sqrt(3), 2)
    assert abs(found - 2.0 * (1 + (2 / beta - 1) / 3)) < 4.5 * error
    found, error = mean(lambda: wishart(3, 4, rng, beta=beta, variance=2.0, spikes=[5.0]) / 3, 1)
    assert abs(found - 2.0 * 7 / 3) < 4.5 * error
    found, error = mean(lambda: jacobi(2, 3, 5, rng, beta=beta) / 2, 1)
    assert abs(found - 3 / 8) < 4.5 * error


@pytest.mark.parametrize("beta", [1, 2, 4])
def test_haar_matrices(beta):
    rng = np.random.default_rng(beta)
    u = haar(3, rng, beta=beta)
    np.testing.assert_allclose(u @ u.conj().T, np.eye(len(u)), atol=1e-14)
    if beta == 4:
        turn = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
        np.testing.assert_allclose(u.T @ turn @ u, turn, atol=1e-14)
    # E|tr u|² = 1 (O, U), E (tr u)² = 1 for Sp, where tr is that of the complex matrix (Diaconis and Shahshahani).
    traces = np.array([haar(3, rng, beta=beta).trace() for _ in range(3000)])
    values = np.abs(traces) ** 2
    assert abs(values.mean() - 1) < 4.5 * values.std() / math.sqrt(3000)
    special = haar(3, rng, beta=min(beta, 2), special=True)
    assert np.linalg.det(special) == pytest.approx(1, abs=1e-13)


@pytest.mark.thorough
@pytest.mark.parametrize("beta", [1, 2, 4])
def test_circular_gaps(beta):
    """Gaps of size-20 matrices follow Gaudin–Mehta to O(1/n²): 4000 gaps, the 1 % level of independent ones."""
    rng = np.random.default_rng(20 + beta)
    gaps = []
    for _ in range(200):
        angles = np.sort(np.angle(np.linalg.eigvals(circular(20, rng, beta=beta))))
        if beta == 4:
            # Pairs that straddle the cut at ±π come out as the first and the last.
            shifted = angles if angles[1] - angles[0] < 1e-8 else np.roll(angles, 1)
            angles = np.sort(shifted[1::2])
        gaps.append(np.diff(np.append(angles, angles[0] + 2 * np.pi)) * 20 / (2 * np.pi))
    gaps = np.sort(np.concatenate(gaps))
    share = (np.arange(len(gaps)) + 0.5) / len(gaps)
    assert np.abs(GaudinMehta(beta).cdf(gaps) - share).max() < 1.63 / math.sqrt(len(gaps))


def test_a_million_rows_and_the_edge():
    t = gaussian_tridiagonal(10**6, np.random.default_rng(0), beta=1)
    top = t.largest(2)
    assert top[0] < top[1]
    assert abs(wigner_edge(10**6).standardise(top[1]) - TracyWidom(1).mean()) < 5


def test_large_forms_follow_the_laws():
    rng = np.random.default_rng(2)
    values = jacobi_tridiagonal(600, 1200, 1800, rng, beta=2).eigenvalues()
    assert np.abs(Wachter(2.0, 3.0).cdf(values) - (np.arange(600) + 0.5) / 600).max() < 0.01
    top = wishart_tridiagonal(20_000, 80_000, rng, spike=3.0).largest(1)[0]
    assert top == pytest.approx(SpikedCovariance(0.25, [3.0]).outliers[0].location, rel=0.02)


def test_extremes_of_a_tridiagonal_are_those_of_the_matrix():
    rng = np.random.default_rng(3)
    t = Tridiagonal(rng.standard_normal(30), rng.standard_normal(29))
    values = np.linalg.eigvalsh(t.matrix())
    np.testing.assert_allclose(t.eigenvalues(), values, atol=1e-13)
    np.testing.assert_allclose(t.largest(3), values[-3:], atol=1e-13)
    np.testing.assert_allclose(t.smallest(2), values[:2], atol=1e-13)
    assert Tridiagonal(np.array([2.0]), np.array([])).largest(1).tolist() == [2.0]


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda r: gaussian(3, r, beta=3), "beta=3"),
        (lambda r: gaussian(3, r, spikes=[1.0] * 4), "spikes"),
        (lambda r: gaussian_tridiagonal(3, r, beta=-1.0), "beta=-1"),
        (lambda r: wishart(3, 0, r), "samples=0"),
        (lambda r: wishart(3, 4, r, spikes=[-1.0]), "spikes=-1"),
        (lambda r: jacobi(5, 2, 2, r), "first=2"),
        (lambda r: jacobi_tridiagonal(5, 6, 3, r), "second=3"),
        (lambda r: Tridiagonal(np.zeros(3), np.zeros(3)), "off_diagonal"),
        (lambda r: gaussian_tridiagonal(3, r).largest(4), "count=4"),
    ],
)
def test_bad_parameters(make, named):
    with pytest.raises(ValueError, match=named):
        make(np.random.default_rng(0))


@settings(max_examples=40, deadline=None)
@given(size=st.integers(1, 40), seed=st.integers(0, 2**32), x=st.floats(-3, 3), height=st.floats(1e-3, 5))
def test_tridiagonal_form_says_what_the_eigenvalues_say(size, seed, x, height):
    a = np.random.default_rng(seed).standard_normal((size, size))
    matrix = (a + a.T) / np.sqrt(2 * size)
    eigenvalues, form = np.linalg.eigvalsh(matrix), tridiagonal_form(matrix)
    z = complex(x, height)
    expected = np.mean(1 / (eigenvalues - z))
    assert abs(form.mean_resolvent(z) - expected) <= 1e-12 * abs(expected) / height
    if np.abs(eigenvalues - x).min() > 1e-12:
        assert form.count_at_most(x) == (eigenvalues <= x).sum()


def test_tridiagonal_form_reads_the_lower_half_and_names_bad_input():
    matrix = np.array([[1.0, 99.0], [2.0, 3.0]])
    np.testing.assert_allclose(tridiagonal_form(matrix).eigenvalues(), np.linalg.eigvalsh(matrix))
    with pytest.raises(ValueError, match=r"matrix of shape \(2, 3\)"):
        tridiagonal_form(np.ones((2, 3)))
    with pytest.raises(ValueError, match="Im z > 0"):
        tridiagonal_form(matrix).mean_resolvent(1.0)
    with pytest.raises(ValueError, match="point=nan"):
        tridiagonal_form(matrix).count_at_most(np.nan)
