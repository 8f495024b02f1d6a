"""Where each weight and bias lies in the parameter vector: W₁, b₁, W₂, b₂, … each row-major."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks._layers import Layer


@frozen
class ParameterGroup:
    """Parameters that belong together: the whole model, a layer, or a neuron with its bias."""

    name: str
    layer: int | None
    neuron: int | None
    indices: NDArray[np.intp]


@frozen
class Layout:
    """Offsets of the parameters of some layers.

    >>> from rmtsim.networks._layers import dense
    >>> layout = Layout((dense(3, 2, bias=True), dense(2, 1)))
    >>> layout.size, layout.weights(1), layout.biases(0)
    (10, slice(8, 10, None), slice(6, 8, None))
    """

    layers: tuple[Layer, ...]

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        starts = [0]
        for layer in self.layers:
            starts.append(starts[-1] + layer.parameters)
        return tuple(starts)

    @property
    def size(self) -> int:
        """Number of parameters P."""
        return self._starts[-1]

    def layer(self, index: int) -> slice:
        """All parameters of a layer."""
        return slice(self._starts[index], self._starts[index + 1])

    def weights(self, index: int) -> slice:
        """Weights of a layer."""
        start = self._starts[index]
        return slice(start, start + self.layers[index].outputs * self.layers[index].fan_in)

    def biases(self, index: int) -> slice:
        """Biases of a layer; empty where it has none."""
        return slice(self.weights(index).stop, self._starts[index + 1])

    @cached_property
    def _pieces(self) -> tuple[tuple[slice, tuple[int, int], slice | None], ...]:
        """Where W lies, its shape, and where b lies: cached, because overhead dominates products of small networks."""
        return tuple(
            (self.weights(k), (layer.outputs, layer.fan_in), self.biases(k) if layer.bias else None)
            for k, layer in enumerate(self.layers)
        )

    def split(self, vector: Array) -> list[tuple[Array, Array | None]]:
        """(W, b) of every layer as views: W has shape (…, out, fan-in), b (…, out) or None."""
        leading = vector.shape[:-1]
        return [
            (vector[..., weights].reshape(leading + shape), None if biases is None else vector[..., biases])
            for weights, shape, biases in self._pieces
        ]

    def neuron(self, layer: int, neuron: int) -> NDArray[np.intp]:
        """Indices of one neuron: its row of W, then its bias."""
        fan = self.layers[layer].fan_in
        start = self.weights(layer).start + neuron * fan
        indices = np.arange(start, start + fan)
        if self.layers[layer].bias:
            indices = np.append(indices, self.biases(layer).start + neuron)
        return indices

    def groups(self, per: str) -> Sequence[ParameterGroup]:
        """The groups of ``per`` = "model", "layer" or "neuron".

        >>> from rmtsim.networks._layers import dense
        >>> [group.name for group in Layout((dense(3, 2), dense(2, 1))).groups("neuron")]
        ['layer 1 neuron 0', 'layer 1 neuron 1', 'layer 2 neuron 0']
        """
        if per == "model":
            return [ParameterGroup("model", None, None, np.arange(self.size))]
        if per == "layer":
            return [
                ParameterGroup(f"layer {k + 1}", k, None, np.arange(self._starts[k], self._starts[k + 1]))
                for k in range(len(self.layers))
            ]
        if per == "neuron":
            return [
                ParameterGroup(f"layer {k + 1} neuron {i}", k, i, self.neuron(k, i))
                for k, layer in enumerate(self.layers)
                for i in range(layer.outputs)
            ]
        raise ValueError(f"per={per!r}: expected model, layer or neuron")
