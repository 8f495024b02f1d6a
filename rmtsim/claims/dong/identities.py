"""Printed Hessians of `dong` against his printed losses, by high-precision differentiation.

A factor lost between a loss and its Hessian is a refuted claim; the Hessian of the loss as printed is its
correction. Equations: (1), (3), (8), (9), (11), (12), (14), (15), (18), (21); eq. (5) is in `dong_linear`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong.parameters import integer_parameter
from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameters, Sampler, Tolerance

_HIDDEN = integer_parameter("hidden", default=3, lowest=2, highest=30, draw_range=(2, 5))
_CLASSES = integer_parameter("classes", default=3, lowest=2, highest=30, draw_range=(2, 5))

Errors = Callable[[int, int, int, np.random.Generator], float]
"""(dimension, hidden, classes, rng) → relative error of the printed blocks of one drawn problem."""


def _relative_error(pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> float:
    """Largest entry-wise error over (printed, true) blocks, relative to the largest true entry of all of them."""
    scale = max(float(np.abs(true).max()) for _, true in pairs)
    return max(float(np.abs(printed - true).max()) for printed, true in pairs) / scale


def _sampler(errors: Errors) -> Sampler:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        hidden, classes = int(parameters.get("hidden", 1)), int(parameters.get("classes", 1))
        return np.array([errors(size, hidden, classes, rng) for _ in range(replicates)])

    return sample


def _identity(
    name: str,
    equation: str,
    statement: str,
    errors: Errors,
    *,
    parameters: tuple[str, ...] = ("hidden", "classes"),
    note: str = "",
) -> object:
    known = {"hidden": _HIDDEN, "classes": _CLASSES}
    return register(
        Claim(
            id=f"dong.{name}",
            paper="dong",
            equation=f"eq. ({equation})",
            statement=statement,
            kind="identity",
            parameters=tuple(known[parameter] for parameter in parameters),
            grid=(dict.fromkeys(parameters, 2), {key: 3 + (key == "classes") for key in parameters}),
            sizes=(2, 3),
            size_name="d",
            sample=_sampler(errors),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=1e-11),
            cost=lambda parameters, size: (
                1e-4
                * size**2
                * (size + 2)
                * (parameters.get("hidden", 1) * size + 6 * parameters.get("classes", 1))
            ),
            note=note,
        )
    )


def _linear_errors(factor: float) -> Errors:
    def errors(dimension: int, hidden: int, classes: int, rng: np.random.Generator) -> float:
        from rmtsim.hessian.differentiation import hessian_by_differences
        from rmtsim.hessian.linear import square_loss_block
        from rmtsim.hessian.stated_losses import linear_square_loss
        from rmtsim.sampling.linear import sample_linear

        model = sample_linear(dimension, dimension + 1, classes, rng)
        loss = linear_square_loss(model.inputs, rng.standard_normal((dimension + 1, classes)))
        i, j = rng.choice(classes, size=2, replace=False)
        pairs = []
        for a, b in ((i, i), (i, j)):
            rows, columns = (range(c * dimension, (c + 1) * dimension) for c in (a, b))
            truth = hessian_by_differences(loss, model.weights, rows, columns)
            pairs.append((factor * square_loss_block(model, int(a), int(b)), truth))
        return _relative_error(pairs)

    return errors


_FACTOR = "The derivative of a square brings a factor 2 that the loss as printed does not cancel."

_identity(
    "eq3",
    "3",
    "The Hessian of the square loss (2) has the blocks (1/N) Σ x_n x_nᵀ on the diagonal and zero elsewhere.",
    _linear_errors(0.5),
    parameters=("classes",),
    note=_FACTOR,
)
_identity(
    "eq3/corrected",
    "3",
    "The Hessian of the square loss (2) has the blocks (2/N) Σ x_n x_nᵀ on the diagonal and zero elsewhere.",
    _linear_errors(1.0),
    parameters=("classes",),
    note=_FACTOR,
)


def _network_errors(layer: str, loss_name: str, factor: float = 1.0) -> Errors:
    """Blocks of one layer (``hidden``, ``output``, ``cross``, ``stripe``) times ``factor`` against the loss."""

    def errors(dimension: int, hidden: int, classes: int, rng: np.random.Generator) -> float:
        from dataclasses import replace

        from rmtsim.hessian import one_hidden as blocks
        from rmtsim.hessian import stated_losses as printed_losses
        from rmtsim.hessian.differentiation import hessian_by_differences
        from rmtsim.sampling.one_hidden import sample_one_hidden

        network = sample_one_hidden(dimension, dimension + 2, hidden, classes, rng)
        i, j = rng.choice(hidden if layer == "hidden" else classes, size=2, replace=False)
        neuron = int(rng.integers(hidden))
        if loss_name == "mse":
            # Real-valued targets: the formulas are stated for labels, and hold for any.
            network = replace(network, targets=rng.standard_normal((dimension + 2, classes)))
        if layer == "stripe":
            # Without weights out of the neuron the second term vanishes and the first is the whole block.
            output = network.output.copy()
            output[:, neuron] = 0.0
            network = replace(network, output=output)
        if loss_name == "mse":
            loss = printed_losses.network_square_loss(network.inputs, network.targets, hidden)
            state = blocks.forward(network, "mse")
        else:
            loss = printed_losses.network_cross_entropy(network.inputs, network.targets, hidden)
            state = blocks.forward(network, "ce")
        theta = np.concatenate([network.hidden.ravel(), network.output.ravel()])

        def first(k: int) -> range:
            return range(k * dimension, (k + 1) * dimension)

        def second(c: int) -> range:
            return range(hidden * dimension + c * hidden, hidden * dimension + (c + 1) * hidden)

        cases: list[tuple[NDArray[np.float64], range, range]]
        if layer == "hidden":
            cases = [(blocks.hidden_block(state, int(i), int(b)), first(i), first(b)) for b in (i, j)]
        elif layer == "output":
            cases = [(blocks.output_block(state, int(i), int(b)), second(i), second(b)) for b in (i, j)]
        else:
            cases = [(blocks.cross_block(state, neuron, int(c)), first(neuron), second(c)) for c in (i, j)]
        pairs = []
        for formula, rows, columns in cases:
            printed = factor * formula
            if layer == "stripe":
                printed = np.zeros_like(formula)
                printed[:, neuron] = factor * formula[:, neuron]
            pairs.append((printed, hessian_by_differences(loss, theta, rows, columns)))
        # All gates of a drawn neuron may be shut; a zero block against zero says nothing, so look again.
        if not any(np.abs(truth).max() > 0 for _, truth in pairs):
            return errors(dimension, hidden, classes, rng)
        return _relative_error(pairs)

    return errors


_identity(
    "eq8",
    "8",
    "The hidden-layer blocks of the square loss (7) are (1/N)(Σ_c v_ci v_cj) Σ_n 1(w_i·x_n>0)1(w_j·x_n>0) x_n x_nᵀ.",
    _network_errors("hidden", "mse", 0.5),
    note=_FACTOR,
)
_identity(
    "eq8/corrected",
    "8",
    "The hidden-layer blocks of the square loss (7) are (2/N)(Σ_c v_ci v_cj) Σ_n 1(w_i·x_n>0)1(w_j·x_n>0) x_n x_nᵀ.",
    _network_errors("hidden", "mse"),
    note=_FACTOR,
)
_identity(
    "eq9",
    "9",
    "The output-layer blocks of the square loss (7) are (1/N) Σ σ(Wx_n)σ(Wx_n)ᵀ, and zero (d × d) off the diagonal.",
    _network_errors("output", "mse", 0.5),
    note=_FACTOR + " The zero blocks are m × m, not d × d.",
)
_identity(
    "eq9/corrected",
    "9",
    "The output-layer blocks of the square loss (7) are (2/N) Σ σ(Wx_n)σ(Wx_n)ᵀ, and zero (m × m) off the diagonal.",
    _network_errors("output", "mse"),
    note=_FACTOR + " The zero blocks are m × m, not d × d.",
)
_identity(
    "eq11",
    "11",
    "The cross-layer blocks of the square loss (7) are (2/N) Σ_n 1(w_i·x_n>0) x_n [(σ(Wx_n)·v_j - y_nj) e_i + "
    "v_ji σ(Wx_n)]ᵀ.",
    _network_errors("cross", "mse"),
)
_identity(
    "eq12",
    "12",
    "The first term of (11) has the one column a_i = (1/N) Σ_n (σ(Wx_n)·v_j - y_nj) 1(w_i·x_n>0) x_n.",
    _network_errors("stripe", "mse", 0.5),
    note="The column below (12) drops the factor 2 that (11) has.",
)
_identity(
    "eq12/corrected",
    "12",
    "The first term of (11) has the one column a_i = (2/N) Σ_n (σ(Wx_n)·v_j - y_nj) 1(w_i·x_n>0) x_n.",
    _network_errors("stripe", "mse"),
    note="The column below (12) drops the factor 2 that (11) has.",
)
_identity(
    "eq14",
    "14",
    "The hidden-layer blocks of the cross-entropy (13) are (1/N) Σ_n (Σ_c p_nc v_ci v_cj - (Σ_c "
    "p_nc v_ci)(Σ_c p_nc v_cj)) "
    "1(w_i·x_n>0)1(w_j·x_n>0) x_n x_nᵀ.",
    _network_errors("hidden", "ce"),
)
_identity(
    "eq15",
    "15",
    "The output-layer blocks of the cross-entropy (13) are (1/N) Σ_n p_ni(δ_ij - p_nj) σ(Wx_n)σ(Wx_n)ᵀ.",
    _network_errors("output", "ce"),
)
_identity(
    "eq18",
    "18",
    "The cross-layer blocks of the cross-entropy (13) are (1/N) Σ_n 1(w_i·x_n>0) x_n [(p_nj - δ_{y_n j}) e_i + "
    "Σ_c (δ_jc - p_nc) p_nj v_ci σ(Wx_n)]ᵀ.",
    _network_errors("cross", "ce"),
)
_identity(
    "eq21",
    "21",
    "The first term of (18) has the one column a_i = (1/N) Σ_n (p_nj - δ_{y_n j}) 1(w_i·x_n>0) x_n (c read as j).",
    _network_errors("stripe", "ce"),
)


def _binary_errors(with_label: bool) -> Errors:
    """Printed off-diagonal block for both labels; p = 1/(1 + e^{-yf}) as printed, or 1/(1 + e^{-f})."""

    def errors(dimension: int, hidden: int, classes: int, rng: np.random.Generator) -> float:
        from rmtsim.hessian.differentiation import hessian_by_differences
        from rmtsim.hessian.stated_losses import binary_cross_entropy

        x, output = rng.standard_normal(dimension), rng.standard_normal(hidden)
        first = rng.standard_normal((hidden, dimension))
        # Both gates open: otherwise the block is zero and says nothing.
        first[:2] *= np.sign(first[:2] @ x)[:, None]
        f = float(output @ np.maximum(first @ x, 0.0))
        pairs = []
        for label in (0, 1):
            p = 1 / (1 + np.exp(-(label if with_label else 1) * f))
            printed = p * (1 - p) * output[0] * output[1] * np.outer(x, x)
            loss = binary_cross_entropy(x, output, label)
            truth = hessian_by_differences(loss, first, range(dimension), range(dimension, 2 * dimension))
            pairs.append((printed, truth))
        return _relative_error(pairs)

    return errors


_BINARY = (
    "With labels 0 and 1 the printed p is 1/2 for every network whose label is 0; the logistic curvature is that of "
    "1/(1 + e^{-f}), whatever the label (or labels are ±1)."
)
_identity(
    "eq1",
    "1",
    "For one logistic output and a label y in {0, 1}, ∂²ℓ/∂w_i∂w_jᵀ = p(1-p) v_i v_j σ'(w_i·x)σ'(w_j·x) xxᵀ with "
    "p = 1/(1 + e^{-yf}).",
    _binary_errors(True),
    parameters=("hidden",),
    note=_BINARY,
)
_identity(
    "eq1/corrected",
    "1",
    "For one logistic output and a label y in {0, 1}, ∂²ℓ/∂w_i∂w_jᵀ = p(1-p) v_i v_j σ'(w_i·x)σ'(w_j·x) xxᵀ with "
    "p = 1/(1 + e^{-f}).",
    _binary_errors(False),
    parameters=("hidden",),
    note=_BINARY,
)
