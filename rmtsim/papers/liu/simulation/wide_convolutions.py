"""Convolutional networks at one image, in whole batches: Hessian norms in coordinates of order the channels.

a_{l+1,p} = σ(s_l W_l · window_p(a_l)), f = s_L Σ_p v_p·a_{L,p}; windows of an odd number of positions, zeros beyond the
ends, s_l = 1/√channels (no factor for filter and positions), as (90) of `liu` has it. The gradient of a filter is
Σ_p δ_p r_pᵀ, r_p the scaled window, so the Hessian depends on a direction V only through V r_p and Vᵀδ_p. With
orthonormal bases Q_r of the windows and Q_δ of the δ (QR: r = Q_r R, δ = Q_δ D, one column per position) it acts on

    V = A Q_rᵀ + Q_δ Bᵀ,   BᵀQ_r = 0,   ‖V‖² = ‖A‖² + ‖B‖²:

positions·(outputs + filter·inputs) numbers per layer in place of filter·inputs·outputs. For one position this is
:mod:`rmtsim.papers.liu.simulation.wide_networks`; tests compare with :mod:`rmtsim.networks`, one network at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.matrix_free._batched_lanczos import SpectralNorms, spectral_norms
from rmtsim.networks._activations import ACTIVATIONS, Activation, activation

_PORTION = 2_000_000
"""Weights held at once: a batch in the cache is faster than one in memory."""


def sample_convolutions(
    channels: Sequence[int],
    count: int,
    rng: np.random.Generator,
    image: ArrayLike,
    sigma: str = "tanh",
    *,
    filter_size: int = 3,
    radius: float = 0.0,
) -> Iterator[WideConvolutions]:
    """``count`` networks with all weights N(0, 1), in portions that fit the cache, each moved by ``radius``.

    ``channels`` runs from the image's to those of the last hidden layer, ``image`` has a row per position. The move has
    a uniform direction over all weights: a random point of the sphere of that radius around the drawn one.

    >>> rng = np.random.default_rng(0)
    >>> batches = list(sample_convolutions((2, 8, 8), 3, rng, np.ones((4, 2)), radius=1.0))
    >>> [batch.hessian_norms(rng).norms.shape for batch in batches]
    [(3,)]
    """
    sizes = tuple(
        validate.integer("channels", each, meaning="channels of a layer")
        for each in validate.sequence("channels", channels)
    )
    pixels = validate.real_array("image", image)
    if len(sizes) < 2 or pixels.ndim != 2 or pixels.shape[1] != sizes[0]:
        raise ValueError(
            f"channels={sizes}, image of shape {pixels.shape}: expected the image's channels, hidden layers, and an "
            "image (positions, channels)"
        )
    count = validate.integer("count", count, meaning="networks")
    rng = validate.generator("rng", rng)
    filter_size = validate.integer(
        "filter_size", filter_size, meaning="odd number of positions a filter reads"
    )
    radius = validate.finite_number("radius", radius, meaning="radius R of the ball")
    if filter_size % 2 == 0 or radius < 0:
        raise ValueError(
            f"filter_size={filter_size}, radius={radius}: expected an odd filter and a radius >= 0"
        )
    positions = len(pixels)
    shapes = [(after, filter_size * before) for before, after in itertools.pairwise(sizes)]
    shapes.append((1, positions * sizes[-1]))
    validate.memory(16.0 * sum(a * b for a, b in shapes), f"a network of {sizes} channels")
    if any(min(shape) < positions for shape in shapes[:-1]):
        raise ValueError(f"channels={sizes}: expected layers that read and give at least {positions} numbers")
    sigma = validate.choice("sigma", sigma, ACTIVATIONS, meaning="activation")
    return _portions(pixels, shapes, count, rng, activation(sigma), radius)


def _portions(
    pixels: Array,
    shapes: list[tuple[int, int]],
    count: int,
    rng: np.random.Generator,
    sigma: Activation,
    radius: float,
) -> Iterator[WideConvolutions]:
    portion = max(1, _PORTION // sum(a * b for a, b in shapes))
    for start in range(0, count, portion):
        drawn = min(portion, count - start)
        weights = [rng.standard_normal((drawn, *shape)) for shape in shapes]
        if radius:
            steps = [rng.standard_normal(w.shape) for w in weights]
            lengths = np.sqrt(sum((step**2).sum(axis=(1, 2)) for step in steps))
            weights = [w + (radius / lengths)[:, None, None] * s for w, s in zip(weights, steps, strict=True)]
        yield WideConvolutions(pixels, tuple(weights), sigma)


@frozen(eq=False)
class WideConvolutions:
    """A batch of networks at one image; arrays are (networks, positions, numbers)."""

    image: Array
    weights: tuple[Array, ...]
    """Filters (networks, outputs, filter·inputs), position before channel, and the output's (networks, 1, all)."""
    sigma: Activation
    windows: list[Array] = field(init=False)
    """r_l: what the filters read, scaled."""
    slopes: list[Array] = field(init=False)
    """σ'(z_l)."""
    bends: list[Array] = field(init=False)
    """σ''(z_l)∘∂f/∂a_{l+1}."""
    deltas: list[Array] = field(init=False)
    """∂f/∂z_l."""
    output: Array = field(init=False)
    """f, (networks,)."""
    _frames: list[tuple[Array, Array, Array, Array]] = field(init=False)
    """Q_r, R, Q_δ, D of every filter."""

    def __post_init__(self) -> None:
        count = len(self.weights[0])
        a = np.broadcast_to(self.image, (count, *self.image.shape))
        windows, before, slopes = [], [], []
        for index, weight in enumerate(self.weights[:-1]):
            windows.append(self._read(index, a))
            before.append(windows[-1] @ weight.mT)
            slopes.append(self.sigma.derivative(before[-1], 1))
            a = self.sigma(before[-1])
        last = self.weights[-1].reshape(a.shape) / math.sqrt(a.shape[2])
        e = last
        bends: list[Array] = []
        deltas: list[Array] = []
        for index in reversed(range(len(before))):
            bends.insert(0, self.sigma.derivative(before[index], 2) * e)
            deltas.insert(0, slopes[index] * e)
            if index:
                e = self._give_back(index, deltas[0] @ self.weights[index])
        frames = []
        for window, delta in zip(windows, deltas, strict=True):
            reads, pushes = np.linalg.qr(window.mT), np.linalg.qr(delta.mT)
            frames.append((reads[0], reads[1], pushes[0], pushes[1]))
        for name, value in (
            ("windows", windows), ("slopes", slopes), ("bends", bends), ("deltas", deltas),
            ("output", (last * a).sum(axis=(1, 2))), ("_frames", frames),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    def _channels(self, index: int) -> int:
        return self.image.shape[1] if index == 0 else int(self.weights[index - 1].shape[1])

    def _read(self, index: int, a: Array) -> Array:
        """Windows of ``a`` (networks, positions, channels), over √channels."""
        count, positions, channels = a.shape
        size = self.weights[index].shape[2] // channels
        padded = np.zeros((count, positions + size - 1, channels))
        padded[:, size // 2 : size // 2 + positions] = a / math.sqrt(channels)
        return np.concatenate([padded[:, k : k + positions] for k in range(size)], axis=2)

    def _give_back(self, index: int, windows: Array) -> Array:
        """The transpose of :meth:`_read`."""
        count, positions, numbers = windows.shape
        channels = self._channels(index)
        size = numbers // channels
        padded = np.zeros((count, positions + size - 1, channels))
        for k in range(size):
            padded[:, k : k + positions] += windows[:, :, k * channels : (k + 1) * channels]
        return padded[:, size // 2 : size // 2 + positions] / math.sqrt(channels)

    @property
    def _sizes(self) -> list[tuple[int, int]]:
        """Shapes of A and B of the filters, in turn, then that of the output's weights."""
        positions = len(self.image)
        shapes = [(side, positions) for weight in self.weights[:-1] for side in weight.shape[1:]]
        return [*shapes, (positions, self.weights[-1].shape[2] // positions)]

    @property
    def size(self) -> int:
        """Number of coordinates of a direction."""
        return sum(a * b for a, b in self._sizes)

    def hessian_product(self, vectors: Array) -> Array:
        """H v in the coordinates, (networks, size) to (networks, size); the part of B within Q_r counts as zero."""
        count, shapes = len(vectors), self._sizes
        ends = np.cumsum([a * b for a, b in shapes])[:-1]
        parts = [
            part.reshape(count, *shape)
            for part, shape in zip(np.split(vectors, ends, axis=1), shapes, strict=True)
        ]
        scale = 1 / math.sqrt(shapes[-1][1])
        tangent: Array | None = None
        moved_windows: list[Array | None] = []
        moved_before: list[Array] = []
        backs: list[Array] = []
        for index, (q_r, r, _, d) in enumerate(self._frames):
            a, b = parts[2 * index], parts[2 * index + 1]
            b = b - q_r @ (q_r.mT @ b)
            z = (a @ r).mT
            window = None if tangent is None else self._read(index, tangent)
            if window is not None:
                z = z + window @ self.weights[index].mT
            moved_windows.append(window)
            moved_before.append(z)
            backs.append((q_r @ (a.mT @ self.deltas[index].mT) + b @ d).mT)
            tangent = self.slopes[index] * z
        assert tangent is not None
        result: list[Array] = [scale * tangent]
        e = scale * parts[-1]
        for index in reversed(range(len(self._frames))):
            q_r, r, q_d, d = self._frames[index]
            change = self.bends[index] * moved_before[index] + self.slopes[index] * e
            into_a, window = change.mT @ r.mT, moved_windows[index]
            into_b = np.zeros(parts[2 * index + 1].shape)
            if window is not None:
                inside = q_r.mT @ window.mT
                into_a = into_a + q_d @ (d @ inside.mT)
                into_b = (window.mT - q_r @ inside) @ d.mT
            result[:0] = [into_a, into_b]
            if index:
                e = self._give_back(index, change @ self.weights[index] + backs[index])
        return np.concatenate([part.reshape(count, -1) for part in result], axis=1)

    def hessian_norms(self, rng: np.random.Generator, *, tolerance: float = 1e-6) -> SpectralNorms:
        """‖H‖ of every network over all its weights.

        >>> rng = np.random.default_rng(0)
        >>> (batch,) = sample_convolutions((2, 6), 2, rng, np.ones((4, 2)))
        >>> found = batch.hessian_norms(rng)
        >>> bool((found.residuals <= 1e-6 * found.norms).all())
        True
        """
        return spectral_norms(self.hessian_product, len(self.output), self.size, rng, tolerance=tolerance)
