"""Claims of `li` on the Hessian of a deep ReLU network: eqs. (3)–(6), (12)–(14), the entries of section 3.3.

The formulas are compared with second differences of the loss in 90-digit arithmetic, of a network written neuron by
neuron. Points on a kink have probability zero, and the steps of 10⁻¹⁵ are far shorter than the distance to the next
one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Identity, Plan, claim
from rmtsim.curvature._differentiation import SecondDifferences
from rmtsim.networks import Network, network_from_arrays
from rmtsim.papers.li.simulation.gated_products import Sample, draw, loss_of_parameters

DIFFERENCES = Plan(sizes=(2, 3), size_name="n", cost=0.1)
EQUAL = Identity(within=1e-8)


def _relative(found: Array, true: Array) -> float:
    return float(np.linalg.norm(found - true) / np.linalg.norm(true))


def _engine(sample: Sample) -> Network:
    """The same network in the engine; its "loss" is the output itself."""
    arrays = [*(weights.T for weights in sample.matrices), sample.alpha[None, :]]
    return network_from_arrays(arrays, activation="relu", loss="none")


def _some_loss(rng: np.random.Generator, losses: Sequence[str] = ("hinge", "absolute")) -> str:
    return losses[int(rng.integers(len(losses)))]


def _second_differences(sample: Sample, loss: Callable[[Any], Any]) -> SecondDifferences:
    """Second derivatives of a loss of the output, by differences."""
    return SecondDifferences(loss_of_parameters(sample, loss), sample.parameters)


def _differences(sample: Sample) -> SecondDifferences:
    """Second derivatives of the loss of class L₀ at this sample."""
    label = int(sample.label)
    if sample.loss == "hinge":
        return _second_differences(sample, lambda value: max(mpmath.mpf(0), 1 - label * value))
    return _second_differences(sample, lambda value: abs(value - label))


def _indices(sample: Sample, layer: int) -> list[int]:
    place = sample.place(layer)
    return list(range(place.start, place.stop))


def _true_block(sample: Sample, low: int, high: int) -> Array:
    """The block of the layers ``high`` (rows) and ``low`` (columns), by differences."""
    return _differences(sample)(_indices(sample, high), _indices(sample, low))


def _random_block(
    size: int, rng: np.random.Generator, deepest: int, losses: Sequence[str] = ("hinge", "absolute")
) -> tuple[Sample, int, int]:
    """A network with 3 ≤ L ≤ ``deepest`` and random p < q ≤ L − 1 whose block H_pq is not zero."""
    layers = int(rng.integers(3, deepest + 1))
    low, high = sorted(int(k) for k in rng.choice(np.arange(1, layers), size=2, replace=False))
    sample = draw(size, rng, layers, _some_loss(rng, losses))
    while not sample.block(low, high).any():
        sample = draw(size, rng, layers, sample.loss)
    return sample, low, high


@claim("li.eq3", states=EQUAL, plan=DIFFERENCES.but(sizes=(2, 5, 9), cost=1e-4))
def product_of_gated_matrices(size: int, rng: np.random.Generator) -> float:
    """Relative error of the product against the network engine."""
    sample = draw(size, rng, layers=int(rng.integers(2, 7)))
    network = _engine(sample)
    true = float(network.output(sample.inputs[None, :])[0, 0])
    return abs(sample.output() - true) / abs(true)


@claim("li.eq4", states=EQUAL, plan=DIFFERENCES)
def chain_rule(size: int, rng: np.random.Generator) -> float:
    """Relative error of the whole matrix."""
    sample = draw(size, rng, layers=3)
    network = _engine(sample)
    row, value, label = sample.inputs[None, :], sample.output(), sample.label
    slope_of_output, curvature_of_output = network.jacobian(row)[0, 0], network.hessian(row)
    if rng.integers(2):
        share = 1 / (1 + np.exp(label * value))
        first, second = -label * share, share * (1 - share)
        differences = _second_differences(sample, lambda t: mpmath.log(1 + mpmath.exp(-int(label) * t)))
    else:
        first, second = 2 * (value - label), 2.0
        differences = _second_differences(sample, lambda t: (t - int(label)) ** 2)
    printed = second * np.outer(slope_of_output, slope_of_output) + first * curvature_of_output
    everything = range(len(sample.parameters))
    return _relative(printed, differences(everything, everything))


def block_error(size: int, rng: np.random.Generator) -> float:
    """Relative error of H_pq for random p < q ≤ L − 1, L between 3 and 6."""
    sample, low, high = _random_block(size, rng, 6)
    return _relative(sample.block(low, high), _true_block(sample, low, high))


claim("li.eq12", block_error, states=EQUAL, plan=DIFFERENCES)
claim("li.eq5", block_error, states=EQUAL, plan=DIFFERENCES)


def whole_matrix_error(size: int, rng: np.random.Generator) -> float:
    """Relative error of the whole Hessian of one sample: blocks (12), zero diagonal blocks, α as layer L."""
    layers = int(rng.integers(3, 5))
    sample = draw(size, rng, layers, _some_loss(rng))
    total = len(sample.parameters)
    printed = np.zeros((total, total))
    for high in range(2, layers + 1):
        for low in range(1, high):
            block = sample.block(low, high)
            printed[sample.place(high), sample.place(low)] = block
            printed[sample.place(low), sample.place(high)] = block.T
    return _relative(printed, _differences(sample)(range(total), range(total)))


claim("li.eq13", whole_matrix_error, states=EQUAL, plan=DIFFERENCES)
claim("li.eq6", whole_matrix_error, states=EQUAL, plan=DIFFERENCES)


@claim("li.eq14", states=EQUAL, plan=DIFFERENCES)
def shorthand_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of (14) for random p < q ≤ L − 1, L between 3 and 5."""
    sample, low, high = _random_block(size, rng, 5, ("hinge",))
    return _relative(shorthand_block(sample, low, high, form), _true_block(sample, low, high))


def shorthand_block(sample: Sample, low: int, high: int, form: str) -> Array:
    """(14a)–(14c); as printed, W̃_{q∼(L−1)} is dg(h_q) W_{q+1}dg(h_{q+1}) … dg(h_{L−2}) W_{L−1}."""
    top = sample.layers - 1
    if form == "printed":
        matrix = np.diag(sample.gates[high - 1])
        for layer in range(high + 1, top):
            matrix = matrix @ sample.gated(layer)
        matrix = matrix @ sample.matrices[top - 1]
    else:
        matrix = sample.between(high, top + 1)
    left = sample.slope() * matrix @ (sample.gates[top - 1] * sample.alpha)
    return np.asarray(
        np.kron(np.kron(left[:, None], sample.between(low, high).T), sample.forward(low - 1)[None, :])
    )


@claim("li.sec3.3", states=EQUAL, plan=DIFFERENCES.but(cost=0.15))
def display_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of the displayed entries, L = 6, p = 2 and q = 4.

    They are read as ∂²l/∂w^p_ac ∂w^q_df; corrected, as ∂²l/∂w^q_ca ∂w^p_fd.
    """
    sample = draw(size, rng, layers=6, alive=(5,))
    while not displayed_entries(sample, "corrected").any():
        sample = draw(size, rng, layers=6, alive=(5,))
    true = _true_block(sample, 2, 4).reshape(size, size, size, size).transpose(1, 0, 3, 2)
    order = (2, 3, 0, 1) if form == "printed" else (1, 0, 3, 2)
    return _relative(displayed_entries(sample, form), true.transpose(*order))


def displayed_entries(sample: Sample, form: str) -> Array:
    """The entries of section 3.3 as an array over (a, c, d, f), with i, p, j, q, k = 1 … 5."""
    h, w = sample.gates, sample.matrices
    output = sample.alpha if form == "printed" else h[4] * sample.alpha
    left = sample.slope() * h[3] * (w[4] @ output)
    middle = h[2][:, None] * (w[2] if form == "printed" else w[2].T) * h[1][None, :]
    right = (sample.inputs @ w[0]) * h[0]
    return np.asarray(np.einsum("a,cd,f->acdf", left, middle, right))
