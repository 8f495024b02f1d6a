"""Printed Hessians of `dong` against the printed losses, by high-precision differentiation.

The formulas are those of `printed_hessians`, sums as printed, the losses those of
:mod:`rmtsim.papers.dong.simulation.stated_losses`. A factor lost between a loss and its Hessian is a refuted
claim; the Hessian of the loss as printed is its correction. Equations: (1), (3), (8), (9), (11), (12), (14), (15),
(18), (21); eq. (5) is in `theorem_1`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Choice, Identity, Plan, Simulated, claim
from rmtsim.papers.dong.simulation.differentiated_blocks import Layer, Loss, Problem, differentiated_blocks
from rmtsim.papers.dong.statements import printed_hessians as printed
from rmtsim.papers.dong.statements.parameters import integer_parameter

HIDDEN = integer_parameter("hidden", default=3, lowest=2, highest=30, draw_range=(2, 5))
CLASSES = integer_parameter("classes", default=3, lowest=2, highest=30, draw_range=(2, 5))


def relative_error(pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> float:
    """Largest entry-wise error over (stated, true) blocks, relative to the largest true entry of all of them."""
    scale = max(float(np.abs(true).max()) for _, true in pairs)
    return max(float(np.abs(stated - true).max()) for stated, true in pairs) / scale


def _cost(size: int, hidden: int = 1, classes: int = 1) -> float:
    return 1e-4 * size**2 * (size + 2) * (hidden * size + 6 * classes)


IDENTITY_PLAN = Plan(sizes=(2, 3), size_name="d", cost=_cost)


def factor(form: str) -> float:
    """The number before 1/N in Hessians of the square loss."""
    return 1.0 if form == "printed" else 2.0


# ---- (3): the linear model -----------------------------------------------------------------------------------------


@claim(
    "dong.eq3",
    states=Identity(within=1e-11),
    over=(CLASSES,),
    points=({"classes": 2}, {"classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def linear_square_error(size: int, rng: np.random.Generator, form: str, classes: int) -> float:
    """Error of (factor/N) Σ x_n x_nᵀ on the diagonal and zero elsewhere."""
    from rmtsim.curvature import hessian_by_differences, sample_linear
    from rmtsim.papers.dong.simulation.stated_losses import linear_square_loss

    model = sample_linear(size, size + 1, classes, rng)
    loss = linear_square_loss(model.inputs, rng.standard_normal((size + 1, classes)))
    i, j = rng.choice(classes, size=2, replace=False)
    pairs = []
    for a, b in ((i, i), (i, j)):
        rows, columns = (range(c * size, (c + 1) * size) for c in (a, b))
        truth = hessian_by_differences(loss, model.weights, rows, columns)
        pairs.append((printed.eq_3(model.inputs, int(a), int(b), factor(form)), truth))
    return relative_error(pairs)


# ---- (8) to (21): one hidden layer ---------------------------------------------------------------------------------

Formula = Callable[[Problem, int, int, float], NDArray[np.float64]]
"""The printed block (i, j) of a problem: two neurons, two classes, or a neuron and a class; the last
argument is the factor before 1/N."""
FORMULAS: dict[str, tuple[Layer, Loss, Formula]] = {
    "8": ("hidden", "mse", lambda p, i, j, factor: printed.eq_8(*p.arrays, i, j, factor)),
    "9": (
        "output",
        "mse",
        lambda p, i, j, factor: printed.eq_9(p.network.hidden, p.network.inputs, i, j, factor),
    ),
    "11": (
        "cross",
        "mse",
        lambda p, i, j, factor: printed.eq_11(*p.arrays, p.network.targets, i, j),
    ),
    "12": (
        "stripe",
        "mse",
        lambda p, i, j, factor: printed.eq_12(*p.arrays, p.network.targets, i, j, factor),
    ),
    "14": ("hidden", "ce", lambda p, i, j, factor: printed.eq_14(*p.arrays, i, j)),
    "15": ("output", "ce", lambda p, i, j, factor: printed.eq_15(*p.arrays, i, j)),
    "18": ("cross", "ce", lambda p, i, j, factor: printed.eq_18(*p.arrays, p.labels, i, j)),
    "21": ("stripe", "ce", lambda p, i, j, factor: printed.eq_21(*p.arrays, p.labels, i, j)),
}


@claim(
    "dong.eq{equation}",
    states=Identity(within=1e-11),
    over=[Choice("equation", FORMULAS), HIDDEN, CLASSES],
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def network_error(
    size: int,
    rng: np.random.Generator,
    form: str,
    equation: tuple[Layer, Loss, Formula],
    hidden: int,
    classes: int,
) -> float:
    """Error of a printed formula against the differentiated loss, over two blocks of a drawn network."""
    layer, loss, block = equation
    problem, blocks = differentiated_blocks(size, rng, hidden, classes, layer, loss)
    return relative_error([(block(problem, i, j, factor(form)), truth) for i, j, truth in blocks])


# ---- (1): one logistic output --------------------------------------------------------------------------------------


@claim(
    "dong.eq1",
    states=Identity(within=1e-11),
    over=(HIDDEN,),
    points=({"hidden": 2}, {"hidden": 3}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def binary_error(size: int, rng: np.random.Generator, form: str, hidden: int) -> float:
    """Printed off-diagonal block for both labels; p = 1/(1 + e^{-yf}) as printed, or 1/(1 + e^{-f})."""
    from rmtsim.curvature import hessian_by_differences
    from rmtsim.papers.dong.simulation.stated_losses import binary_cross_entropy

    x, output = rng.standard_normal(size), rng.standard_normal(hidden)
    first = rng.standard_normal((hidden, size))
    # Both gates open: otherwise the block is zero and tests nothing.
    first[:2] *= np.sign(first[:2] @ x)[:, None]
    pairs = []
    for label in (0, 1):
        loss = binary_cross_entropy(x, output, label)
        truth = hessian_by_differences(loss, first, range(size), range(size, 2 * size))
        pairs.append((printed.eq_1(first, output, x, label if form == "printed" else 1), truth))
    return relative_error(pairs)
