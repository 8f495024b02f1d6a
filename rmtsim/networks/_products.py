"""Products with the Hessian and with the Gauss–Newton matrix, without forming them.

Along a direction (V_l, c_l) in parameters the derivatives of the pass (denoted by dots) are

    ż_l = ṙ_l W_lᵀ + r_l V_lᵀ + c_l,    ȧ_l = φ_l'ż_l [+ ȧ_{l-1}],    ė_L = (1/N) L'' ȧ_L,
    δ̇_l = φ_l'ė_l + (φ_l''ż_l)e_l,      Hv|W_l = δ̇_lᵀ r_l + δ_lᵀ ṙ_l,    ė_{l-1} = readᵀ(δ̇_l W_l + δ_l V_l) [+ ė_l]:

six matrix products a layer where a forward pass has one (two in the first layer), and a fixed number of arrays
of width × inputs. The Gauss–Newton matrix Jᵀ L'' J / N drops what comes from φ'' and from moving weights: four.
All functions take directions of shape (P,) or (k, P), one direction a row.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks._passes import Linearisation


@frozen
class _Motion:
    """Tangents of one direction: ṙ_l (None in the first layer), ż_l, and that of the output."""

    reads: list[Array | None]
    before: list[Array]
    output: Array


def _move(point: Linearisation, directions: Array) -> _Motion:
    passed = point.passed
    reads: list[Array | None] = []
    before: list[Array] = []
    tangent: Array | None = None
    for index, (v, c) in enumerate(point.architecture.layout.split(directions)):
        z = passed.reads[index] @ v.mT
        if tangent is None:
            reads.append(None)
        else:
            read = passed.read(index, tangent)
            z += read @ passed.weights[index].T
            reads.append(read)
        if c is not None:
            z += c[..., None, :]
        after = passed.nonlinearities[index].push(z)
        skip = point.architecture.layers[index].skip
        tangent = after + tangent if skip and tangent is not None else after
        before.append(z)
    assert tangent is not None
    return _Motion(reads, before, tangent)


def hessian_product(point: Linearisation, directions: Array) -> Array:
    """H v for directions of shape (P,) or (k, P), on as many threads as are worth it."""
    return point.threads.call(
        float(len(point.cotangent)) * directions.size, lambda: _hessian_product(point, directions)
    )


def _hessian_product(point: Linearisation, directions: Array) -> Array:
    passed, layout = point.passed, point.architecture.layout
    motion = _move(point, directions)
    result = np.empty_like(directions)
    outs, moves = layout.split(result), layout.split(directions)
    e: Array | None = None
    if point.curvature is not None:
        e = point.curvature.product(motion.output)
        e *= point.weight
    for index in reversed(range(len(layout.layers))):
        local, delta, read = passed.nonlinearities[index], point.deltas[index], passed.reads[index]
        change = local.pull_change(point.turned[index], motion.before[index])
        moved = None if e is None else local.push(e)
        moved = change if moved is None else moved if change is None else np.add(moved, change, out=change)
        _gradient_change(outs[index], moved, read, delta, motion.reads[index])
        if index:
            # Cotangent of the layer before: through the weights of this layer, and through their change.
            back = delta @ moves[index][0]
            if moved is not None:
                back += moved @ passed.weights[index]
            back = passed.hand_back(index, back)
            e = back + e if point.architecture.layers[index].skip and e is not None else back
    return result


def _gradient_change(
    out: tuple[Array, Array | None],
    moved: Array | None,
    read: Array,
    delta: Array,
    read_motion: Array | None,
) -> None:
    """δ̇ᵀ r + δᵀ ṙ into the layer's part of the result."""
    weights, biases = out
    if moved is None:
        weights[...] = 0.0 if read_motion is None else delta.T @ read_motion
    else:
        np.matmul(moved.mT, read, out=weights)
        if read_motion is not None:
            weights += delta.T @ read_motion
    if biases is not None:
        biases[...] = 0.0 if moved is None else moved.sum(axis=-2)


def gauss_newton_product(point: Linearisation, directions: Array) -> Array:
    """Jᵀ L'' J v / N: the Hessian without the second derivatives of the network itself."""
    curvature = point.curvature
    if curvature is None:
        return np.zeros_like(directions)

    def product() -> Array:
        e = curvature.product(_move(point, directions).output)
        e *= point.weight
        return transposed_jacobian_product(point, e)

    return point.threads.call(float(len(point.cotangent)) * directions.size, product)


def transposed_jacobian_product(point: Linearisation, cotangents: Array) -> Array:
    """Jᵀ e for cotangents of shape (…, samples, outputs): one backward pass each."""
    passed, layout = point.passed, point.architecture.layout
    result = np.empty((*cotangents.shape[:-2], layout.size))
    outs = layout.split(result)
    e = cotangents
    for index in reversed(range(len(layout.layers))):
        delta = passed.nonlinearities[index].push(e)
        weights, biases = outs[index]
        np.matmul(delta.mT, passed.reads[index], out=weights)
        if biases is not None:
            biases[...] = delta.sum(axis=-2)
        if index:
            back = passed.hand_back(index, delta @ passed.weights[index])
            e = back + e if point.architecture.layers[index].skip else back
    return result
