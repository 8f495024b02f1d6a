"""Gradients of deep ReLU networks under the hinge loss at initialisation: the setting of `li` appendix F."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate
from rmtsim.networks.architecture import fully_connected

__all__ = ["engine_gradients", "sample_hinge_gradients"]

Array = NDArray[np.float64]

_COMPILED_SAMPLES = 16
"""Up to here one compiled call beats the engine at every width measured; beyond, BLAS wins (docs/benchmarks.md)."""


def sample_hinge_gradients(
    widths: Sequence[int], gain: float, samples: int, rng: np.random.Generator, replicates: int
) -> Array:
    """The mean hinge loss and ‖∂ℓ/∂W_l‖²_F of every layer, one row a freshly drawn network and data set.

    Layers of ``widths`` (input, hidden …, output), weights N(0, gain/fan-in), no biases; ``samples`` standard normal
    inputs and fair labels ±1. `li` Lemma F.1 is about the sum of the energies over layers.

    >>> rows = sample_hinge_gradients((6, 6, 1), 2.0, 1, np.random.default_rng(0), 1000)
    >>> rows.shape, bool(abs(rows[:, 0].mean() - 1.2) < 0.2)
    ((1000, 3), True)
    """
    sizes = [
        validate.integer(f"widths[{k}]", width) for k, width in enumerate(validate.sequence("widths", widths))
    ]
    if len(sizes) < 2:
        raise ValueError(f"widths={tuple(sizes)}: expected at least input and output")
    gain = validate.positive_number("gain", gain, meaning="factor of the weights' variance")
    samples = validate.integer("samples", samples, meaning="inputs of a network")
    replicates = validate.integer("replicates", replicates, minimum=0)
    validate.generator("rng", rng)
    weights = sum(a * b for a, b in pairwise(sizes))
    validate.memory(
        8.0 * (weights + 2 * samples * sum(sizes)), f"a network of {weights} weights at samples={samples}"
    )
    if samples > _COMPILED_SAMPLES:
        rows = [engine_gradients(sizes, gain, samples, rng) for _ in range(replicates)]
        return np.array(rows).reshape(replicates, len(sizes))
    # Loaded here: numba is slow to import, and the engine's road does not need it.
    from rmtsim.kernels.deep_relu import hinge_gradients

    out = np.empty((replicates, len(sizes)))
    hinge_gradients(rng, np.array(sizes), gain, samples, out)
    return out


def engine_gradients(widths: Sequence[int], gain: float, samples: int, rng: np.random.Generator) -> Array:
    """One row of :func:`sample_hinge_gradients` by the network engine, with the same numbers drawn.

    >>> a = engine_gradients((3, 4, 1), 2.0, 2, np.random.default_rng(5))
    >>> b = sample_hinge_gradients((3, 4, 1), 2.0, 2, np.random.default_rng(5), 1)[0]
    >>> bool(np.allclose(a, b))
    True
    """
    samples = validate.integer("samples", samples, meaning="inputs of a network")
    architecture = fully_connected(widths, "relu", gain=gain, loss="hinge")
    network = architecture.sample(rng)
    inputs = rng.standard_normal((samples, architecture.inputs))
    labels = 2.0 * rng.integers(0, 2, samples) - 1.0
    targets = np.repeat(labels[:, None], architecture.outputs, axis=1)
    gradient = network.gradient(inputs, targets)
    layout = architecture.layout
    energies = [float(np.square(gradient[layout.layer(k)]).sum()) for k in range(len(layout.layers))]
    return np.array([network.loss(inputs, targets), *energies])
