"""Derivative of the backward pass in one pre-activation, from which dense Hessians, blocks and block norms are made.

The weights of unit i in layer l enter only through z_li = r_l·w_i + b_i, so with ż_li = 1 in every sample at once

    ∂²ℓ/∂w_li ∂θ_k = Σ_n r_ln ⊗ (δ̇_k r_k + δ_k ṙ_k)_n,

where the term of sample n depends on sample n alone. One derivative per unit (times positions in a convolution)
therefore serves all its fan-in weights. For k = l, δ̇_l is the curvature Γ^n_ij = (1/N) ∂²L_n/∂z_li∂z_lj.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks._passes import Linearisation

CHUNK = 2**21
"""Numbers in one temporary array: 16 MiB, enough for BLAS."""
FACTOR = 2**26
"""Numbers in the Jacobians of all outputs at a layer, 512 MiB; beyond that its units are processed one by one."""


@frozen
class UnitMotion:
    """Derivatives of the layers from ``layer`` on in some of its units, one per row of ``units`` = (position, unit)."""

    layer: int
    units: NDArray[np.intp]
    deltas: dict[int, Array]
    """δ̇_k, (units, rows of layer k, units of layer k)."""
    reads: dict[int, Array]
    """ṙ_k for k > layer, (units, rows of layer k, fan-in of layer k)."""


def unit_chunks(point: Linearisation, layer: int) -> Iterator[NDArray[np.intp]]:
    """All units (position, unit) of a layer in chunks whose derivatives have about CHUNK numbers."""
    positions = len(point.passed.before[layer]) // point.passed.samples
    outputs = point.architecture.layers[layer].outputs
    units = np.stack(np.divmod(np.arange(positions * outputs), outputs), axis=1)
    widest = max(
        max(z.size, r.size)
        for z, r in zip(point.passed.before[layer:], point.passed.reads[layer:], strict=True)
    )
    height = max(1, CHUNK // widest)
    for start in range(0, len(units), height):
        yield units[start : start + height]


def unit_motion(
    point: Linearisation, layer: int, units: NDArray[np.intp], *, own: bool = False
) -> UnitMotion:
    """Derivatives in z of ``layer`` at some units, in every sample; ``own`` keeps δ̇ of the layer itself only."""
    samples = point.passed.samples
    rows, width = point.passed.before[layer].shape
    start = np.zeros((len(units), samples, rows // samples, width))
    start[np.arange(len(units)), :, units[:, 0], units[:, 1]] = 1.0
    moved, reads = _answers(point, layer, start.reshape(len(units), rows, width))
    deltas = {
        k: np.zeros((len(units), *point.passed.before[k].shape)) if delta is None else delta
        for k, delta in moved.items()
        if k == layer or not own
    }
    return UnitMotion(layer, units, deltas, {} if own else reads)


def _answers(
    point: Linearisation, layer: int, tangent: Array
) -> tuple[dict[int, Array | None], dict[int, Array]]:
    """δ̇_k for k >= ``layer`` (None where it is zero) and ṙ_k beyond, when z of ``layer`` moves by ``tangent``."""
    passed, layers = point.passed, point.architecture.layers
    before, reads = {layer: tangent}, {}
    after = passed.nonlinearities[layer].push(tangent)
    for k in range(layer + 1, len(layers)):
        reads[k] = passed.read(k, after)
        before[k] = reads[k] @ passed.weights[k].T
        pushed = passed.nonlinearities[k].push(before[k])
        after = pushed + after if layers[k].skip else pushed
    e: Array | None = None
    if point.curvature is not None:
        e = point.curvature.product(after)
        e *= point.weight
    deltas: dict[int, Array | None] = {}
    for k in reversed(range(layer, len(layers))):
        local = passed.nonlinearities[k]
        change = local.pull_change(point.turned[k], before[k])
        moved = None if e is None else local.push(e)
        moved = change if moved is None else moved if change is None else moved + change
        deltas[k] = moved
        if k > layer:
            back = None if moved is None else passed.hand_back(k, moved @ passed.weights[k])
            if not layers[k].skip or e is None:
                e = back
            elif back is not None:
                e = back + e
    return deltas, reads


def layer_curvature(point: Linearisation, layer: int) -> Iterator[tuple[NDArray[np.intp], Array]]:
    """Γ^n_ij of a dense layer in chunks of units i: (units, (units, samples, units of the layer))."""
    last = layer == len(point.architecture.layers) - 1
    flat = last and point.passed.nonlinearities[layer].slope is None
    if flat and point.curvature is not None and point.passed.nonlinearities[layer].probabilities is None:
        yield from _output_curvature(point)
        return
    if not last and _plain(point, layer) and _flat_beyond(point, layer):
        yield from _factored_curvature(point, layer)
        return
    for units in unit_chunks(point, layer):
        if not last and _plain(point, layer):
            yield units[:, 1], _hidden_curvature(point, layer, units[:, 1])
        else:
            yield units[:, 1], unit_motion(point, layer, units, own=True).deltas[layer]


def _plain(point: Linearisation, layer: int) -> bool:
    """Whether the next layer is dense without a skip, so that a unit enters it by one column."""
    return not any(point.architecture.layers[k].filter for k in (layer, layer + 1)) and not (
        point.architecture.layers[layer + 1].skip
    )


def _flat_beyond(point: Linearisation, layer: int) -> bool:
    """Whether the layers after this one are piecewise linear, and the outputs no more than its units, nor too many."""
    outputs, units = point.passed.output.shape[1], point.architecture.layers[layer].outputs
    flat = all(turned is None for turned in point.turned[layer + 1 :])
    return flat and outputs <= units and outputs * point.passed.samples * units <= FACTOR


def _factored_curvature(point: Linearisation, layer: int) -> Iterator[tuple[NDArray[np.intp], Array]]:
    """Γ^n = J_nᵀ L''_n J_n / N if later layers are piecewise linear: one backward pass per output, not per unit."""
    passed, layers = point.passed, point.architecture.layers
    samples, units = passed.before[layer].shape
    factor = np.empty((0, samples, units))
    if point.curvature is not None:
        outputs = passed.output.shape[1]
        e = np.zeros((outputs, samples, outputs))
        e[np.arange(outputs), :, np.arange(outputs)] = 1.0
        for index in reversed(range(layer + 1, len(layers))):
            back = passed.hand_back(index, passed.nonlinearities[index].push(e) @ passed.weights[index])
            e = back + e if layers[index].skip else back
        factor = point.curvature.root_product(passed.nonlinearities[layer].push(e))
        factor *= np.sqrt(point.weight)
    rows = np.ascontiguousarray(factor.transpose(1, 0, 2))
    height = max(1, CHUNK // (samples * units))
    for start in range(0, units, height):
        chosen = np.arange(start, min(start + height, units))
        result = (rows[:, :, chosen].mT @ rows).transpose(1, 0, 2)
        turned = point.turned[layer]
        if turned is not None:
            result[np.arange(len(chosen)), :, chosen] += turned[:, chosen].T
        yield chosen, result


def _hidden_curvature(point: Linearisation, layer: int, units: NDArray[np.intp]) -> Array:
    """δ̇ of a hidden layer: as :func:`unit_motion`, without the arrays in which all but one unit are zero."""
    passed = point.passed
    local = passed.nonlinearities[layer]
    following = point.architecture.layers[layer + 1]
    slope = np.ones((len(units), passed.samples)) if local.slope is None else local.slope[:, units].T
    columns = following.scale * passed.weights[layer + 1][:, units].T
    answer = _answers(point, layer + 1, slope[:, :, None] * columns[:, None, :])[0][layer + 1]
    if answer is None:
        result = np.zeros((len(units), passed.samples, passed.before[layer].shape[1]))
    else:
        result = passed.hand_back(layer + 1, answer @ passed.weights[layer + 1])
        if local.slope is not None:
            result *= local.slope
    turned = point.turned[layer]
    if turned is not None:
        result[np.arange(len(units)), :, units] += turned[:, units].T
    return result


def _output_curvature(point: Linearisation) -> Iterator[tuple[NDArray[np.intp], Array]]:
    assert point.curvature is not None
    samples, outputs = point.passed.output.shape
    height = max(1, CHUNK // (samples * outputs))
    for start in range(0, outputs, height):
        chosen = np.arange(start, min(start + height, outputs))
        units = np.zeros((len(chosen), samples, outputs))
        units[np.arange(len(chosen)), :, chosen] = 1.0
        yield chosen, point.curvature.product(units) * point.weight
