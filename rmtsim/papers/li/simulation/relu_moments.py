"""Many ReLU networks of `li`'s form (3) at once, each at one input of its own: squared activations, gradients, paths.

T(x) = αᵀ D_{L-1} W_{L-1} ⋯ D_1 W_1 x with weights N(0, c/n), all widths n, inputs standard normal. The same numbers
come from :mod:`rmtsim.networks`, one network at a time; narrow networks are thirty times faster in batches.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

_NUMBERS = 2**20
"""Weights held at once: 8 MiB."""


@frozen
class ReluBatch:
    """Networks drawn together; the first axis of every array runs over them."""

    inputs: Array
    """x, (networks, n)."""
    weights: Array
    """W_1, …, W_{L-1}, (networks, L - 1, n, n), rows are outputs."""
    last: Array
    """α, (networks, n)."""

    def activations(self) -> list[Array]:
        """x, y_1, …, y_{L-1}."""
        values = [self.inputs]
        for layer in range(self.weights.shape[1]):
            values.append(np.maximum((self.weights[:, layer] @ values[-1][:, :, None])[:, :, 0], 0.0))
        return values

    def backward(self, activations: list[Array]) -> list[Array]:
        """∂T/∂z_1, …, ∂T/∂z_{L-1} (α behind the gates, and so on down), then ∂T/∂x in front of them."""
        back = [self.last * (activations[-1] > 0)]
        for layer in range(self.weights.shape[1] - 1, -1, -1):
            passed = (self.weights[:, layer].mT @ back[0][:, :, None])[:, :, 0]
            back.insert(0, passed * (activations[layer] > 0) if layer else passed)
        return back

    def gradient_squares(self) -> Array:
        """‖∂T/∂W_p‖² for p = 1, …, L, (networks, L)."""
        y = self.activations()
        back = self.backward(y)[1:]
        squares = [np.square(each).sum(axis=1) for each in y]
        parts = [squares[p] * np.square(back[p]).sum(axis=1) for p in range(len(back))]
        return np.stack([*parts, squares[-1]], axis=1)

    def path_squares(self) -> Array:
        """Mean square of the entries of dg(h_{L-2}) W_{L-2} ⋯ W_2 dg(h_1): the middle factor of H_{1,L-1}."""
        y = self.activations()
        n = self.inputs.shape[1]
        path = np.eye(n) * (y[1] > 0)[:, None, :]
        for layer in range(1, self.weights.shape[1] - 1):
            path = (self.weights[:, layer] @ path) * (y[layer + 1] > 0)[:, :, None]
        return np.asarray(np.square(path).mean(axis=(1, 2)))


def draw_relu_batches(
    width: int, layers: int, factor: float, networks: int, rng: np.random.Generator
) -> Iterator[ReluBatch]:
    """That many networks, in batches that fit the cache.

    ``width`` n, ``layers`` L with the last one α, ``factor`` c: weights have variance c/n.

    >>> batches = list(draw_relu_batches(4, 3, 2.0, 10, np.random.default_rng(0)))
    >>> sum(len(each.inputs) for each in batches), batches[0].gradient_squares().shape
    (10, (10, 3))
    """
    n = validate.integer("width", width)
    depth = validate.integer("layers", layers, minimum=2, meaning="L, the last one α")
    deviation = np.sqrt(validate.positive_number("factor", factor) / n)
    count = validate.integer("networks", networks)
    rng = validate.generator("rng", rng)
    validate.memory(8.0 * depth * n * n, "one network")
    together = max(1, _NUMBERS // (depth * n * n))

    def batches() -> Iterator[ReluBatch]:
        for start in range(0, count, together):
            rows = min(together, count - start)
            yield ReluBatch(
                rng.standard_normal((rows, n)),
                rng.standard_normal((rows, depth - 1, n, n)) * deviation,
                rng.standard_normal((rows, n)) * deviation,
            )

    return batches()
