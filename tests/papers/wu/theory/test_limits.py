"""Limits of wu against high-precision integrals and direct Monte Carlo over the limiting law."""

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chi as scipy_chi

from rmtsim.papers.wu.theory import curvature, limits


def test_activation_moment_is_the_gaussian_integral():
    with mpmath.workdps(30):
        exact = mpmath.quad(
            lambda g: mpmath.npdf(g) * mpmath.ncdf(g / mpmath.sqrt(mpmath.pi - 1)) ** 2,
            [-mpmath.inf, 0, mpmath.inf],
        )
    assert limits.activation_second_moment() == pytest.approx(float(exact), rel=1e-14)


def test_logit_moments_are_the_gaussian_integrals():
    with mpmath.workdps(25):
        v = (mpmath.pi - 1) / (2 * mpmath.pi)

        def mean(g):
            return g * mpmath.ncdf(g / mpmath.sqrt(v)) + mpmath.sqrt(v) * mpmath.npdf(g / mpmath.sqrt(v))

        scale = 1 / mpmath.sqrt(2 * mpmath.pi)
        exact = mpmath.quad(lambda g: mpmath.npdf(g) * mean(scale * g) ** 2, [-mpmath.inf, 0, mpmath.inf])
    assert limits.logit_mean_square() == pytest.approx(float(exact), rel=1e-13)
    assert limits.logit_mean_square() + limits.logit_variance() == pytest.approx(0.25, rel=1e-15)


@pytest.mark.thorough
def test_hidden_energy_distance_is_the_double_integral():
    with mpmath.workdps(15):
        v = (mpmath.pi - 1) / (2 * mpmath.pi)
        mu = 1 / mpmath.sqrt(2 * mpmath.pi)
        exact = 2 * mpmath.quad(
            lambda g, t: (
                mpmath.npdf(g)
                * (mpmath.ncdf((t - mu * g) / mpmath.sqrt(v)) - mpmath.ncdf(t / mpmath.sqrt(v))) ** 2
            ),
            [-8, 0, 8],
            [0, 2, 8],
        )
    assert limits.hidden_energy_distance() == pytest.approx(float(exact), rel=1e-9)


def test_deeper_layers_multiply():
    q = [limits.activation_second_moment(layer) for layer in (1, 2, 3)]
    assert limits.row_space_overlap(4, 1) == pytest.approx(1 / np.prod([4 * value for value in q]), rel=1e-14)
    assert limits.row_space_overlap(4, 3) == pytest.approx(1 / (4 * q[2]), rel=1e-14)
    assert limits.formula_error(3) == pytest.approx(np.sqrt(1 - 1 / np.prod([16 * v**2 for v in q[:2]])))
    # Correlations grow to one with depth: the eigenspace loses the row span altogether.
    assert limits.layer_correlation(200) > 0.99


def test_shares_of_the_row_span_are_those_of_a_large_random_model():
    """M = ΠWᵀAWΠ for n = 40 000 units drawn from the limiting law: parts inside and outside the row span of W."""
    rng = np.random.default_rng(1)
    n, c = 40_000, 3
    w = rng.standard_normal((c, n)) / np.sqrt(n)
    rates = ndtr(rng.standard_normal(n) / np.sqrt(np.pi - 1))
    a = np.diag([0.2, 0.3, 0.5]) - np.outer([0.2, 0.3, 0.5], [0.2, 0.3, 0.5])
    basis = np.linalg.qr(w.T)[0]
    gated = (w * rates).T
    inside, whole = basis.T @ gated, gated.T @ gated
    out = whole - inside.T @ inside
    energy = np.trace(a @ whole @ a @ whole)
    assert limits.mixed_share() == pytest.approx(
        np.sqrt(np.trace(a @ inside.T @ inside @ a @ out) / energy), abs=0.01
    )
    assert limits.complement_share() == pytest.approx(np.sqrt(np.trace(a @ out @ a @ out) / energy), abs=0.01)
    assert limits.lost_energy() == pytest.approx(
        1 - np.trace(a @ inside.T @ inside @ a @ inside.T @ inside) / energy, abs=0.02
    )


@pytest.mark.parametrize("classes", [2, 5])
def test_curvature_means_do_not_depend_on_the_scrambling(classes):
    values = [
        np.sqrt((curvature.curvature_matrices(classes, seed) ** 2).sum(axis=(1, 2))).mean()
        for seed in range(3)
    ]
    assert np.ptp(values) < 5e-4 * values[0]
    spreads = [np.var(np.einsum("kii->ki", curvature.curvature_matrices(classes, seed))) for seed in range(3)]
    assert np.ptp(spreads) < 0.03 * spreads[0]


def test_refusals():
    with pytest.raises(ValueError, match="layer=2"):
        limits.projection_ratio(2, 2)
    with pytest.raises(ValueError, match=r"epsilon=-1.0: expected a finite number > 0"):
        limits.row_sum_probability(-1.0)
    with pytest.raises(ValueError, match="classes=1"):
        limits.logit_energy_distance(1)


@pytest.mark.parametrize("classes", [2, 7])
def test_energy_distance_of_logits_from_means_of_chi_variables(classes):
    """z given the weights is N(b, s²I), over them N(0, ¼I), printed N(0, γI): every norm is χ_c times a deviation."""
    chi = scipy_chi(classes).mean()
    inner, printed = limits.logit_variance(), ((np.pi - 1) / (2 * np.pi)) ** 2
    total = inner + limits.logit_mean_square()
    assert total == pytest.approx(0.25, rel=1e-12)
    wanted = (
        2 * chi * np.sqrt(total + printed) - chi * np.sqrt(inner + inner) - chi * np.sqrt(printed + printed)
    )
    assert limits.logit_energy_distance(classes) == pytest.approx(wanted, rel=1e-10)


def test_fourth_moment_of_the_rates_is_the_gaussian_integral():
    with mpmath.workdps(30):
        exact = mpmath.quad(
            lambda g: mpmath.npdf(g) * mpmath.ncdf(g / mpmath.sqrt(mpmath.pi - 1)) ** 4,
            [-mpmath.inf, 0, mpmath.inf],
        )
    assert curvature._fourth_moment_of_rates() == pytest.approx(float(exact), rel=1e-10)
