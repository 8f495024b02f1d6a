"""The forward pass, and the linearisation at a point: all that products of second order need, computed once.

With r_l = scale·(what layer l reads), z_l = r_l W_lᵀ + b_l, a_l = φ_l(z_l) [+ a_{l-1}] and ℓ = (1/N) Σ_n L(f_n, y_n),

    e_l = ∂ℓ/∂a_l,   δ_l = ∂ℓ/∂z_l = φ_l'(z_l)ᵀ e_l,   ∂ℓ/∂W_l = δ_lᵀ r_l,   e_{l-1} = read_lᵀ(scale·δ_l W_l) [+ e_l].

Memory is a fixed number of arrays of width × inputs per layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.threads import NumpyThreads, ThreadChoice
from rmtsim.networks._architecture import Architecture
from rmtsim.networks._layers import SOFTMAX
from rmtsim.networks._losses import Curvature
from rmtsim.networks._softmax import from_top, softmax


@frozen
class Nonlinearity:
    """φ of one layer at its pre-activations: push φ'ż, pull φ'ᵀe, and how the pull moves with z.

    ``slope`` and ``bend`` are φ' and φ'' of a scalar function (None: one, zero); a softmax keeps its values instead.
    """

    slope: Array | None
    bend: Array | None
    probabilities: Array | None = None

    @cached_property
    def _top(self) -> NDArray[np.intp]:
        assert self.probabilities is not None
        return np.asarray(self.probabilities.argmax(axis=-1))

    def push(self, tangent: Array) -> Array:
        """φ'(z) ż; the pull is the same map, since φ' is symmetric for scalar functions and for the softmax."""
        if self.probabilities is not None:
            moved = from_top(tangent, self._top)
            moved -= (self.probabilities * moved).sum(axis=-1, keepdims=True)
            return np.asarray(self.probabilities * moved)
        return tangent if self.slope is None else self.slope * tangent

    def turn(self, cotangent: Array) -> Array | None:
        """What :meth:`pull_change` needs of the cotangent e: φ''e for a scalar function, e for the softmax."""
        if self.probabilities is not None:
            return cotangent
        return None if self.bend is None else self.bend * cotangent

    def pull_change(self, turned: Array | None, tangent: Array) -> Array | None:
        """d/dε φ'(z + εż)ᵀ e at ε = 0; None where it vanishes."""
        if turned is None:
            return None
        if self.probabilities is None:
            return turned * tangent
        p, e = self.probabilities, from_top(turned, self._top)
        moved = self.push(tangent)
        centred = e - (p * e).sum(axis=-1, keepdims=True)
        return np.asarray(moved * centred - p * (moved * e).sum(axis=-1, keepdims=True))


@frozen
class ForwardPass:
    """Reads r_l (scaled), pre-activations z_l and the output."""

    architecture: Architecture
    weights: tuple[Array, ...]
    reads: tuple[Array, ...]
    before: tuple[Array, ...]
    output: Array

    @property
    def samples(self) -> int:
        """Number of inputs N."""
        return len(self.output)

    @cached_property
    def nonlinearities(self) -> tuple[Nonlinearity, ...]:
        """φ_l at z_l, first and second derivatives."""
        found = []
        for layer, z in zip(self.architecture.layers, self.before, strict=True):
            if layer.activation == SOFTMAX:
                found.append(Nonlinearity(None, None, self.output))
            else:
                found.append(Nonlinearity(*layer.activation.slope_and_bend(z)))
        return tuple(found)

    def kink_distance(self) -> float:
        """Smallest distance of a pre-activation to a kink of its activation; infinite for smooth networks."""
        distances = [
            float(np.abs(z - kink).min())
            for layer, z in zip(self.architecture.layers, self.before, strict=True)
            for kink in layer.activation.kinks
        ]
        return min(distances, default=float("inf"))

    def part(self, rows: slice) -> ForwardPass:
        """The same for some of the samples of dense layers (views, no copies)."""
        return ForwardPass(
            self.architecture,
            self.weights,
            tuple([read[rows] for read in self.reads]),
            tuple([z[rows] for z in self.before]),
            self.output[rows],
        )

    def read(self, index: int, activations: Array) -> Array:
        """scale·(what layer ``index`` reads of ``activations``), for activations or their tangents."""
        layer = self.architecture.layers[index]
        reads = layer.gather(activations, self.architecture.read_positions(index))
        return reads if layer.scale == 1.0 else layer.scale * reads

    def hand_back(self, index: int, cotangent: Array) -> Array:
        """The adjoint of :meth:`read`: from what r_l receives to the activations before layer ``index``."""
        layer = self.architecture.layers[index]
        before = self.architecture.widths[index]
        back = layer.scatter(cotangent, self.architecture.read_positions(index), before)
        return back if layer.scale == 1.0 else layer.scale * back


def forward(architecture: Architecture, parameters: Array, inputs: Array) -> ForwardPass:
    """The forward pass of checked ``inputs``: (samples, d), or (samples, channels·positions) for convolutions."""
    weights, reads, before = [], [], []
    current = inputs
    if architecture.layers[0].filter:
        channels, positions = architecture.layers[0].inputs, architecture.positions
        current = np.ascontiguousarray(inputs.reshape(-1, channels, positions).mT).reshape(-1, channels)
    for index, (w, b) in enumerate(architecture.layout.split(parameters)):
        layer = architecture.layers[index]
        read = layer.gather(current, architecture.read_positions(index))
        if layer.scale != 1.0:
            read = layer.scale * read
        z = read @ w.T
        if b is not None:
            z += b
        after = softmax(z) if layer.activation == SOFTMAX else layer.activation(z)
        current = after + current if layer.skip else after
        weights.append(w)
        reads.append(read)
        before.append(z)
    return ForwardPass(architecture, tuple(weights), tuple(reads), tuple(before), current)


def forward_from(architecture: Architecture, first: Array, later: Sequence[Array]) -> ForwardPass:
    """The pass of dense layers without scale, bias or skip from the pre-activations ``first`` of layer one on.

    For random networks whose first weights are integrated out: ``later`` holds W₂, W₃, …. First weights and inputs
    are arrays without columns, so that using them is an error. No product needs W₁; to differentiate in it, the
    inputs have to be supplied.

    >>> from rmtsim.networks import fully_connected
    >>> network = fully_connected((3, 4, 2), "relu").sample(np.random.default_rng(0))
    >>> whole = network.forward(np.eye(3))
    >>> part = forward_from(network.architecture, whole.before[0], network.weights[1:])
    >>> bool((part.output == whole.output).all())
    True
    """
    layers = architecture.layers
    weights, reads = [np.empty((layers[0].outputs, 0))], [np.empty((len(first), 0))]
    before, current = [first], layers[0].activation(first)
    for layer, w in zip(layers[1:], later, strict=True):
        z = current @ w.T
        weights.append(w)
        reads.append(current)
        before.append(z)
        current = layer.activation(z)
    return ForwardPass(architecture, tuple(weights), tuple(reads), tuple(before), current)


@frozen
class Linearisation:
    """Forward pass and the cotangents of one loss: δ_l at pre-activations, and what φ_l'' makes of e_l.

    ``cotangent`` is ∂ℓ/∂f, samples × outputs, and ``curvature`` that of the loss in f, both without the 1/N in front
    of the sum: ``cotangent`` has it, ``curvature`` gets it from ``weight``.
    """

    passed: ForwardPass
    cotangent: Array
    curvature: Curvature | None
    weight: float

    @cached_property
    def threads(self) -> ThreadChoice:
        """Whether products at this point use one thread or all."""
        return ThreadChoice(NumpyThreads())

    @property
    def deltas(self) -> tuple[Array, ...]:
        """δ_l = ∂ℓ/∂z_l of every layer."""
        return self._backward[0]

    @property
    def turned(self) -> tuple[Array | None, ...]:
        """What φ_l'' makes of e_l = ∂ℓ/∂a_l (:meth:`Nonlinearity.turn`), layer by layer."""
        return self._backward[1]

    @cached_property
    def _backward(self) -> tuple[tuple[Array, ...], tuple[Array | None, ...]]:
        """The backward pass, computed at first use: Gauss–Newton products need none."""
        count = len(self.passed.architecture.layers)
        deltas: list[Array] = [self.cotangent] * count
        turned: list[Array | None] = [None] * count
        e = self.cotangent
        for index in reversed(range(count)):
            local = self.passed.nonlinearities[index]
            turned[index] = local.turn(e)
            deltas[index] = local.push(e)
            if index:
                back = self.passed.hand_back(index, deltas[index] @ self.passed.weights[index])
                e = back + e if self.passed.architecture.layers[index].skip else back
        return tuple(deltas), tuple(turned)

    @property
    def architecture(self) -> Architecture:
        """The layers."""
        return self.passed.architecture

    def gradient(self) -> Array:
        """∂ℓ/∂θ in the order of the parameters."""
        layout = self.architecture.layout
        result = np.empty(layout.size)
        for index, (w, b) in enumerate(layout.split(result)):
            np.matmul(self.deltas[index].T, self.passed.reads[index], out=w)
            if b is not None:
                self.deltas[index].sum(axis=0, out=b)
        return result
