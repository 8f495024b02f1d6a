"""The solver against closed forms, polynomials, its own defining equation and simulated spectra."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.errors import ConvergenceError
from rmtsim.laws import MarchenkoPastur, MatrixDyson, Semicircle
from rmtsim.laws.self_energy import Block, FromSamples, GaussianSum, Kronecker, VarianceProfile, Wigner
from rmtsim.spectra import empirical, gaussian_matrix, random_matrix
from tests.law_oracle import polynomial_roots


def random_gaussian(seed, n=6, count=5):
    rng = np.random.default_rng(seed)
    b = rng.standard_normal((count, n, n))
    return GaussianSum((b + b.transpose(0, 2, 1)) / np.sqrt(2 * count * n))


def wishart(ratio):
    return MatrixDyson(
        np.diag([0.0, -1.0]), Block(general=[[[0, 1], [0, 0]]], weights=(ratio, 1.0), spectral=(0,))
    )


def residual(law, z, matrix):
    n = law.size
    full = np.diag(matrix) if matrix.ndim == 1 else matrix
    mean = law.mean_matrix * np.eye(n) if np.ndim(law.mean_matrix) == 0 else law.mean_matrix
    return np.linalg.norm(np.eye(n) + (z * np.eye(n) - mean + law.self_energy(full)) @ full) / np.sqrt(n)


@given(
    st.integers(0, 10**6),
    st.floats(-3, 3),
    st.floats(-9, 0),
    st.sampled_from(["profile", "sum", "kronecker", "complex"]),
)
@settings(max_examples=25, derandomize=True, deadline=None)
def test_certificate_against_the_public_definition(seed, x, height, kind):
    rng = np.random.default_rng(seed)
    n = 5
    mean = rng.standard_normal((n, n))
    mean = mean + mean.T
    if kind == "profile":
        profile = rng.random((n, n))
        energy = VarianceProfile(profile + profile.T, transpose=True)
    elif kind == "sum":
        energy = random_gaussian(seed, n)
    elif kind == "kronecker":
        root = rng.standard_normal((n, n))
        energy = Kronecker(root @ root.T)
    else:
        energy = GaussianSum.complex_sum(rng.standard_normal((2, n, n)) + 1j * rng.standard_normal((2, n, n)))
    law = MatrixDyson(mean, energy)
    z = complex(x, 10**height)
    solution = law.solve(z)
    m = solution.full()
    assert residual(law, z, m) <= 1.01e-10
    assert solution.residual == pytest.approx(residual(law, z, m), abs=1e-12)
    imaginary = np.linalg.eigvalsh((m - m.conj().T) / 2j)
    assert imaginary[0] > -1e-12 * abs(imaginary).max()
    assert np.trace(m) / n == pytest.approx(law.stieltjes(z), rel=1e-5)


def test_semicircle_everywhere():
    law, truth = MatrixDyson(0.0, Wigner(30, 2.25)), Semicircle(2.25)
    x = np.concatenate([np.linspace(-2.99, 2.99, 101), [-4.0, 3.01, 10.0]])
    np.testing.assert_allclose(law.density(x), truth.density(x), atol=1e-11)
    assert law.density(3.0) < 1e-4
    np.testing.assert_allclose(law.support, truth.support, atol=1e-11)
    np.testing.assert_allclose(law.cdf(x), truth.cdf(x), atol=1e-11)
    np.testing.assert_allclose(law.ppf([0.1, 0.5, 0.9]), truth.ppf([0.1, 0.5, 0.9]), atol=1e-9)
    assert law.atoms == ()
    assert law.continuous_mass == pytest.approx(1, abs=1e-10)
    z = np.array([0.3 + 1e-7j, 4.0 + 0j, -1 - 0.5j])
    np.testing.assert_allclose(law.stieltjes(z), truth.stieltjes(z), atol=1e-9)


@pytest.mark.parametrize("ratio", [0.3, 1.0, 2.5])
def test_marchenko_pastur_from_a_two_by_two_block(ratio):
    law, truth = wishart(ratio), MarchenkoPastur(ratio)
    (low, high) = truth.support[0]
    x = low + (high - low) * np.linspace(0.001, 0.999, 60)
    np.testing.assert_allclose(law.density(x), truth.density(x), rtol=1e-9)
    np.testing.assert_allclose(law.cdf(x), truth.cdf(x), atol=1e-9)
    np.testing.assert_allclose(law.support, truth.support, atol=1e-10)
    np.testing.assert_allclose(law.atoms, truth.atoms, atol=1e-8)
    assert law.moment(3) == pytest.approx(truth.moment(3), rel=1e-9)
    assert law.density(0.0) == truth.density(0.0)  # infinite, or zero beside the atom


def test_two_point_deformation_against_its_cubic_in_50_digits():
    # A = ±a in equal shares, Wigner of variance v: m = ½ Σ 1/(±a − z − v m), a cubic in m.
    a, v = 1.3, 0.7
    law = MatrixDyson(np.diag([a] * 4 + [-a] * 4), Wigner(8, v))
    with mpmath.workdps(50):
        for x in (0.2, 0.9, 1.6, 2.2):
            u = [
                mpmath.mpf(v) ** 2,
                2 * v * mpmath.mpf(x),
                mpmath.mpf(x) ** 2 - mpmath.mpf(a) ** 2 + v,
                mpmath.mpf(x),
            ]
            roots = polynomial_roots(u, maxsteps=200, extraprec=200)
            expected = max(float(mpmath.im(root)) for root in roots) / np.pi
            assert law.density(x) == pytest.approx(max(expected, 0), abs=1e-11)


def test_cusp_and_splitting():
    def at(variance):
        return MatrixDyson(np.diag([-1.0] * 3 + [1.0] * 3), Wigner(6, variance))

    assert len(at(0.98).support) == 2
    assert len(at(1.02).support) == 1
    cusp = at(1.0)
    # At the cusp the density is ((√3/2)/π)·|x|^(1/3) to leading order.
    for x in (1e-3, 1e-5):
        assert cusp.density(x) == pytest.approx(np.sqrt(3) / 2 / np.pi * x ** (1 / 3), rel=0.03)
    assert cusp.density(0.0) < 1e-3
    assert sum(cusp._masses) == pytest.approx(1, abs=1e-6)


def test_density_of_a_rotated_mean_is_the_same():
    rng = np.random.default_rng(3)
    values = np.array([-1.0, 0.0, 0.5, 2.0])
    q, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    x = np.linspace(-3, 4, 23)
    straight = MatrixDyson(np.diag(values), Wigner(4, 0.5))
    turned = MatrixDyson(q @ np.diag(values) @ q.T, Wigner(4, 0.5))
    by_sum = MatrixDyson(
        np.diag(values),
        GaussianSum(
            [np.sqrt(0.5 / 4) * np.eye(4)[[i]].T @ np.eye(4)[[i]] for i in range(4)]
            + [
                np.sqrt(0.5 / 8) * (e + e.T)
                for e in (np.outer(np.eye(4)[i], np.eye(4)[j]) for i in range(4) for j in range(i))
            ]
            + [
                np.sqrt(0.5 / 8) * 1j * (e - e.T)
                for e in (np.outer(np.eye(4)[i], np.eye(4)[j]) for i in range(4) for j in range(i))
            ]
        ),
    )
    np.testing.assert_allclose(turned.density(x), straight.density(x), atol=1e-10)
    np.testing.assert_allclose(by_sum.density(x), straight.density(x), atol=1e-10)
    m = turned.solve(0.3 + 0.1j).matrix
    np.testing.assert_allclose(m, q @ np.diag(straight.solve(0.3 + 0.1j).matrix) @ q.T, atol=1e-9)


def test_moments_series_against_quadrature_and_definition():
    law = MatrixDyson(np.diag([0.0, 0.5, 1.0, -1.0, 2.0, 0.3]), random_gaussian(1))
    tables = [table for _, table in law._structure.tables]
    for k in range(6):
        assert law.moment(k) == pytest.approx(sum(t.integrate(lambda x, k=k: x**k) for t in tables), abs=1e-8)
    full = law._full_mean
    s1 = law.self_energy(np.eye(6))
    assert law.moment(2) == pytest.approx(np.trace(full @ full + s1) / 6)


def test_atoms_in_the_bulk_and_in_a_gap():
    ones = np.outer([1, 1, 0], [1, 1, 0]) / 3
    bulk = MatrixDyson(0.0, VarianceProfile(ones))
    np.testing.assert_allclose(bulk.atoms, [(0.0, 1 / 3)], atol=1e-7)
    assert bulk.density(0.0) == pytest.approx(2 / 3 * Semicircle(2 / 3).density(0.0), abs=1e-5)
    rectangular = MatrixDyson(0.0, Block(general=[[[0, 1], [0, 0]]], weights=(0.4, 1.0)))
    np.testing.assert_allclose(rectangular.atoms, [(0.0, 0.6 / 1.4)], atol=1e-7)
    pair = [1 - np.sqrt(0.4), 1 + np.sqrt(0.4)]
    np.testing.assert_allclose(rectangular.support, [(-pair[1], -pair[0]), tuple(pair)], atol=1e-9)
    np.testing.assert_allclose(MatrixDyson(2.0, VarianceProfile(np.zeros((3, 3)))).atoms, [(2.0, 1.0)])


def test_boundary_agrees_with_the_limit_from_above():
    law = MatrixDyson(np.diag(np.linspace(-1, 1, 6)), random_gaussian(4))
    x = np.array([-0.9, 0.1, 0.7])
    # Richardson in Im z: the transform is analytic in the bulk, so errors are O(η²) after two steps.
    near = [np.imag(law.stieltjes(x + 1j * eta)) / np.pi for eta in (1e-4, 2e-4, 4e-4)]
    first = [2 * near[0] - near[1], 2 * near[1] - near[2]]
    np.testing.assert_allclose(law.density(x), (4 * first[0] - first[1]) / 3, atol=1e-8)
    values = law.boundary(x)
    assert set(values.status) == {"bulk"}
    assert values.error.max() < 1e-9


def test_methods_agree_and_newton_needs_far_fewer_evaluations():
    law = MatrixDyson(np.diag(np.linspace(-1, 1, 6)), random_gaussian(2))
    z = complex(law.support[0][1], 1e-3)
    newton, accelerated, plain = (law.solve(z, method=m) for m in ("newton", "anderson", "fixed-point"))
    np.testing.assert_allclose(newton.matrix, plain.matrix, atol=1e-6)
    np.testing.assert_allclose(newton.matrix, accelerated.matrix, atol=1e-6)
    assert newton.evaluations < plain.evaluations
    assert accelerated.evaluations < plain.evaluations


def test_unconverged_is_never_returned():
    law = MatrixDyson(0.0, Wigner(4))
    with pytest.raises(ConvergenceError, match=r"residual .* try") as caught:
        law.solve(2 + 1e-6j, method="fixed-point", max_iterations=50)
    assert caught.value.iterations == 50
    assert caught.value.residual > 1e-10


def test_spectra_of_draws_follow_the_law_and_a_wrong_covariance_is_detected():
    rng = np.random.default_rng(11)
    root = np.diag(np.linspace(0.2, 2, 10))
    law = MatrixDyson(np.diag([-1.0, 1.0] * 5), Kronecker(root))
    values = np.linalg.eigvalsh(random_matrix(law, 400, rng))
    assert empirical(values).kolmogorov(law) < 0.01
    wrong = MatrixDyson(np.diag([-1.0, 1.0] * 5), Kronecker(1.3 * root))
    assert empirical(values).kolmogorov(wrong) > 0.03
    linearised = wishart(0.5)
    values = np.linalg.eigvalsh(random_matrix(linearised, 300, rng))
    assert empirical(values).kolmogorov(linearised) < 0.01


def test_from_samples_law():
    rng = np.random.default_rng(12)
    observed = FromSamples([gaussian_matrix(Wigner(8), rng) + np.eye(8) for _ in range(2000)])
    law = MatrixDyson(observed.mean, observed)
    assert law.density(1.0) == pytest.approx(1 / np.pi, rel=0.05)
    assert law.moment(1) == pytest.approx(1.0, abs=0.02)


def test_callable_self_energy():
    law = MatrixDyson(np.zeros((3, 3)), lambda r: np.trace(r) / 3 * np.eye(3))
    assert law.density(0.5) == pytest.approx(Semicircle().density(0.5), abs=1e-10)
    assert MatrixDyson(0.0, lambda r: np.trace(r) / 3 * np.eye(3), size=3).density(9.0) == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MatrixDyson([[0, 1], [2, 0]], Wigner(2)), ValueError, r"mean\[0, 1\]=1.0 .* symmetric"),
        (lambda: MatrixDyson(np.eye(3), Wigner(2)), ValueError, r"mean has shape \(3, 3\): expected 2×2"),
        (lambda: MatrixDyson(np.nan, Wigner(2)), ValueError, "mean=nan"),
        (lambda: MatrixDyson(0.0, 3), TypeError, "self_energy=3"),
        (lambda: MatrixDyson(0.0, lambda r: r), ValueError, "size"),
        (lambda: MatrixDyson(np.eye(2), lambda r: -r), ValueError, "not positivity preserving"),
        (lambda: MatrixDyson(0.0, Wigner(2)).solve(1.0), ValueError, "Im z > 0"),
        (lambda: MatrixDyson(0.0, Wigner(2)).solve(1 - 1j), ValueError, "Im z > 0"),
        (lambda: MatrixDyson(0.0, Wigner(2)).solve([1j]), TypeError, "one complex number"),
        (lambda: MatrixDyson(0.0, Wigner(2)).solve(1j, method="guess"), ValueError, "method='guess'"),
        (lambda: MatrixDyson(0.0, Wigner(2)).density("x"), TypeError, "x="),
        (lambda: MatrixDyson(0.0, Wigner(2)).stieltjes(0.5), ValueError, "on the support"),
        (
            lambda: random_matrix(MatrixDyson(0.0, Wigner(2)), 3, np.random.default_rng(0)),
            ValueError,
            "multiple of 2",
        ),
        (lambda: MatrixDyson(0.0, Wigner(2)).moment(-1), ValueError, "order=-1"),
        (
            lambda: MatrixDyson([[0, 1], [1, 0]], Block(general=[[[0, 1], [0, 0]]], weights=(1, 2))),
            ValueError,
            "unequal",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
