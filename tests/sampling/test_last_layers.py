"""Conditioned activations and many last layers: what they promise."""

import numpy as np

from rmtsim.sampling.last_layers import conditioned_hidden, many_logits


def test_condition_holds_and_shapes():
    free, conditioned = conditioned_hidden(40, 0.5, 64, np.random.default_rng(0))
    assert free.shape == (64, 40)
    assert (conditioned > 0).all(axis=0).sum() >= 2
    assert many_logits(30, 0.3, 4, 10, 6, np.random.default_rng(0)).shape == (6, 10, 4)
