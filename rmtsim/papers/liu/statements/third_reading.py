"""Scalings and conditions that a sentence of `liu` lacks: eqs. (22), (48), Sections 1.1, 3.2, 3.3.2, 4 and 5."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.claims import Corrected, Identity, Limit, Plan, Probability, Rate, claim
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu.simulation.architectures import shallow
from rmtsim.papers.liu.simulation.shallow_networks import shallow_at, trained_kernels
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks, of_many
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import INPUT, WIDTHS
from rmtsim.papers.liu.statements.wide_networks import drawing_cost, hessian_cost, norms_of, root_log

# ---- Section 1.1: the second-order term ----


@claim(
    "liu.sec1.1.taylor",
    states=Identity(within=1e-10),
    over=(INPUT,),
    plan=WIDTHS.but(sizes=(3, 6), cost=1e-3),
)
def second_order_gap(size: int, rng: Generator, form: str, x: float) -> float:
    """Relative error of f(w) - f(w₀) - ∇f·(w - w₀) = c (w - w₀)ᵀH(w - w₀), c = 1 or ½, σ quadratic."""
    network = shallow(size, rng, "quadratic")
    step = np.zeros(network.parameters.size)
    step[:size] = rng.standard_normal(size)
    moved = network.with_parameters(network.parameters + step)
    change = float(moved.output([[x]])[0, 0] - network.output([[x]])[0, 0])
    left = change - float(network.gradient([[x]]) @ step)
    quadratic = float(step @ network.hessian([[x]]) @ step)
    return relative_gap(np.array([quadratic * (1.0 if form == "printed" else 0.5)]), np.array([left]))


# ---- Section 3.2: two factors that are called independent ----


def covariances(size: int, rng: Generator, replicates: int) -> Array:
    """Half the product of the differences, between two networks (16), of σ'(w₁x)² and of m(∂f/∂α₁)² of the same neuron.

    Two hidden layers, σ = tanh, x = 1. The mean over the output weights is taken exactly: they have variance one, so
    that m(∂f/∂α₁)² becomes (1/m) Σ_k W_k1² σ'(z_k)².
    """
    sigma = function_of("tanh")
    first = rng.standard_normal((2 * replicates, size))
    second = rng.standard_normal((2 * replicates, size, size))
    before = (second @ sigma(first)[:, :, None])[:, :, 0] / math.sqrt(size)
    slopes = sigma.derivative(first[:, 0], 1) ** 2
    squares = (second[:, :, 0] ** 2 * sigma.derivative(before, 1) ** 2).mean(axis=1)
    pairs = np.diff(slopes.reshape(-1, 2), axis=1) * np.diff(squares.reshape(-1, 2), axis=1)
    return np.asarray(pairs[:, 0] / 2)


@claim(
    "liu.sec3.2.independent",
    corrected=Corrected(
        measured=covariances,
        states=Rate(1.0, within=0.05),
    ),
    states=Limit(0.0, within=0.05),
    plan=WIDTHS.but(sizes=(2, 4, 8, 16), exponents=(1.0,), cost=lambda size: 4e-6 + 5e-8 * size**2),
)
def scaled_covariances(size: int, rng: Generator, replicates: int) -> Array:
    """m times the covariance."""
    return size * covariances(size, rng, replicates)


# ---- Section 3.3.2: the factor of the first layer, the norm of the parameters ----


@claim(
    "liu.eq22",
    states=Rate(0.0, within=0.05),
    plan=WIDTHS.but(sizes=(32, 64, 128, 256), exponents=(1.0,), cost=lambda size: drawing_cost(size, 2)),
)
def kernel_of_first_scale(size: int, rng: Generator, replicates: int, form: str) -> Array:
    """K(x, x), two hidden layers, tanh, x = (1, 1, 1): a factor m^{-1/2} for d^{-1/2} is an input of that length."""
    shrunk = math.sqrt(3 / size) if form == "printed" else 1.0
    return of_many([size] * 2, rng, replicates, "tanh", lambda batch: batch.kernels, x=np.full(3, shrunk))


@claim(
    "liu.sec3.3.2.norm",
    states=Rate(0.5, "O", within=0.1),
    plan=WIDTHS.but(sizes=(32, 64, 128, 256), exponents=(0.5, 1.0), cost=lambda size: hessian_cost(size, 2)),
)
def norm_with_moved_output(size: int, rng: Generator, replicates: int, form: str) -> Array:
    """‖H(W)‖/√(ln m), v = √m v₀ at distance 0 in the printed norm, or v at distance 1 along v₀; tanh."""

    def norms(batch: WideNetworks) -> Array:
        *hidden, last = batch.weights
        lengths = np.linalg.norm(last, axis=(1, 2), keepdims=True)
        moved = last * math.sqrt(size) if form == "printed" else last * (1 + 1 / lengths)
        return norms_of(WideNetworks(batch.x, (*hidden, moved), batch.sigma, batch.skips), rng)

    return of_many([size] * 2, rng, replicates, "tanh", norms) / root_log(size)


# ---- Section 4: a non-linear output that the networks do not leave ----


def _bent_far_out(value: Array, order: int) -> Array:
    """φ(z) = z + sign(z)(|z| - 10)₊³, or φ'."""
    beyond = np.maximum(np.abs(value) - 10, 0.0)
    return np.asarray(value + np.sign(value) * beyond**3 if order == 0 else 1 + 3 * beyond**2)


@claim(
    "liu.sec4.necessary",
    states=Rate(0.0, within=0.05),
    plan=WIDTHS.but(sizes=(64, 128, 256, 512), exponents=(1.0,), cost=lambda size: 5e-5 + 1.5e-6 * size),
)
def kernel_change(size: int, rng: Generator, replicates: int, form: str) -> Array:
    """|K̃ after - K̃ before|, mean of a network and of that with all signs turned, label 2."""
    phi = _bent_far_out if form == "printed" else function_of("softplus").derivative
    _, _, start, end = trained_kernels(size, rng, replicates, 1.0, 2.0, both=True, phi=phi)
    return np.asarray(np.abs(end - start).reshape(2, -1).mean(axis=0))


# ---- Section 5: data of Theorem 5.1 ----

_ROUNDS = 400


@claim(
    "liu.thm5.1.data",
    states=Probability(1.0, within=0.03),
    plan=WIDTHS.but(sizes=(64, 128, 256), exponents=(4.0,), cost=lambda size: 1e-3 + 4e-5 * size),
)
def loss_vanishes(size: int, rng: Generator, replicates: int, form: str) -> NDArray[np.bool_]:
    """Whether the loss falls to a thousandth in 400 steps: φ(z) = z + ½ sin z, tanh, hidden weights, labels 1 and 1.

    Inputs 1 and -1 as printed, where no condition excludes them, or ½ and 3. The step is ½ over the trace of K̃.
    """
    inputs = (1.0, -1.0) if form == "printed" else (0.5, 3.0)
    w = rng.standard_normal((replicates, size))
    signs = rng.choice((-1.0, 1.0), (replicates, size))
    losses: list[Array] = []
    for _ in range(_ROUNDS):
        seen = [shallow_at(w, signs, "tanh", x) for x in inputs]
        misses = [each.value + 0.5 * np.sin(each.value) - 1.0 for each in seen]
        slopes = [1 + 0.5 * np.cos(each.value) for each in seen]
        losses.append(np.sum(np.square(misses), axis=0))
        trace = sum(slope**2 * each.kernel for slope, each in zip(slopes, seen, strict=True))
        for miss, slope, each in zip(misses, slopes, seen, strict=True):
            w = w - (miss * slope / trace)[:, None] * each.gradient
    return np.asarray(losses[-1] < 1e-3 * losses[0])


# ---- Appendix B.2: the factor behind the bottleneck ----


@claim(
    "liu.eq48.scale",
    states=Rate(0.0, within=0.05),
    plan=Plan(
        sizes=(4, 8, 16, 32), size_name="m_b", exponents=(1.0,), cost=lambda size: 2e-5 + 2.5e-6 * size
    ),
)
def bottleneck_output(size: int, rng: Generator, replicates: int, form: str) -> Array:
    """Root of the mean square of the three outputs of (48) at W₀ given W₁, W₂, W₃, x = 1, m = 128."""
    width = 128
    first = np.maximum(rng.standard_normal((replicates, width, 1)), 0.0)
    narrow = rng.standard_normal((replicates, size, width)) @ first / math.sqrt(width)
    wide = np.maximum(rng.standard_normal((replicates, width, size)) @ narrow, 0.0)[:, :, 0]
    factor = 1.0 if form == "printed" else 1 / math.sqrt(size)
    return np.asarray(factor * np.sqrt((wide**2).mean(axis=1)))
