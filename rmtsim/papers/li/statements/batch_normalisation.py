"""Claims of `li`, section 5.2: the gradient of a network with batch normalisation.

x̃_l = dg(h_l) Σ_l W_lᵀ x̃_{l-1}, Σ_l the inverse deviations of a layer's pre-activations over the batch. Derivatives
are taken by central differences of the network itself, which is linear between kinks where Σ is held.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Identity, Limit, Parameter, Place, Plan, claim

Array = NDArray[np.float64]

_MISSING = "the normalisation Σ_p of the differentiated layer itself is left out"
_FIXED = "the batch's own mean and deviation are differentiated as constants"
_SQUARE = "a deviation is scaled by Σ, so a variance by Σ²"
_DEPTH = 4
"""W₁, W₂, W₃ and α."""


class Batch:
    """Weights (rows are inputs, as in (3)), a batch and the coefficients of its outputs."""

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.weights = [rng.standard_normal((size, size)) * np.sqrt(2 / size) for _ in range(_DEPTH - 1)]
        self.last = rng.standard_normal(size) * np.sqrt(2 / size)
        self.inputs = rng.standard_normal((4 * size, size))
        self.slopes = rng.choice([-1.0, 1.0], size=4 * size) / (4 * size)
        self.along = rng.standard_normal((size, size))
        self.scales = [1 / before.std(axis=0) for before in self._pass(self.weights, None)[1]]

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
        for j in range(_DEPTH - 2, layer, -1):
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
        for j in range(_DEPTH - 2, layer - 1, -1):
            g = back * (normal[j] > 0)
            g = (g - g.mean(axis=0) - normal[j] * (g * normal[j]).mean(axis=0)) / deviations[j]
            if j == layer:
                return float((g * (reads[j] @ self.along)).sum())
            back = g @ self.weights[j].T
        raise AssertionError(layer)


def _error(found: float, stated: float) -> float:
    # A narrow network may be dead: both derivatives are 0 then, and agree.
    return abs(found - stated) / (max(abs(found), abs(stated)) or 1.0)


def fixed_error(own: bool, size: int, rng: np.random.Generator) -> float:
    """Relative error of the display for a random layer, Σ held."""
    batch, layer = Batch(size, rng), int(rng.integers(_DEPTH - 1))
    return _error(batch.difference(layer, batch.scales, 1e-9), batch.display(layer, own))


def moving_error(size: int, rng: np.random.Generator) -> float:
    """Relative error of the display with Σ_p, against the network whose Σ moves with the weights."""
    batch, layer = Batch(size, rng), int(rng.integers(_DEPTH - 1))
    return _error(batch.difference(layer, None, 1e-7), batch.display(layer, own=True))


def full_error(size: int, rng: np.random.Generator) -> float:
    """Relative error of the full gradient, mean and deviation moving."""
    batch, layer = Batch(size, rng), int(rng.integers(_DEPTH - 1))
    return _error(batch.difference(layer, None, 1e-7, centred=True), batch.full(layer))


STATEMENT_PLAN = Plan(sizes=(4, 8), size_name="n", cost=1e-3)

claim(
    "li.sec5.2.bn",
    partial(fixed_error, False),
    at="Section 5.2, online variance normalization",
    standing="equation",
    printed="With batch normalisation ∂l/∂vec W_p = l' αᵀ Π_{j>p}(dg(h_j) Σ_j W_jᵀ) dg(h_p) ⊗ xᵀ Π_{i<p}(W_i Σ_i "
    "dg(h_i)); Σ held, as the display has it; along a random direction, against differences.",
    corrected=Corrected(
        "With Σ held, ∂l/∂vec W_p = l' αᵀ Π_{j>p}(dg(h_j) Σ_j W_jᵀ) dg(h_p) Σ_p ⊗ xᵀ Π_{i<p}(W_i Σ_i dg(h_i)).",
        measured=partial(fixed_error, True),
    ),
    states=Identity(within=1e-3),
    plan=STATEMENT_PLAN,
    erratum=Erratum(
        cause=_MISSING,
        note="W_p enters through W_p Σ_p dg(h_p), so its derivative carries Σ_p; the display has Σ of all layers but "
        "p.",
    ),
)

claim(
    "li.sec5.2.bn.statistics",
    moving_error,
    at=Place(
        "Section 5.2, online variance normalization, “NN with BN has gradient”", qualifier="BN amounts to"
    ),
    standing="heuristic",
    printed="The network with batch normalisation has that gradient (Σ_p put in): against differences of the network "
    "whose Σ is the inverse deviation of its own batch.",
    corrected=Corrected(
        "With mean and deviation of the batch differentiated, what passes a normalisation backwards is (g - ḡ - ẑ "
        "mean(gẑ))/s, ẑ the normalised pre-activation and s its deviation, and ∂R/∂W_p sums x̃_{p-1} times it over the "
        "batch.",
        measured=full_error,
    ),
    states=Identity(within=1e-3),
    plan=STATEMENT_PLAN,
    erratum=Erratum(
        cause=_FIXED,
        note="Σ_l depends on W_1, …, W_l, and one sample's gradient on the whole batch. With Σ differentiated, the "
        "gradient is orthogonal to each column of W_p (a longer column changes nothing), which the display is not.",
        credit="The paper introduces the display as multiplication by a diagonal matrix, and appendix G.3 says that "
        "the batch's own statistics are used.",
    ),
)

_FACTOR = Parameter("factor", "c", 4.0, open_below=True, highest=100.0, draw_range=(0.2, 9.0))


def _entries(power: int, size: int, rng: np.random.Generator, factor: float) -> float:
    w = rng.standard_normal((size, size)) * np.sqrt(factor / size)
    x = rng.standard_normal((4 * size, size))
    scale = 1 / (x @ w).std(axis=0)
    return float((np.square(w * scale) * size / (scale**power * factor)).mean())


claim(
    "li.sec5.2.bn.variance",
    partial(_entries, 1),
    at=Place(
        "Section 5.2, online variance normalization, the weights at initialisation", qualifier="amounts to"
    ),
    standing="remark",
    printed="At initialisation normalising amounts to weights w_ij ~ N(0, Σ_jj c/n), 1/Σ_jj the deviation of unit j; "
    "measured as the variance of w_ij Σ_jj over Σ_jj c/n, standard normal inputs.",
    corrected=Corrected(
        "At initialisation normalising amounts to weights of variance Σ_jj² c/n; measured as the ratio.",
        measured=partial(_entries, 2),
    ),
    states=Limit(1.0, within=0.05),
    over=(_FACTOR,),
    points=({"factor": 4.0}, {"factor": 0.25}),
    plan=Plan(
        sizes=(16, 32, 64, 128),
        size_name="n",
        exponents=(1.0,),
        because="deviations over a batch of 4n have an expansion in 1/n",
        cost=lambda size: 5e-5 + 2e-9 * size**3,
    ),
    erratum=Erratum(cause=_SQUARE, note="W_l Σ_l has entries w_ij Σ_jj, of variance Σ_jj² c/n."),
)
