"""Networks with batch normalisation and their derivatives: by differences, by `li`'s display, and in full.

x̃_l = dg(h_l) Σ_l W_lᵀ x̃_{l-1}, Σ_l the inverse deviations of a layer's pre-activations over the batch. Derivatives
are taken by central differences of the network itself, which is linear between kinks if Σ is kept fixed.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array

LAYERS = 3
"""Matrices W₁, W₂, W₃, which α follows."""


class Batch:
    """Weights (rows are inputs, as in (3)), a batch and the coefficients of its outputs.

    Drawn again if all units of a layer are closed for the whole batch: then the next deviations are zero.
    """

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self._draw(size, rng)
        while any(not deviation.all() for deviation in self.deviations):
            self._draw(size, rng)
        self.scales = [1 / deviation for deviation in self.deviations]

    def _draw(self, size: int, rng: np.random.Generator) -> None:
        self.weights = [rng.standard_normal((size, size)) * np.sqrt(2 / size) for _ in range(LAYERS)]
        self.last = rng.standard_normal(size) * np.sqrt(2 / size)
        self.inputs = rng.standard_normal((4 * size, size))
        self.slopes = rng.choice([-1.0, 1.0], size=4 * size) / (4 * size)
        self.along = rng.standard_normal((size, size))
        with np.errstate(invalid="ignore"):
            self.deviations = [before.std(axis=0) for before in self._pass(self.weights, None)[1]]

    def _pass(
        self, weights: list[Array], scales: list[Array] | None, centred: bool = False
    ) -> tuple[Array, list[Array]]:
        y, befores = self.inputs, []
        for layer, w in enumerate(weights):
            before = y @ w
            befores.append(before)
            if centred:
                before = before - before.mean(axis=0)
            y = np.maximum(before / before.std(axis=0) if scales is None else before * scales[layer], 0.0)
        return y @ self.last, befores

    def difference(self, layer: int, scales: list[Array] | None, step: float, centred: bool = False) -> float:
        """d/dt of Σ_i slope_i T(x_i) along W_p + t·V, by central differences."""
        values = []
        for sign in (1, -1):
            moved = list(self.weights)
            moved[layer] = moved[layer] + sign * step * self.along
            values.append(float(self.slopes @ self._pass(moved, scales, centred)[0]))
        return (values[0] - values[1]) / (2 * step)

    def display(self, layer: int, own: bool) -> float:
        """The display along V: the sum over samples of slope · (left factor) V (right factor)."""
        y, gates, reads = self.inputs, [], []
        for w, scale in zip(self.weights, self.scales, strict=True):
            reads.append(y)
            gates.append(y @ w > 0)
            y = (y @ w) * scale * gates[-1]
        back = np.tile(self.last, (len(y), 1)) * gates[-1]
        for j in range(LAYERS - 1, layer, -1):
            back = (back * self.scales[j]) @ self.weights[j].T * gates[j - 1]
        if own:
            back = back * self.scales[layer]
        return float(self.slopes @ np.einsum("ni,ij,nj->n", reads[layer], self.along, back))

    def full(self, layer: int) -> float:
        """The gradient of the network that subtracts the batch's mean and divides by its deviation, along V."""
        y, reads, normal, deviations = self.inputs, [], [], []
        for w in self.weights:
            before = y @ w
            reads.append(y)
            deviations.append(before.std(axis=0))
            normal.append((before - before.mean(axis=0)) / deviations[-1])
            y = np.maximum(normal[-1], 0.0)
        back = self.slopes[:, None] * self.last
        for j in range(LAYERS - 1, layer - 1, -1):
            g = back * (normal[j] > 0)
            g = (g - g.mean(axis=0) - normal[j] * (g * normal[j]).mean(axis=0)) / deviations[j]
            if j == layer:
                return float((g * (reads[j] @ self.along)).sum())
            back = g @ self.weights[j].T
        raise AssertionError(layer)
