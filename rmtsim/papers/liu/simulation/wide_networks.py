"""Dense networks at one input, in whole batches: Hessian norms, tangent kernels, gradients at the activations.

f(x) = s_L vᵀa_L, a_{l+1} = σ(s_l W_l a_l) (+ a_l where layer l has a skip connection), a_0 = x. Weights are arrays
(networks, out, in). At one input the Hessian acts on 2·width numbers per layer, and Lanczos runs on all networks of a
batch at once. :mod:`rmtsim.networks._one_input` has one network of any kind at a time; tests compare the two.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.matrix_free._batched_lanczos import SpectralNorms, spectral_norms
from rmtsim.networks import Activation, activation

_PORTION = 2_000_000
"""Weights held at once: a batch in the cache is faster than one in memory."""


def in_portions(count: int, widths: Sequence[int]) -> Iterator[int]:
    """How many networks to draw at a time, so that ``count`` of them never fill the memory.

    >>> list(in_portions(5, (3, 1000, 1000, 1))), list(in_portions(5, (3, 8, 1)))
    ([1, 1, 1, 1, 1], [5])
    """
    count = validate.integer("count", count, meaning="networks")
    each = sum(before * after for before, after in itertools.pairwise(widths))
    portion = max(1, _PORTION // max(each, 1))
    for start in range(0, count, portion):
        yield min(portion, count - start)


def sample_wide(
    widths: Sequence[int],
    count: int,
    rng: np.random.Generator,
    x: ArrayLike,
    sigma: str = "tanh",
    *,
    skips: bool = False,
) -> WideNetworks:
    """``count`` networks with all weights N(0, 1) and 1/√fan-in in front, evaluated at the input ``x``.

    ``widths`` runs from the input to the one output; with ``skips`` every hidden layer but the first has a skip
    connection if its width equals that of the layer before, as :func:`rmtsim.networks.fully_connected` has it.

    >>> batch = sample_wide((3, 20, 20, 1), 4, np.random.default_rng(0), np.ones(3))
    >>> batch.kernels.shape, batch.hessian_norms(np.random.default_rng(1)).norms.shape
    ((4,), (4,))
    """
    try:
        widths = tuple(widths)
    except TypeError:
        raise TypeError(
            f"widths={widths!r:.60}: expected a sequence of numbers, such as (3, 20, 20, 1)"
        ) from None
    sizes = tuple(validate.integer("widths", width, meaning="width of a layer") for width in widths)
    if len(sizes) < 3 or sizes[-1] != 1:
        raise ValueError(
            f"widths={sizes}: expected an input, hidden layers and one output, such as (3, 20, 20, 1)"
        )
    count = validate.integer("count", count, meaning="networks")
    rng = validate.generator("rng", rng)
    point = validate.real_array("x", x)
    if point.shape != sizes[:1]:
        raise ValueError(f"x of shape {point.shape}: expected {sizes[:1]}, one input")
    pairs = list(itertools.pairwise(sizes))
    validate.memory(16.0 * count * sum(a * b for a, b in pairs), f"{count} networks of widths {sizes}")
    weights = tuple(rng.standard_normal((count, after, before)) for before, after in pairs)
    skipped = tuple(
        skips and index > 0 and before == after for index, (before, after) in enumerate(pairs[:-1])
    )
    return WideNetworks(point, weights, activation(sigma), skipped)


@frozen(eq=False)
class WideNetworks:
    """A batch of networks at one input; the forward and backward passes are computed once, at the beginning."""

    x: Array
    weights: tuple[Array, ...]
    sigma: Activation
    skips: tuple[bool, ...]
    before: list[Array] = field(init=False)
    """z_l = W_l r_l, (networks, out)."""
    reads: list[Array] = field(init=False)
    """r_l = s_l a_l, (networks, in)."""
    deltas: list[Array] = field(init=False)
    """∂f/∂z_l, (networks, out)."""
    activation_gradients: list[Array] = field(init=False)
    """∂f/∂a_l of the hidden layers, (networks, width) each."""
    output: Array = field(init=False)
    """f(x), (networks,)."""

    def __post_init__(self) -> None:
        count = len(self.weights[0])
        a = np.broadcast_to(self.x, (count, len(self.x)))
        reads, before = [], []
        for index, weight in enumerate(self.weights):
            reads.append(a * self.scale(index))
            z = _times(weight, reads[-1])
            before.append(z)
            if index + 1 < len(self.weights):
                after = self.sigma(z)
                a = after + a if self.skips[index] else after
        deltas = [np.ones((count, 1))]
        gradients: list[Array] = []
        for index in reversed(range(1, len(self.weights))):
            e = self.scale(index) * _back(self.weights[index], deltas[0])
            if index < len(self.skips) and self.skips[index]:
                e = e + gradients[0]
            gradients.insert(0, e)
            deltas.insert(0, self.sigma.derivative(before[index - 1], 1) * e)
        for name, value in (
            ("before", before),
            ("reads", reads),
            ("deltas", deltas),
            ("activation_gradients", gradients),
            ("output", before[-1][:, 0]),
        ):
            object.__setattr__(self, name, value)

    def scale(self, index: int) -> float:
        """1/√fan-in of a layer."""
        return 1 / math.sqrt(self.weights[index].shape[2])

    @property
    def kernels(self) -> Array:
        """K(x, x) of every network, all layers trained: Σ |δ_l|²|r_l|²."""
        return self.kernels_with(self)

    def at(self, x: ArrayLike) -> WideNetworks:
        """The same networks at another input."""
        point = validate.real_array("x", x)
        if point.shape != self.x.shape:
            raise ValueError(f"x of shape {point.shape}: expected {self.x.shape}, one input")
        return WideNetworks(point, self.weights, self.sigma, self.skips)

    def kernels_with(self, other: WideNetworks) -> Array:
        """K(x, x') of every network, ``other`` being the same networks at x'.

        >>> batch = sample_wide((2, 5, 1), 3, np.random.default_rng(0), np.ones(2))
        >>> bool(np.allclose(batch.kernels_with(batch.at([1.0, 1.0])), batch.kernels))
        True
        """
        parts = [
            (d * e).sum(axis=1) * (r * s).sum(axis=1)
            for d, e, r, s in zip(self.deltas, other.deltas, self.reads, other.reads, strict=True)
        ]
        return np.asarray(sum(parts))

    def gradients(self) -> list[Array]:
        """∂f/∂W_l = δ_l r_lᵀ of every layer, (networks, out, in)."""
        return [d[:, :, None] * r[:, None, :] for d, r in zip(self.deltas, self.reads, strict=True)]

    def moved(self, steps: Sequence[Array], lengths: ArrayLike) -> WideNetworks:
        """The networks at W + length·step/‖step‖, the norm over all layers; a step of zero moves nothing."""
        squares = np.asarray(sum((step**2).sum(axis=(1, 2)) for step in steps))
        factors = np.asarray(lengths) / np.sqrt(np.where(squares > 0, squares, 1.0))
        weights = tuple(w + factors[:, None, None] * s for w, s in zip(self.weights, steps, strict=True))
        return WideNetworks(self.x, weights, self.sigma, self.skips)

    def on_the_sphere(self, rng: np.random.Generator, radius: float) -> WideNetworks:
        """A uniform point at distance R from each network, where almost all of the ball's volume is.

        >>> batch = sample_wide((2, 3, 1), 2, np.random.default_rng(0), np.ones(2))
        >>> there = batch.on_the_sphere(np.random.default_rng(1), 2.0)
        >>> change = [((a - b) ** 2).sum(axis=(1, 2)) for a, b in zip(there.weights, batch.weights)]
        >>> sum(change).round(12)
        array([4., 4.])
        """
        radius = validate.finite_number("radius", radius, meaning="radius R of the ball")
        if radius < 0:
            raise ValueError(f"radius={radius}: expected a number >= 0 (radius R of the ball)")
        rng = validate.generator("rng", rng)
        return self.moved([rng.standard_normal(w.shape) for w in self.weights], radius)

    # -- the Hessian, in the coordinates (p_l, q_l) of V_l = p_l r̂ᵀ + δ̂ q_lᵀ, q ⊥ r̂

    @cached_property
    def _frames(self) -> list[tuple[Array, Array, Array, Array]]:
        """r̂, δ̂, |r|, |δ| of every layer; a vector of length zero stays zero."""
        found = []
        for read, delta in zip(self.reads, self.deltas, strict=True):
            lengths = [np.linalg.norm(each, axis=1, keepdims=True) for each in (read, delta)]
            units = [
                each / np.where(length > 0, length, 1.0)
                for each, length in zip((read, delta), lengths, strict=True)
            ]
            found.append((units[0], units[1], lengths[0], lengths[1]))
        return found

    @cached_property
    def _curvatures(self) -> list[tuple[Array, Array]]:
        """σ'(z) and σ''(z)∘∂f/∂a of the hidden layers."""
        return [
            (self.sigma.derivative(z, 1), self.sigma.derivative(z, 2) * e)
            for z, e in zip(self.before[:-1], self.activation_gradients, strict=True)
        ]

    @property
    def _splits(self) -> list[int]:
        sizes = [size for weight in self.weights for size in weight.shape[1:]]
        return [int(end) for end in np.cumsum(sizes)]

    @property
    def size(self) -> int:
        """Number of coordinates of a direction."""
        return self._splits[-1]

    def hessian_product(self, vectors: Array) -> Array:
        """H v in the coordinates, (networks, size) to (networks, size); the part of q along r̂ counts as zero."""
        parts = np.split(vectors, self._splits[:-1], axis=1)
        last = len(self.weights) - 1
        moved_reads: list[Array | None] = []
        moved_before: list[Array] = []
        backs: list[Array] = []
        tangent: Array | None = None
        for index, weight in enumerate(self.weights):
            unit, along, length, slope = self._frames[index]
            p, q = parts[2 * index], parts[2 * index + 1]
            q = q - _inner(q, unit) * unit
            z = length * p
            read = None if tangent is None else self.scale(index) * tangent
            if read is not None:
                z = z + _times(weight, read)
            moved_reads.append(read)
            moved_before.append(z)
            backs.append(slope * (_inner(p, along) * unit + q))
            if index < last:
                after = self._curvatures[index][0] * z
                tangent = after + tangent if tangent is not None and self.skips[index] else after
        result: list[Array] = [vectors] * (2 * (last + 1))
        e: Array | None = None
        for index in reversed(range(last + 1)):
            unit, along, length, slope = self._frames[index]
            if index == last:
                change = np.zeros_like(moved_before[index])
            else:
                assert e is not None
                first, second = self._curvatures[index]
                change = second * moved_before[index] + first * e
            read = moved_reads[index]
            shift = np.zeros_like(length) if read is None else _inner(read, unit)
            result[2 * index] = length * change + slope * shift * along
            result[2 * index + 1] = np.zeros_like(unit) if read is None else slope * (read - shift * unit)
            if index:
                back = self.scale(index) * (_back(self.weights[index], change) + backs[index])
                e = back + e if e is not None and index < last and self.skips[index] else back
        return np.concatenate(result, axis=1)

    def gradient_coordinates(self) -> Array:
        """∇f in the coordinates: p_l = |r_l|δ_l, q_l = 0; its square is the kernel."""
        parts: list[Array] = []
        for (_, _, length, _), delta, read in zip(self._frames, self.deltas, self.reads, strict=True):
            parts += [length * delta, np.zeros_like(read)]
        return np.concatenate(parts, axis=1)

    def directions(self, vectors: Array) -> list[Array]:
        """Directions V_l of every layer from coordinates, (networks, out, in)."""
        parts = np.split(vectors, self._splits[:-1], axis=1)
        found = []
        for (unit, along, _, _), p, q in zip(self._frames, parts[::2], parts[1::2], strict=True):
            q = q - _inner(q, unit) * unit
            found.append(p[:, :, None] * unit[:, None, :] + along[:, :, None] * q[:, None, :])
        return found

    def hessian_norms(
        self, rng: np.random.Generator, *, output: tuple[Array, Array] | None = None, tolerance: float = 1e-6
    ) -> SpectralNorms:
        """‖H‖ of every network over all its weights; with ``output`` = (φ'(f), φ''(f)) that of φ(f).

        >>> batch = sample_wide((3, 10, 1), 2, np.random.default_rng(0), np.ones(3))
        >>> found = batch.hessian_norms(np.random.default_rng(1))
        >>> bool((found.residuals <= 1e-6 * found.norms).all())
        True
        """
        product: Callable[[Array], Array] = self.hessian_product
        if output is not None:
            slope, bend = (np.asarray(each, dtype=np.float64)[:, None] for each in output)
            gradient = self.gradient_coordinates()

            def product(v: Array) -> Array:
                return np.asarray(slope * self.hessian_product(v) + bend * _inner(gradient, v) * gradient)

        return spectral_norms(product, len(self.output), self.size, rng, tolerance=tolerance)


Measure = Callable[[WideNetworks], Array]


def of_many(
    hidden: Sequence[int],
    rng: np.random.Generator,
    replicates: int,
    activation: str,
    measure: Measure,
    *,
    skips: bool = False,
    x: ArrayLike = (1.0, 1.0, 1.0),
) -> Array:
    """A quantity of many networks (63) (or (97), with skips) at one input, drawn and measured in portions."""
    widths = (np.size(x), *hidden, 1)
    return np.concatenate(
        [
            measure(sample_wide(widths, count, rng, x, activation, skips=skips))
            for count in in_portions(replicates, widths)
        ]
    )


def _times(weight: Array, vectors: Array) -> Array:
    return np.asarray((weight @ vectors[:, :, None])[:, :, 0])


def _back(weight: Array, vectors: Array) -> Array:
    return np.asarray((vectors[:, None, :] @ weight)[:, 0])


def _inner(first: Array, second: Array) -> Array:
    return np.asarray((first * second).sum(axis=1, keepdims=True))
