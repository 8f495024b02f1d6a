"""Small deep ReLU networks under the hinge loss, trained until the gradient vanishes, and the points at which they end.

A certificate needs no derivative: R_m is constant near θ if every sample either has a margin y T(x) > 1, and so no
loss, or is *dead*: in some layer all pre-activations are negative, so that T(x) = 0 and its loss is 1. Both are open
conditions. Such a θ is a local minimum, of risk (dead samples)/m.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks import Network, fully_connected

_ATTEMPTS = 100


@frozen
class TrainedHinge:
    """Where gradient descent ended."""

    network: Network
    inputs: Array
    labels: Array
    """±1, one column."""
    stationary: bool
    """Whether the gradient is exactly zero."""

    @property
    def risk(self) -> float:
        """R_m: mean hinge loss."""
        return self.network.loss(self.inputs, self.labels)

    @property
    def margins(self) -> Array:
        """y T(x) of every sample."""
        return (self.labels * self.network.output(self.inputs))[:, 0]

    @property
    def active_share(self) -> float:
        """Share of the samples with a loss."""
        return float(np.mean(self.margins < 1))

    @property
    def plateau(self) -> bool:
        """Whether R_m is certified to be constant near this point."""
        return bool(np.all((self.margins > 1) | dead_samples(self.network, self.inputs)))


def _room(width: int, layers: int, samples: int) -> None:
    width = validate.integer("width", width, meaning="neurons of a layer")
    layers = validate.integer(
        "layers", layers, minimum=2, maximum=10_000, meaning="layers, the output's included"
    )
    validate.memory(
        16.0 * width * (width * layers + samples),
        f"a problem with width={width}, layers={layers}, samples={samples}",
    )


def hinge_problem(
    width: int, layers: int, samples: int, rng: np.random.Generator
) -> tuple[Network, Array, Array]:
    """A network of ``layers`` layers (weights N(0, 2/fan-in), one output), normal inputs, fair labels ±1 in a column.

    >>> network, inputs, labels = hinge_problem(3, 4, 5, np.random.default_rng(0))
    >>> network.parameters.size, inputs.shape, labels.shape
    (30, (5, 3), (5, 1))
    """
    width = validate.integer("width", width, meaning="neurons of a layer")
    layers = validate.integer("layers", layers, minimum=2, meaning="layers, the output's included")
    samples = validate.integer("samples", samples)
    rng = validate.generator("rng", rng)
    _room(width, layers, samples)
    network = fully_connected((width,) * layers + (1,), "relu", gain=2.0, loss="hinge").sample(rng)
    inputs = rng.standard_normal((samples, width))
    labels = np.asarray(2.0 * rng.integers(0, 2, (samples, 1)) - 1.0, dtype=np.float64)
    return network, inputs, labels


def train_hinge(
    width: int,
    layers: int,
    samples: int,
    rng: np.random.Generator,
    replicates: int,
    *,
    step: float = 0.1,
    steps: int = 600,
) -> list[TrainedHinge]:
    """Many drawn problems, each by gradient descent with step size step/(1 + k/500) until its gradient is zero.

    All networks advance together, one stacked matrix product a layer.

    >>> (end,) = train_hinge(3, 3, 6, np.random.default_rng(1), 1)
    >>> end.stationary, bool(abs(end.risk - end.active_share) < 1e-12)
    (True, True)
    """
    step = validate.positive_number("step", step, meaning="first step size")
    if step > 1e30:  # weights of this size, and products over the layers, must stay in the range of doubles
        raise ValueError(f"step={step}: expected at most 1e30 (first step size)")
    steps = validate.integer("steps", steps)
    replicates = validate.integer("replicates", replicates)
    problems = [hinge_problem(width, layers, samples, rng) for _ in range(replicates)]
    weights = [np.array([network.weights[layer] for network, _, _ in problems]) for layer in range(layers)]
    inputs = np.array([each for _, each, _ in problems])
    labels = np.array([each for _, _, each in problems])
    for k in range(steps):
        gradients = _gradients(weights, inputs, labels)
        if not any(each.any() for each in gradients):
            break
        for matrix, gradient in zip(weights, gradients, strict=True):
            matrix -= step / (1 + k / 500) * gradient
    sums = [np.abs(each).sum(axis=(1, 2)) for each in _gradients(weights, inputs, labels)]
    moving = np.sum(sums, axis=0)
    ends = []
    for r, (network, own_inputs, own_labels) in enumerate(problems):
        flat = np.concatenate([matrix[r].ravel() for matrix in weights])
        ends.append(TrainedHinge(network.with_parameters(flat), own_inputs, own_labels, bool(moving[r] == 0)))
    return ends


def _gradients(weights: list[Array], inputs: Array, labels: Array) -> list[Array]:
    """∂R_m/∂W of every layer, for stacks (problem, out, in), (problem, sample, in) and (problem, sample, 1)."""
    rows = [inputs]
    for matrix in weights[:-1]:
        rows.append(np.maximum(rows[-1] @ matrix.transpose(0, 2, 1), 0.0))
    outputs = rows[-1] @ weights[-1].transpose(0, 2, 1)
    delta = np.where(labels * outputs < 1, -labels, 0.0) / inputs.shape[1]
    found = []
    for layer in range(len(weights) - 1, -1, -1):
        found.append(delta.transpose(0, 2, 1) @ rows[layer])
        delta = (delta @ weights[layer]) * (rows[layer] > 0)
    return found[::-1]


def dead_samples(network: Network, inputs: Array) -> NDArray[np.bool_]:
    """For every sample, whether all pre-activations of some hidden layer are negative.

    >>> network, inputs, _ = hinge_problem(1, 2, 4, np.random.default_rng(0))
    >>> bool((dead_samples(network, inputs) == (inputs[:, 0] * network.weights[0][0, 0] < 0)).all())
    True
    """
    validate.instance("network", network, Network)
    rows = validate.matrix("inputs", inputs, columns=network.weights[0].shape[1], meaning="samples × inputs")
    dead = np.zeros(len(rows), dtype=bool)
    for weights in network.weights[:-1]:
        reach = rows @ weights.T
        dead |= (reach < 0).all(axis=1)
        rows = np.maximum(reach, 0.0)
    return dead


def stationary_without_output(
    width: int, layers: int, samples: int, rng: np.random.Generator
) -> tuple[Network, Array, Array]:
    """A stationary point of risk 1: α = 0, and every neuron of the last hidden layer has Σ_i y_i a_j(x_i) = 0.

    With α = 0 all outputs vanish, every sample has loss 1, and the derivatives in the other layers vanish with α. The
    one in α_j is −(1/m) Σ_i y_i a_j(x_i): along the way from one weight vector of the neuron to another at which the
    sum has the other sign, bisection finds where it is zero.

    >>> network, inputs, labels = stationary_without_output(3, 3, 8, np.random.default_rng(0))
    >>> bool(np.abs(network.gradient(inputs, labels)).max() < 1e-14), network.loss(inputs, labels)
    (True, 1.0)
    """
    samples = validate.integer("samples", samples, minimum=2, meaning="of both labels")
    _room(width, layers, samples)
    for _ in range(_ATTEMPTS):
        network, inputs, labels = hinge_problem(width, layers, samples, rng)
        *below, last, _ = network.weights
        rows = inputs
        for matrix in below:
            rows = np.maximum(rows @ matrix.T, 0.0)
        found = (_balanced(vector, rows, labels[:, 0], rng) for vector in last)
        balanced = [vector for vector in found if vector is not None]
        if len(balanced) == width:
            flat = np.concatenate(
                [*(matrix.ravel() for matrix in below), np.ravel(balanced), np.zeros(width)]
            )
            return network.with_parameters(flat), inputs, labels
    raise ValueError(
        f"width={width}, layers={layers}, samples={samples}: expected samples enough that every neuron sees both "
        f"labels; in {_ATTEMPTS} drawn problems some did not"
    )


def _balanced(start: Array, rows: Array, labels: Array, rng: np.random.Generator) -> Array | None:
    """Weights of a neuron with Σ_i y_i ReLU(w·a_i) = 0 and some a_i that open it; None if none are found."""

    def balance(vector: Array) -> float:
        return float(labels @ np.maximum(rows @ vector, 0.0))

    low, high = start, start
    for _ in range(_ATTEMPTS):
        if balance(low) * balance(high) < 0:
            break
        low, high = high, rng.standard_normal(start.shape)
    else:
        return None
    sign = np.sign(balance(low))
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(balance(middle)) == sign else (low, middle)
    return (low + high) / 2
