"""`dong` Theorem 2 on networks: (27)-(29) as d, N → ∞ at fixed C, and Proposition 7.

Every sampler draws hidden and output weights and inputs; nothing of the theory enters. What the inputs add beyond W x
is averaged in closed form at the given d and N (:mod:`rmtsim.papers.dong.simulation.one_hidden_average`), so
sizes in the thousands
cost no more than small ones. Expectations at finite d, N expand in powers of 1/d (gates and logits depend on W
only through W Wᵀ, a Wishart matrix), so finite-size fits use the exponent one.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Limit, Plan, Relative, Simulated, claim
from rmtsim.claims._model import Parameters
from rmtsim.papers.dong.statements.parameters import CLASSES, GAMMA, HIDDEN
from rmtsim.papers.dong.theory import hidden_finite as finite
from rmtsim.papers.dong.theory import hidden_limits as limits

Array = NDArray[np.float64]

_GRID: tuple[Parameters, ...] = (
    {"gamma": 0.1, "hidden": 5, "classes": 5},
    {"gamma": 1.0, "hidden": 8, "classes": 20},
    {"gamma": 5.0, "hidden": 12, "classes": 50},
)

_PAIRS = 32
"""Independent inputs per drawn W, each with its mirror image."""


def _draws(classes: int) -> int:
    """Output matrices V per drawn W: a replicate is the mean over that many networks."""
    return max(1, min(32, 2000 // classes))


def mean_energies(
    size: int,
    rng: np.random.Generator,
    replicates: int,
    gamma: float,
    hidden: int,
    classes: int,
    layer: Literal["hidden", "output"],
    loss: Literal["mse", "ce"],
    spread: float = 1.0,
) -> tuple[Array, Array, int]:
    """(mean ‖H_ii‖²_F, mean ‖H_ij‖²_F, d) of networks with one drawn W a replicate, at min(d, N) = ``size``.

    ``spread``: how widely inputs are drawn; they are weighted, and no mean depends on it.
    """
    from rmtsim.papers.dong.simulation.one_hidden_average import sampled_energies
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    energies = sampled_energies(
        dimension,
        samples,
        hidden,
        classes,
        rng,
        replicates,
        layer=layer,
        loss=loss,
        pairs=_PAIRS,
        draws=_draws(classes),
        spread=spread,
    )
    return energies[:, 0], energies[:, 1], dimension


def hidden_ce_diagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖∂²ℓ_CE/∂w_i∂w_iᵀ‖²_F/d."""
    diagonal, _, dimension = mean_energies(size, rng, replicates, gamma, hidden, classes, "hidden", "ce")
    return diagonal * (1 / dimension)


def hidden_ce_offdiagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖∂²ℓ_CE/∂w_i∂w_jᵀ‖²_F/d."""
    _, offdiagonal, dimension = mean_energies(size, rng, replicates, gamma, hidden, classes, "hidden", "ce")
    return offdiagonal * (1 / dimension)


def hidden_mse_diagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/d."""
    diagonal, _, dimension = mean_energies(size, rng, replicates, gamma, hidden, classes, "hidden", "mse")
    return diagonal * (1 / dimension)


def hidden_mse_offdiagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/d."""
    _, offdiagonal, dimension = mean_energies(size, rng, replicates, gamma, hidden, classes, "hidden", "mse")
    return offdiagonal * (1 / dimension)


def expression_8_diagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖K_ii‖²_F/(C²d), K the expression (8): half of the Hessian of the loss (7)."""
    diagonal, _, dimension = mean_energies(size, rng, replicates, gamma, hidden, classes, "hidden", "mse")
    return diagonal * (0.25 / classes**2 / dimension)


def expression_8_offdiagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖K_ij‖²_F/(Cd), K the expression (8): half of the Hessian of the loss (7)."""
    _, offdiagonal, dimension = mean_energies(size, rng, replicates, gamma, hidden, classes, "hidden", "mse")
    return offdiagonal * (0.25 / classes / dimension)


def output_ce_diagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖∂²ℓ_CE/∂v_i∂v_iᵀ‖²_F."""
    return mean_energies(size, rng, replicates, gamma, hidden, classes, "output", "ce")[0]


def output_ce_offdiagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int, classes: int
) -> Array:
    """‖∂²ℓ_CE/∂v_i∂v_jᵀ‖²_F."""
    return mean_energies(size, rng, replicates, gamma, hidden, classes, "output", "ce")[1]


def _base_cost(hidden: int, classes: int, per_pair: float) -> float:
    return 2e-4 + _draws(classes) * classes * hidden * (2e-8 + per_pair * hidden)


def _softmax_cost(classes: int) -> float:
    return 1.6e-8 * _draws(classes) * 2 * _PAIRS * classes


def hidden_mse_cost(size: int, hidden: int, classes: int = 100) -> float:
    """Nominal seconds of a replicate: hidden layer, square loss."""
    # The default is for iterated limits, which set the class count themselves.
    return float(_base_cost(hidden, classes, 5e-9))


def hidden_ce_cost(size: int, hidden: int, classes: int) -> float:
    """Nominal seconds of a replicate: hidden layer, cross-entropy."""
    draws, pairs, inputs = _draws(classes), hidden * (hidden + 1) / 2, 2 * _PAIRS
    products = draws * inputs * pairs * (2e-10 * (classes + inputs) + 4e-9)
    return float(_base_cost(hidden, classes, 5e-9) + _softmax_cost(classes) + products)


def output_ce_cost(size: int, hidden: int, classes: int) -> float:
    """Nominal seconds of a replicate: output layer, cross-entropy."""
    draws, inputs = _draws(classes), 2 * _PAIRS
    products = draws * inputs * (2e-10 * inputs * classes + 4e-9 * inputs)
    return float(_base_cost(hidden, classes, 0.0) + _softmax_cost(classes) + products)


def _memory(size: int, classes: int = 1) -> float:
    return 3e7 + 1e3 * classes


SERIES = (
    "gates and logits depend on W only through W Wᵀ, a Wishart matrix over d, and inputs enter as averages "
    "over N: expectations are series in 1/d (docs/papers/dong/one-hidden-layer.md)"
)
"""Why the exponent of all of them is one."""
NETWORKS_PLAN = Plan(
    sizes=(40, 160, 640, 2560), size_name="min(d, N)", exponents=(1.0,), because=SERIES, memory=_memory
)

# ---- (27): hidden layer, cross-entropy -----------------------------------------------------------------------------

_SQUARE = "the average of a square is taken for the square of an average"
_JENSEN = (
    "(91) and (92) take the average over V of a square, (E[λ|V])², for the square of an "
    "average, (Eλ)²; (89) and (90), "
    "before that step, are right."
)


def h_ii(gamma: float, hidden: int, classes: int) -> float:
    """γE[ξ²] + E[(E[ξ|V])²]."""
    return finite.hidden_ce_diagonal(gamma, hidden, classes).value


def h_ij(gamma: float, hidden: int, classes: int) -> float:
    """γE[η²] + E[(E[η|V])²]."""
    return finite.hidden_ce_offdiagonal(gamma, hidden, classes).value


claim(
    "dong.eq27.diagonal",
    hidden_ce_diagonal,
    at="eq. (27) with (91)",
    standing="theorem",
    printed="E‖∂²ℓ_CE/∂w∂wᵀ‖²_F/d → h_ii(γ, C) = γE[ξ²] + (E[ξ])² as d, N → ∞, d/N → γ.",
    corrected=Corrected(
        "E‖∂²ℓ_CE/∂w∂wᵀ‖²_F/d → h_ii(γ, C) = γE[ξ²] + E[(E[ξ|V])²] as d, N → ∞, d/N → γ.",
        states=Limit(h_ii, within=Relative(0.05)),
    ),
    states=Limit(finite.printed_hidden_ce_diagonal, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, CLASSES),
    points=_GRID,
    plan=NETWORKS_PLAN.but(cost=hidden_ce_cost),
    evidence=Simulated(revision=2),
    erratum=Erratum(cause=_SQUARE, note=_JENSEN, credit="(89), before the average over V, is right."),
)
claim(
    "dong.eq27.offdiagonal",
    hidden_ce_offdiagonal,
    at="eq. (27) with (92)",
    standing="theorem",
    printed="E‖∂²ℓ_CE/∂w∂wᵀ‖²_F/d → h_ij(γ, C) = γE[η²] + (E[η])² as d, N → ∞, d/N → γ.",
    corrected=Corrected(
        "E‖∂²ℓ_CE/∂w∂wᵀ‖²_F/d → h_ij(γ, C) = γE[η²] + E[(E[η|V])²] as d, N → ∞, d/N → γ.",
        states=Limit(h_ij, within=Relative(0.05)),
    ),
    states=Limit(finite.printed_hidden_ce_offdiagonal, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, CLASSES),
    points=_GRID,
    plan=NETWORKS_PLAN.but(cost=hidden_ce_cost),
    evidence=Simulated(revision=2),
    erratum=Erratum(cause=_SQUARE, note=_JENSEN, credit="(90), before the average over V, is right."),
)

# ---- (28): hidden layer, square loss -------------------------------------------------------------------------------

_WEIGHTLESS = "a reference for u points to the norm of L, before the weights of V"
_WEIGHTS = (
    "The paper names the right-hand sides of (100) and (101) as u; they are the limits of "
    "‖L‖²/d and lack both the weights "
    "Σ_c v_ci v_cj and the factor 2 of the loss (7)."
)
_WEIGHTS_CREDIT = "(99) in Proposition 7 has the weights."


def printed_u_ii(gamma: float) -> float:
    """The right-hand side of (100)."""
    return (1 + 2 * gamma) / 4


def printed_u_ij(gamma: float) -> float:
    """The right-hand side of (101)."""
    return (1 + 4 * gamma) / 16


claim(
    "dong.eq28.diagonal",
    hidden_mse_diagonal,
    at="eq. (28) with (100)",
    standing="theorem",
    printed="E‖∂²ℓ_MSE/∂w∂wᵀ‖²_F/d → (1 + 2γ)/4 as d, N → ∞, d/N → γ.",
    corrected=Corrected(
        "E‖∂²ℓ_MSE/∂w∂wᵀ‖²_F/d → C(C+2)(1 + 2γ)/m² as d, N → ∞, d/N → γ.",
        states=Limit(finite.hidden_mse_diagonal, within=Relative(0.05)),
    ),
    states=Limit(printed_u_ii, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, CLASSES),
    points=_GRID,
    plan=NETWORKS_PLAN.but(cost=hidden_mse_cost),
    evidence=Simulated(revision=2),
    erratum=Erratum(cause=_WEIGHTLESS, note=_WEIGHTS, credit=_WEIGHTS_CREDIT),
)
claim(
    "dong.eq28.offdiagonal",
    hidden_mse_offdiagonal,
    at="eq. (28) with (101)",
    standing="theorem",
    printed="E‖∂²ℓ_MSE/∂w∂wᵀ‖²_F/d → (1 + 4γ)/16 as d, N → ∞, d/N → γ.",
    corrected=Corrected(
        "E‖∂²ℓ_MSE/∂w∂wᵀ‖²_F/d → C(1 + 4γ)/(4m²) as d, N → ∞, d/N → γ.",
        states=Limit(finite.hidden_mse_offdiagonal, within=Relative(0.05)),
    ),
    states=Limit(printed_u_ij, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, CLASSES),
    points=_GRID,
    plan=NETWORKS_PLAN.but(cost=hidden_mse_cost),
    evidence=Simulated(revision=2),
    erratum=Erratum(cause=_WEIGHTLESS, note=_WEIGHTS, credit=_WEIGHTS_CREDIT),
)

# ---- Proposition 7: the same for the expression (8), as C grows -----------------------------------------------------

EXPRESSION_8_PLAN = NETWORKS_PLAN.but(cost=hidden_mse_cost)
EXPRESSION_8_POINTS = tuple({"gamma": point["gamma"], "hidden": point["hidden"]} for point in _GRID)
claim(
    "dong.prop7.diagonal",
    expression_8_diagonal,
    at="Proposition 7, eq. (99)",
    standing="lemma",
    printed="With K_ij = (Σ_c v_ci v_cj) L_ij, the expression (8): E‖K‖²_F/(C²d) → (1 + 2γ)/(4m²) as d, N → ∞ and "
    "then C → ∞.",
    states=Limit(
        partial(limits.hidden_mse_diagonal_limit, factor=1.0),
        within=Relative(0.05),
        outer=("classes", (25, 100, 400)),
    ),
    over=(GAMMA, HIDDEN),
    points=EXPRESSION_8_POINTS,
    plan=EXPRESSION_8_PLAN,
    evidence=Simulated(revision=2),
)
claim(
    "dong.prop7.offdiagonal",
    expression_8_offdiagonal,
    at="Proposition 7, eq. (99)",
    standing="lemma",
    printed="With K_ij = (Σ_c v_ci v_cj) L_ij, the expression (8): E‖K‖²_F/(Cd) → (1 + 4γ)/(16m²) as d, N → ∞ and "
    "then C → ∞.",
    states=Limit(
        partial(limits.hidden_mse_offdiagonal_limit, factor=1.0),
        within=Relative(0.05),
        outer=("classes", (25, 100, 400)),
    ),
    over=(GAMMA, HIDDEN),
    points=EXPRESSION_8_POINTS,
    plan=EXPRESSION_8_PLAN,
    evidence=Simulated(revision=2),
)

# ---- (29): output layer, cross-entropy -----------------------------------------------------------------------------


def q_ii(hidden: int, classes: int) -> float:
    """The average (107) over two independent Gaussian pre-activations, summed as in (103)."""
    return finite.output_ce_diagonal(hidden, classes).value


def q_ij(hidden: int, classes: int) -> float:
    """The average (107) over two independent Gaussian pre-activations, summed as in (104)."""
    return finite.output_ce_offdiagonal(hidden, classes).value


claim(
    "dong.eq29.diagonal",
    output_ce_diagonal,
    at="eq. (29), (107)",
    standing="theorem",
    printed="E‖∂²ℓ_CE/∂v_i∂v_iᵀ‖²_F → q_ii(C), the average (107) over two "
    "independent Gaussian pre-activations, as d, N → ∞, d/N → γ.",
    states=Limit(q_ii, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, CLASSES),
    points=_GRID,
    plan=NETWORKS_PLAN.but(cost=output_ce_cost),
    evidence=Simulated(revision=2),
)
claim(
    "dong.eq29.offdiagonal",
    output_ce_offdiagonal,
    at="eq. (29), (107)",
    standing="theorem",
    printed="E‖∂²ℓ_CE/∂v_i∂v_jᵀ‖²_F → q_ij(C), the average (107) over two "
    "independent Gaussian pre-activations, as d, N → ∞, d/N → γ.",
    states=Limit(q_ij, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, CLASSES),
    points=_GRID,
    plan=NETWORKS_PLAN.but(cost=output_ce_cost),
    evidence=Simulated(revision=2),
)
