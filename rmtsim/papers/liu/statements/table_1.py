"""Table 1, cell by cell: linear output, non-linear output, bottleneck; Hessian norm, kernel, constant kernel or not.

The first two rows are measured on one network with two hidden layers, all layers trained, without and with a softplus
behind its output, fitted to two samples; the third on the network (31), fitted to one. Õ hides logarithms: log m
lowers the slope that is seen at widths around m by 1/log m, 0.2 at the widths used here, so these cells are declared
with a tolerance of that size; no verdict here distinguishes m^(-1/2) from m^(-1/2) log m.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Choice, Limit, Option, Parameter, Plan, Rate, claim
from rmtsim.networks import activation
from rmtsim.papers.liu.simulation.bottleneck import (
    STRATA,
    bottleneck_flow,
    bottleneck_gradients,
    bottleneck_norms,
    group_means,
)
from rmtsim.papers.liu.simulation.training import largest_changes, look
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks, of_many
from rmtsim.papers.liu.statements.bottleneck import FAR_APART, FIVE_SIZES, group_cost
from rmtsim.papers.liu.statements.parameters import WIDTHS
from rmtsim.papers.liu.theory.bottleneck import bottleneck_kernel_change

INPUTS: Array = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])
TARGETS: Array = np.array([1.0, 2.0])
_WIDE, _NARROW = (32, 64, 128, 256), (16, 32, 64, 128)
"""Sizes; where the spread stays as the width grows, many narrow networks give more than few wide ones."""
_MOMENTS = "moments of Gaussian networks, and of smooth functions of their outputs, are series in 1/m"
_NORM_PLAN = WIDTHS.but(
    exponents=(0.5, 1.0),
    because="smooth functions of means of m terms: a series in m^(-1/2)",
    cost=lambda size: 3e-4 + 1.2e-7 * size**2,
)
_KERNEL_PLAN = WIDTHS.but(exponents=(1.0,), because=_MOMENTS, cost=lambda size: 3e-5 + 2.5e-8 * size**2)
_ROWS = ("Linear output layer", "Non-linear output layer (softplus)", "Bottleneck (31)")


def _row(
    number: int, order: str, measured: Callable[..., Array], plan: Plan, states: Rate | None = None
) -> Option:
    """A cell of the table as an option: its row, what it states, and how it is measured."""
    words = {"number": str(number), "order": order}
    return Option(label=_ROWS[number - 1], words=words, measured=measured, plan=plan, states=states)


def _two_hidden(
    size: int, rng: Generator, replicates: int, measure: Callable[[WideNetworks], Array]
) -> Array:
    """A quantity of networks (16) in four dimensions, tanh, all parameters N(0, 1), 1/√fan-in in front."""
    return of_many([size, size], rng, replicates, "tanh", measure, x=INPUTS[0])


def _hessian_norms(size: int, rng: Generator, replicates: int, output: str) -> Array:
    """‖H‖ of φ(f) at the first input, over all parameters, with a residual of at most 10⁻⁴ of it."""
    phi = activation(output)

    def norms(batch: WideNetworks) -> Array:
        slopes = None
        if output != "identity":
            slopes = phi.derivative(batch.output, 1), phi.derivative(batch.output, 2)
        return batch.hessian_norms(rng, output=slopes, tolerance=1e-4).norms

    return _two_hidden(size, rng, replicates, norms)


def _bottleneck_hessian(size: int, rng: Generator, replicates: int) -> Array:
    """Mean of ‖H(W₀)‖ at x = 1 over a group."""
    return group_means(size, rng, replicates, lambda point: bottleneck_norms(point, 1.0, blocks=3))


_HESSIAN_NORMS = {
    "linear": _row(
        1,
        "‖H(W₀)‖ = Õ(1/√m); the tolerance leaves room for a factor log m",
        partial(_hessian_norms, output="identity"),
        _NORM_PLAN.but(sizes=_WIDE),
        Rate(0.5, "O", within=0.2),
    ),
    "output": _row(
        2, "‖H̃(W₀)‖ = Õ(1)", partial(_hessian_norms, output="softplus"), _NORM_PLAN.but(sizes=_NARROW)
    ),
    "bottleneck": _row(
        3,
        "‖H(W₀)‖ = Õ(1); no logarithm is granted",
        _bottleneck_hessian,
        FIVE_SIZES.but(cost=group_cost),
        Rate(0.0, "O", within=0.05),
    ),
}

claim("liu.table1.{row}-hessian", states=Rate(0.0, "O", within=0.2), over=(Choice("row", _HESSIAN_NORMS),))


def _kernel_norms(size: int, rng: Generator, replicates: int, output: str) -> Array:
    """‖K‖ of φ(f) over both inputs."""
    phi = activation(output)

    def norms(batch: WideNetworks) -> Array:
        return np.asarray(np.linalg.eigvalsh(look(batch, INPUTS, phi).kernels)[:, -1])

    return _two_hidden(size, rng, replicates, norms)


def _bottleneck_kernel(size: int, rng: Generator, replicates: int) -> Array:
    """Mean of ‖∇f‖ at x = 1 over a group."""

    def lengths(point: Array) -> Array:
        return np.asarray(np.sqrt((bottleneck_gradients(point, 1.0)[1] ** 2).sum(axis=(0, 2))))

    return group_means(size, rng, replicates, lengths)


_KERNELS = {
    "linear": _row(
        1, "‖K(W₀)‖ = Θ(1)", partial(_kernel_norms, output="identity"), _KERNEL_PLAN.but(sizes=_WIDE)
    ),
    "output": _row(
        2, "‖K̃(W₀)‖ = Θ(1)", partial(_kernel_norms, output="softplus"), _KERNEL_PLAN.but(sizes=_NARROW)
    ),
    "bottleneck": _row(
        3,
        "K(x, x) = Θ(1); measured as its root, whose tail is lighter",
        _bottleneck_kernel,
        FIVE_SIZES.but(cost=lambda size: STRATA * (8e-6 + 2e-7 * size)),
    ),
}

claim("liu.table1.{row}-kernel", states=Rate(0.0, "Theta", within=0.05), over=(Choice("row", _KERNELS),))


def _changes(size: int, rng: Generator, replicates: int, output: str, *, symmetric: bool) -> Array:
    """The largest relative change of the kernel until the loss has fallen to a thousandth."""
    phi = activation(output)

    def changes(batch: WideNetworks) -> Array:
        return largest_changes(batch, INPUTS, TARGETS, phi, symmetric=symmetric)

    return _two_hidden(size, rng, replicates, changes)


def _training_cost(size: int) -> float:
    return 2e-4 + 1.5e-7 * size**2


@claim(
    "liu.table1.linear-constant",
    states=Rate(0.5, "O", within=0.2),
    plan=_NORM_PLAN.but(sizes=_WIDE, cost=_training_cost),
)
def linear_change(size: int, rng: Generator, replicates: int) -> Array:
    """sup_t ‖K_t - K_0‖_F/‖K_0‖_F until the loss has fallen to a thousandth."""
    return _changes(size, rng, replicates, "identity", symmetric=False)


@claim(
    "liu.table1.output-constant",
    states=Rate(0.0, "Theta", within=0.1),
    plan=_KERNEL_PLAN.but(sizes=(64, 128, 256, 512), cost=_training_cost),
)
def output_change(size: int, rng: Generator, replicates: int) -> Array:
    """The bounded change of K̃."""
    return _changes(size, rng, replicates, "softplus", symmetric=True)


@claim(
    "liu.table1.bottleneck-constant",
    states=Limit(bottleneck_kernel_change, within=0.03),
    over=(
        Parameter("label", "target y of the one sample", default=1.0, open_below=True, draw_range=(0.3, 3.0)),
    ),
    plan=FAR_APART.but(cost=lambda size: STRATA * (5e-4 + 3.5e-5 * size)),
)
def bottleneck_change(size: int, rng: Generator, replicates: int, label: float) -> Array:
    """Mean of |K* - K₀|/(K* + K₀) over a group."""

    def changes(point: Array) -> Array:
        flow = bottleneck_flow(point, label)
        before, after = flow.kernel_before, flow.kernel_after
        return np.asarray(np.abs(after - before) / (after + before))

    return group_means(size, rng, replicates, changes)
