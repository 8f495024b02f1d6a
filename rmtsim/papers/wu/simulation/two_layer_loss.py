"""The cross-entropy of a two-layer ReLU network in high precision, to differentiate against closed-form Hessians.

Parameters of the loss: W^(1), a shift of the hidden pre-activations, W^(2), a shift of the logits; the
Hessians with respect to the shifts are the output Hessians M^(1) and M^(2).
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.curvature import hessian_by_differences
from rmtsim.networks import Network
from rmtsim.papers.wu.simulation.relu_network import Response

BLOCKS = ("H1", "M1", "H2", "M2")


def _offsets(network: Network) -> dict[str, tuple[int, int]]:
    units, dimension = network.weights[0].shape
    classes = network.architecture.outputs
    sizes = {"H1": units * dimension, "M1": units, "H2": classes * units, "M2": classes}
    offsets, start = {}, 0
    for name in BLOCKS:
        offsets[name] = (start, sizes[name])
        start += sizes[name]
    return offsets


def differentiated(
    network: Network,
    response: Response,
    labels: NDArray[np.int_],
    block: str,
    rows: NDArray[np.int_],
    columns: NDArray[np.int_],
) -> Array:
    """Entries of the Hessian of the mean cross-entropy by differences of the loss itself."""
    units, dimension = network.weights[0].shape
    classes = network.architecture.outputs
    values = response.inputs.values
    assert values is not None
    inputs = [[mpmath.mpf(float(entry)) for entry in row] for row in values]
    offsets = _offsets(network)

    def loss(theta: Any) -> Any:
        total = mpmath.mpf(0)
        for x, label in zip(inputs, labels, strict=True):
            start = offsets["M1"][0]
            pre = [
                mpmath.fdot(theta[i * dimension : (i + 1) * dimension], x) + theta[start + i]
                for i in range(units)
            ]
            hidden = [max(value, mpmath.mpf(0)) for value in pre]
            first, shift = offsets["H2"][0], offsets["M2"][0]
            logits = [
                mpmath.fdot(theta[first + a * units : first + (a + 1) * units], hidden) + theta[shift + a]
                for a in range(classes)
            ]
            total += mpmath.log(mpmath.fsum(mpmath.exp(z) for z in logits)) - logits[label]
        return total / len(inputs)

    point = np.concatenate(
        [network.weights[0].ravel(), np.zeros(units), network.weights[-1].ravel(), np.zeros(classes)]
    )
    start = offsets[block][0]
    return hessian_by_differences(
        loss, point, [start + int(r) for r in rows], [start + int(c) for c in columns]
    )


def closed_form(network: Network, response: Response, block: str, activation: str = "pre") -> Array:
    """H^(1) = E[DWᵀAWD ⊗ xxᵀ], M^(1) = E[DWᵀAWD], H^(2) = E[A ⊗ yyᵀ], M^(2) = E[A] (``wu`` eqs. (4), (38)).

    ``activation`` selects D: "pre" for 1[u ≥ 0], u before the ReLU, "post" for 1[y ≥ 0], y after it.
    """
    weights = network.weights[-1]
    result: Any = 0.0
    inputs = response.inputs.values
    assert inputs is not None
    for x, on, y, p in zip(
        inputs, response.active[-1], response.hidden[-1], response.confidence, strict=True
    ):
        a = np.diag(p) - np.outer(p, p)
        diagonal = np.diag(on if activation == "pre" else (y >= 0).astype(float))
        m = diagonal @ weights.T @ a @ weights @ diagonal
        if block in ("H1", "H2"):
            side = np.outer(x, x) if block == "H1" else np.outer(y, y)
            result = result + np.kron(m if block == "H1" else a, side)
        else:
            result = result + (m if block == "M1" else a)
    return np.asarray(result / len(inputs))
