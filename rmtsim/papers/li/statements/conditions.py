"""Claims of `li` on the conditions of its theorems, for the Hessians of networks: 3.1, 4.3, 4.5, and D.4's argument."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Identity, Limit, Plan, Rate, claim
from rmtsim.networks import Network
from rmtsim.papers.li.simulation.hinge_training import hinge_problem
from rmtsim.papers.li.simulation.network_hessians import sample_hessians
from rmtsim.papers.li.statements.minima import LAYERS

# ---- Condition 4.5: comparability ----------------------------------------------------------------------------------


def _energy_of_a_layer(size: int, rng: np.random.Generator, layers: int) -> tuple[Array, slice]:
    """(S[P], indices of the layer's parameters), P projecting on a random layer; S over 16 draws of one sample.

    Weights are fixed, samples random and labels fair, so A = 0 but for samples beyond the margin. The
    scale of W cancels in the measured ratios.
    """
    while True:
        network, inputs, labels = hinge_problem(size, layers, 16, rng)
        place = network.architecture.layout.layer(int(rng.integers(layers)))
        energy = np.zeros((network.parameters.size,) * 2)
        for row, label in zip(inputs, labels, strict=True):
            columns = network.hessian(row[None, :], label[None, :])[:, place]
            energy += columns @ columns.T / len(inputs)
        if energy.any():
            return energy, place


@claim(
    "li.cond4.5",
    states=Identity(within=1e-12),
    over=(LAYERS,),
    points=({"layers": 2}, {"layers": 4}),
    plan=Plan(sizes=(2, 3), size_name="n", cost=4e-3),
)
def comparability(size: int, rng: np.random.Generator, layers: int) -> float:
    """‖P S[P] P‖/‖S[P]‖, P the projection on a layer."""
    energy, place = _energy_of_a_layer(size, rng, layers)
    return float(np.linalg.norm(energy[place, place]) / np.linalg.norm(energy))


# ---- Condition 4.3: the mean ----------------------------------------------------------------------------------------


@claim(
    "li.cond4.3",
    states=Identity(within=1e-9),
    plan=Plan(sizes=(3, 6), size_name="n", cost=1e-3),
)
def euler_error(size: int, rng: np.random.Generator) -> float:
    """|θᵀHθ − L(L − 1)(R_m − share of active samples)| over the sum of both."""
    while True:
        network, inputs, labels = hinge_problem(size, int(rng.integers(2, 6)), 2 * size, rng)
        layers, theta = len(network.weights), network.parameters
        left = float(theta @ network.hessian_product(inputs, labels, theta))
        active = float(np.mean(labels * network.output(inputs) < 1))
        right = layers * (layers - 1) * (network.loss(inputs, labels) - active)
        if abs(right) > 1e-9:
            return abs(left - right) / (abs(left) + abs(right))


@claim(
    "li.cond4.3.learnable",
    states=Bound(0.1, ">=", of="mean", within=0.02),
    plan=Plan(
        sizes=(6, 8, 12, 16), size_name="n", support=(-1.0, 1.0), cost=lambda size: 2e-3 + 3e-6 * size**3
    ),
)
def mean_over_noise(size: int, rng: np.random.Generator) -> float:
    """⟨H, H'⟩/(⟨H, H'⟩ + ½‖H − H'‖²), H and H' from two data sets: ‖A‖² over E‖H‖², weights kept, L = 3."""

    def hessian(network: Network) -> Array:
        inputs = rng.standard_normal((8 * size, size))
        return network.hessian(inputs, np.sign(inputs[:, :1]))

    while True:
        network, _, _ = hinge_problem(size, 3, 1, rng)
        one, two = hessian(network), hessian(network)
        if one.any() and two.any():
            return 2 * float((one * two).sum() / (np.square(one).sum() + np.square(two).sum()))


@claim(
    "li.cond4.3.fair",
    states=Limit(0.0, within=0.02),
    plan=Plan(sizes=(2, 4, 8), size_name="n", exponents=(1.0,), cost=lambda size: 1e-3 + 8e-6 * size**4),
)
def overlap_of_data_sets(size: int, rng: np.random.Generator) -> float:
    """Mean cosine between the Hessians of 32 data sets of 4n samples and of 32 others, one draw of weights, L = 3.

    The two groups enter once each, so that the value is as likely as its opposite where labels are fair.
    """
    while True:
        network, _, _ = hinge_problem(size, 3, 1, rng)
        _, single = sample_hessians(network, rng.standard_normal((64 * 4 * size, size)))
        labels = 2.0 * rng.integers(0, 2, (len(single), 1)) - 1.0
        rows = (-labels * single).reshape(64, 4 * size, -1).mean(axis=1)
        norms = np.linalg.norm(rows, axis=1)
        if norms.min() > 0:
            rows /= norms[:, None]
            return float(rows[:32].mean(axis=0) @ rows[32:].mean(axis=0))


@claim(
    "li.cond4.3.many-samples",
    states=Rate(1.0, within=0.1),
    plan=Plan(sizes=(8, 16, 32, 64, 128), size_name="m", exponents=(1.0,), coupled=True, cost=8e-3),
)
def distance_between_data_sets(sizes: tuple[int, ...], rng: np.random.Generator) -> list[float]:
    """‖H − H'‖² for every m at one draw of the weights, over that of other data sets, so that the effect of the
    weights cancels.

    Every m has the same number of samples, in more pairs of data sets the smaller it is; so has the divisor.
    """
    count = 2 * max(sizes)
    while True:
        network, _, _ = hinge_problem(5, 3, 1, rng)

        def squares(size: int, network: Network = network) -> float:
            inputs = rng.standard_normal((count, 5))
            outputs, single = sample_hessians(network, inputs)
            labels = np.sign(inputs[:, 0])
            slopes = np.where(labels * outputs < 1, -labels, 0.0)
            means = (slopes[:, None] * single).reshape(-1, 2, size, single.shape[1]).mean(axis=2)
            return float(np.square(means[:, 0] - means[:, 1]).sum(axis=1).mean())

        scale = squares(min(sizes))
        if scale > 0:
            return [squares(size) / scale for size in sizes]


# ---- Condition 3.1: coupling sets
# -----------------------------------------------------------------------------------


CORRELATED_SAMPLES = 128


@claim(
    "li.cond3.1",
    states=Limit(1 / 32, within=0.01),
    plan=Plan(
        sizes=(6, 12, 24, 48), size_name="n", exponents=(1.0,), cost=lambda size: 3e-4 + 2e-6 * size**3
    ),
)
def squared_correlations(size: int, rng: np.random.Generator) -> float:
    """Mean of Σ_γ ρ(β, γ)²/N over 32 random β, γ over the block (W₁, W₂).

    L = 3, one draw of weights, fair labels.
    An entry is −y x_i h_j h_l α_l; α_l cancels but for its sign, which the square removes. The two factors of ρ² come
    from 128 samples each, independent, so that noise has mean zero. |ρ| ≤ 1: the sum is at most the number of
    correlated ones. Single precision is sufficient: the numbers are known to two digits.
    """
    first, second = (rng.standard_normal((size, size), np.float32) * np.sqrt(2 / size) for _ in range(2))
    i, j, k = rng.integers(size, size=(3, 32))

    def correlations() -> Array:
        x = rng.standard_normal((CORRELATED_SAMPLES, size), np.float32)
        reach = x @ first
        h1 = (reach > 0).astype(np.float32)
        h2 = (np.maximum(reach, 0.0) @ second > 0).astype(np.float32)
        own = x[:, i] * h1[:, j] * h2[:, k]
        gates = (h1[:, :, None] * h2[:, None, :]).reshape(CORRELATED_SAMPLES, -1)
        entries = (x[:, :, None] * gates[:, None, :]).reshape(CORRELATED_SAMPLES, -1)
        # Σ x_i² h_j h_l over the samples is a product of two matrices: gates are their own squares.
        scale = np.sqrt(np.outer(np.square(own).sum(axis=0), (np.square(x).T @ gates).ravel()))
        joint = own.T @ entries
        return np.asarray(np.divide(joint, scale, out=np.zeros_like(joint), where=scale > 0))

    return float((correlations() * correlations()).sum()) / 32 / (2 * size**2 + size)


# ---- D.4: the central limit -----------------------------------------------------------------------------------------


@claim(
    "li.sec4.d4",
    states=Rate(1.0, "O", within=0.1),
    plan=Plan(sizes=(1, 4, 16), size_name="m", exponents=(1.0,), coupled=True, cost=5e-2),
)
def excess_kurtosis(sizes: tuple[int, ...], rng: np.random.Generator) -> list[float]:
    """Excess kurtosis over 16384 data sets of one entry for every m, over that of 65536 single samples.

    One draw of the weights; how often its gates are open, which decides about the kurtosis of one sample, cancels.
    """
    count, single_count = 16384, 65536
    while True:
        first, second = (rng.standard_normal((4, 4)) * np.sqrt(0.5) for _ in range(2))

        def entries(shape: tuple[int, ...], first: Array = first, second: Array = second) -> Array:
            x = rng.standard_normal((*shape, 4))
            reach = x @ first
            h = (reach[..., 0] > 0) & ((np.maximum(reach, 0.0) @ second)[..., 0] > 0)
            return np.asarray((2.0 * rng.integers(0, 2, shape) - 1.0) * x[..., 0] * h)

        alone = entries((single_count,))
        if np.mean(alone != 0) > 0.05:
            break
    single = entries((count, sum(sizes)))
    variance = float(np.square(single).mean())
    found, start = [], 0
    for size in sizes:
        squares = single[:, start : start + size].mean(axis=1) ** 2
        start += size
        # Labels are fair, so means are zero; without products of a data set with itself σ⁴ is estimated without bias.
        fourth_power = (squares.sum() ** 2 - np.square(squares).sum()) / (count * (count - 1))
        found.append(float((np.square(squares).mean() - 3 * fourth_power) * (size / variance) ** 2))
    divisor = float((alone**4).mean() / np.square(alone).mean() ** 2) - 3
    return [each / divisor for each in found]
