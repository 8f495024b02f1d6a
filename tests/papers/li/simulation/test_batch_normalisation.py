"""The gradient of a network with batch normalisation."""

import numpy as np

from rmtsim.papers.li.simulation.batch_normalisation import Batch


def test_the_full_gradient_is_orthogonal_to_columns():
    # A longer column changes nothing after a normalisation; the display lacks this.
    batch = Batch(5, np.random.default_rng(3))
    batch.along = batch.weights[1] * np.array([1.0, 0, 0, 0, 0])
    assert abs(batch.full(1)) < 1e-12
    assert abs(batch.display(1, own=True)) > 1e-3
