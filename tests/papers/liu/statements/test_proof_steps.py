"""Displays of appendices C, E, F and G: cheap verdicts are as known; norms in batches are those of single networks."""

import numpy as np
import pytest

from rmtsim import verify
from rmtsim.claims import find
from rmtsim.networks import fully_connected
from rmtsim.papers.liu.simulation.architectures import INPUT
from rmtsim.papers.liu.simulation.cones import cone, gradient
from rmtsim.papers.liu.simulation.high_precision import along, dense_layer
from rmtsim.papers.liu.simulation.layer_norms import batch_tensor_norms, layer_norms
from rmtsim.papers.liu.simulation.wide_networks import sample_wide


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("liu.eq52", "CONFIRMED"),
        ("liu.eq59", "CONFIRMED"),
        ("liu.sec-e.block", "REFUTED"),
        ("liu.sec-e.block/corrected", "CONFIRMED"),
        ("liu.eq61", "CONFIRMED"),
        ("liu.eq62", "REFUTED"),
        ("liu.eq70", "CONFIRMED"),
        ("liu.eq73", "CONFIRMED"),
        ("liu.eq75", "CONFIRMED"),
        ("liu.eq79", "CONFIRMED"),
        ("liu.sec-g1.mixed", "REFUTED"),
        ("liu.sec-g1.mixed/corrected", "CONFIRMED"),
    ],
)
def test_cheap_verdicts(name, verdict):
    assert str(verify(name, budget=0.3)[0].verdict) == verdict


def test_differences_are_derivatives():
    # σ = sin, one neuron: sin(wr) has ∂²/∂w∂r = cos(wr) - wr sin(wr).
    w, r = np.array([[0.7]]), np.array([1.3])
    one, still = np.ones((1, 1)), np.zeros((1, 1))
    mixed = along(dense_layer("sin", 1), w, r, (one, np.zeros(1)), (still, np.ones(1)))
    assert mixed[0] == pytest.approx(np.cos(0.91) - 0.91 * np.sin(0.91), rel=1e-15)
    first = along(dense_layer("sin", 1), w, r, (one, np.zeros(1)))
    assert first[0] == pytest.approx(1.3 * np.cos(0.91), rel=1e-15)


def test_cones_have_gradients_of_one_length():
    rng = np.random.default_rng(3)
    for _ in range(20):
        value, start, constant = cone(4, rng)
        there = start + rng.standard_normal(4)
        assert np.linalg.norm(gradient(value, there)) == pytest.approx(constant, rel=1e-12)


@pytest.mark.parametrize("skips", [False, True])
def test_tensor_norms_in_batches_are_those_of_each_network(skips):
    rng = np.random.default_rng(0)
    widths = (3, 6, 6, 6, 1)
    batch = sample_wide(widths, 3, rng, INPUT[0], "tanh", skips=skips)
    found = batch_tensor_norms(batch, rng)
    architecture = fully_connected(widths, "tanh", parametrisation="ntk", skips=skips)
    for k in range(3):
        parameters = np.concatenate([weights[k].ravel() for weights in batch.weights])
        network = architecture.sample(rng).with_parameters(parameters)
        for index, layer in enumerate(layer_norms(network, INPUT)):
            own, *further = (float(norm[k]) for norm in found[index])
            assert own == pytest.approx(layer.weights_weights, rel=1e-10)
            if further:
                assert further == pytest.approx([layer.inputs_inputs, layer.mixed], rel=1e-3)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("liu.thm3.2.ball", {"radius": -1.0}, "radius=-1.0"),
        ("liu.thm3.2.ball", {"activation": 9}, "activation=9"),
        ("liu.eq60", {"depth": 0}, "depth=0"),
        ("liu.eq88", {"length": 0.0}, "length=0.0"),
    ],
)
def test_bad_parameters_are_one_clear_line(name, changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        find(name).point(changes)
    assert "\n" not in str(caught.value)
