"""Spacing laws against 40-digit determinants, identities, and eigenvalues."""

import functools
import math

import mpmath
import numpy as np
import pytest

from rmtsim.laws import GaudinMehta, WignerSurmise


@functools.cache
def rule(count):
    nodes, weights = [], []
    for start in np.polynomial.legendre.leggauss(count)[0]:
        x = mpmath.findroot(lambda z: mpmath.legendre(count, z), mpmath.mpf(float(start)))
        slope = count * (x * mpmath.legendre(count, x) - mpmath.legendre(count - 1, x)) / (x**2 - 1)
        nodes.append(x)
        weights.append(2 / ((1 - x**2) * slope**2))
    return nodes, weights


@functools.cache
def emptiness(t):
    """(D₊, D₋): determinants of the even and odd halves of the sine kernel on (0, t/2), by definition."""
    nodes, weights = rule(16)
    a = t / 2
    x, w = [a * (u + 1) / 2 for u in nodes], [a * v / 2 for v in weights]
    found = []
    for sign in (1, -1):
        m = mpmath.eye(len(x))
        for i in range(len(x)):
            for j in range(len(x)):
                kernel = mpmath.sincpi(x[i] - x[j]) + sign * mpmath.sincpi(x[i] + x[j])
                m[i, j] -= mpmath.sqrt(w[i] * w[j]) * kernel
        found.append(mpmath.det(m))
    return tuple(found)


def truth(beta, s):
    """cdf and density as E' + 1 and E'' by central differences of order eight."""
    h = mpmath.mpf(10) ** -4
    s = mpmath.mpf(s)

    def empty(offset):
        t = (s + offset * h) * (2 if beta == 4 else 1)
        plus, minus = emptiness(t)
        return {1: plus, 2: plus * minus, 4: (plus + minus) / 2}[beta]

    first = {1: mpmath.mpf(4) / 5, 2: -mpmath.mpf(1) / 5, 3: mpmath.mpf(4) / 105, 4: -mpmath.mpf(1) / 280}
    second = {1: mpmath.mpf(8) / 5, 2: -mpmath.mpf(1) / 5, 3: mpmath.mpf(8) / 315, 4: -mpmath.mpf(1) / 560}
    slope = sum(c * (empty(k) - empty(-k)) for k, c in first.items()) / h
    bend = (
        sum(c * (empty(k) + empty(-k)) for k, c in second.items()) - mpmath.mpf(205) / 72 * empty(0)
    ) / h**2
    return 1 + slope, bend


@pytest.mark.thorough
@pytest.mark.parametrize("beta", [1, 2, 4])
@pytest.mark.parametrize("s", [0.013, 0.6, 1.7])
def test_accuracy_table(beta, s):
    law = GaudinMehta(beta)
    with mpmath.workdps(50):
        cdf, density = truth(beta, s)
        assert abs(law.cdf(s) / cdf - 1) < 1e-12
        assert abs(law.sf(s) / (1 - cdf) - 1) < 1e-12
        assert abs(law.density(s) / density - 1) < 2e-12


@pytest.mark.parametrize(
    "law", [GaudinMehta(1), GaudinMehta(2), GaudinMehta(4), *map(WignerSurmise, (1, 2, 4))], ids=str
)
def test_protocol(law):
    assert law.moment(0) == pytest.approx(1, abs=1e-13)
    assert law.mean() == pytest.approx(1, abs=1e-13)
    x = np.array([0.0, 0.2, 0.49, 0.51, 1.0, 2.2])
    np.testing.assert_allclose(law.cdf(x) + law.sf(x), 1, atol=1e-14)
    h = 1e-5
    inside = x[1:]
    slope = (law.cdf(inside + h) - law.cdf(inside - h)) / (2 * h)
    np.testing.assert_allclose(law.density(inside), slope, rtol=1e-8)
    q = np.array([1e-9, 0.01, 0.3, 0.9, 0.9999])
    np.testing.assert_allclose(law.cdf(law.ppf(q)), q, rtol=1e-12)
    np.testing.assert_allclose(law.sf(law.isf(q)), q, rtol=1e-9)
    assert law.ppf([0.0, 1.0]).tolist() == [0.0, math.inf]
    assert (law.cdf(-1.0), law.sf(-1.0), law.density(-1.0)) == (0.0, 1.0, 0.0)
    assert (law.cdf(math.inf), law.sf(math.inf), law.density(math.inf)) == (1.0, 0.0, 0.0)
    small = law.density(1e-4) / 1e-4**law.beta
    assert law.density(1e-3) / 1e-3**law.beta == pytest.approx(small, rel=1e-3)
    draws = law.sample(4000, np.random.default_rng(1))
    assert abs(draws.mean() - 1) < 4 * math.sqrt(law.var() / 4000)


def test_small_gaps_and_known_neighbours():
    # π²s²/3 and π²s/6 in front; the surmise is within 0.007 and differs.
    assert GaudinMehta(2).density(1e-5) == pytest.approx(math.pi**2 / 3 * 1e-10, rel=1e-9)
    assert GaudinMehta(1).density(1e-5) == pytest.approx(math.pi**2 / 6 * 1e-5, rel=1e-9)
    x = np.linspace(0, 4, 200)
    for beta in (1, 2, 4):
        gap = np.abs(GaudinMehta(beta).cdf(x) - WignerSurmise(beta).cdf(x)).max()
        assert 3e-4 < gap < 7e-3
    # (D₊D₋)'' = D₊D₋ρ₊ρ₋ and the sums for β = 1, 4 share two functions: s·density of β = 4 from the other two
    assert GaudinMehta(4).var() < GaudinMehta(2).var() < GaudinMehta(1).var()


def test_eigenvalues_of_unitary_matrices_keep_the_law():
    """Gaps of Haar unitary matrices of size 40: 40·200 gaps; the law's error is O(1/n²), the noise below 1 in 100."""
    rng = np.random.default_rng(5)
    gaps = []
    for _ in range(200):
        z = rng.standard_normal((40, 40)) + 1j * rng.standard_normal((40, 40))
        q, r = np.linalg.qr(z)
        angles = np.sort(np.angle(np.linalg.eigvals(q * (np.diag(r) / np.abs(np.diag(r))))))
        gaps.append(np.diff(np.append(angles, angles[0] + 2 * np.pi)) * 40 / (2 * np.pi))
    gaps = np.sort(np.concatenate(gaps))
    distance = np.abs(GaudinMehta(2).cdf(gaps) - (np.arange(8000) + 0.5) / 8000).max()
    assert distance < 1.63 / math.sqrt(8000)
    assert np.abs(GaudinMehta(1).cdf(gaps) - (np.arange(8000) + 0.5) / 8000).max() > 0.05


@pytest.mark.parametrize("kind", [GaudinMehta, WignerSurmise])
@pytest.mark.parametrize("beta", [3, 1.0, True, "2"])
def test_bad_beta(kind, beta):
    with pytest.raises(ValueError, match="beta="):
        kind(beta)
    with pytest.raises(ValueError, match="q=2"):
        kind(1).ppf(2.0)
