"""Laws of conjugate and tangent kernels: closed forms, the recursion of layers, and kernels of drawn networks."""

import math

import numpy as np
import pytest

from rmtsim.laws import MarchenkoPastur, StructuredNoise, free_product
from rmtsim.laws.dyson import conjugate_kernel, random_features, tangent_kernel

VARIANCE = 0.5 - 1 / (2 * math.pi)
LINEAR, SLOPE = 0.5 / math.sqrt(VARIANCE), 0.5 / VARIANCE


def relu(x):
    return (np.maximum(x, 0) - 1 / math.sqrt(2 * math.pi)) / math.sqrt(VARIANCE)


def relu_slope(x):
    return (x > 0) / math.sqrt(VARIANCE)


def drawn_kernels(rng, samples, sides):
    """Conjugate and tangent kernel of one network, the latter from the gradients by every parameter."""
    outputs, slopes, weights = [rng.standard_normal((sides[0], samples)) / math.sqrt(sides[0])], [], []
    for side in sides[1:]:
        weight = rng.standard_normal((side, outputs[-1].shape[0]))
        before = weight @ outputs[-1]
        outputs.append(relu(before) / math.sqrt(side))
        slopes.append(relu_slope(before) / math.sqrt(side))
        weights.append(weight)
    kernel = outputs[-1].T @ outputs[-1]
    total = kernel.copy()
    back = np.broadcast_to(rng.standard_normal(sides[-1])[:, None], outputs[-1].shape)
    for layer in range(len(sides) - 2, -1, -1):
        gradient = back * slopes[layer]
        total += (gradient.T @ gradient) * (outputs[layer].T @ outputs[layer])
        back = weights[layer].T @ gradient
    return kernel, total


@pytest.mark.parametrize(("inputs", "widths", "linear"), [(2.0, [1.5, 4.0], 0.8), (0.5, [0.7, 0.4], 0.6)])
def test_second_moments_follow_the_recursion_of_layers(inputs, widths, linear):
    moment, share = 1 + 1 / inputs, linear**2
    for width in widths:
        moment = (1 - share) ** 2 + 2 * share * (1 - share) + share**2 * moment + 1 / width
    assert conjugate_kernel(inputs, widths, linear).moment(2) == pytest.approx(moment, rel=1e-12)


def test_a_linear_network_is_a_free_product():
    law, product = conjugate_kernel(2.0, 4.0, 1.0), free_product(MarchenkoPastur(0.5), MarchenkoPastur(0.25))
    x = np.linspace(0.1, 3.7, 25)
    assert law.density(x) == pytest.approx(product.density(x), abs=1e-12)


def test_one_layer_is_a_sample_covariance_of_the_layer_before():
    """The population b² λ + 1 - b² with λ the Marchenko–Pastur law of the data, by its quantiles."""
    data = MarchenkoPastur(0.5)
    atoms = 0.49 * data.ppf((np.arange(2000) + 0.5) / 2000) + 0.51
    law = conjugate_kernel(2.0, 1.25, 0.7)
    x = np.linspace(0.1, 4.0, 12)
    assert law.cdf(x) == pytest.approx(StructuredNoise(1 / 1.25, rows=atoms).cdf(x), abs=2e-5)


def test_one_layer_is_the_gram_matrix_of_random_features():
    inputs, width, linear = 0.8, 0.5, 0.6
    features = random_features(inputs, width, linear, 0.8)
    law = conjugate_kernel(inputs, width, linear)
    assert dict(law.atoms)[0.0] == pytest.approx(1 - width)
    for k in (1, 2, 3):
        assert law.moment(k) == pytest.approx(width * features.moment(k) / width**k, rel=1e-9)


@pytest.mark.parametrize(("samples", "sides"), [(600, (900, 500, 750)), (600, (300, 420))])
def test_kernels_of_a_drawn_network(samples, sides):
    ratios = [side / samples for side in sides]
    laws = (
        conjugate_kernel(ratios[0], ratios[1:], LINEAR),
        tangent_kernel(ratios[0], ratios[1:], LINEAR, SLOPE),
    )
    for law, kernel in zip(laws, drawn_kernels(np.random.default_rng(5), samples, sides), strict=True):
        found = np.linalg.eigvalsh(kernel)
        edges = np.array([law.ppf(q) for q in (0.75, 0.85, 0.95)])
        # Eigenvalues are rigid: a count is off by a few; the normalisation of norms, by n^-1/2.
        assert np.searchsorted(found, edges) / samples == pytest.approx(law.cdf(edges), abs=0.02)
        # The output weights of one network: the mean of the tangent kernel has their squared norm as a factor.
        assert np.mean(found) == pytest.approx(law.mean(), abs=4 * SLOPE * math.sqrt(2 / sides[-1]))


def test_the_tangent_kernel_has_the_mean_of_its_diagonal():
    law = tangent_kernel(1.5, [0.8, 1.2, 2.0], LINEAR, SLOPE)
    assert law.moment(1) == pytest.approx(sum(SLOPE**k for k in range(4)), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: conjugate_kernel(0.0, 1.0, 0.5), "inputs=0"),
        (lambda: conjugate_kernel(1.0, [], 0.5), "widths"),
        (lambda: conjugate_kernel(1.0, [1.0, -2.0], 0.5), "widths"),
        (lambda: conjugate_kernel(1.0, 1.0, 1.5), "linear=1.5"),
        (lambda: tangent_kernel(1.0, 1.0, 0.5, 0.9), "slope=0.9"),
        (lambda: tangent_kernel(1.0, 1e9, 0.5, 1.0), "widths"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
