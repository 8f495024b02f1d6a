"""A network without its parameters: a frozen value of layers, positions and loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import RandomSource
from rmtsim.networks._activations import Activation
from rmtsim.networks._activations import activation as _activation
from rmtsim.networks._layers import SOFTMAX, Layer, dense
from rmtsim.networks._losses import Loss, loss
from rmtsim.networks._parameters import Layout

if TYPE_CHECKING:
    from rmtsim.networks._network import Network

PARAMETRISATIONS = ("plain", "fan_in", "ntk")
"""plain: weights N(0, gain); fan_in: N(0, gain/fan-in); ntk: N(0, gain) with 1/√fan-in in front of W."""


_OUTPUT_ITSELF = Loss("none")


@frozen
class Architecture:
    """A network without its parameters: layers, positions of a convolutional input, and loss.

    Raises
    ------
    ValueError
        If a layer does not fit the layer before it; the message names the layer.

    See Also
    --------
    fully_connected : Architecture of dense layers from a list of widths.

    Examples
    --------
    >>> from rmtsim.networks import Architecture, convolution, dense
    >>> Architecture((convolution(2, 4, 3, "relu"), dense(20, 1)), positions=5).parameters
    44
    """

    layers: tuple[Layer, ...]
    """Layers from input to output. Convolutions come first; a dense layer after them reads all channels at all
    positions, channel by channel. The last layer must be dense."""
    positions: int = 1
    """Number of positions of a convolutional input; 1 without convolutions."""
    loss: Loss = _OUTPUT_ITSELF
    """Loss of one sample; by default the sum of the outputs."""

    def __post_init__(self) -> None:
        validate.integer("positions", self.positions, meaning="positions of a convolutional input")
        layers = tuple(validate.sequence("layers", self.layers))
        object.__setattr__(self, "layers", layers)
        if not layers:
            raise ValueError("layers: expected at least one layer")
        for index, layer in enumerate(layers):
            validate.instance(f"layers[{index}]", layer, Layer, meaning="made by dense or convolution")
        validate.instance("loss", self.loss, Loss, meaning="rmtsim.networks.loss makes one")
        width, spread = self.layers[0].inputs, self.positions
        for index, layer in enumerate(self.layers):
            if layer.filter and spread == 1 and self.positions > 1:
                raise ValueError(f"layer {index + 1}: a convolution cannot follow a dense layer")
            reads = width if layer.filter or index == 0 else width * spread
            if layer.inputs != reads and not (index == 0 and not layer.filter and self.positions == 1):
                raise ValueError(
                    f"layer {index + 1} reads {layer.inputs} numbers, and the layer before gives {reads}"
                )
            if layer.activation == SOFTMAX and index + 1 < len(self.layers):
                raise ValueError(f"layer {index + 1}: a softmax is understood as output only")
            if layer.skip and layer.filter == 0 and spread > 1:
                raise ValueError(f"layer {index + 1}: a skip cannot pass from positions to a dense layer")
            width, spread = layer.outputs, spread if layer.filter else 1
        if self.layers[-1].filter:
            raise ValueError("layers: the last layer must be dense")
        if self.positions > 1 and not self.layers[0].filter:
            raise ValueError(f"positions={self.positions}: the first layer is no convolution")

    @cached_property
    def layout(self) -> Layout:
        """Position of each weight and bias in the parameter vector."""
        return Layout(self.layers)

    @property
    def parameters(self) -> int:
        """Number P of parameters."""
        return self.layout.size

    @property
    def inputs(self) -> int:
        """Numbers in one input: d, or channels × positions."""
        return self.layers[0].inputs * (self.positions if self.layers[0].filter else 1)

    @property
    def outputs(self) -> int:
        """Numbers in one output."""
        return self.layers[-1].outputs

    @property
    def widths(self) -> tuple[int, ...]:
        """Units or channels from input to output."""
        return (self.layers[0].inputs, *(layer.outputs for layer in self.layers))

    def read_positions(self, index: int) -> int:
        """Number of positions of the activations that a layer reads.

        Parameters
        ----------
        index : int
            Layer, counted from zero.

        Returns
        -------
        int
            ``positions`` before and inside convolutions, otherwise 1.
        """
        return self.positions if index == 0 or self.layers[index - 1].filter else 1

    def with_loss(self, name: str | Loss, *, factor: float = 1.0) -> Architecture:
        """The same layers with another loss.

        Parameters
        ----------
        name : str or Loss
            Loss, as for :func:`loss`.
        factor : float, optional
            Factor of the square loss.

        Returns
        -------
        Architecture
            A new architecture.
        """
        return replace(self, loss=loss(name, factor=factor))

    def sample(self, rng: RandomSource) -> Network:
        """Draw Gaussian parameters.

        Parameters
        ----------
        rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
            Source of randomness; parameters are drawn in the order W₁, b₁, W₂, b₂, …

        Returns
        -------
        Network
            The network with weights and biases of the standard deviations that its layers declare.

        Examples
        --------
        >>> network = fully_connected((3, 4, 1), "tanh", parametrisation="ntk").sample(np.random.default_rng(0))
        >>> network.parameters.shape
        (16,)
        """
        from rmtsim.networks._network import Network

        rng = validate.generator("rng", rng)
        validate.memory(8.0 * self.parameters, f"{self.parameters} parameters")
        vector = np.empty(self.parameters)
        for index, layer in enumerate(self.layers):
            weights = self.layout.weights(index)
            rng.standard_normal(out=vector[weights])
            vector[weights] *= layer.deviation
            if layer.bias:
                biases = self.layout.biases(index)
                rng.standard_normal(out=vector[biases])
                vector[biases] *= layer.bias_deviation
        return Network(self, vector)


def fully_connected(
    widths: Sequence[int],
    activation: str | Activation | Sequence[str | Activation] = "relu",
    *,
    output: str | Activation = "identity",
    parametrisation: str = "fan_in",
    gain: float = 1.0,
    biases: bool = False,
    bias_deviation: float = 0.0,
    skips: bool = False,
    loss: str | Loss = "none",
) -> Architecture:
    """Architecture of dense layers.

    Parameters
    ----------
    widths : sequence of int
        Number of units of the input, of each hidden layer and of the output.
    activation : str, Activation or sequence of these, optional
        One activation for all hidden layers, or one per hidden layer.
    output : str or Activation, optional
        Activation of the last layer; "softmax" is accepted.
    parametrisation : {"fan_in", "plain", "ntk"}, optional
        Weights N(0, gain/fan-in), N(0, gain), or N(0, gain) with a factor 1/√fan-in in front of W.
    gain : float, optional
        Factor of the variance of the weights; 2 gives He initialisation.
    biases : bool, optional
        Whether layers have biases.
    bias_deviation : float, optional
        Standard deviation of the biases at initialisation.
    skips : bool, optional
        Whether to add a skip connection to each hidden layer after the first whose width equals the one before.
    loss : str or Loss, optional
        Loss of one sample, as for :func:`loss`; "none" is the sum of the outputs.

    Returns
    -------
    Architecture
        Layers and loss; :meth:`Architecture.sample` draws parameters.

    Raises
    ------
    ValueError
        If a width, a name or the number of activations is not accepted.

    Examples
    --------
    >>> from rmtsim.networks import fully_connected
    >>> [str(layer) for layer in fully_connected((5, 8, 8, 1), "tanh", skips=True).layers]
    ['dense 5→8 tanh', 'dense 8→8 tanh + skip', 'dense 8→1 identity']
    """
    sizes = [
        validate.integer(f"widths[{k}]", width) for k, width in enumerate(validate.sequence("widths", widths))
    ]
    if len(sizes) < 2:
        raise ValueError(f"widths={tuple(sizes)}: expected at least input and output")
    if parametrisation not in PARAMETRISATIONS:
        raise ValueError(
            f"parametrisation={validate.shown(parametrisation)}: expected one of {', '.join(PARAMETRISATIONS)}"
        )
    gain = validate.positive_number("gain", gain, meaning="factor of the weights' variance")
    biases, skips = validate.flag("biases", biases), validate.flag("skips", skips)
    hidden = len(sizes) - 2
    if not hidden and isinstance(activation, (str, Activation)):
        _activation(activation)  # a wrong name is wrong where no hidden layer has it, too
    names = (
        [activation] * hidden
        if isinstance(activation, (str, Activation))
        else validate.sequence("activation", activation, meaning="one name, or one a hidden layer")
    )
    if len(names) != hidden:
        raise ValueError(
            f"activation: expected one for all or {hidden} (one a hidden layer), not {len(names)}"
        )
    layers = []
    for k, name in enumerate([*names, output]):
        fan = sizes[k]
        layers.append(
            dense(
                fan,
                sizes[k + 1],
                name,
                scale=1 / math.sqrt(fan) if parametrisation == "ntk" else 1.0,
                deviation=math.sqrt(gain / fan if parametrisation == "fan_in" else gain),
                bias=biases,
                bias_deviation=bias_deviation,
                skip=skips and k < hidden and fan == sizes[k + 1] and k > 0,
            )
        )
    return Architecture(tuple(layers), 1, _loss(loss))


def _loss(name: str | Loss) -> Loss:
    return loss(name)
