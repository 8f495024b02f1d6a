"""The network (48) of liu on the line with one pass a step: outputs, tangent kernel and steps from the same products.

f = s₃V σ(s₂U s₁W σ(ax + c)), σ = ReLU, three outputs, in single precision: the rounding of the kernel, 10⁻⁶, is far
below its changes, and the products of (samples·outputs) × width × bottleneck, nearly all of the work, cost half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from line_network import CLASSES

Array = np.ndarray[Any, np.dtype[np.float32]]


@dataclass
class Pass:
    """Inputs and back-propagated deltas of every layer, from which a step is computed."""

    output: np.ndarray[Any, np.dtype[np.float64]]
    kernel: np.ndarray[Any, np.dtype[np.float64]]
    """(samples·3) × (samples·3), samples outside."""
    first: Array
    narrow: Array
    last: Array
    first_deltas: Array
    narrow_deltas: Array
    last_deltas: Array
    """Deltas are (3, samples, units)."""


@dataclass
class BottleneckNetwork:
    """Weights a, c (width), W (bottleneck × width), U (width × bottleneck), V (3 × width) and their factors."""

    a: Array
    c: Array
    inward: Array
    outward: Array
    v: Array
    scales: tuple[float, float, float]

    @classmethod
    def draw(
        cls, width: int, narrow: int, scales: tuple[float, float, float], rng: np.random.Generator
    ) -> BottleneckNetwork:
        """All parameters N(0, 1)."""
        shapes = ((width,), (width,), (narrow, width), (width, narrow), (CLASSES, width))
        drawn = (rng.standard_normal(shape, dtype=np.float32) for shape in shapes)
        return cls(*drawn, scales)

    def look(self, x: np.ndarray) -> Pass:
        """Outputs and tangent kernel at the samples ``x``."""
        one, two, three = (np.float32(scale) for scale in self.scales)
        count, single = len(x), x.astype(np.float32)
        first = np.maximum(np.outer(single, self.a) + self.c, 0)
        narrow = one * (first @ self.inward.T)
        before = two * (narrow @ self.outward.T)
        last = np.maximum(before, 0)
        output = three * (last @ self.v.T)
        last_deltas = three * self.v[:, None, :] * (before > 0)
        narrow_deltas = two * (last_deltas @ self.outward)
        first_deltas = one * (narrow_deltas @ self.inward) * (first > 0)
        kernel = np.zeros((CLASSES, count, CLASSES, count))
        for deltas, reads in (
            (first_deltas, np.outer(single, single) + 1),
            (narrow_deltas, one**2 * (first @ first.T)),
            (last_deltas, two**2 * (narrow @ narrow.T)),
        ):
            flat = deltas.reshape(CLASSES * count, -1)
            kernel += (flat @ flat.T).reshape(kernel.shape) * reads[None, :, None, :]
        features = three**2 * (last @ last.T)
        for k in range(CLASSES):
            kernel[k, :, k, :] += features
        kernel = kernel.transpose(1, 0, 3, 2).reshape(CLASSES * count, CLASSES * count)
        return Pass(
            output.astype(float), kernel, first, narrow, last, first_deltas, narrow_deltas, last_deltas
        )

    def moved(self, at: Pass, x: np.ndarray, cotangents: np.ndarray) -> BottleneckNetwork:
        """θ - Jᵀc, c of shape samples × 3."""
        one, two, three = (np.float32(scale) for scale in self.scales)
        weights = cotangents.T.astype(np.float32)[:, :, None]
        first, narrow, last = (
            (weights * deltas).sum(axis=0) for deltas in (at.first_deltas, at.narrow_deltas, at.last_deltas)
        )
        return BottleneckNetwork(
            self.a - x.astype(np.float32) @ first,
            self.c - first.sum(axis=0),
            self.inward - one * (narrow.T @ at.first),
            self.outward - two * (last.T @ at.narrow),
            self.v - three * (weights[:, :, 0] @ at.last),
            self.scales,
        )
