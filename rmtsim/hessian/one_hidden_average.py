"""Block energies averaged over many output matrices V that share inputs and hidden weights.

Most of the noise of ‖H_ij‖² comes from V, and most of the work from the Gram matrix of the inputs, so drawing many V
for one (X, W) is the cheapest way to an expectation over networks. Each V still gives the energies of a network.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.hessian.one_hidden import Loss, check_loss

__all__ = ["averaged_energies"]


def averaged_energies(
    inputs: NDArray[np.float64],
    hidden: NDArray[np.float64],
    outputs: NDArray[np.float64],
    layer: Literal["hidden", "output"],
    loss: Loss,
) -> tuple[float, float]:
    """(mean ‖H_ii‖²_F, mean ‖H_ij‖²_F) over all blocks of a layer and all V in ``outputs`` (draws × classes × m).

    >>> from rmtsim.hessian.one_hidden import forward
    >>> from rmtsim.hessian.one_hidden_norms import output_energies
    >>> from rmtsim.sampling.one_hidden import sample_one_hidden
    >>> net = sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0))
    >>> one, two = averaged_energies(net.inputs, net.hidden, net.output[None], "output", "ce")
    >>> bool(np.isclose(two, output_energies(forward(net, "ce")).mean_offdiagonal))
    True
    """
    check_loss(loss)
    if layer not in ("hidden", "output"):
        raise ValueError(f"layer={layer!r}: expected hidden or output")
    before = inputs @ hidden.T
    gates, features = (before > 0).astype(np.float64), np.maximum(before, 0.0)
    if layer == "hidden":
        return _hidden(inputs, gates, features, outputs, loss)
    return _output(features, outputs, loss)


def _probabilities(features: NDArray[np.float64], outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax of every V, draws × samples × classes."""
    logits = features @ outputs.transpose(0, 2, 1)
    logits -= logits.max(axis=2, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=2, keepdims=True)
    return np.asarray(logits)


def _hidden(
    inputs: NDArray[np.float64],
    gates: NDArray[np.float64],
    features: NDArray[np.float64],
    outputs: NDArray[np.float64],
    loss: Loss,
) -> tuple[float, float]:
    samples, neurons = gates.shape
    first, second = np.triu_indices(neurons)
    open_pairs = gates[:, first] * gates[:, second]
    squared = np.square(inputs @ inputs.T)
    products = outputs[:, :, first] * outputs[:, :, second]
    if loss == "mse":
        shared = np.einsum("np,np->p", open_pairs, squared @ open_pairs)
        energies = np.square(2 * products.sum(axis=1)).mean(axis=0) * shared
    else:
        p = _probabilities(features, outputs)
        means = p @ outputs
        weights = p @ products
        weights -= means[:, :, first] * means[:, :, second]
        weights *= open_pairs
        energies = np.einsum("rnp,rnp->p", weights, squared @ weights) / len(outputs)
    energies = energies / samples**2
    own = first == second
    return float(energies[own].mean()), float(energies[~own].mean()) if neurons > 1 else 0.0


def _output(features: NDArray[np.float64], outputs: NDArray[np.float64], loss: Loss) -> tuple[float, float]:
    samples = len(features)
    classes = outputs.shape[1]
    if loss == "mse":
        return float(np.square(2 * features.T @ features / samples).sum()), 0.0
    p = _probabilities(features, outputs)
    squares = np.square(p)
    products = np.einsum("ni,nj->nij", features, features).reshape(samples, -1)
    own = np.square(products.T @ (p - squares)).sum() / (len(outputs) * classes)
    pairs = np.square(p @ p.transpose(0, 2, 1)) - squares @ squares.transpose(0, 2, 1)
    off = np.vdot(np.square(features @ features.T), pairs.sum(axis=0)) / len(outputs)
    return float(own) / samples**2, float(off) / (classes * (classes - 1)) / samples**2
