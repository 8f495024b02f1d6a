"""Printed Hessians of `dong` against the printed losses, by high-precision differentiation.

The formulas are those of `printed_hessians`, sums as on the page, the losses those of
:mod:`rmtsim.papers.dong.simulation.stated_losses`. A factor lost between a loss and its Hessian is a refuted
claim; the Hessian of
the loss as printed is its correction. Equations: (1), (3), (8), (9), (11), (12), (14), (15), (18), (21); eq. (5) is
in `theorem_1`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Identity, Place, Plan, Simulated, claim
from rmtsim.papers.dong.statements import printed_hessians as printed
from rmtsim.papers.dong.statements.parameters import integer_parameter

if TYPE_CHECKING:
    from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork

HIDDEN = integer_parameter("hidden", default=3, lowest=2, highest=30, draw_range=(2, 5))
CLASSES = integer_parameter("classes", default=3, lowest=2, highest=30, draw_range=(2, 5))


def relative_error(pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> float:
    """Largest entry-wise error over (stated, true) blocks, relative to the largest true entry of all of them."""
    scale = max(float(np.abs(true).max()) for _, true in pairs)
    return max(float(np.abs(stated - true).max()) for stated, true in pairs) / scale


def _cost(size: int, hidden: int = 1, classes: int = 1) -> float:
    return 1e-4 * size**2 * (size + 2) * (hidden * size + 6 * classes)


IDENTITY_PLAN = Plan(sizes=(2, 3), size_name="d", cost=_cost)

_LOST = "the factor 2 of the square loss is lost"
_FACTOR = "The derivative of a square brings a factor 2 that the loss as printed does not cancel."
_CREDIT = "(11) has the factor 2."

# ---- (3): the linear model -----------------------------------------------------------------------------------------


def linear_square_error(size: int, rng: np.random.Generator, classes: int, factor: float) -> float:
    """Error of (factor/N) Σ x_n x_nᵀ on the diagonal and zero elsewhere."""
    from rmtsim.curvature._differentiation import hessian_by_differences
    from rmtsim.curvature._linear_model import sample_linear
    from rmtsim.papers.dong.simulation.stated_losses import linear_square_loss

    model = sample_linear(size, size + 1, classes, rng)
    loss = linear_square_loss(model.inputs, rng.standard_normal((size + 1, classes)))
    i, j = rng.choice(classes, size=2, replace=False)
    pairs = []
    for a, b in ((i, i), (i, j)):
        rows, columns = (range(c * size, (c + 1) * size) for c in (a, b))
        truth = hessian_by_differences(loss, model.weights, rows, columns)
        pairs.append((printed.eq_3(model.inputs, int(a), int(b), factor), truth))
    return relative_error(pairs)


def eq_3_error(size: int, rng: np.random.Generator, classes: int) -> float:
    """With 1/N, as printed."""
    return linear_square_error(size, rng, classes, 1.0)


def eq_3_corrected_error(size: int, rng: np.random.Generator, classes: int) -> float:
    """With 2/N."""
    return linear_square_error(size, rng, classes, 2.0)


claim(
    "dong.eq3",
    eq_3_error,
    at="eq. (3)",
    standing="equation",
    printed="The Hessian of the square loss (2) has the blocks (1/N) Σ x_n x_nᵀ on the diagonal and zero "
    "elsewhere.",
    corrected=Corrected(
        "The Hessian of the square loss (2) has the blocks (2/N) Σ x_n x_nᵀ on the diagonal and zero "
        "elsewhere.",
        measured=eq_3_corrected_error,
    ),
    states=Identity(within=1e-11),
    over=(CLASSES,),
    points=({"classes": 2}, {"classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
    erratum=Erratum(cause=_LOST, note=_FACTOR, credit=_CREDIT),
)

# ---- (8) to (21): one hidden layer ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """A drawn network, the two neurons or classes of its blocks, and the neuron of its cross-layer blocks."""

    network: OneHiddenNetwork
    first: int
    second: int
    neuron: int

    @property
    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """W, V, inputs."""
        return self.network.hidden, self.network.output, self.network.inputs

    @property
    def labels(self) -> NDArray[np.int_]:
        """y_n."""
        return np.asarray(self.network.targets.argmax(axis=1))

    def rows_of_neuron(self, k: int) -> range:
        """Where w_k stands among the parameters."""
        dimension = self.network.hidden.shape[1]
        return range(k * dimension, (k + 1) * dimension)

    def rows_of_class(self, c: int) -> range:
        """Where v_c stands among the parameters."""
        hidden, dimension = self.network.hidden.shape
        return range(hidden * dimension + c * hidden, hidden * dimension + (c + 1) * hidden)


Layer = Literal["hidden", "output", "cross", "stripe"]
Formula = Callable[[Problem, int, int], NDArray[np.float64]]
"""The printed block (i, j) of a problem: two neurons, two classes, or a neuron and a class."""


def draw_problem(
    size: int, rng: np.random.Generator, hidden: int, classes: int, layer: Layer, loss: Literal["mse", "ce"]
) -> Problem:
    """A network with d = ``size``, N = d + 2; real-valued targets for the square loss, labels for the other."""
    from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden

    network = sample_one_hidden(size, size + 2, hidden, classes, rng)
    i, j = rng.choice(hidden if layer == "hidden" else classes, size=2, replace=False)
    neuron = int(rng.integers(hidden))
    if loss == "mse":
        # The formulas are stated for labels, and hold for any targets.
        network = replace(network, targets=rng.standard_normal((size + 2, classes)))
    if layer == "stripe":
        # Without weights out of the neuron the second term vanishes and the first is the whole block.
        output = network.output.copy()
        output[:, neuron] = 0.0
        network = replace(network, output=output)
    return Problem(network, int(i), int(j), neuron)


def network_error(
    size: int,
    rng: np.random.Generator,
    hidden: int,
    classes: int,
    layer: Layer,
    loss_name: Literal["mse", "ce"],
    formula: Formula,
) -> float:
    """Error of a printed formula against the differentiated loss, over two blocks of a drawn network."""
    from rmtsim.curvature._differentiation import SecondDifferences
    from rmtsim.papers.dong.simulation import stated_losses

    problem = draw_problem(size, rng, hidden, classes, layer, loss_name)
    network = problem.network
    stated = stated_losses.network_square_loss if loss_name == "mse" else stated_losses.network_cross_entropy
    loss = stated(network.inputs, network.targets, hidden)
    theta = np.concatenate([network.hidden.ravel(), network.output.ravel()])
    pairs = []
    differentiated = SecondDifferences(loss, theta)
    for other in (problem.first, problem.second):
        if layer == "hidden":
            i, j = problem.first, other
            rows, columns = problem.rows_of_neuron(i), problem.rows_of_neuron(j)
        elif layer == "output":
            i, j = problem.first, other
            rows, columns = problem.rows_of_class(i), problem.rows_of_class(j)
        else:
            i, j = problem.neuron, other
            rows, columns = problem.rows_of_neuron(i), problem.rows_of_class(j)
        pairs.append((formula(problem, i, j), differentiated(rows, columns)))
    # All gates of a drawn neuron may be shut; a zero block against zero says nothing, so look again.
    if not any(np.abs(truth).max() > 0 for _, truth in pairs):
        return network_error(size, rng, hidden, classes, layer, loss_name, formula)
    return relative_error(pairs)


def eq_8_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """With 1/N, as printed."""
    return network_error(
        size, rng, hidden, classes, "hidden", "mse", lambda p, i, j: printed.eq_8(*p.arrays, i, j, 1.0)
    )


def eq_8_corrected_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """With 2/N."""
    return network_error(
        size, rng, hidden, classes, "hidden", "mse", lambda p, i, j: printed.eq_8(*p.arrays, i, j, 2.0)
    )


claim(
    "dong.eq8",
    eq_8_error,
    at="eq. (8)",
    standing="equation",
    printed="The hidden-layer blocks of the square loss (7) are "
    "(1/N)(Σ_c v_ci v_cj) Σ_n 1(w_i·x_n>0)1(w_j·x_n>0) x_n x_nᵀ.",
    corrected=Corrected(
        "The hidden-layer blocks of the square loss (7) are "
        "(2/N)(Σ_c v_ci v_cj) Σ_n 1(w_i·x_n>0)1(w_j·x_n>0) x_n x_nᵀ.",
        measured=eq_8_corrected_error,
    ),
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
    erratum=Erratum(cause=_LOST, note=_FACTOR, credit=_CREDIT),
)


def eq_9_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """With 1/N, as printed."""
    return network_error(
        size,
        rng,
        hidden,
        classes,
        "output",
        "mse",
        lambda p, i, j: printed.eq_9(p.network.hidden, p.network.inputs, i, j, 1.0),
    )


def eq_9_corrected_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """With 2/N."""
    return network_error(
        size,
        rng,
        hidden,
        classes,
        "output",
        "mse",
        lambda p, i, j: printed.eq_9(p.network.hidden, p.network.inputs, i, j, 2.0),
    )


claim(
    "dong.eq9",
    eq_9_error,
    at="eq. (9)",
    standing="equation",
    printed="The output-layer blocks of the square loss (7) are (1/N) Σ σ(Wx_n)σ(Wx_n)ᵀ, and zero (d × d) off the "
    "diagonal.",
    corrected=Corrected(
        "The output-layer blocks of the square loss (7) are (2/N) Σ σ(Wx_n)σ(Wx_n)ᵀ, and zero (m × m) off "
        "the diagonal.",
        measured=eq_9_corrected_error,
    ),
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
    erratum=Erratum(cause=_LOST, note=_FACTOR + " The zero blocks are m × m, not d × d.", credit=_CREDIT),
)


@claim(
    "dong.eq11",
    at="eq. (11)",
    standing="equation",
    printed="The cross-layer blocks of the square loss (7) are (2/N) Σ_n 1(w_i·x_n>0) x_n [(σ(Wx_n)·v_j - y_nj) "
    "e_i + v_ji σ(Wx_n)]ᵀ.",
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def eq_11_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """Error of the printed blocks."""
    return network_error(
        size,
        rng,
        hidden,
        classes,
        "cross",
        "mse",
        lambda p, i, j: printed.eq_11(*p.arrays, p.network.targets, i, j),
    )


def eq_12_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """With 1/N, as printed."""
    return network_error(
        size,
        rng,
        hidden,
        classes,
        "stripe",
        "mse",
        lambda p, i, j: printed.eq_12(*p.arrays, p.network.targets, i, j, 1.0),
    )


def eq_12_corrected_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """With 2/N."""
    return network_error(
        size,
        rng,
        hidden,
        classes,
        "stripe",
        "mse",
        lambda p, i, j: printed.eq_12(*p.arrays, p.network.targets, i, j, 2.0),
    )


claim(
    "dong.eq12",
    eq_12_error,
    at="eq. (12)",
    standing="equation",
    printed="The first term of (11) has the one column a_i = (1/N) Σ_n (σ(Wx_n)·v_j - y_nj) 1(w_i·x_n>0) x_n.",
    corrected=Corrected(
        "The first term of (11) has the one column a_i = (2/N) Σ_n (σ(Wx_n)·v_j - y_nj) 1(w_i·x_n>0) x_n.",
        measured=eq_12_corrected_error,
    ),
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
    erratum=Erratum(
        cause=_LOST, note="The column below (12) drops the factor 2 that (11) has.", credit=_CREDIT
    ),
)


@claim(
    "dong.eq14",
    at="eq. (14)",
    standing="equation",
    printed="The hidden-layer blocks of the cross-entropy (13) are (1/N) Σ_n (Σ_c p_nc v_ci v_cj - (Σ_c "
    "p_nc v_ci)(Σ_c p_nc v_cj)) "
    "1(w_i·x_n>0)1(w_j·x_n>0) x_n x_nᵀ.",
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def eq_14_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """Error of the printed blocks."""
    return network_error(
        size, rng, hidden, classes, "hidden", "ce", lambda p, i, j: printed.eq_14(*p.arrays, i, j)
    )


@claim(
    "dong.eq15",
    at="eq. (15)",
    standing="equation",
    printed="The output-layer blocks of the cross-entropy (13) are (1/N) Σ_n p_ni(δ_ij - p_nj) σ(Wx_n)σ(Wx_n)ᵀ.",
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def eq_15_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """Error of the printed blocks."""
    return network_error(
        size, rng, hidden, classes, "output", "ce", lambda p, i, j: printed.eq_15(*p.arrays, i, j)
    )


@claim(
    "dong.eq18",
    at="eq. (18)",
    standing="equation",
    printed="The cross-layer blocks of the cross-entropy (13) are (1/N) Σ_n 1(w_i·x_n>0) x_n [(p_nj - δ_{y_n j}) "
    "e_i + Σ_c (δ_jc - p_nc) p_nj v_ci σ(Wx_n)]ᵀ.",
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def eq_18_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """Error of the printed blocks."""
    return network_error(
        size, rng, hidden, classes, "cross", "ce", lambda p, i, j: printed.eq_18(*p.arrays, p.labels, i, j)
    )


@claim(
    "dong.eq21",
    at="eq. (21)",
    standing="equation",
    printed="The first term of (18) has the one column a_i = (1/N) Σ_n (p_nj - δ_{y_n j}) 1(w_i·x_n>0) x_n (c read "
    "as j).",
    states=Identity(within=1e-11),
    over=(HIDDEN, CLASSES),
    points=({"hidden": 2, "classes": 2}, {"hidden": 3, "classes": 4}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
)
def eq_21_error(size: int, rng: np.random.Generator, hidden: int, classes: int) -> float:
    """Error of the printed column."""
    return network_error(
        size, rng, hidden, classes, "stripe", "ce", lambda p, i, j: printed.eq_21(*p.arrays, p.labels, i, j)
    )


# ---- (1): one logistic output --------------------------------------------------------------------------------------


def binary_error(size: int, rng: np.random.Generator, hidden: int, with_label: bool) -> float:
    """Printed off-diagonal block for both labels; p = 1/(1 + e^{-yf}) as printed, or 1/(1 + e^{-f})."""
    from rmtsim.curvature._differentiation import hessian_by_differences
    from rmtsim.papers.dong.simulation.stated_losses import binary_cross_entropy

    x, output = rng.standard_normal(size), rng.standard_normal(hidden)
    first = rng.standard_normal((hidden, size))
    # Both gates open: otherwise the block is zero and says nothing.
    first[:2] *= np.sign(first[:2] @ x)[:, None]
    pairs = []
    for label in (0, 1):
        loss = binary_cross_entropy(x, output, label)
        truth = hessian_by_differences(loss, first, range(size), range(size, 2 * size))
        pairs.append((printed.eq_1(first, output, x, label if with_label else 1), truth))
    return relative_error(pairs)


def eq_1_error(size: int, rng: np.random.Generator, hidden: int) -> float:
    """With p = 1/(1 + e^{-yf}), as printed."""
    return binary_error(size, rng, hidden, with_label=True)


def eq_1_corrected_error(size: int, rng: np.random.Generator, hidden: int) -> float:
    """With p = 1/(1 + e^{-f})."""
    return binary_error(size, rng, hidden, with_label=False)


claim(
    "dong.eq1",
    eq_1_error,
    at=Place("eq. (1)", qualifier="Collobert (2004) considered"),
    standing="equation",
    printed="For one logistic output and a label y in {0, 1}, ∂²ℓ/∂w_i∂w_jᵀ = p(1-p) v_i v_j σ'(w_i·x)σ'(w_j·x) "
    "xxᵀ with p = 1/(1 + e^{-yf}).",
    corrected=Corrected(
        "For one logistic output and a label y in {0, 1}, ∂²ℓ/∂w_i∂w_jᵀ = p(1-p) v_i v_j "
        "σ'(w_i·x)σ'(w_j·x) xxᵀ with p = 1/(1 + e^{-f}).",
        measured=eq_1_corrected_error,
    ),
    states=Identity(within=1e-11),
    over=(HIDDEN,),
    points=({"hidden": 2}, {"hidden": 3}),
    plan=IDENTITY_PLAN,
    evidence=Simulated(revision=2),
    erratum=Erratum(
        cause="labels 0, 1 in a formula for labels ±1",
        note="With labels 0 and 1 the printed p is 1/2 for every network whose label is 0; the logistic curvature is "
        "that of 1/(1 + e^{-f}), whatever the label (or labels are ±1).",
    ),
)
