"""Squared Frobenius norms of the blocks between neurons of one layer, without the blocks.

With Γ^n_ij = (1/N) ∂²L_n/∂z_i∂z_j the curvature of sample n in the layer's pre-activations and r_n what the layer reads
(a one appended where it has a bias), block (i, j) is Σ_n Γ^n_ij r_n r_nᵀ for any layers after it, so that

    ‖H_ij‖²_F = γ_ijᵀ (G∘G) γ_ij,   γ_ij = (Γ^1_ij, …, Γ^N_ij),   G = R Rᵀ:

one N × N matrix serves all pairs. If the layer reads so few numbers that r_n r_nᵀ has fewer entries than there are
samples, it is cheaper to form all blocks in one product, which is then done. Convolutions sum over pairs of
positions, so their blocks are formed. For many classes the sum over all pairs of output neurons needs no pair:

    Σ_{i≠j} ‖H_ij‖² = Σ_{n,n'} G²_nn' [ (P Pᵀ)²_nn' - ((P∘P)(P∘P)ᵀ)_nn' ] / N²   (softmax probabilities P).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.networks._block_norms import GRAM_CHUNK, BlockEnergies, squared_gram_rows
from rmtsim.networks._dense_hessian import neuron_rows
from rmtsim.networks._losses import DiagonalCurvature, SoftmaxCurvature
from rmtsim.networks._network import Network, representable
from rmtsim.networks._passes import Linearisation
from rmtsim.networks._unit_motions import layer_curvature


def layer_energies(
    network: Network, inputs: ArrayLike, targets: Any, layers: Sequence[int] | None, pairs: bool
) -> tuple[BlockEnergies, ...]:
    """Block energies of each layer (``layers``: 0, 1, …; None for all); see :func:`rmtsim.curvature.block_energies`.

    With N samples, m neurons, fan-in d: work N²(d + m²/2) or N d² m²/4, whichever is less, beside the curvature; for
    the sums of an output layer alone, N²m.
    """
    count = len(network.architecture.layers)
    chosen = range(count) if layers is None else validate.sequence("layers", layers)
    for layer in chosen:
        validate.integer("layers", layer, minimum=0, maximum=count - 1, meaning="layers counted from zero")
    point = network.linearise(inputs, targets)
    return tuple(_finite_energies(point, layer, pairs) for layer in chosen)


def _finite_energies(point: Linearisation, layer: int, pairs: bool) -> BlockEnergies:
    with np.errstate(over="ignore", invalid="ignore"):
        found = _layer_energies(point, layer, pairs)
    representable("block energies", lambda: np.append(found.diagonal, found.offdiagonal))
    return found


def _layer_energies(point: Linearisation, layer: int, pairs: bool) -> BlockEnergies:
    if point.architecture.layers[layer].filter:
        table = _formed(point, layer)
    elif not pairs and (sums := _output_sums(point, layer)) is not None:
        return sums
    else:
        table = _table(point, layer)
    diagonal = np.diagonal(table).copy()
    off = float(table.sum() - diagonal.sum())
    return BlockEnergies(diagonal, max(off, 0.0), table if pairs else None, layer)


def _formed(point: Linearisation, layer: int) -> Array:
    """Energies of a convolution's blocks, from the rows of one channel at a time."""
    layout = point.architecture.layout
    neurons = layout.layers[layer].outputs
    table = np.empty((neurons, neurons))
    start = layout.layer(layer).start
    owners = [layout.neuron(layer, j) - start for j in range(neurons)]
    for i in range(neurons):
        squares = np.square(neuron_rows(point, layer, i, layer)).sum(axis=0)
        table[i] = [squares[owner].sum() for owner in owners]
    return np.asarray(0.5 * (table + table.T))


def _table(point: Linearisation, layer: int) -> Array:
    """All pairs of a dense layer."""
    reads = point.passed.reads[layer]
    bias = point.architecture.layers[layer].bias
    samples, fan = reads.shape[0], reads.shape[1] + bias
    neurons = point.architecture.layers[layer].outputs
    validate.memory(8.0 * neurons**2, f"energies of {neurons}² blocks")
    table = np.zeros((neurons, neurons))
    if fan * (fan + 1) // 2 < samples:
        kept = list(_pair_products(reads, bias)) if samples * fan**2 <= GRAM_CHUNK else None
        for units, curvature in layer_curvature(point, layer):
            for unit, rows in zip(units, curvature, strict=True):
                blocks = np.zeros((neurons - unit, fan * (fan + 1) // 2))
                for band, products in kept if kept is not None else _pair_products(reads, bias):
                    blocks += rows[band, unit:].T @ products
                table[unit, unit:] = np.square(blocks, out=blocks).sum(axis=1)
    else:
        bands = list(squared_gram_rows(reads, bias=bias)) if samples**2 <= GRAM_CHUNK else None
        for units, curvature in layer_curvature(point, layer):
            # Pairs of a chunk side by side, those below the diagonal left out: one product for all of them.
            first, second = np.nonzero(np.arange(neurons) >= units[:, None])
            right = np.ascontiguousarray(curvature.transpose(1, 0, 2)[:, first, second])
            total = np.zeros(right.shape[1])
            for band, squared in bands if bands is not None else squared_gram_rows(reads, bias=bias):
                total += np.einsum("nj,nj->j", right[band], squared @ right)
            table[units[first], second] = total
    # Quadratic forms of a positive matrix; rounding may leave a zero slightly below.
    np.maximum(table, 0.0, out=table)
    return np.asarray(np.triu(table) + np.triu(table, 1).T)


def _pair_products(reads: Array, bias: bool) -> Iterator[tuple[slice, Array]]:
    """The upper triangles of r_n r_nᵀ in bands of samples, such that inner products are those of the matrices."""
    samples = len(reads)
    full = np.concatenate([reads, np.ones((samples, 1))], axis=1) if bias else reads
    first, second = np.triu_indices(full.shape[1])
    # Each entry off the diagonal of a symmetric block counts twice.
    weight = np.where(first == second, 1.0, np.sqrt(2.0))
    height = max(1, GRAM_CHUNK // len(first))
    for start in range(0, samples, height):
        rows = full[start : start + height]
        products = rows[:, first]
        products *= rows[:, second]
        products *= weight
        yield slice(start, start + height), products


def _output_sums(point: Linearisation, layer: int) -> BlockEnergies | None:
    """Diagonal energies and the off-diagonal sum of a linear output layer, or None for other layers."""
    last = layer == len(point.architecture.layers) - 1
    local = point.passed.nonlinearities[layer]
    if not last or local.slope is not None or local.probabilities is not None:
        return None
    reads, bias = point.passed.reads[layer], point.architecture.layers[layer].bias
    outputs = point.architecture.layers[layer].outputs
    if point.curvature is None:
        return BlockEnergies(np.zeros(outputs), 0.0, layer=layer)
    if isinstance(point.curvature, DiagonalCurvature):
        weights, pairs = point.curvature.weights, None
    else:
        weights, pairs = _softmax_sums(point.curvature)
    diagonal, off = np.zeros(outputs), 0.0
    for rows, squared in squared_gram_rows(reads, bias=bias):
        diagonal += np.einsum("nc,nc->c", weights[rows], squared @ weights)
        if pairs is not None:
            off += float(np.vdot(squared, pairs[rows]))
    return BlockEnergies(diagonal * point.weight**2, max(off, 0.0) * point.weight**2, layer=layer)


def _softmax_sums(curvature: SoftmaxCurvature) -> tuple[Array, Array]:
    """p(1 - p), and (P Pᵀ)² - (P∘P)(P∘P)ᵀ."""
    p = curvature.probabilities
    squares = np.square(p)
    pairs = np.square(p @ p.T)
    pairs -= squares @ squares.T
    return curvature.variances, pairs
