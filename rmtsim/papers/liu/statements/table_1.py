"""Table 1, cell by cell: linear output, non-linear output, bottleneck; Hessian norm, kernel, constant kernel or not.

The first two rows are measured on one network with two hidden layers, all layers trained, without and with a softplus
behind its output, fitted to two samples; the third on the network (31), fitted to one. Õ hides logarithms: log m
lowers the slope that is seen at widths around m by 1/log m, 0.2 at the widths used here, so these cells are declared
with a tolerance that log m uses up; no verdict here tells m^(-1/2) from m^(-1/2) log m.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Limit, Parameter, Place, Rate, Tolerance, claim
from rmtsim.networks import activation
from rmtsim.papers.liu.simulation.bottleneck import bottleneck_flow, bottleneck_gradients, bottleneck_norms
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks, in_portions, sample_wide
from rmtsim.papers.liu.statements.bottleneck import APART, EDGEWORTH, group_cost, group_means
from rmtsim.papers.liu.statements.parameters import WIDTHS
from rmtsim.papers.liu.simulation.training import largest_changes, look
from rmtsim.papers.liu.theory.bottleneck import bottleneck_kernel_change

Array = NDArray[np.float64]

LABEL = Parameter("label", "target y of the one sample", default=1.0, open_below=True, draw_range=(0.3, 3.0))
INPUTS: Array = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])
TARGETS: Array = np.array([1.0, 2.0])
_SIZES = (32, 64, 128, 256)
_SMALLER = (16, 32, 64, 128)
"""Where the spread stays as the width grows, many networks tell more than wide ones."""
_MOMENTS = "moments of Gaussian networks, and of smooth functions of their outputs, are series in 1/m"
_LOGARITHM = Tolerance(absolute=0.2)
_POWERS = "smooth functions of means of m terms: a series in m^(-1/2)"


def two_hidden(
    size: int, rng: Generator, replicates: int, measure: Callable[[WideNetworks], Array]
) -> Array:
    """A quantity of networks (16) in four dimensions, tanh, all parameters N(0, 1), 1/√fan-in in front."""
    widths = (INPUTS.shape[1], size, size, 1)
    return np.concatenate(
        [measure(sample_wide(widths, count, rng, INPUTS[0])) for count in in_portions(replicates, widths)]
    )


def _hessian_norms(batch: WideNetworks, rng: Generator, output: str) -> Array:
    """‖H‖ of φ(f) at the first input, over all parameters, with a residual of at most 10⁻⁴ of it."""
    phi = activation(output)
    slopes = None
    if output != "identity":
        slopes = phi.derivative(batch.output, 1), phi.derivative(batch.output, 2)
    return batch.hessian_norms(rng, output=slopes, tolerance=1e-4).norms


def _kernel_norms(batch: WideNetworks, output: str) -> Array:
    """‖K‖ of φ(f) over both inputs."""
    return np.asarray(np.linalg.eigvalsh(look(batch, INPUTS, activation(output)).kernels)[:, -1])


def _changes(
    size: int, rng: Generator, replicates: int, output: str, *, symmetric: bool = False
) -> Array:
    """The largest relative change of the kernel until the loss has fallen to a thousandth."""
    phi = activation(output)
    return two_hidden(
        size,
        rng,
        replicates,
        lambda batch: largest_changes(batch, INPUTS, TARGETS, phi, symmetric=symmetric),
    )


def _product_cost(size: int) -> float:
    return 3e-4 + 1.2e-7 * size**2


def _kernel_cost(size: int) -> float:
    return 3e-5 + 2.5e-8 * size**2


def _training_cost(size: int) -> float:
    return 2e-4 + 1.5e-7 * size**2


@claim(
    "liu.table1.linear-hessian",
    at="Table 1, row 1, Hessian norm",
    standing="remark",
    printed="Linear output layer: ‖H(W₀)‖ = Õ(1/√m); the tolerance leaves room for a factor log m.",
    states=Rate(0.5, "O", within=_LOGARITHM),
    plan=WIDTHS.but(sizes=_SIZES, exponents=(0.5, 1.0), because=_POWERS, cost=_product_cost),
)
def linear_hessian(size: int, rng: Generator, replicates: int) -> Array:
    """‖H(W₀)‖ at the first input."""
    return two_hidden(size, rng, replicates, lambda batch: _hessian_norms(batch, rng, "identity"))


@claim(
    "liu.table1.linear-kernel",
    at="Table 1, row 1, NTK",
    standing="remark",
    printed="Linear output layer: ‖K(W₀)‖ = Θ(1).",
    states=Rate(0.0, "Theta", within=0.05),
    plan=WIDTHS.but(sizes=_SIZES, exponents=(1.0,), because=_MOMENTS, cost=_kernel_cost),
)
def linear_kernel(size: int, rng: Generator, replicates: int) -> Array:
    """‖K(W₀)‖ over both inputs."""
    return two_hidden(size, rng, replicates, lambda batch: _kernel_norms(batch, "identity"))


@claim(
    "liu.table1.linear-constant",
    at="Table 1, row 1, constant NTK: yes",
    standing="remark",
    printed="Linear output layer: the relative change of the kernel in training vanishes, at least like m^(-1/2); "
    "the tolerance leaves room for a factor log m.",
    states=Rate(0.5, "O", within=_LOGARITHM),
    plan=WIDTHS.but(sizes=_SIZES, exponents=(0.5, 1.0), because=_POWERS, cost=_training_cost),
)
def linear_change(size: int, rng: Generator, replicates: int) -> Array:
    """sup_t ‖K_t - K_0‖_F/‖K_0‖_F until the loss has fallen to a thousandth."""
    return _changes(size, rng, replicates, "identity")


@claim(
    "liu.table1.output-hessian",
    at="Table 1, row 2, Hessian norm",
    standing="remark",
    printed="Non-linear output layer (softplus): ‖H̃(W₀)‖ = Õ(1).",
    states=Rate(0.0, "O", within=_LOGARITHM),
    plan=WIDTHS.but(sizes=_SMALLER, exponents=(0.5, 1.0), because=_POWERS, cost=_product_cost),
)
def output_hessian(size: int, rng: Generator, replicates: int) -> Array:
    """‖H̃(W₀)‖ at the first input."""
    return two_hidden(size, rng, replicates, lambda batch: _hessian_norms(batch, rng, "softplus"))


@claim(
    "liu.table1.output-kernel",
    at="Table 1, row 2, NTK",
    standing="remark",
    printed="Non-linear output layer (softplus): ‖K̃(W₀)‖ = Θ(1).",
    states=Rate(0.0, "Theta", within=0.05),
    plan=WIDTHS.but(sizes=_SMALLER, exponents=(1.0,), because=_MOMENTS, cost=_kernel_cost),
)
def output_kernel(size: int, rng: Generator, replicates: int) -> Array:
    """‖K̃(W₀)‖ over both inputs."""
    return two_hidden(size, rng, replicates, lambda batch: _kernel_norms(batch, "softplus"))


@claim(
    "liu.table1.output-constant",
    at=Place(
        "Table 1, row 2, constant NTK: no",
        note="Where φ'(f) is small at the start the plain quotient is large: its mean rests on few networks.",
    ),
    standing="remark",
    printed="Non-linear output layer (softplus): the relative change of the kernel in training is Θ(1); measured as "
    "sup_t ‖K̃_t - K̃_0‖_F/(‖K̃_t‖_F + ‖K̃_0‖_F), a lower bound of it that is at most one.",
    states=Rate(0.0, "Theta", within=0.1),
    plan=WIDTHS.but(
        sizes=APART,
        exponents=(1.0,),
        because=f"{_MOMENTS}; a kernel moves by 1/m on the way of training, its slopes φ'(f) by Θ(1)",
        cost=_training_cost,
    ),
)
def output_change(size: int, rng: Generator, replicates: int) -> Array:
    """The bounded change of K̃."""
    return _changes(size, rng, replicates, "softplus", symmetric=True)


@claim(
    "liu.table1.bottleneck-hessian",
    at="Table 1, row 3, Hessian norm",
    standing="remark",
    printed="Bottleneck (31): ‖H(W₀)‖ = Õ(1).",
    states=Rate(0.0, "O", within=_LOGARITHM),
    plan=WIDTHS.but(sizes=APART, exponents=(1.0,), because=EDGEWORTH, cost=group_cost),
)
def bottleneck_hessian(size: int, rng: Generator, replicates: int) -> Array:
    """Mean of ‖H(W₀)‖ at x = 1 over a group."""
    return group_means(size, rng, replicates, lambda point: bottleneck_norms(point, 1.0, blocks=3))


@claim(
    "liu.table1.bottleneck-kernel",
    at="Table 1, row 3, NTK",
    standing="remark",
    printed="Bottleneck (31): K(x, x) = Θ(1); measured as its root, whose tail is lighter.",
    states=Rate(0.0, "Theta", within=0.05),
    plan=WIDTHS.but(
        sizes=APART, exponents=(1.0,), because=EDGEWORTH, cost=lambda size: 16 * (8e-6 + 2e-7 * size)
    ),
)
def bottleneck_kernel(size: int, rng: Generator, replicates: int) -> Array:
    """Mean of ‖∇f‖ at x = 1 over a group."""

    def lengths(point: Array) -> Array:
        return np.asarray(np.sqrt((bottleneck_gradients(point, 1.0)[1] ** 2).sum(axis=(0, 2))))

    return group_means(size, rng, replicates, lengths)


@claim(
    "liu.table1.bottleneck-constant",
    at=Place(
        "Table 1, row 3, constant NTK: no",
        note="The quotient is bounded: K₀ is small with a density, so the mean of K*/K₀ is infinite. With probability "
        "arctan(√2)/π = 0.304 the flow ends at b = 0, f = 0, and never reaches y.",
    ),
    standing="remark",
    printed="Bottleneck (31): the kernel changes by Θ(1) in training on one sample (x = 1): E|K* - K₀|/(K* + K₀) "
    "tends to a positive limit, computed from the flow of b and S.",
    states=Limit(bottleneck_kernel_change, within=0.03),
    over=(LABEL,),
    plan=WIDTHS.but(
        sizes=APART,
        exponents=(1.0,),
        because="b and S are symmetric sums, |∇b|² and |∇S|² means of m terms: their fluctuations "
        "move a mean by O(1/m)",
        cost=lambda size: 16 * (5e-4 + 3.5e-5 * size),
    ),
)
def bottleneck_change(size: int, rng: Generator, replicates: int, label: float) -> Array:
    """Mean of |K* - K₀|/(K* + K₀) over a group."""

    def changes(point: Array) -> Array:
        flow = bottleneck_flow(point, label)
        return np.asarray(
            np.abs(flow.kernel_after - flow.kernel_before) / (flow.kernel_after + flow.kernel_before)
        )

    return group_means(size, rng, replicates, changes)
