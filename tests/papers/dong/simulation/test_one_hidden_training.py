"""Adam on one-hidden-layer networks: gradients against differences of the printed loss, checks, schedule."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_training import loss_and_gradients, train


def _network():
    return sample_one_hidden(4, 9, 3, 5, np.random.default_rng(0), labels="balanced")


def _loss(network, hidden, output, loss):
    logits = np.maximum(network.inputs @ hidden.T, 0) @ output.T
    if loss == "mse":
        return np.square(logits - network.targets).sum() / len(logits)
    return (np.log(np.exp(logits).sum(axis=1)) - (logits * network.targets).sum(axis=1)).mean()


@pytest.mark.parametrize("loss", ["mse", "ce"])
def test_gradients_are_those_of_the_printed_loss(loss):
    network = _network()
    value, *gradients = loss_and_gradients(
        network.inputs, csr_array(network.targets), network.hidden, network.output, loss
    )
    weights = [network.hidden, network.output]
    assert value == pytest.approx(_loss(network, *weights, loss))
    rng = np.random.default_rng(1)
    for which in range(2):
        step = 1e-6 * rng.standard_normal(weights[which].shape)
        ends = [[w + sign * step if k == which else w for k, w in enumerate(weights)] for sign in (1, -1)]
        slope = _loss(network, *ends[0], loss) - _loss(network, *ends[1], loss)
        assert slope == pytest.approx(2 * float((gradients[which] * step).sum()), rel=1e-5)


def test_checkpoints_schedule_and_the_given_network():
    network = _network()
    before = network.hidden.copy()
    steps = [now.step for now in train(network, "ce", 7, 0.01, {0, 3, 7})]
    assert steps == [0, 3, 7]
    assert (network.hidden == before).all()
    constant, annealed = (
        next(train(network, "ce", 30, 0.01, {30}, annealed=flag)).network.hidden for flag in (False, True)
    )
    # The first step of Adam moves every weight by its rate; annealed steps are shorter.
    first = next(train(network, "ce", 1, 0.01, {1})).network.output - network.output
    assert np.abs(first).max() == pytest.approx(0.01, rel=1e-4)
    assert np.linalg.norm(annealed - before) < np.linalg.norm(constant - before)


def test_bad_input_is_refused_at_the_call():
    with pytest.raises(TypeError, match="network"):
        train("network", "ce", 3, 0.1, {0})
    with pytest.raises(ValueError, match="loss"):
        train(_network(), "hinge", 3, 0.1, {0})
    with pytest.raises(ValueError, match="rate"):
        train(_network(), "ce", 3, 0.0, {0})
