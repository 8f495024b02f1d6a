"""Block energies against the blocks of the dense Hessian, and against naive sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.curvature import block_energies
from rmtsim.networks import fully_connected
from rmtsim.testing.strategies import architectures, sampled_network, seeds


def blocks(network, x, y, layer):
    hessian, layout = network.hessian(x, y), network.architecture.layout
    owners = [layout.neuron(layer, i) for i in range(layout.layers[layer].outputs)]
    return np.array([[np.square(hessian[np.ix_(a, b)]).sum() for b in owners] for a in owners])


@pytest.mark.thorough
@settings(max_examples=100)
@given(architectures(most=5), st.integers(1, 30), seeds())
def test_energies_of_all_pairs(architecture, samples, seed):
    """Few samples take the Gram matrix, many take the blocks: both must equal the dense Hessian."""
    network, x, y = sampled_network(architecture, samples, seed)
    for energies in block_energies(network, x, y, pairs=True):
        wanted = blocks(network, x, y, energies.layer)
        atol = 1e-10 * max(wanted.max(), 1e-12)
        np.testing.assert_allclose(energies.pairs, wanted, rtol=1e-9, atol=atol)
        np.testing.assert_allclose(energies.diagonal, np.diagonal(wanted), rtol=1e-9, atol=atol)
        off = wanted.sum() - np.trace(wanted)
        np.testing.assert_allclose(energies.offdiagonal, off, rtol=1e-9, atol=atol * wanted.size)
    for energies in block_energies(network, x, y):
        wanted = blocks(network, x, y, energies.layer)
        atol = 1e-10 * max(wanted.max(), 1e-12)
        np.testing.assert_allclose(energies.diagonal, np.diagonal(wanted), rtol=1e-9, atol=atol)
        off = wanted.sum() - np.trace(wanted)
        np.testing.assert_allclose(energies.offdiagonal, off, rtol=1e-9, atol=atol * wanted.size)
        assert energies.pairs is None


def test_bands_equal_one_band(monkeypatch):
    """N² numbers at once, or a few rows at a time."""
    from rmtsim.networks import _block_norms as gram
    from rmtsim.networks import _energies as energies

    network = fully_connected((40, 6, 5), loss="cross_entropy").sample(np.random.default_rng(0))
    x, y = np.random.default_rng(1).standard_normal((300, 40)), np.arange(300) % 5
    whole = [block_energies(network, x, y, pairs=p) for p in (True, False)]
    monkeypatch.setattr(gram, "GRAM_CHUNK", 100)
    monkeypatch.setattr(energies, "GRAM_CHUNK", 100)
    for got, wanted in zip(
        [block_energies(network, x, y, pairs=p) for p in (True, False)], whole, strict=True
    ):
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a.diagonal, b.diagonal, rtol=1e-12)
            np.testing.assert_allclose(a.offdiagonal, b.offdiagonal, rtol=1e-12)


@pytest.mark.parametrize("biases", [False, True])
def test_many_samples_of_few_numbers_need_bounded_memory(biases, monkeypatch):
    """60 000 samples of 300 numbers would need 20 GiB for all r rᵀ at once: bands of them, with the same sums."""
    import tracemalloc

    from rmtsim.networks import _energies as energies
    from rmtsim.networks import _unit_motions as unit_motions

    network = fully_connected((40, 6, 5), biases=biases, loss="cross_entropy").sample(
        np.random.default_rng(0)
    )
    x, y = np.random.default_rng(1).standard_normal((2000, 40)), np.arange(2000) % 5
    whole = block_energies(network, x, y, pairs=True)
    monkeypatch.setattr(energies, "GRAM_CHUNK", 50_000)
    monkeypatch.setattr(unit_motions, "CHUNK", 50_000)
    monkeypatch.setattr(unit_motions, "FACTOR", 0)
    tracemalloc.start()
    parts = block_energies(network, x, y, pairs=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    for a, b in zip(parts, whole, strict=True):
        np.testing.assert_allclose(a.pairs, b.pairs, rtol=1e-11)
    # All products at once are 2000·820 numbers; what a pass holds is near 2000·100.
    assert peak < 8 * 2000 * 500


def test_ratio_and_one_neuron():
    network = fully_connected((4, 3, 1), "tanh", loss="square").sample(np.random.default_rng(0))
    hidden, output = block_energies(network, np.eye(4), np.zeros(4))
    assert np.isclose(hidden.ratio, hidden.offdiagonal / 6 / hidden.diagonal.mean())
    with pytest.raises(ValueError, match="layer 2 has one neuron"):
        _ = output.mean_offdiagonal
    with pytest.raises(ValueError, match=r"layers=5: expected an integer in \[0, 1\]"):
        block_energies(network, np.eye(4), np.zeros(4), layers=[5])


@pytest.mark.parametrize("loss", ["cross_entropy", "square", "logistic", "hinge"])
@pytest.mark.parametrize(
    ("widths", "activation", "skips"),
    [((6, 5, 3), "tanh", False), ((6, 5, 5, 4, 2), "relu", True), ((4, 6, 5, 3), ["gelu", "relu"], False)],
)
def test_curvature_by_outputs_is_that_by_units(loss, widths, activation, skips):
    """Few outputs and nothing that bends behind a layer: one backward pass an output gives what one a unit gives."""
    from rmtsim.networks import _unit_motions as unit_motions

    network = fully_connected(widths, activation, skips=skips, biases=True, loss=loss).sample(
        np.random.default_rng(3)
    )
    x = np.random.default_rng(4).standard_normal((7, widths[0]))
    y = np.arange(7) % widths[-1] if loss == "cross_entropy" else np.sign(x[:, : widths[-1]])
    point = network.linearise(x, y)
    assert unit_motions._flat_beyond(point, 0)
    ((units, by_outputs),) = unit_motions._factored_curvature(point, 0)
    (motions,) = unit_motions.unit_chunks(point, 0)
    by_units = unit_motions.unit_motion(point, 0, motions, own=True).deltas[0]
    np.testing.assert_array_equal(units, motions[:, 1])
    np.testing.assert_allclose(by_outputs, by_units, rtol=1e-11, atol=1e-15)
