"""Lanczos with residuals, stochastic quadrature with standard errors, spectra per model, layer and neuron."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.errors import ConvergenceError
from rmtsim.matrix_free._estimates import Estimate, estimated_spectrum, exact_spectrum
from rmtsim.matrix_free._lanczos import extreme_eigenvalues, lanczos_quadrature
from rmtsim.networks import fully_connected, hessian_extremes, hessian_spectrum
from rmtsim.testing.strategies import architectures, sampled_network, seeds


@settings(max_examples=60)
@given(architectures(most=4), st.integers(1, 4), seeds())
def test_exact_spectra(architecture, samples, seed):
    network, x, y = sampled_network(architecture, samples, seed)
    hessian, layout = network.hessian(x, y), architecture.layout
    scale = max(np.abs(hessian).max(), 1e-12)
    for per in ("model", "layer", "neuron"):
        for spectrum, group in zip(hessian_spectrum(network, x, y, per=per), layout.groups(per), strict=True):
            wanted = np.linalg.eigvalsh(hessian[np.ix_(group.indices, group.indices)])
            np.testing.assert_allclose(spectrum.eigenvalues, wanted, rtol=0, atol=1e-11 * scale * wanted.size)
            assert spectrum.exact
            assert spectrum.name == group.name


@settings(max_examples=25)
@given(seeds(), st.integers(70, 150), st.sampled_from(["modulus", "top", "bottom"]), st.integers(1, 4))
def test_extremes(seed, size, which, count):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((size, size))
    matrix = matrix + matrix.T
    values = np.linalg.eigvalsh(matrix)
    wanted = {
        "modulus": values[np.argsort(-np.abs(values))],
        "top": values[::-1],
        "bottom": values,
    }[which][:count]
    found = extreme_eigenvalues(lambda v: matrix @ v, size, rng, count=count, which=which)
    np.testing.assert_allclose(found.values, wanted, rtol=1e-9)
    # The residual bounds the distance to the spectrum, which is what it is for.
    distance = np.abs(values[:, None] - found.values).min(axis=0)
    assert (distance <= found.residuals + 1e-12 * size).all()


@settings(max_examples=25)
@given(
    seeds(),
    st.sampled_from(["modulus", "top", "bottom"]),
    st.integers(2, 12),
    st.sampled_from([-3.0, 0.0, 3.0]),
)
def test_multiple_eigenvalues_come_as_often_as_they_are(seed, which, count, centre):
    """A Krylov space holds one vector of each eigenspace; the ends are computed again without what was found."""
    rng = np.random.default_rng(seed)
    values = np.repeat(centre + rng.uniform(-2, 2, 25), 5)
    basis = np.linalg.qr(rng.standard_normal((125, 125)))[0]
    matrix = (basis * values) @ basis.T
    order = {"modulus": -np.abs(values), "top": -values, "bottom": values}[which].argsort()
    found = extreme_eigenvalues(lambda v: matrix @ v, 125, rng, count=count, which=which)
    np.testing.assert_allclose(found.values, values[order[:count]], atol=1e-7)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(count), atol=1e-7)
    assert (found.residuals < 1e-6).all()


@pytest.mark.parametrize("which", ["modulus", "top", "bottom"])
def test_extremes_of_a_linear_model_with_square_loss(which):
    """H = (2/N) XᵀX ⊗ 1: every eigenvalue once for each output."""
    rng = np.random.default_rng(0)
    network = fully_connected((30, 5), loss="square").sample(rng)
    x = rng.standard_normal((50, 30))
    values = np.repeat(np.linalg.eigvalsh(2 * x.T @ x / 50), 5)
    wanted = values if which == "bottom" else values[::-1]
    found = hessian_extremes(network, x, np.zeros((50, 5)), rng=rng, count=7, which=which)
    np.testing.assert_allclose(found.values, wanted[:7], rtol=1e-8)


def test_a_low_rank_has_zeros_behind_its_eigenvalues():
    """Nothing is left of the operator once its eigenvectors are taken out."""
    values = np.zeros(100)
    values[:2] = 3.0, -2.0
    for which, wanted in (("top", [3, 0, 0, 0]), ("bottom", [-2, 0, 0, 0]), ("modulus", [3, -2, 0, 0])):
        rng = np.random.default_rng(1)
        found = extreme_eigenvalues(lambda v: values * v, 100, rng, count=4, which=which)
        np.testing.assert_allclose(found.values, wanted, atol=1e-9)


def test_unconverged_is_not_returned():
    rng = np.random.default_rng(0)
    values = np.linspace(0.999, 1.0, 2000)
    with pytest.raises(ConvergenceError):
        extreme_eigenvalues(lambda v: values * v, 2000, rng, iterations=2, tolerance=1e-12)


def test_a_zero_hessian_has_norm_zero():
    """Hinge loss with all margins satisfied: no gradient, no Hessian."""
    network = fully_connected((20, 30, 1), "relu", loss="hinge").sample(np.random.default_rng(0))
    x = np.random.default_rng(1).standard_normal((3, 20))
    y = np.sign(network.output(x))
    scaled = network.with_parameters(network.parameters * 100)
    assert hessian_extremes(scaled, x, y, rng=np.random.default_rng(2)).spectral_norm == 0.0


def test_extremes_of_a_layer_and_of_the_model():
    network = fully_connected((12, 10, 8, 3), "gelu", loss="cross_entropy").sample(np.random.default_rng(3))
    x, y = np.random.default_rng(4).standard_normal((7, 12)), np.arange(7) % 3
    hessian, layout = network.hessian(x, y), network.architecture.layout
    rng = np.random.default_rng(5)
    top = hessian_extremes(network, x, y, rng=rng, count=2, which="top")
    np.testing.assert_allclose(top.values, np.linalg.eigvalsh(hessian)[::-1][:2], rtol=1e-9)
    one = hessian_extremes(network, x, y, rng=rng, layer=1)
    block = hessian[layout.layer(1), layout.layer(1)]
    assert np.isclose(one.spectral_norm, np.linalg.norm(block, 2))
    residual = block @ one.vectors[:, 0] - one.values[0] * one.vectors[:, 0]
    assert np.isclose(np.linalg.norm(residual), one.residuals[0], atol=1e-13)


def test_quadrature_is_exact_for_polynomials():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((60, 60))
    matrix = matrix + matrix.T
    start = rng.standard_normal(60)
    nodes, weights = lanczos_quadrature(lambda v: matrix @ v, 60, start, 6)
    unit = start / np.linalg.norm(start)
    for power in range(12):
        wanted = unit @ np.linalg.matrix_power(matrix, power) @ unit
        assert np.isclose(weights @ nodes**power, wanted, rtol=1e-10)
    twelfth = unit @ np.linalg.matrix_power(matrix, 12) @ unit
    assert not np.isclose(weights @ nodes**12, twelfth, rtol=1e-6)


@pytest.mark.thorough
def test_quadrature_standard_errors_hold():
    """Means over independent runs of quadrature: truth within 3 standard errors in at least 95 of 100 of them."""
    network = fully_connected((10, 8, 3), "tanh", loss="cross_entropy").sample(np.random.default_rng(0))
    x, y = np.random.default_rng(1).standard_normal((20, 10)), np.arange(20) % 3
    exact = hessian_spectrum(network, x, y)[0]
    hits, errors = [], []
    for seed in range(100):
        rng = np.random.default_rng([7, seed])
        rough = hessian_spectrum(network, x, y, rng=rng, exact_up_to=0, probes=16, steps=25)[0]
        for order in (1, 2, 3):
            got, wanted = rough.moment(order), exact.moment(order)
            assert wanted.error == 0
            hits.append(abs(got.value - wanted.value) < 3 * got.error)
            errors.append(got.error / abs(wanted.value))
    # t with 15 degrees of freedom exceeds 3 with probability 0.009; 300 trials exceed 13 misses with probability 2e-6.
    assert len(hits) - sum(hits) <= 13
    assert 0 < np.mean(errors) < 2


@pytest.mark.parametrize("steps", [12, 30])
def test_errors_tell_what_a_rule_does_not_resolve(steps):
    """A step is no polynomial: in a dense bulk all starts miss the share below it alike, far more than they scatter."""
    values = np.concatenate([np.linspace(-1, 1, 795) ** 3, [-4.0, 3.0, 4.0, 5.0, 10.0]])
    exact = exact_spectrum("known", np.diag(values))
    points = np.array([-0.5, -0.1, 0.01, 0.2, 0.5, 2.0, 4.5])
    misses = trials = 0
    for seed in range(12):
        rng = np.random.default_rng([11, seed])
        rough = estimated_spectrum("known", lambda v: values * v, 800, rng, 16, steps)
        found = [(rough.cdf(at), exact.cdf(at).value) for at in points]
        found += [(rough.mass(-9, at, 0.05), exact.mass(-9, at, 0.05).value) for at in points]
        density, errors = rough.density(points[:5], 1 / steps)
        truth, _ = exact.density(points[:5], 1 / steps)
        found += [(Estimate(d, e), t) for d, e, t in zip(density, errors, truth, strict=True)]
        misses += sum(abs(got.value - wanted) > 3.5 * got.error for got, wanted in found)
        trials += len(found)
        # Moments of degree below 2·steps are exact for each start: their error is that of the probes alone.
        each = [float(w @ t**2) for t, w in zip(rough.nodes, rough.weights, strict=True)]
        assert np.isclose(rough.moment(2).error, np.std(each, ddof=1) / 4, rtol=1e-9)
    assert misses <= 0.05 * trials


def test_density_and_cdf_of_large_groups_need_a_generator():
    network = fully_connected((10, 8, 3), "tanh", loss="square").sample(np.random.default_rng(0))
    x, y = np.eye(10), np.zeros((10, 3))
    with pytest.raises(ValueError, match="rng=None"):
        hessian_spectrum(network, x, y, exact_up_to=10)
    rng = np.random.default_rng(0)
    rough = hessian_spectrum(network, x, y, exact_up_to=10, rng=rng, per="layer")
    assert [s.exact for s in rough] == [False, False]
    with pytest.raises(ValueError, match="layer 1 has 80 parameters"):
        _ = rough[0].eigenvalues
    exact = hessian_spectrum(network, x, y, per="layer")
    low, high = exact[0].range
    points = np.linspace(low - 1, high + 1, 400)
    values, errors = rough[0].density(points, 0.2)
    assert (errors >= 0).all()
    assert np.isclose(np.trapezoid(values, points), 1, atol=1e-3)
    truth, none = exact[0].density(points, 0.2)
    assert (none == 0).all()
    assert np.mean(np.abs(values - truth) <= 4 * errors + 1e-3) > 0.95
    half = float(np.median(exact[0].eigenvalues))
    assert abs(rough[0].cdf(half).value - exact[0].cdf(half).value) < 0.2
    mass = exact[0].mass(low - 5, high + 5, 0.1)
    assert np.isclose(mass.value, 1)


def test_same_generator_same_bytes():
    network = fully_connected((10, 8, 3), "tanh", loss="square").sample(np.random.default_rng(0))
    runs = [
        hessian_spectrum(network, np.eye(10), np.zeros((10, 3)), rng=np.random.default_rng(5), exact_up_to=0)[
            0
        ]
        for _ in range(2)
    ]
    for a, b in zip(runs[0].nodes, runs[1].nodes, strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"per": "row"}, "per='row': expected model, layer or neuron"),
        ({"probes": 1}, "probes=1"),
        ({"steps": 0}, "steps=0"),
    ],
)
def test_bad_input(arguments, message):
    network = fully_connected((2, 3, 1), "tanh", loss="square").sample(np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        hessian_spectrum(network, np.eye(2), np.zeros(2), **arguments)
