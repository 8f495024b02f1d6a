"""Second derivatives along directions of one layer, against differences of a network written plainly."""

import numpy as np
import pytest

from rmtsim.papers.li.simulation import architectures
from rmtsim.papers.li.simulation.architectures import curvature_of_one_layer


def test_series_of_a_normalisation_against_differences():
    rng = np.random.default_rng(0)
    series = rng.standard_normal((3, 6, 2))

    def normalised(t):
        value = series[0] + t * series[1] + t**2 * series[2]
        centred = value - value.mean(axis=0)
        return centred / np.sqrt(np.square(centred).mean(axis=0))

    found = architectures._normalised(series)
    h = 1e-4
    np.testing.assert_allclose(found[0], normalised(0.0), rtol=1e-12)
    np.testing.assert_allclose(found[1], (normalised(h) - normalised(-h)) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(
        2 * found[2], (normalised(h) + normalised(-h) - 2 * normalised(0.0)) / h**2, atol=1e-5
    )


@pytest.mark.parametrize("kind", ["convolution", "residual"])
def test_zero_without_normalisation_and_not_with_it(kind):
    rng = np.random.default_rng(1)
    assert max(curvature_of_one_layer(4, rng, kind, normalised=False) for _ in range(10)) < 1e-12
    assert min(curvature_of_one_layer(4, rng, kind, normalised=True) for _ in range(10)) > 1e-6


def test_a_normalised_layer_does_not_depend_on_the_length_of_its_weights():
    """H_pp θ_p = −∇_p R: along θ_p itself neither slope nor bend."""
    rng = np.random.default_rng(2)
    weights, inputs = rng.standard_normal((4, 3)), rng.standard_normal((8, 4))
    still = np.zeros_like(weights)
    moved = np.stack([weights, weights, still])
    start = np.stack([inputs, np.zeros_like(inputs), np.zeros_like(inputs)])
    found = architectures._normalised(architectures._product(start, moved))
    np.testing.assert_allclose(found[1:], 0.0, atol=1e-12)
