"""One hidden ReLU layer on the real line, exactly, with work and memory that do not grow with width × samples.

A unit σ(wx + b) is active on a half-line. With the samples sorted, units fall into bins by where their half-line ends,
and sums over active units are cumulated sums over bins: a step costs O(width), the tangent kernel O(width + samples²).
Gradient flow is followed by linearly implicit steps in the space of the outputs, which a kernel of 180 × 180 allows:
(I + τBK)c = τr, weights move by -Jᵀc, r the gradient and B the (Gauss–Newton) curvature of the loss in the outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
CLASSES = 3
PAIRS = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]


def three_clusters(samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The data (42) of `liu`: labels uniform, x ~ N(0, 1), N(10, 1), N(-10, 1); sorted, labels one-hot."""
    labels = rng.integers(CLASSES, size=samples)
    x = np.array([0.0, 10.0, -10.0])[labels] + rng.standard_normal(samples)
    order = np.argsort(x)
    return x[order], np.eye(CLASSES)[labels[order]]


@dataclass
class LineNetwork:
    """f(x) = m^{-1/2} V σ(wx + b), three outputs, at the sorted samples ``x``; eq. (43) of `liu`."""

    x: Array
    w: Array
    b: Array
    v: Array

    @classmethod
    def draw(cls, x: Array, width: int, rng: np.random.Generator) -> LineNetwork:
        """All parameters N(0, 1)."""
        return cls(
            x,
            rng.standard_normal(width),
            rng.standard_normal(width),
            rng.standard_normal((CLASSES, width)),
        )

    def _bins(self) -> Any:
        """k of every unit: active at samples n ≥ k (w > 0), or at n < k (w < 0), the latter shifted by N + 1."""
        count = len(self.x)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = -self.b / self.w
        ends[np.isnan(ends)] = 0.0
        return np.where(
            self.w > 0,
            np.searchsorted(self.x, ends, "right"),
            count + 1 + np.searchsorted(self.x, ends, "left"),
        )

    def _active_sums(self, bins: Any, weights: Array) -> tuple[Array, Array]:
        """Σ over units with w > 0 and k ≤ n, and over units with w < 0 and k > n, for every sample n."""
        count = len(self.x)
        sums = np.bincount(bins, weights, minlength=2 * (count + 1))
        rising, falling = sums[: count + 1], sums[count + 1 :]
        return np.cumsum(rising)[:count], np.cumsum(falling[::-1])[::-1][1:]

    def output(self) -> Array:
        """f at all samples, N × 3."""
        bins = self._bins()
        columns = []
        for row in self.v:
            slope, level = (sum(self._active_sums(bins, row * part)) for part in (self.w, self.b))
            columns.append(self.x * slope + level)
        return np.stack(columns, axis=1) / np.sqrt(self.w.size)

    def kernel(self) -> Array:
        """The tangent kernel, (N·3) × (N·3), samples outside."""
        count, bins = len(self.x), self._bins()
        n = np.arange(count)
        first, last = np.minimum.outer(n, n), np.maximum.outer(n, n)

        def both(weights: Array) -> Array:
            rising, falling = self._active_sums(bins, weights)
            return np.asarray(rising[first] + falling[last])

        x = self.x
        features = (
            np.outer(x, x) * both(self.w**2) + np.add.outer(x, x) * both(self.w * self.b) + both(self.b**2)
        )
        result = np.zeros((count, CLASSES, count, CLASSES))
        for i, j in PAIRS:
            moved = (np.outer(x, x) + 1) * both(self.v[i] * self.v[j])
            result[:, i, :, j] = result[:, j, :, i] = moved + (features if i == j else 0.0)
        return result.reshape(CLASSES * count, CLASSES * count) / self.w.size

    def move(self, cotangents: Array) -> None:
        """θ ← θ - Jᵀc, c of shape N × 3."""
        count, bins = len(self.x), self._bins()
        root = np.sqrt(self.w.size)
        level, slope = [], []
        for column in cotangents.T:
            for collected, weights in ((level, column), (slope, column * self.x)):
                cumulated = np.concatenate([[0.0], np.cumsum(weights)])
                # Units of the first kind see samples k … N-1, those of the second 0 … k-1.
                table = np.concatenate([cumulated[-1] - cumulated, cumulated])
                collected.append(table[bins])
        steps = np.stack([self.w * s + self.b * e for s, e in zip(slope, level, strict=True)])
        w = sum(row * s for row, s in zip(self.v, slope, strict=True))
        b = sum(row * e for row, e in zip(self.v, level, strict=True))
        assert count + 1 == len(cumulated)
        self.v = self.v - steps / root
        self.w = self.w - w / root
        self.b = self.b - b / root


def softmax(f: Array) -> Array:
    """Rows of probabilities."""
    e = np.exp(f - f.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Task:
    """A loss in the outputs f: value, gradient (N × 3), curvature (N × 3 × 3), and the Jacobian of the last layer."""

    value: float
    gradient: Array
    curvature: Array
    jacobian: Array


def cross_entropy(f: Array, y: Array) -> Task:
    """Eq. (46), with the softmax as last layer."""
    p = softmax(f)
    jacobian = p[:, :, None] * (np.eye(CLASSES) - p[:, None, :])
    value = float(-(y * np.log(np.maximum(p, 1e-300))).sum(axis=1).mean())
    return Task(value, (p - y) / len(f), jacobian / len(f), jacobian)


def swish_square(f: Array, y: Array, beta: float = 0.1) -> Task:
    """Eq. (47), swish with beta = 0.1 as last layer; the curvature leaves out φ''."""
    gate = 1 / (1 + np.exp(-beta * f))
    slope = gate + beta * f * gate * (1 - gate)
    gap = f * gate - y
    jacobian = slope[:, :, None] * np.eye(CLASSES)
    value = float((gap**2).sum(axis=1).mean())
    return Task(value, 2 * gap * slope / len(f), 2 * jacobian**2 / len(f), jacobian)


def blocks(parts: Array) -> Array:
    """N × 3 × 3 blocks as one (N·3) × (N·3) matrix."""
    count = len(parts)
    whole = np.zeros((count, CLASSES, count, CLASSES))
    whole[np.arange(count), :, np.arange(count), :] = parts
    return whole.reshape(CLASSES * count, CLASSES * count)


def implicit_step(kernel: Array, task: Task, time: float) -> Array:
    """c of one linearly implicit step of length ``time``, N × 3."""
    matrix = np.eye(len(kernel)) + time * (blocks(task.curvature) @ kernel)
    return np.linalg.solve(matrix, time * task.gradient.ravel()).reshape(-1, CLASSES)
