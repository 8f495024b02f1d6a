"""Pre-activations without inputs: the same law as W x, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations


@pytest.mark.parametrize(("dimension", "hidden"), [(7, 3), (2, 4)])
def test_pre_activations_have_the_law_of_a_random_layer(dimension, hidden):
    """Gram entries of two inputs, drawn both ways (Kolmogorov-Smirnov, six tests at 1e-4 each)."""
    rng = np.random.default_rng(3)
    direct, short = np.empty((4000, 3)), np.empty((4000, 3))
    for index in range(4000):
        z = (
            rng.standard_normal((2, dimension))
            @ rng.standard_normal((dimension, hidden))
            / np.sqrt(dimension)
        )
        direct[index] = (z[0] @ z[0], z[0] @ z[1], z[0, -1])
        z = sample_pre_activations(dimension, hidden, 2, rng).values
        short[index] = (z[0] @ z[0], z[0] @ z[1], z[0, -1])
    for column in range(3):
        assert stats.ks_2samp(direct[:, column], short[:, column]).pvalue > 1e-4


def test_mirror_images_are_not_independent_of_their_originals():
    drawn = sample_pre_activations(5, 2, 3, np.random.default_rng(0))
    assert drawn.independent.sum() == 6 * 4
    assert not drawn.independent[0, 3]
    assert not drawn.independent[4, 4]
    assert drawn.independent[0, 4]
    assert (drawn.coordinates[:3] == -drawn.coordinates[3:]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((0, 3, 4), "dimension=0"), ((3, 0, 4), "hidden=0"), ((3, 3, 1), "pairs=1")],
)
def test_bad_sizes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        sample_pre_activations(*arguments, np.random.default_rng(0))
