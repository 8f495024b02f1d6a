"""Block energies from a few inputs: exact where all inputs are drawn, without bias where they are not."""

import numpy as np
import pytest

from rmtsim.curvature import block_energies
from rmtsim.curvature._linear_batches import sample_mean_energies
from rmtsim.curvature._linear_model import LinearModel
from rmtsim.papers.dong.simulation.linear_average import sample_average_energies


@pytest.mark.parametrize(("dimension", "samples", "classes"), [(3, 7, 4), (6, 6, 2), (2, 9, 30)])
def test_with_all_inputs_the_estimate_is_the_energy_of_the_model(dimension, samples, classes):
    found = sample_average_energies(dimension, samples, classes, np.random.default_rng(5), 1, inputs=samples)
    rng = np.random.default_rng(5)
    inputs = rng.standard_normal((samples, dimension))
    weights = rng.standard_normal((dimension, classes)).T / np.sqrt(dimension)
    model = block_energies(LinearModel(weights=weights, inputs=inputs))
    np.testing.assert_allclose(found.diagonal, model.mean_diagonal, rtol=1e-12)
    np.testing.assert_allclose(found.offdiagonal, model.mean_offdiagonal, rtol=1e-12)
    np.testing.assert_allclose(found.data, model.data, rtol=1e-12)
    np.testing.assert_allclose(found.logit_variance, model.logit_variance, rtol=1e-11)


@pytest.mark.parametrize("inputs", [5, 30])
def test_few_inputs_have_the_means_of_whole_models(inputs):
    """Both computations of the logits (fewer inputs than dimensions, and more); four standard errors, N = 11."""
    dimension, samples, classes, replicates = 12, 11, 5, 4000
    few = sample_average_energies(
        dimension, samples, classes, np.random.default_rng(1), replicates, inputs=inputs
    )
    whole = sample_mean_energies(dimension, samples, classes, np.random.default_rng(2), replicates)
    for name in ("diagonal", "offdiagonal", "data", "logit_variance"):
        first, second = getattr(few, name), getattr(whole, name)
        error = np.sqrt((first.var() + second.var()) / replicates)
        assert abs(first.mean() - second.mean()) < 4 * error, name
        assert error < 0.02 * second.mean(), name


def test_bad_arguments_are_named():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="inputs=1"):
        sample_average_energies(5, 5, 3, rng, 1, inputs=1)
    with pytest.raises(ValueError, match="classes=1"):
        sample_average_energies(5, 5, 1, rng, 1)
