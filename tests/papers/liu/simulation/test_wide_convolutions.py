"""Convolutional networks in batches and in few coordinates against the engine, one network at a time."""

import numpy as np
import pytest

from rmtsim.networks import Network
from rmtsim.networks._activations import activation
from rmtsim.papers.liu.simulation.wide_convolutions import WideConvolutions, sample_convolutions


def the_same(network: Network, x, sigma, positions=4):
    """The engine has channel before position in filters, images and the last layer."""
    *filters, last = network.weights
    weights = [w.transpose(0, 2, 1).reshape(len(w), -1)[None] for w in filters]
    weights.append(last.reshape(-1, positions).T.reshape(1, 1, -1))
    return WideConvolutions(x.reshape(-1, positions).T, tuple(weights), activation(sigma))


@pytest.mark.parametrize(("seed", "sigma"), [(0, "tanh"), (3, "gelu")])
def test_output_and_norm_are_the_engine_s(seed, sigma):
    from rmtsim.papers.liu.simulation.architectures import convolutional

    rng = np.random.default_rng(seed)
    network = convolutional(6, rng, sigma)
    x = rng.standard_normal((1, 8))
    batch = the_same(network, x, sigma)
    assert batch.output[0] == pytest.approx(network.output(x)[0, 0], rel=1e-12)
    whole = np.linalg.norm(network.hessian(x), 2)
    assert batch.hessian_norms(rng, tolerance=1e-10).norms[0] == pytest.approx(whole, rel=1e-9)


def test_products_are_symmetric_and_a_batch_is_its_members():
    rng = np.random.default_rng(5)
    (batch,) = sample_convolutions((2, 7, 5), 3, rng, rng.standard_normal((4, 2)), radius=0.5)
    u, v = rng.standard_normal((2, 3, batch.size))
    np.testing.assert_allclose(
        (u * batch.hessian_product(v)).sum(axis=1), (v * batch.hessian_product(u)).sum(axis=1), rtol=1e-10
    )
    alone = WideConvolutions(batch.image, tuple(w[1:2] for w in batch.weights), batch.sigma)
    np.testing.assert_allclose(alone.hessian_product(v[1:2])[0], batch.hessian_product(v)[1], rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channels": (3, 8)}, "channels"),
        ({"filter_size": 2}, "filter_size=2"),
        ({"radius": -1.0}, "radius=-1.0"),
        ({"channels": (2, 3)}, "at least 4"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"channels": (2, 8), "count": 1, "rng": np.random.default_rng(0), "image": np.ones((4, 2))}
    with pytest.raises(ValueError, match=message):
        next(sample_convolutions(**(arguments | change)))
