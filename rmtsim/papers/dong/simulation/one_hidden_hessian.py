"""Hessian blocks of one-hidden-layer ReLU networks under the square loss (7) and the cross-entropy (13) of `dong`.

With f_n = σ(W x_n), gates g_ni = 1(w_i·x_n > 0), logits l_n = V f_n and the loss of one sample L(l),

    ∂²ℓ/∂w_i∂w_jᵀ = (1/N) Σ_n g_ni g_nj (v_:iᵀ L''_n v_:j) x_n x_nᵀ
    ∂²ℓ/∂v_i∂v_jᵀ = (1/N) Σ_n (L''_n)_ij f_n f_nᵀ
    ∂²ℓ/∂w_i∂v_jᵀ = (1/N) Σ_n g_ni x_n [ (L'_n)_j e_i + (L''_n v_:i)_j f_n ]ᵀ

away from the kinks of σ. Square loss: L' = 2(l - y), L'' = 2I. Cross-entropy: L' = p - y, L'' = diag(p) - ppᵀ.
The factor 2 is that of the loss as printed in `dong`; eqs. (8) and (9) lack it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.networks._softmax import softmax
from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork

Loss = Literal["mse", "ce"]


def check_loss(loss: str) -> None:
    """Refuse anything but "mse" and "ce"."""
    if not isinstance(loss, str) or loss not in ("mse", "ce"):
        raise ValueError(
            f"loss={loss if isinstance(loss, str) else type(loss).__name__!r}: expected 'mse' (square loss, `dong` "
            "(7)) or 'ce' (cross-entropy, (13))"
        )


@frozen
class Pass:
    """One forward pass: all that the blocks of a network need, computed once."""

    network: OneHiddenNetwork
    loss: Loss
    gates: NDArray[np.float64]
    """g_ni, samples × hidden, zero or one."""
    features: NDArray[np.float64]
    """f_n = σ(W x_n), samples × hidden."""
    logits: NDArray[np.float64]
    """V f_n, samples × classes."""

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """p_n = softmax(V f_n), samples × classes."""
        return softmax(self.logits)

    @cached_property
    def residuals(self) -> NDArray[np.float64]:
        """L'_n, samples × classes: gradient of the loss of each sample in its logits."""
        targets = self.network.targets
        return 2 * (self.logits - targets) if self.loss == "mse" else self.probabilities - targets

    @cached_property
    def pulled(self) -> NDArray[np.float64]:
        """Columns of L''_n V as averages for the cross-entropy: μ_ni = Σ_c p_nc v_ci, samples × hidden."""
        return np.asarray(self.probabilities @ self.network.output)

    @cached_property
    def hidden_curvatures(self) -> NDArray[np.float64]:
        """g_ni g_nj v_:iᵀ L''_n v_:j for the pairs i ≤ j, in the order of ``numpy.triu_indices``, samples × pairs."""
        first, second = np.triu_indices(self.network.hidden.shape[0])
        output = self.network.output
        products = output[:, first] * output[:, second]
        curvature: NDArray[np.float64]
        if self.loss == "mse":
            curvature = np.broadcast_to(2 * products.sum(axis=0), (len(self.gates), first.size)).copy()
        else:
            curvature = self.probabilities @ products
            curvature -= self.pulled[:, first] * self.pulled[:, second]
        curvature *= self.gates[:, first]
        curvature *= self.gates[:, second]
        return curvature

    def output_curvature(self, i: int, j: int) -> NDArray[np.float64]:
        """(L''_n)_ij, one number a sample."""
        if self.loss == "mse":
            return np.full(len(self.gates), 2.0 if i == j else 0.0)
        p = self.probabilities
        curvature: NDArray[np.float64] = p[:, i] * (1 - p[:, i]) if i == j else -p[:, i] * p[:, j]
        return curvature

    def mixed_curvature(self, i: int) -> NDArray[np.float64]:
        """(L''_n v_:i)_j for all classes j, samples × classes."""
        column = self.network.output[:, i]
        if self.loss == "mse":
            return np.broadcast_to(2 * column, self.logits.shape)
        return np.asarray(self.probabilities * (column - self.pulled[:, i : i + 1]))


def forward(network: OneHiddenNetwork, loss: Loss) -> Pass:
    """The forward pass that every block function takes.

    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> state = forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce")
    >>> state.features.shape, state.probabilities.shape
    ((5, 2), (5, 4))
    """
    check_loss(loss)
    if not isinstance(network, OneHiddenNetwork):
        raise TypeError(f"network: expected a OneHiddenNetwork, not {type(network).__name__}")
    with np.errstate(over="ignore", invalid="ignore"):
        before = validate.computed("network", network.inputs @ network.hidden.T)
        gates = (before > 0).astype(np.float64)
        features = np.maximum(before, 0.0)
        logits = validate.computed("network", features @ network.output.T)
    return Pass(network, loss, gates, features, logits)


def check_pass(state: Pass) -> None:
    """Raise an error for anything but a forward pass."""
    if not isinstance(state, Pass):
        raise TypeError(
            f"state={type(state).__name__}: expected a forward pass, forward(network, loss), of a network with its data"
        )


def _check(state: Pass, neurons: tuple[int, ...] = (), classes: tuple[int, ...] = ()) -> None:
    check_pass(state)
    _, _, hidden, outputs = state.network.sizes
    for index in neurons:
        validate.integer(
            "i, j: neuron", index, minimum=0, maximum=hidden - 1, meaning="hidden neuron of the block"
        )
    for index in classes:
        validate.integer("i, j: class", index, minimum=0, maximum=outputs - 1, meaning="class of the block")


def _pair_column(hidden: int, i: int, j: int) -> int:
    """Column of pair (i, j) in the order of ``numpy.triu_indices``."""
    low, high = min(i, j), max(i, j)
    return low * hidden - low * (low - 1) // 2 + high - low


def hidden_block(state: Pass, i: int, j: int) -> NDArray[np.float64]:
    """∂²ℓ/∂w_i∂w_jᵀ, dimension × dimension. Source: `dong` eq. (8) (with its missing factor 2) and (14).

    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> state = forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce")
    >>> hidden_block(state, 0, 1).shape
    (3, 3)
    """
    _check(state, neurons=(i, j))
    inputs = state.network.inputs
    weights = state.hidden_curvatures[:, _pair_column(state.network.hidden.shape[0], i, j)]
    return np.asarray(inputs.T @ (inputs * weights[:, None]) / len(inputs))


def output_block(state: Pass, i: int, j: int) -> NDArray[np.float64]:
    """∂²ℓ/∂v_i∂v_jᵀ, hidden × hidden. Source: `dong` eq. (9) (with its missing factor 2) and (15).

    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> state = forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "mse")
    >>> output_block(state, 0, 1)
    array([[0., 0.],
           [0., 0.]])
    """
    _check(state, classes=(i, j))
    features = state.features
    return np.asarray(features.T @ (features * state.output_curvature(i, j)[:, None]) / len(features))
