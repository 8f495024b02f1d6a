"""One layer of a network: pre-activations z = scale·W r + b, activations a' = σ(z), plus a where it skips.

r is what the layer reads of the activations a before it. A dense layer reads all of them. A convolution reads, at each
position, the channels of the ``filter`` positions around it, zeros beyond the ends, so that their number stays:
(W * a)_{i,q} = Σ_j Σ_k W_ijk a_{j, q+k-(K+1)/2}, k = 1 … K (`liu` eq. (91)). Inside a pass the activations of a
convolution are rows (sample, position) of channels; outside they are channels × positions, flattened row-major.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.networks._activations import Activation, activation

__all__ = ["SOFTMAX", "Layer", "convolution", "dense"]

Array = NDArray[np.float64]

SOFTMAX = Activation("softmax")
"""The softmax over all outputs, as non-linear output of a network. Not a scalar function, so not among ACTIVATIONS."""


@dataclass(frozen=True)
class Layer:
    """Sizes, activation and scaling of one layer; build one with :func:`dense` or :func:`convolution`."""

    inputs: int
    """Units read, or channels read by a convolution."""
    outputs: int
    """Units, or channels of a convolution."""
    activation: Activation
    scale: float = 1.0
    """Factor in front of W: 1/√fan-in in the "NTK" parametrisation."""
    deviation: float = 1.0
    """Standard deviation of a weight at initialisation."""
    bias: bool = False
    bias_deviation: float = 0.0
    skip: bool = False
    """Whether the activations before are added: a' = σ(z) + a."""
    filter: int = 0
    """Filter size of a convolution, odd; zero for a dense layer."""

    @property
    def fan_in(self) -> int:
        """Weights of one unit."""
        return self.inputs * max(self.filter, 1)

    @property
    def weight_shape(self) -> tuple[int, ...]:
        """Shape of W as the user sees it: (out, in), or (out, in, filter)."""
        return (self.outputs, self.inputs, self.filter) if self.filter else (self.outputs, self.inputs)

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return self.outputs * (self.fan_in + self.bias)

    def gather(self, before: Array, positions: int) -> Array:
        """r, (…, rows, fan-in), from the activations before, (…, rows, units or channels)."""
        if self.filter:
            return self._windows(before, positions)
        if positions == 1:
            return before
        channels = before.shape[-1]
        shape = before.shape[:-2]
        stacked = before.reshape(*shape, -1, positions, channels)
        return np.ascontiguousarray(stacked.mT).reshape(*shape, -1, channels * positions)

    def scatter(self, reads: Array, positions: int, channels: int) -> Array:
        """The adjoint of :meth:`gather`: what r receives, handed back to ``channels`` units a row."""
        shape = reads.shape[:-2]
        if self.filter:
            half = self.filter // 2
            reads = reads.reshape(*shape, -1, positions, self.inputs, self.filter)
            padded = np.zeros((*reads.shape[:-3], positions + 2 * half, self.inputs))
            for k in range(self.filter):
                padded[..., k : k + positions, :] += reads[..., k]
            return padded[..., half : half + positions, :].reshape(*shape, -1, self.inputs)
        if positions == 1:
            return reads
        stacked = reads.reshape(*shape, -1, channels, positions)
        return np.ascontiguousarray(stacked.mT).reshape(*shape, -1, channels)

    def _windows(self, before: Array, positions: int) -> Array:
        half = self.filter // 2
        shape = before.shape[:-2]
        stacked = before.reshape(*shape, -1, positions, self.inputs)
        padded = np.zeros((*stacked.shape[:-2], positions + 2 * half, self.inputs))
        padded[..., half : half + positions, :] = stacked
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.filter, axis=-2)
        return windows.reshape(*shape, -1, self.fan_in)

    def __str__(self) -> str:
        kind = f"convolution of {self.filter}" if self.filter else "dense"
        return f"{kind} {self.inputs}→{self.outputs} {self.activation.name}" + (
            " + skip" if self.skip else ""
        )


def dense(
    inputs: int,
    outputs: int,
    activation: str | Activation = "identity",
    *,
    scale: float = 1.0,
    deviation: float = 1.0,
    bias: bool = False,
    bias_deviation: float = 0.0,
    skip: bool = False,
) -> Layer:
    """A dense layer ``inputs`` → ``outputs``; "softmax" is accepted as activation of a last layer.

    >>> str(dense(3, 2, "tanh")), dense(3, 2, bias=True).parameters
    ('dense 3→2 tanh', 8)
    """
    return _layer(inputs, outputs, activation, scale, deviation, bias, bias_deviation, skip, 0)


def convolution(
    inputs: int,
    outputs: int,
    filter: int,  # noqa: A002
    activation: str | Activation = "identity",
    *,
    scale: float = 1.0,
    deviation: float = 1.0,
    bias: bool = False,
    bias_deviation: float = 0.0,
    skip: bool = False,
) -> Layer:
    """A one-dimensional convolution, ``inputs`` channels → ``outputs`` channels, zero padding, ``filter`` odd.

    >>> str(convolution(2, 4, 3, "gelu"))
    'convolution of 3 2→4 gelu'
    """
    size = validate.integer("filter", filter, meaning="filter size, odd")
    if size % 2 == 0:
        raise ValueError(f"filter={size}: expected an odd integer (positions left and right of the centre)")
    return _layer(inputs, outputs, activation, scale, deviation, bias, bias_deviation, skip, size)


def _layer(
    inputs: int,
    outputs: int,
    name: str | Activation,
    scale: float,
    deviation: float,
    bias: bool,
    bias_deviation: float,
    skip: bool,
    size: int,
) -> Layer:
    bias, skip = validate.flag("bias", bias), validate.flag("skip", skip)
    inputs = validate.integer("inputs", inputs, meaning="units or channels read")
    outputs = validate.integer("outputs", outputs, meaning="units or channels of the layer")
    if skip and inputs != outputs:
        raise ValueError(f"skip=True: expected as many outputs as inputs, not {inputs}→{outputs}")
    chosen = SOFTMAX if name in ("softmax", SOFTMAX) else activation(name)
    if skip and chosen == SOFTMAX:
        raise ValueError("skip=True: a softmax output has no skip connection")
    return Layer(
        inputs,
        outputs,
        chosen,
        validate.positive_number("scale", scale, meaning="factor of the weights"),
        _deviation("deviation", deviation),
        bias,
        _deviation("bias_deviation", bias_deviation),
        skip,
        size,
    )


def _deviation(name: str, value: float) -> float:
    number = validate.finite_number(name, value)
    if number < 0:
        raise ValueError(f"{name}={number}: expected a number >= 0 (standard deviation at initialisation)")
    return number
