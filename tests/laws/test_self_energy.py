"""Self-energies against E[W R W] by definition: exact sums, Monte Carlo of their own draws, bad input."""

import numpy as np
import pytest

from rmtsim.laws import self_energy
from rmtsim.laws.self_energy import (
    Block,
    FromFunction,
    FromSamples,
    GaussianSum,
    Kronecker,
    VarianceProfile,
    Wigner,
)
from rmtsim.spectra import gaussian_matrix


def symmetric(rng, n, count=None):
    shape = (n, n) if count is None else (count, n, n)
    x = rng.standard_normal(shape)
    return (x + np.swapaxes(x, -1, -2)) / np.sqrt(2 * n)


def everyone(rng):
    n = 4
    profile = np.abs(symmetric(rng, n))
    root = rng.standard_normal((n, n))
    other = rng.standard_normal((n, n))
    return [
        Wigner(n, 1.7, transpose=True),
        VarianceProfile(profile, transpose=True),
        GaussianSum(symmetric(rng, n, 3)),
        Kronecker(root @ root.T, other @ other.T, transpose=True),
        FromSamples(symmetric(rng, n, 5)),
    ]


@pytest.mark.thorough
def test_draws_have_the_stated_covariance():
    # 10 000 draws: the error of each entry of the mean of W R W stays below 6 of its standard errors.
    rng = np.random.default_rng(5)
    for energy in everyone(rng):
        test = rng.standard_normal((energy.size, energy.size))
        values = np.array([w @ test @ w for w in (gaussian_matrix(energy, rng) for _ in range(10_000))])
        spread = values.std(axis=0) / np.sqrt(len(values))
        assert np.all(np.abs(values.mean(axis=0) - energy(test)) < 6 * spread + 1e-12), type(energy).__name__


def test_self_adjoint_norm_and_symmetric_path():
    rng = np.random.default_rng(6)
    for energy in everyone(rng):
        n = energy.size
        x, y = (rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n)) for _ in range(2))
        assert np.vdot(x, energy(y)) == pytest.approx(np.vdot(energy.adjoint(x), y))
        assert energy.norm == pytest.approx(np.linalg.norm(energy(np.eye(n)), 2))
        both = (x + x.T)[None]
        np.testing.assert_allclose(energy._apply(both, True), energy._apply(both), atol=1e-13)
        # ‖S[R]‖ <= ‖S‖ ‖R‖ for every R (Russo–Dye), here on random unitaries
        q, _ = np.linalg.qr(x)
        assert np.linalg.norm(energy(q), 2) <= energy.norm * (1 + 1e-12)


def test_diagonal_reduction_is_the_matrix_one():
    rng = np.random.default_rng(7)
    r = rng.standard_normal(5)
    for energy in (
        Wigner(5, 2.0, transpose=True),
        VarianceProfile(np.abs(symmetric(rng, 5))),
        Kronecker(np.diag(rng.random(5)), np.diag(rng.random(5)), transpose=True),
        Block(general=[np.diag(rng.random(5)) @ np.roll(np.eye(5), 1, axis=1)]),
    ):
        np.testing.assert_allclose(np.diag(energy(np.diag(r))), energy.diagonal @ r, atol=1e-13)


def test_inflated_draw_keeps_the_covariance():
    # tr of the block of W² at (i, j) tends to S[1]_ij.
    rng = np.random.default_rng(8)
    for energy in everyone(rng):
        b = 200
        w = gaussian_matrix(energy, rng, b)
        square = (w @ w).reshape(energy.size, b, energy.size, b)
        np.testing.assert_allclose(
            np.einsum("iaja->ij", square) / b, energy(np.eye(energy.size)), atol=0.12 * energy.norm
        )


def test_block_draw_matches_its_map():
    rng = np.random.default_rng(9)
    energy = Block(
        hermitian=[[[1.0, 0.5, 0], [0.5, 0.0, 0], [0, 0, 0]]],
        general=[[[0, 0, 1.0], [0, 0, 2.0], [0, 0, 0]]],
        weights=(1, 1, 2),
    )
    r = np.array([[1.0, 0.3, 0], [0.3, 2.0, 0], [0, 0, 0.7]])
    count = 300
    w = gaussian_matrix(energy, rng, count)
    starts = np.concatenate([[0], np.cumsum(energy.sides(count))])
    large = np.zeros_like(w)
    for i in range(3):
        for j in range(3):
            if r[i, j]:
                large[starts[i] : starts[i + 1], starts[j] : starts[j + 1]] = r[i, j] * np.eye(
                    starts[i + 1] - starts[i]
                )
    product = w @ large @ w
    for i in range(3):
        for j in range(3):
            if energy.compatible[i, j]:
                part = product[starts[i] : starts[i + 1], starts[j] : starts[j + 1]]
                assert np.trace(part) / len(part) == pytest.approx(energy(r)[i, j], abs=0.15)


@pytest.mark.thorough
def test_from_samples_recovers_a_known_covariance():
    rng = np.random.default_rng(10)
    truth = Wigner(6, 1.0, transpose=True)
    estimate = FromSamples([gaussian_matrix(truth, rng) + 3 * np.eye(6) for _ in range(20_000)])
    np.testing.assert_allclose(estimate(np.eye(6)), truth(np.eye(6)), atol=0.03)
    np.testing.assert_allclose(estimate.mean, 3 * np.eye(6), atol=0.02)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: VarianceProfile([[1.0, -2.0], [-2.0, 1.0]]),
            r"profile\[0, 1\]=-2.0: expected variances >= 0",
        ),
        (lambda: VarianceProfile([[1.0, 2.0], [0.0, 1.0]]), "expected a symmetric matrix"),
        (lambda: VarianceProfile(np.ones((2, 3))), r"shape \(2, 3\)"),
        (lambda: VarianceProfile([[np.nan]]), "expected finite entries"),
        (lambda: Wigner(0), "size=0"),
        (lambda: Wigner(3, -1.0), "variance=-1.0"),
        (lambda: GaussianSum([]), "at least one matrix"),
        (lambda: GaussianSum([np.eye(2), np.eye(3)]), r"matrices\[1\] has shape \(3, 3\): expected 2×2"),
        (lambda: GaussianSum([[[0, 1], [2, 0]]]), "expected a symmetric matrix"),
        (lambda: Kronecker(np.diag([1.0, -1.0])), "left has eigenvalue -1"),
        (lambda: Kronecker(np.eye(2), np.eye(3)), "right has shape"),
        (lambda: Block(), "at least one"),
        (lambda: Block(hermitian=[[[0, 1], [0, 0]]]), "Hermitian coefficient"),
        (lambda: Block(general=[np.eye(2)], weights=(1, -1)), "weights"),
        (lambda: Block(general=[np.eye(2)], spectral=(2,)), "spectral=2"),
        (lambda: Block(hermitian=[[[0, 1], [1, 0]]], weights=(1, 2)), "unequal weights"),
        (lambda: FromSamples([np.eye(2)]), "at least 2"),
        (lambda: FromFunction(lambda r: -r, 2), r"not positivity preserving: S\[v v\*\] has eigenvalue -1"),
        (lambda: FromFunction(lambda r: r @ r, 2), "not linear"),
        (lambda: FromFunction(lambda r: r.conj(), 2), "not linear"),
        (lambda: FromFunction(lambda r: np.triu(r), 2), "adjoint"),
        (lambda: FromFunction(lambda r: np.diag([1, 2]) * np.trace(r), 2), "not self-adjoint"),
        (lambda: FromFunction(lambda r: np.eye(3), 2), "shape"),
        # Positive on diagonal projections but not on all: R ↦ 2 diag(R) − R + off-diagonal flips.
        (lambda: FromFunction(lambda r: 0.5 * np.trace(r) * np.eye(3) - r, 3), "not positivity preserving"),
    ],
)
def test_bad_input(build, message):
    with pytest.raises((ValueError, TypeError), match=message):
        build()


def test_a_positive_but_not_completely_positive_map_is_accepted():
    # The transpose preserves positivity; so does tr(R)·1 − R on 2×2 matrices.
    assert FromFunction(lambda r: r.T, 3).norm == pytest.approx(1.0)
    assert FromFunction(lambda r: np.trace(r) * np.eye(2) - r, 2).norm == pytest.approx(1.0)


def test_shapes_are_checked_on_use():
    with pytest.raises(ValueError, match="shape"):
        self_energy.Wigner(3)(np.eye(2))
    with pytest.raises(TypeError, match="rng"):
        gaussian_matrix(self_energy.Wigner(3), "seed")
    with pytest.raises(ValueError, match="pass draw="):
        gaussian_matrix(FromFunction(lambda r: r, 2), np.random.default_rng(0))


def test_kronecker_by_two_scalars():
    """Against the two scalar equations α = tr(C M)/2n, β = tr(L M)/2n solved by plain iteration."""
    from rmtsim.laws import MatrixDyson
    from rmtsim.laws.self_energy import Kronecker

    rng = np.random.default_rng(3)
    n = 50
    left, right = (
        a @ a.T / a.shape[1] for a in (rng.standard_normal((n, 2 * n)), rng.standard_normal((n, 3 * n)))
    )
    mean = np.diag(np.linspace(-1, 1, n))
    law = MatrixDyson(mean, Kronecker(left, right))
    z = 0.3 + 0.5j
    one = two = 0j
    for _ in range(400):
        m = np.linalg.inv(mean - z * np.eye(n) - one * left - two * right)
        one, two = (
            (0.5 * one + 0.5 * np.trace(right @ m) / (2 * n)),
            (0.5 * two + 0.5 * np.trace(left @ m) / (2 * n)),
        )
    assert law.stieltjes(z) == pytest.approx(np.trace(m) / n, rel=1e-11)
    assert law.density(0.3) > 0
    commuting = Kronecker(left, left @ left)
    vectors, entries, profile = commuting.simultaneous(2 * np.eye(n) - left)
    values = np.diag(vectors.T @ left @ vectors)
    np.testing.assert_allclose(entries, 2 - values, atol=1e-12)
    np.testing.assert_allclose(
        profile, (np.outer(values, values**2) + np.outer(values**2, values)) / (2 * n), atol=1e-12
    )
    assert Kronecker(left, right).simultaneous(mean) is None


def test_two_scalars_determine_a_kronecker_self_energy():
    rng = np.random.default_rng(4)
    root, other, matrix = rng.standard_normal((3, 4, 4))
    energy = Kronecker(root @ root.T, other @ other.T)
    images, weights = energy.factors
    expected = sum(image * np.trace(weight @ matrix) for image, weight in zip(images, weights, strict=True))
    np.testing.assert_allclose(energy(matrix), expected, rtol=1e-12)
