"""True limits of the quantities of ``wu``, in place of those that assume every activation to be a fair coin.

Rectified inputs have mean μ = 1/√(2π), so for given weights the pre-activation of hidden unit i is
u_i = μ g_i + fluctuation, with g_i = Σ_j W_ij standard normal over units and variance v = (π-1)/(2π) over
inputs. The mean does not vanish: the pre-activations at two inputs have correlation ρ₁ = μ²/(μ² + v) = 1/π, and unit
i is active with probability π_i = Φ(g_i/√(π-1)), not 1/2. All limits below follow from

    E π_i = 1/2,    q = E π_i² = 1/4 + arcsin(ρ)/(2π).

Deeper layers repeat it with ρ_{l+1} = (√(1-ρ²) + ρ(π/2 + arcsin ρ))/π. Derivations: docs/papers/wu/index.md.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy.special
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays

__all__ = [
    "FLUCTUATION",
    "INPUT_MEAN",
    "activation_second_moment",
    "complement_share",
    "formula_error",
    "hidden_distance_slopes",
    "hidden_energy_distance",
    "layer_correlation",
    "logit_energy_distance",
    "logit_mean_square",
    "logit_variance",
    "lost_energy",
    "mixed_share",
    "printed_logit_variance",
    "projection_ratio",
    "row_space_overlap",
    "row_sum_probability",
    "shared_mean_direction",
]

INPUT_MEAN = 1 / math.sqrt(2 * math.pi)
"""μ = E max(g, 0)."""
FLUCTUATION = (math.pi - 1) / (2 * math.pi)
"""v = Var max(g, 0)."""


@takes_arrays
def layer_correlation(layer: int = 1) -> float:
    """ρ_l: correlation over random weights of one hidden unit's pre-activations at two independent inputs.

    ρ₁ = 1/π; each ReLU layer maps ρ to (√(1-ρ²) + ρ(π/2 + arcsin ρ))/π.

    >>> round(layer_correlation(1), 6), round(layer_correlation(2), 6)
    (0.31831, 0.493731)
    """
    layer = validate.integer("layer", layer, maximum=10_000, meaning="hidden layer, 1 = first")
    rho = 1 / math.pi
    for _ in range(layer - 1):
        rho = (math.sqrt(1 - rho**2) + rho * (math.pi / 2 + math.asin(rho))) / math.pi
    return rho


@takes_arrays
def activation_second_moment(layer: int = 1) -> float:
    """q_l = E π_i² = P(a unit is active at two independent inputs) = 1/4 + arcsin(ρ_l)/(2π).

    >>> round(activation_second_moment(), 6)
    0.301558
    """
    return 0.25 + math.asin(layer_correlation(layer)) / (2 * math.pi)


@takes_arrays
def row_space_overlap(depth: int = 2, layer: int = 1) -> float:
    """Limit of the overlap of M^(layer)'s top c-1 eigenspace with the row span of W^(L)⋯W^(layer+1) less 1.

    The eigenspace is {Π^(layer) W^(layer+1)ᵀ ⋯ Π^(L-1) W^(L)ᵀ v : v ⊥ 1}, so each hidden layer from ``layer``
    on costs a factor (E π)²/E π² = 1/(4q).

    >>> round(row_space_overlap(), 6)
    0.829029
    """
    return math.sqrt(projection_ratio(depth, layer))


@takes_arrays
def projection_ratio(depth: int = 2, layer: int = 1) -> float:
    """Limit of ‖WMWᵀ‖²_F/‖M‖²_F (Lemma B.14, printed as 1): ∏ 1/(16 q_l²) over hidden layers ≥ ``layer``.

    >>> round(projection_ratio(), 6)
    0.687289
    """
    depth = validate.integer("depth", depth, minimum=2, maximum=64, meaning="layers of weights L")
    layer = validate.integer("layer", layer, maximum=depth - 1, meaning="hidden layer")
    return math.prod(1 / (16 * activation_second_moment(index) ** 2) for index in range(layer, depth))


@takes_arrays
def formula_error(depth: int = 2, layer: int = 1) -> float:
    """Limit of ‖M - 4^{-(L-layer)} SᵀE[A]S‖_F/‖M‖_F: the relative error of eqs. (8), (140), (224), (272).

    >>> round(formula_error(), 6)
    0.559206
    """
    return math.sqrt(1 - projection_ratio(depth, layer))


def mixed_share() -> float:
    """Limit of ‖P M P⊥‖_F/‖M‖_F with P the projection on the row span of W (eq. (205), printed as 0): √(ρ(1-ρ)).

    ρ = 1/(4q) is the share of {ΠWᵀv} inside the row span (:func:`row_space_overlap`).

    >>> round(mixed_share(), 6)
    0.376484
    """
    share = row_space_overlap()
    return math.sqrt(share * (1 - share))


def complement_share() -> float:
    """Limit of ‖P⊥ M P⊥‖_F/‖M‖_F (eq. (205), printed as 0): 1 - ρ. Also that of ‖sin Θ‖²_F/(c-1) in eq. (230).

    >>> round(complement_share(), 6)
    0.170971
    """
    return 1 - row_space_overlap()


def lost_energy() -> float:
    """Limit of 1 - ‖PMP‖²_F/‖M‖²_F (eq. (204), printed as 0): 1 - ρ², the sum of the three squares of eq. (205).

    >>> abs(lost_energy() - 2 * mixed_share() ** 2 - complement_share() ** 2) < 1e-15
    True
    """
    return 1 - projection_ratio()


def _hidden_overlap() -> float:
    """E[y(x)y(x')] of a hidden unit at two independent inputs: (variance 1/2)·(arc-cosine kernel)/2."""
    return layer_correlation(2) / 4


def logit_mean_square() -> float:
    """τ²: limit over random weights of (E_x z_1)², printed as zero; the logits keep a random bias.

    >>> round(logit_mean_square(), 6)
    0.123433
    """
    return _hidden_overlap()


def logit_variance() -> float:
    """s² = 1/4 - τ²: limit of Var_x z_1 for given weights, printed as (π-1)²/(4π²) ≈ 0.1162.

    >>> round(logit_variance(), 6)
    0.126567
    """
    return 0.25 - logit_mean_square()


def printed_logit_variance() -> float:
    """γ = (π-1)²/(4π²) of Lemma B.10.

    >>> round(printed_logit_variance(), 6)
    0.116175
    """
    return FLUCTUATION**2


@takes_arrays
def logit_energy_distance(classes: int) -> float:
    """Limit of the mean energy distance between z given the weights and the printed N(0, γ I_c).

    Energy distance: 2E‖Z-Z'‖ - E‖Z-Z''‖ - E‖Z'-Z'''‖. Given the weights z ~ N(b, s² I) with b ~ N(0, τ² I),
    so every expectation is that of a Gaussian norm, κ_c = √2 Γ((c+1)/2)/Γ(c/2) times its deviation.
    """
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes c")
    norm = math.sqrt(2) * math.exp(math.lgamma((classes + 1) / 2) - math.lgamma(classes / 2))
    gamma, inner = printed_logit_variance(), logit_variance()
    return norm * (2 * math.sqrt(0.25 + gamma) - math.sqrt(2 * inner) - math.sqrt(2 * gamma))


@lru_cache(maxsize=1)
def _unit_distances() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Nodes g, their probabilities, and the energy distance of a unit with bias μg from the printed N^R(0, v).

    2 ∫₀^∞ (Φ((t - μg)/√v) - Φ(t/√v))² dt: y_i is the rectified N(μ g_i, v).
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    deviation = math.sqrt(FLUCTUATION)
    points, t_weights = np.polynomial.legendre.leggauss(200)
    highest = 8.0
    t = 0.5 * highest * (points + 1)
    shifted = scipy.special.ndtr((t[:, None] - INPUT_MEAN * nodes) / deviation)
    gap = shifted - scipy.special.ndtr(t / deviation)[:, None]
    return nodes, weights / weights.sum(), 2 * (t_weights * 0.5 * highest) @ gap**2


def hidden_energy_distance() -> float:
    """Limit of the mean over units of the energy distance between y_i given W^(1) and the printed N^R(0, v).

    >>> round(hidden_energy_distance(), 6)
    0.072871
    """
    _, weights, distances = _unit_distances()
    return float(distances @ weights)


@lru_cache(maxsize=1)
def hidden_distance_slopes() -> tuple[float, float]:
    """Regression of a unit's energy distance on (E y)² and E y² over units: how its mean follows theirs.

    >>> [round(slope, 2) for slope in hidden_distance_slopes()]
    [2.02, -1.03]
    """
    nodes, weights, distances = _unit_distances()
    bias, deviation = INPUT_MEAN * nodes, math.sqrt(FLUCTUATION)
    active = scipy.special.ndtr(bias / deviation)
    density = deviation * np.exp(-0.5 * (bias / deviation) ** 2) / math.sqrt(2 * math.pi)
    columns = np.stack([(bias * active + density) ** 2, (bias**2 + FLUCTUATION) * active + bias * density])
    centred = columns - (columns @ weights)[:, None]
    slopes = np.linalg.solve((centred * weights) @ centred.T, (centred * weights) @ distances)
    return float(slopes[0]), float(slopes[1])


@takes_arrays
def shared_mean_direction(depth: int = 2) -> float:
    """Limit of (Ê[y]₁·Ê[y]₂)² for two networks' last hidden activations y at ``depth`` layers of weights: 1/(πρ_L)².

    A unit's mean is f(g), g standard normal over units and independent between networks, so the cosine is
    (E f)²/E f² with (E f)² = s²/(2π) and E f² = s²ρ_L/2 at pre-activations of variance s² (section 5.3 calls it large).

    >>> round(shared_mean_direction(), 6), round(shared_mean_direction(10_000), 3)
    (0.415642, 0.101)
    """
    depth = validate.integer("depth", depth, minimum=2, maximum=10_000, meaning="layers of weights L")
    return 1 / (math.pi * layer_correlation(depth)) ** 2


@takes_arrays
def row_sum_probability(epsilon: float) -> float:
    """P(|Σ_j W_ij| ≥ ε) for n entries of variance 1/n: 2(1 - Φ(ε)) at every n; Lemma B.1 prints limit zero.

    >>> round(row_sum_probability(1.0), 6)
    0.317311
    """
    epsilon = validate.positive_number("epsilon", epsilon, meaning="threshold of the event")
    return float(2 * scipy.special.ndtr(-epsilon))
