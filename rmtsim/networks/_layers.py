"""One layer of a network: pre-activations z = scale·W r + b, activations a' = σ(z), plus a where it skips.

r is what the layer reads of the activations a before it. A dense layer reads all of them. A convolution reads, at each
position, the channels of the ``filter`` positions around it, zeros beyond the ends, so that their number stays:
(W * a)_{i,q} = Σ_j Σ_k W_ijk a_{j, q+k-(K+1)/2}, k = 1 … K (`liu` eq. (91)). Inside a pass the activations of a
convolution are rows (sample, position) of channels; outside they are channels × positions, flattened row-major.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import describes, frozen
from rmtsim.networks._activations import Activation
from rmtsim.networks._activations import activation as known_activation

_described = describes(
    scale="float, optional\n    Factor in front of the weights.",
    deviation="float, optional\n    Standard deviation of a weight at initialisation.",
    bias_deviation="float, optional\n    Standard deviation of a bias at initialisation.",
    skip="bool, optional\n    Whether to add the activations before the layer; requires as many inputs as outputs.",
    positions="int\n    Number of positions per sample.",
    Returns="Layer\n    The layer.",
)

SOFTMAX = Activation("softmax")
"""The softmax over all outputs, as non-linear output of a network. Not a scalar function, so not among ACTIVATIONS."""


@frozen
class Layer:
    """One layer of a network: z = scale·W r + b, followed by an activation.

    Use :func:`dense` or :func:`convolution` to make one.

    Examples
    --------
    >>> from rmtsim.networks import dense
    >>> layer = dense(3, 2, "tanh", bias=True)
    >>> layer.weight_shape, layer.parameters
    ((2, 3), 8)
    """

    inputs: int
    outputs: int
    """Units read and units of the layer; channels for a convolution."""
    activation: Activation
    """Activation function."""
    scale: float = 1.0
    """Factor in front of W."""
    deviation: float = 1.0
    """Standard deviation of a weight at initialisation."""
    bias: bool = False
    """Whether the layer has a bias b."""
    bias_deviation: float = 0.0
    """Standard deviation of a bias at initialisation."""
    skip: bool = False
    """Whether the activations before the layer are added to its own."""
    filter: int = 0
    """Filter size of a convolution, odd; zero for a dense layer."""

    @property
    def fan_in(self) -> int:
        """Number of weights of one unit."""
        return self.inputs * max(self.filter, 1)

    @property
    def weight_shape(self) -> tuple[int, ...]:
        """Shape of W: (out, in), or (out, in, filter) for a convolution."""
        return (self.outputs, self.inputs, self.filter) if self.filter else (self.outputs, self.inputs)

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return self.outputs * (self.fan_in + self.bias)

    @_described
    def gather(self, before: Array, positions: int) -> Array:
        """What the layer reads of the activations before it.

        Parameters
        ----------
        before : ndarray
            Activations, shape (…, rows, units or channels); a row is a sample, or a sample at a position.

        Returns
        -------
        ndarray
            Array r of shape (…, rows, fan-in).
        """
        if self.filter:
            return self._windows(before, positions)
        if positions == 1:
            return before
        channels = before.shape[-1]
        shape = before.shape[:-2]
        stacked = before.reshape(*shape, -1, positions, channels)
        return np.ascontiguousarray(stacked.mT).reshape(*shape, -1, channels * positions)

    @_described
    def scatter(self, reads: Array, positions: int, channels: int) -> Array:
        """Adjoint of :meth:`gather`.

        Parameters
        ----------
        reads : ndarray
            Array of shape (…, rows, fan-in).
        channels : int
            Number of units or channels before the layer.

        Returns
        -------
        ndarray
            Array of shape (…, rows, channels).
        """
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


@_described
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
    """A dense layer.

    Parameters
    ----------
    inputs, outputs : int
        Units read and units of the layer.
    activation : str or Activation, optional
        Activation function; "softmax" is accepted for a last layer.
    bias : bool, optional
        Whether the layer has a bias.

    Raises
    ------
    ValueError
        If a skip connection joins layers of different size, or leads to a softmax output.

    Examples
    --------
    >>> from rmtsim.networks import dense
    >>> str(dense(3, 2, "tanh")), dense(3, 2, bias=True).parameters
    ('dense 3→2 tanh', 8)
    """
    bias, skip = validate.flag("bias", bias), validate.flag("skip", skip)
    inputs = validate.integer("inputs", inputs, meaning="units or channels read")
    outputs = validate.integer("outputs", outputs, meaning="units or channels of the layer")
    if skip and inputs != outputs:
        raise ValueError(f"skip=True: expected as many outputs as inputs, not {inputs}→{outputs}")
    chosen = SOFTMAX if activation in ("softmax", SOFTMAX) else known_activation(activation)
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
    )


@_described
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
    """A one-dimensional convolution with zero padding.

    Parameters
    ----------
    inputs, outputs : int
        Channels read and channels of the layer.
    filter : int
        Filter size, odd.
    activation : str or Activation, optional
        Activation function.
    bias : bool, optional
        Whether each channel has a bias.

    Raises
    ------
    ValueError
        If ``filter`` is even.

    Notes
    -----
    With filter size K, position q of channel i is ``Σ_j Σ_k W_ijk a_{j, q+k−(K+1)/2}``, k = 1, …, K, with zeros
    beyond the ends, so that the number of positions is unchanged.

    Examples
    --------
    >>> from rmtsim.networks import convolution
    >>> str(convolution(2, 4, 3, "gelu"))
    'convolution of 3 2→4 gelu'
    """
    size = validate.integer("filter", filter, meaning="filter size, odd")
    if size % 2 == 0:
        raise ValueError(f"filter={size}: expected an odd integer (positions left and right of the centre)")
    options = {"scale": scale, "deviation": deviation, "bias_deviation": bias_deviation}
    layer = dense(inputs, outputs, activation, bias=bias, skip=skip, **options)
    return replace(layer, filter=size)


def _deviation(name: str, value: float) -> float:
    number = validate.finite_number(name, value)
    if number < 0:
        raise ValueError(f"{name}={number}: expected a number >= 0 (standard deviation at initialisation)")
    return number
