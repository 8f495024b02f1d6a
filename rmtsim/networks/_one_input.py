"""The Hessian of a network's output at one input, on its range.

At one input the gradient of layer l is δ_l r_lᵀ, so the Hessian depends on a direction V_l only through V_l r_l
and V_lᵀδ_l, and maps it to δ̇_l r_lᵀ + δ_l ṙ_lᵀ. With r̂ = r/|r| and δ̂ = δ/|δ| its range consists of

    V_l = p_l r̂_lᵀ + δ̂_l q_lᵀ,   q_l ⊥ r̂_l,   ‖V_l‖² = |p_l|² + |q_l|²:

2·width numbers a layer in place of width². A product needs W_l once forwards and once backwards, and Krylov bases
shrink from width² to width. Eigenvalues other than zero are those of the whole Hessian.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.matrix_free._lanczos import Extremes, extreme_eigenvalues
from rmtsim.networks._network import Network
from rmtsim.networks._passes import Linearisation


@frozen(eq=False)
class OneInputHessian:
    """∂²(cᵀf(x))/∂θ² of dense layers without biases, in the coordinates (p_1, q_1, p_2, q_2, …).

    >>> from rmtsim.networks import fully_connected
    >>> network = fully_connected((3, 20, 20, 1), "tanh", parametrisation="ntk").sample(np.random.default_rng(0))
    >>> reduced = one_input_hessian(network, [1.0, 2.0, 3.0])
    >>> found = reduced.extremes(np.random.default_rng(1))
    >>> whole = np.linalg.norm(network.hessian([[1.0, 2.0, 3.0]]), 2)
    >>> reduced.size, bool(np.isclose(found.spectral_norm, whole, rtol=1e-7))
    (84, True)
    """

    point: Linearisation
    _units: tuple[tuple[Array, Array, float, float], ...] = field(init=False)

    def __post_init__(self) -> None:
        units = []
        for index in range(len(self.point.architecture.layers)):
            read, delta = self.point.passed.reads[index][0], self.point.deltas[index][0]
            lengths = float(np.linalg.norm(read)), float(np.linalg.norm(delta))
            units.append((read / (lengths[0] or 1.0), delta / (lengths[1] or 1.0), *lengths))
        object.__setattr__(self, "_units", tuple(units))

    @property
    def _splits(self) -> list[int]:
        widths = self.point.architecture.widths
        sizes = [size for before, after in itertools.pairwise(widths) for size in (after, before)]
        return [int(end) for end in np.cumsum(sizes)]

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self._splits[-1]

    def product(self, vector: Array) -> Array:
        """H v in the coordinates (p, q); the part of q along r̂ counts as zero."""
        parts = np.split(vector, self._splits[:-1])
        passed, layers = self.point.passed, self.point.architecture.layers
        moved_reads: list[Array | None] = []
        moved_before: list[Array] = []
        tangent: Array | None = None
        backs: list[Array] = []
        for index, layer in enumerate(layers):
            unit, along, length, slope = self._units[index]
            p, q = parts[2 * index], parts[2 * index + 1]
            q = q - (q @ unit) * unit
            z = length * p
            if tangent is None:
                moved_reads.append(None)
            else:
                read = layer.scale * tangent
                z = z + passed.weights[index] @ read
                moved_reads.append(read)
            # Vᵀδ, what the moving weights hand back.
            backs.append(slope * ((p @ along) * unit + q))
            after = passed.nonlinearities[index].push(z[None])[0]
            tangent = after + tangent if layer.skip and tangent is not None else after
            moved_before.append(z)
        result: list[Array] = [vector] * (2 * len(layers))
        e: Array | None = None
        for index in reversed(range(len(layers))):
            layer, local = layers[index], passed.nonlinearities[index]
            unit, along, length, slope = self._units[index]
            change = local.pull_change(self.point.turned[index], moved_before[index][None])
            moved = np.zeros_like(moved_before[index]) if change is None else change[0]
            if e is not None:
                moved = moved + local.push(e[None])[0]
            read_move = moved_reads[index]
            shift = 0.0 if read_move is None else float(read_move @ unit)
            result[2 * index] = length * moved + slope * shift * along
            result[2 * index + 1] = (
                np.zeros_like(unit) if read_move is None else slope * (read_move - shift * unit)
            )
            if index:
                back = layer.scale * (moved @ passed.weights[index] + backs[index])
                e = back + e if layer.skip and e is not None else back
        return np.concatenate(result)

    def extremes(
        self, rng: np.random.Generator, *, count: int = 1, which: str = "modulus", tolerance: float = 1e-8
    ) -> Extremes:
        """Extreme eigenvalues of H with residuals, as :func:`rmtsim.networks.hessian_extremes` has them."""
        return extreme_eigenvalues(
            self.product, self.size, rng, count=count, which=which, tolerance=tolerance
        )

    def shares(self, vector: ArrayLike) -> list[float]:
        """|V_l|² of every layer, over their sum: how a vector is distributed over the layers.

        >>> from rmtsim.networks import fully_connected
        >>> network = fully_connected((3, 8, 1), "tanh").sample(np.random.default_rng(0))
        >>> reduced = one_input_hessian(network, [1.0, 2.0, 3.0])
        >>> round(sum(reduced.shares(reduced.extremes(np.random.default_rng(1)).vectors[:, 0])), 12)
        1.0
        """
        parts = np.split(np.asarray(vector, dtype=np.float64), self._splits[:-1])
        squares = [float(p @ p + q @ q) for p, q in zip(parts[::2], parts[1::2], strict=True)]
        return [square / sum(squares) for square in squares]


def one_input_hessian(
    network: Network, x: Sequence[float] | ArrayLike, targets: Any = None
) -> OneInputHessian:
    """The Hessian of ``network``'s output (its loss must be "none") at one input, on its range.

    Dense layers without biases only: a convolution reads many windows, a bias reads one.
    """
    if not isinstance(network, Network):
        raise TypeError(f"network={validate.shown(network)}: expected a Network")
    architecture = network.architecture
    if any(layer.filter or layer.bias for layer in architecture.layers):
        raise ValueError("network: expected dense layers without biases (use hessian_extremes for others)")
    if architecture.loss.name != "none":
        raise ValueError(f"loss {architecture.loss}: expected none, the Hessian of the output itself")
    inputs = np.atleast_2d(validate.real_array("x", x))
    if len(inputs) != 1:
        raise ValueError(f"x of shape {inputs.shape}: expected one input")
    return OneInputHessian(network.linearise(inputs, targets))
