"""Training many networks at once equals training each alone."""

import numpy as np
import pytest

from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_batches import train_together
from rmtsim.papers.dong.simulation.one_hidden_training import train


@pytest.mark.parametrize("loss", ["mse", "ce"])
def test_the_batch_equals_single_runs(loss):
    rng = np.random.default_rng(0)
    start = [sample_one_hidden(6, 20, 3, 5, rng, labels="balanced") for _ in range(3)]
    batch = dict(train_together(start, loss, 40, 0.02, {0, 7, 40}))
    for k, network in enumerate(start):
        alone = {now.step: now.network for now in train(network, loss, 40, 0.02, {0, 7, 40}, annealed=False)}
        for step, found in batch.items():
            np.testing.assert_allclose(found[k].hidden, alone[step].hidden, rtol=1e-8, atol=1e-10)
            np.testing.assert_allclose(found[k].output, alone[step].output, rtol=1e-8, atol=1e-10)


def test_bad_input_is_named():
    rng = np.random.default_rng(0)
    small, large = (sample_one_hidden(size, 6, 2, 3, rng) for size in (4, 5))
    with pytest.raises(ValueError, match="expected equal sizes"):
        train_together([small, large], "ce", 3, 0.1, {3})
    with pytest.raises(ValueError, match="loss='hinge'"):
        train_together([small], "hinge", 3, 0.1, {3})
    with pytest.raises(TypeError, match="OneHiddenNetwork"):
        train_together([], "ce", 3, 0.1, {3})
