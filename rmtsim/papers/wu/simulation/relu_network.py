"""Random ReLU networks of any depth on rectified Gaussian inputs (the setting of ``wu`` section 4).

An input is x = max(g, 0) with g standard normal in dimension d = round(width^(1+alpha)); the first weights
have variance 1/d, the others one over their number of columns, so that every row has expected norm one.
"""

from __future__ import annotations

import math
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import state_words
from rmtsim._internal.remembered import remembered
from rmtsim.networks import Architecture, Network, fully_connected
from rmtsim.networks._passes import ForwardPass, forward_from
from rmtsim.networks._softmax import softmax

_MAXIMUM_ENTRIES = 2**31
_MEAN = 1 / math.sqrt(2 * math.pi)


@frozen
class InputBatch:
    """Inputs of a response, by value or only by their inner products."""

    dimension: int
    values: NDArray[np.floating] | None
    """x as rows, or None where only inner products were kept."""
    gram: Array | None
    """x·x' over the whole batch these rows belong to, or None: then it is computed from the values."""
    sums: Array
    """1·x."""
    rows: slice
    """Which rows of the whole batch these are."""
    known: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict, compare=False)
    """Means over pairs of rows of two halves (``activation_pairs``), shared by all parts."""

    def __len__(self) -> int:
        return int(self.rows.stop - self.rows.start)

    def inner(self, other: InputBatch) -> Array:
        """x·x' for x here and x' in ``other`` (of the same whole batch, or with values)."""
        if self.gram is not None:
            return self.gram[self.rows, other.rows]
        if self.values is None or other.values is None:
            raise ValueError("inputs: neither values nor inner products were kept")
        return np.asarray(self.values @ other.values.T, dtype=np.float64)

    @property
    def squares(self) -> Array:
        """|x|²."""
        if self.gram is not None:
            return np.diag(self.gram)[self.rows]
        if self.values is None:
            raise ValueError("inputs: neither values nor inner products were kept")
        return np.asarray(np.einsum("xj,xj->x", self.values, self.values, dtype=np.float64))

    def part(self, rows: slice) -> InputBatch:
        """Some of the rows."""
        start = self.rows.start
        return InputBatch(
            self.dimension,
            None if self.values is None else self.values[rows],
            self.gram,
            self.sums[rows],
            slice(start + rows.start, start + rows.stop),
            self.known,
        )


@frozen
class Response:
    """The response of a network to a batch of inputs, one row per input."""

    inputs: InputBatch
    passed: ForwardPass
    active: tuple[Array, ...]
    """Diagonals of D^(1), …, D^(L-1): 1 where a pre-activation is ≥ 0, else 0 (the engine has 0 at zero itself)."""
    confidence: Array
    """softmax of the logits."""

    @property
    def hidden(self) -> tuple[Array, ...]:
        """Hidden activations y = D u of each hidden layer: what the later layers read."""
        return self.passed.reads[1:]

    @property
    def logits(self) -> Array:
        """The network's output z."""
        return self.passed.output

    def part(self, rows: slice) -> Response:
        """The same for some of the inputs (views, no copies)."""
        return Response(
            self.inputs.part(rows),
            self.passed.part(rows),
            tuple([layer[rows] for layer in self.active]),
            self.confidence[rows],
        )

    def halves(self) -> tuple[Response, Response]:
        """First and second half of the inputs: independent estimates of one population quantity."""
        middle = self.logits.shape[0] // 2
        return self.part(slice(0, middle)), self.part(slice(middle, 2 * middle))


@frozen
class StackedResponses:
    """Responses of several two-layer networks to the same inputs: a row of every array is a network."""

    architecture: Architecture
    inputs: InputBatch
    weights: Array
    """W^(2), networks × classes × units."""
    before: Array
    """Pre-activations of the hidden layer, networks × inputs × units."""
    active: Array
    hidden: Array
    logits: Array
    """networks × inputs × classes."""
    confidence: Array

    def __len__(self) -> int:
        return len(self.weights)

    def one(self, index: int) -> tuple[tuple[Array, ...], Response]:
        """Later weights and response of one network."""
        weights, before, logits = self.weights[index], self.before[index], self.logits[index]
        # As in forward_from: first weights and inputs without columns.
        no_weights, no_inputs = np.empty((before.shape[1], 0)), np.empty((before.shape[0], 0))
        passed = ForwardPass(
            self.architecture,
            (no_weights, weights),
            (no_inputs, self.hidden[index]),
            (before, logits),
            logits,
        )
        return (weights,), Response(self.inputs, passed, (self.active[index],), self.confidence[index])


def input_dimension(width: int, alpha: float) -> int:
    """d = width^(1+alpha) to the nearest integer.

    >>> input_dimension(100, 0.5)
    1000
    """
    width = validate.integer("width", width, minimum=1, meaning="hidden units n")
    alpha = validate.finite_number("alpha", alpha, meaning="d = width^(1+alpha)")
    if alpha < 0:
        raise ValueError(f"alpha={alpha}: expected a finite number >= 0 (d = width^(1+alpha))")
    if (1 + alpha) * math.log(width) > math.log(validate.MAXIMUM_SIZE):
        raise ValueError(
            f"alpha={alpha}: width={width} would need d = width^(1+alpha) > {validate.MAXIMUM_SIZE} inputs"
        )
    return int(round(float(width) ** (1 + alpha)))  # noqa: RUF046 - mypy sees Any


def draw_network(
    width: int, alpha: float, classes: int, rng: np.random.Generator, *, depth: int = 2
) -> Network:
    """Gaussian weights of a network with ``depth`` layers of weights and ``depth - 1`` hidden ones of ``width``.

    W^(1) has variance 1/d with d = :func:`input_dimension`, later layers 1/width (``wu`` section 4); cross-entropy.

    >>> net = draw_network(20, 0.5, 3, np.random.default_rng(0))
    >>> [layer.shape for layer in net.weights]
    [(20, 89), (3, 20)]
    """
    dimension = input_dimension(width, alpha)
    architecture = _architecture(width, dimension, classes, depth)
    rng = validate.generator("rng", rng)
    if width * dimension > _MAXIMUM_ENTRIES:
        raise ValueError(
            f"width={width}: W^(1) would have width·d = {width * dimension:.3g} entries "
            f"at alpha={alpha}, more than {_MAXIMUM_ENTRIES:.3g}"
        )
    return architecture.sample(rng)


@remembered(maxsize=64)
def _architecture(width: int, dimension: int, classes: int, depth: int) -> Architecture:
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes c")
    depth = validate.integer("depth", depth, minimum=2, maximum=64, meaning="layers of weights L")
    widths = (dimension, *[width] * (depth - 1), classes)
    return fully_connected(widths, "relu", parametrisation="fan_in", loss="cross_entropy")


def draw_inputs(
    count: int,
    dimension: int,
    rng: np.random.Generator,
    *,
    centred: bool = False,
    single: bool = False,
) -> NDArray[np.floating]:
    """``count`` rectified Gaussian inputs of ``dimension`` as rows: E x = 1/√(2π), Var x = (π-1)/(2π).

    ``centred`` subtracts the mean (the case of section G.4); ``single`` gives single precision.

    >>> x = draw_inputs(1000, 50, np.random.default_rng(0))
    >>> bool(x.min() == 0), abs(float(x.mean()) - 0.3989) < 0.01
    (True, True)
    """
    count = validate.integer("count", count, meaning="number of inputs")
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    rng = validate.generator("rng", rng)
    validate.memory(
        (4.0 if single else 8.0) * count * dimension, f"inputs with count={count}, dimension={dimension}"
    )
    inputs: NDArray[np.floating] = rng.standard_normal(
        (count, dimension), dtype=np.float32 if single else np.float64
    )
    np.maximum(inputs, 0, out=inputs)
    if centred:
        inputs -= inputs.dtype.type(_MEAN)
    return inputs


def respond(network: Network, inputs: NDArray[np.floating]) -> Response:
    """Forward pass over a batch of inputs (rows)."""
    passed = network.forward(inputs)
    values = passed.reads[0]
    batch = InputBatch(values.shape[1], values, None, values.sum(axis=1), slice(0, len(values)))
    return _response(batch, passed)


def draw_response(
    width: int,
    alpha: float,
    classes: int,
    count: int,
    rng: np.random.Generator,
    *,
    depth: int = 2,
    centred: bool = False,
) -> tuple[tuple[Array, ...], Response]:
    """A random network's later weights and its response to ``count`` random inputs (:func:`draw_responses`).

    >>> weights, response = draw_response(50, 0.5, 3, 64, np.random.default_rng(0))
    >>> weights[0].shape, response.confidence.shape, response.inputs.dimension
    ((3, 50), (64, 3), 354)
    """
    return draw_responses(width, alpha, classes, count, rng, depth=depth, centred=centred)[0]


def draw_responses(
    width: int,
    alpha: float,
    classes: int,
    count: int,
    rng: np.random.Generator,
    *,
    networks: int = 1,
    depth: int = 2,
    centred: bool = False,
    inner: bool = True,
) -> list[tuple[tuple[Array, ...], Response]]:
    """Independent random networks, each with its response to the same ``count`` random inputs.

    Given the inputs X the pre-activations X W^(1)ᵀ have independent columns N(0, XXᵀ/d), so for d > 2·count
    they are drawn as L·Z with LLᵀ = XXᵀ/d: the same law, with neither W^(1) nor X kept (X is drawn in slices
    of columns). Memory: count² + count·width doubles per network and 64 MiB. ``inner=False``: inner
    products of the inputs are not needed; with many inputs X W^(1)ᵀ is then cheaper than XXᵀ.
    """
    architecture = _checked(width, alpha, classes, count, rng, networks, depth, inner)
    if depth == 2 and not centred:
        with state_words(rng) as words:
            if words is not None:
                stack = _compiled_stack(words, architecture, count, networks, inner)
                return [stack.one(index) for index in range(networks)]
    dimension = architecture.inputs
    direct = dimension <= 2 * count or not inner
    gram = np.zeros((count, count)) if inner else None
    sums = np.zeros(count)
    before = np.zeros((networks, count, width)) if direct else np.empty((networks, count, width))
    values: NDArray[np.floating] | None = None
    step = slice_of_inputs(count, width)
    for start in range(0, dimension, step):
        values = draw_inputs(count, min(step, dimension - start), rng, centred=centred, single=True)
        sums += values.sum(axis=1, dtype=np.float64)
        if gram is not None:
            gram += values @ values.T
        if direct:
            for result in before:
                result += values @ rng.standard_normal((values.shape[1], width), dtype=np.float32)
    if direct:
        before /= math.sqrt(dimension)
    batch = InputBatch(
        dimension, values if direct and dimension <= step else None, gram, sums, slice(0, count)
    )
    if gram is not None and not direct:
        root = np.linalg.cholesky(gram / dimension)
        for result in before:
            np.matmul(root, rng.standard_normal((count, width)), out=result)
    responses = []
    for first in before:
        middle = [rng.standard_normal((width, width)) / math.sqrt(width) for _ in range(depth - 2)]
        later = (*middle, rng.standard_normal((classes, width)) / math.sqrt(width))
        responses.append((later, _response(batch, forward_from(architecture, first, later))))
    return responses


def draw_stack(
    width: int,
    alpha: float,
    classes: int,
    count: int,
    rng: np.random.Generator,
    *,
    networks: int = 1,
) -> StackedResponses:
    """The two-layer networks that :func:`draw_responses` draws, in arrays over networks.

    >>> stack = draw_stack(50, 0.5, 3, 64, np.random.default_rng(0), networks=4)
    >>> stack.weights.shape, stack.confidence.shape, stack.inputs.dimension
    ((4, 3, 50), (4, 64, 3), 354)
    """
    architecture = _checked(width, alpha, classes, count, rng, networks, 2, True)
    with state_words(rng) as words:
        if words is not None:
            return _compiled_stack(words, architecture, count, networks, True)
    drawn = draw_responses(width, alpha, classes, count, rng, networks=networks)
    return StackedResponses(
        architecture,
        drawn[0][1].inputs,
        np.array([later[0] for later, _ in drawn]),
        np.array([response.passed.before[0] for _, response in drawn]),
        np.array([response.active[0] for _, response in drawn]),
        np.array([response.hidden[0] for _, response in drawn]),
        np.array([response.logits for _, response in drawn]),
        np.array([response.confidence for _, response in drawn]),
    )


def _checked(
    width: int,
    alpha: float,
    classes: int,
    count: int,
    rng: np.random.Generator,
    networks: int,
    depth: int,
    inner: bool,
) -> Architecture:
    """The architecture, after a check of all arguments of a draw."""
    count = validate.integer("count", count, minimum=2, meaning="number of inputs")
    architecture = _architecture(width, input_dimension(width, alpha), classes, depth)
    if count * architecture.widths[0] > _MAXIMUM_ENTRIES:
        raise ValueError(
            f"width={width}: the inputs would have count·d = {count * architecture.widths[0]:.3g} entries at "
            f"alpha={alpha}, more than {_MAXIMUM_ENTRIES:.3g}"
        )
    networks = validate.integer("networks", networks, maximum=10**5, meaning="independent networks")
    inner = validate.flag("inner", inner)
    rng = validate.generator("rng", rng)
    need = 8.0 * (
        count * (count * inner + 2 * networks * (width + architecture.outputs)) + architecture.outputs * width
    )
    validate.memory(need, f"responses with count={count}, width={width}, classes={classes}")
    return architecture


def slice_of_inputs(count: int, width: int) -> int:
    """How many columns of the inputs are drawn at once: 64 MiB of them, or of first weights.

    >>> slice_of_inputs(2**10, 2**12)
    4096
    """
    return int(max(1, 2**24 // max(count, width)))


def _compiled_stack(
    words: NDArray[np.uint64], architecture: Architecture, count: int, networks: int, inner: bool
) -> StackedResponses:
    """Two-layer networks and their passes in compiled loops: NumPy's numbers in its order, the same to rounding."""
    from rmtsim._kernels.normals import fill_single
    from rmtsim.papers.wu.simulation.kernels.two_layer import (
        last_layers,
        networks_on_inputs,
        rectified_inputs,
    )

    dimension, width, classes = architecture.widths
    direct = dimension <= 2 * count or not inner
    gram: Array | None = None
    sums = np.zeros(count)
    before = np.zeros((networks, count, width)) if direct else np.empty((networks, count, width))
    step = slice_of_inputs(count, width)
    for start in range(0, dimension, step):
        values = np.empty((count, min(step, dimension - start)), dtype=np.float32)
        rectified_inputs(words, values, sums)
        if inner:
            # BLAS takes half of the operations for a matrix times its own transpose.
            product = values @ values.T
            gram = product.astype(np.float64) if gram is None else gram + product
        if direct:
            for result in before:
                first = np.empty((values.shape[1], width), dtype=np.float32)
                fill_single(words, first.reshape(-1))
                result += values @ first
    if direct:
        before /= math.sqrt(dimension)
    else:
        networks_on_inputs(words, gram, dimension, before)
    kept = values if direct and dimension <= step else None
    weights = np.empty((networks, classes, width))
    active, hidden = np.empty_like(before), np.empty_like(before)
    logits, confidence = np.empty((2, networks, count, classes))
    last_layers(words, before, weights, active, hidden, logits, confidence)
    batch = InputBatch(dimension, kept, gram, sums, slice(0, count))
    return StackedResponses(architecture, batch, weights, before, active, hidden, logits, confidence)


def _response(batch: InputBatch, passed: ForwardPass) -> Response:
    active = tuple((z >= 0).astype(np.float64) for z in passed.before[:-1])
    return Response(batch, passed, active, softmax(passed.output))
