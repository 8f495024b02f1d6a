"""Laws of the bottleneck and of non-linear outputs against plain simulation of their Gaussian limits."""

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

from rmtsim.papers.liu.theory import bottleneck, nonlinear_output

G = np.random.default_rng(5).standard_normal((2, 400_000))


def _close(values, wanted):
    """Within five standard errors."""
    assert abs(values.mean() - wanted) < 5 * values.std() / math.sqrt(values.size)


@pytest.mark.parametrize("x", [1.0, 0.7])
def test_norm_of_the_two_by_two_limit(x):
    s, b = math.sqrt(3) * G[0], math.sqrt(3) / 2 * x**2 * G[1]
    square = 1.75 * x**4
    top = (np.abs(s) * square + np.sqrt(s**2 * square**2 + 4 * b**2 * square * 7)) / 2
    _close(top, bottleneck.bottleneck_norm_mean(x))
    for at in (1.0, 3.0, 6.0):
        _close((top <= at * x**4).astype(float), bottleneck.bottleneck_norm_cdf(at * x**4, x))
    _close(b**2 * s**2 * square + b**4 / 4 * 7, bottleneck.bottleneck_kernel_mean(x))
    _close((s**2 / 7 + b**2 / square > 0.49).astype(float), bottleneck.survival_in_ball(0.7))


def test_floor_of_shifted_sums():
    for radius in (0.0, 0.3, 1.0):
        values = np.maximum(math.sqrt(3) * np.abs(G[0]) - (2 + math.sqrt(3)) * radius, 0.0)
        _close(values, bottleneck.shifted_sum_floor(radius))


def test_kernel_change_agrees_with_the_equations_of_motion():
    """ḃ and Ṡ integrated, not their conserved quantity."""
    s, b = math.sqrt(3) * G[0, :2000], math.sqrt(3) / 2 * G[1, :2000]
    before = 1.75 * (b**2 * s**2 + b**4)
    for _ in range(4000):
        gap = b**2 * s / 2 - 1.0
        speed = 1.75 * (b**2 * s**2 + b**4) + np.abs(gap) * (1.75 * np.abs(s) + 7 * np.abs(b)) + 1e-9
        step = 0.02 / speed
        b, s = b - step * gap * 1.75 * b * s, s - step * gap * 3.5 * b**2
    after = 1.75 * (b**2 * s**2 + b**4)
    values = np.abs(after - before) / (after + before)
    assert values.mean() == pytest.approx(bottleneck.bottleneck_kernel_change(1.0), abs=0.03)


def test_outputs():
    deviation = math.sqrt(nonlinear_output.output_variance("tanh", 1.5))
    kernel = nonlinear_output.kernel_limit("tanh", 1.5)
    f = deviation * G[0]
    slope = 1 / (1 + np.exp(-f))
    _close(slope * (1 - slope) * kernel, nonlinear_output.output_hessian_limit("tanh", "softplus", 1.5))
    _close(slope**2 * kernel, nonlinear_output.output_kernel_limit("tanh", "softplus", 1.5))
    end = 1 - math.exp(-0.8)
    _close(np.abs(end**2 - slope**2) * kernel, nonlinear_output.output_kernel_change("tanh", 1.5, 0.8))
    _close(np.abs(np.sin(f)) * kernel, nonlinear_output.output_hessian_limit("tanh", "sin", 1.5))


@pytest.mark.parametrize("radius", [-1.0, math.nan])
def test_bad_radius(radius):
    with pytest.raises(ValueError, match="radius"):
        bottleneck.survival_in_ball(radius)
    with pytest.raises(ValueError, match="radius"):
        bottleneck.shifted_sum_floor(radius)


def test_norm_of_the_block_is_a_folded_gaussian():
    """Its law has the mean that is given on its own, and the median of |G|."""
    x = 0.8
    mean, _ = quad(lambda v: 1 - float(bottleneck.block_norm_cdf([v], x)[0]), 0, 10, epsabs=1e-12)
    assert mean == pytest.approx(bottleneck.block_norm_mean(x), rel=1e-9)
    half = 3 * math.sqrt(3) / 4 * x**4 * 0.6744897501960817
    assert bottleneck.block_norm_cdf([half], x)[0] == pytest.approx(0.5, rel=1e-12)


def _kernels(s, square):
    """K = b²S²·(7/4) + b⁴·(7/4) from its two gradients, |∇b|² = 7/4 and |∇S|² = 7."""
    return square * s**2 * 7 / 4 + square**2 / 4 * 7


@pytest.mark.parametrize("label", [0.3, 2.0])
def test_change_of_the_kernel_with_cardano_and_a_plain_sum(label):
    """The cubic by its formula and the plane by midpoints, against Newton's method and Gauss points."""
    count = 700
    r = (np.arange(count) + 0.5) * 9 / count
    angle = (np.arange(2 * count) + 0.5) * np.pi / (2 * count)
    r, angle = np.meshgrid(r, angle)
    s, square = math.sqrt(3) * r * np.cos(angle), 3 / 4 * (r * np.sin(angle)) ** 2
    kept = 2 * square - s**2
    third, half = kept / 3, 2 * label  # s³ + kept·s = 4 label
    inside = half**2 + third**3
    root = np.where(
        inside >= 0,
        np.cbrt(half + np.sqrt(np.maximum(inside, 0))) + np.cbrt(half - np.sqrt(np.maximum(inside, 0))),
        2
        * np.sqrt(np.maximum(-third, 0))
        * np.cos(np.arccos(np.clip(half / np.maximum(-third, 1e-90) ** 1.5, -1, 1)) / 3),
    )
    ends = np.where((kept < 0) & (s < 0), 0.0, _kernels(root, (kept + root**2) / 2))
    start = _kernels(s, square)
    density = r * np.exp(-(r**2) / 2) / np.pi
    total = (np.abs(ends - start) / (ends + start) * density).sum() * (9 / count) * (np.pi / (2 * count))
    assert bottleneck.bottleneck_kernel_change(label) == pytest.approx(total, rel=3e-4)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5])
def test_curvature_behind_the_bottleneck_against_many_digits(alpha):
    with mpmath.workdps(25):
        # |tanh''| = 2 tanh sech² on the positive half-line.
        exact = mpmath.quad(
            lambda w: w**2 * 4 * mpmath.tanh(w * alpha) * mpmath.sech(w * alpha) ** 2 * mpmath.npdf(w),
            [0, 4, 12],
        )
    assert bottleneck.curvature_mean(alpha) == pytest.approx(float(exact), rel=1e-10)
