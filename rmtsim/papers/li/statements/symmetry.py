"""Claims of `li` on the spectra of network Hessians: Theorem 3's symmetry.

Weights N(0, 2/n), normal inputs, fair labels, 2n samples unless said. H is that of the hinge loss; where a mean of
zero is needed it is −(1/m)Σ y_i ∇²T(x_i), the same with all hinges active.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Identity, Law, Limit, Parameter, Plan, claim
from rmtsim.papers.li.simulation.hinge_training import hinge_problem

Array = NDArray[np.float64]
LAYERS = Parameter(
    "layers", "L, layers with the output's", 3, integer=True, lowest=2, highest=8, draw_range=(2, 6)
)


def _hessian(size: int, rng: np.random.Generator, layers: int) -> Array:
    """The Hessian of a drawn network on 2n samples, drawn anew if no sample reaches the output."""
    while True:
        network, inputs, labels = hinge_problem(size, layers, 2 * size, rng)
        hessian = network.hessian(inputs, labels)
        if hessian.any():
            return hessian


def asymmetry_of(hessian: Array) -> float:
    """Σ|λ_i + λ_{N+1−i}|/Σ|λ_i|, λ in increasing order: the mean distance to the mirror image over the mean |λ|.

    >>> asymmetry_of(np.array([[0.0, 2.0], [2.0, 0.0]])), asymmetry_of(np.diag([1.0, 2.0]))
    (0.0, 2.0)
    """
    spectrum = np.linalg.eigvalsh(hessian)
    return float(np.abs(spectrum + spectrum[::-1]).sum() / np.abs(spectrum).sum())


def asymmetry(size: int, rng: np.random.Generator, layers: int) -> float:
    """The distance of a network's spectrum to its mirror image."""
    return asymmetry_of(_hessian(size, rng, layers))


def imbalance(size: int, rng: np.random.Generator, layers: int) -> float:
    """|share of negative among non-zero eigenvalues − ½|."""
    spectrum = np.linalg.eigvalsh(_hessian(size, rng, layers))
    nonzero = spectrum[np.abs(spectrum) > 1e-9 * np.abs(spectrum).max()]
    return float(abs(np.mean(nonzero < 0) - 0.5))


def skewness(size: int, rng: np.random.Generator) -> float:
    """The skewness of the spectrum of a network with L = 3, from its three blocks.

    With Q_abd = (1/m)Σ l'_i x_a h_b h'_d and v_bd = (1/m)Σ l'_i z_b h'_d, z the first activations, the blocks are
    α_d Q, (W₂)_bd Q and v, so tr H³ = 6 Σ α_d (W₂)_bd v_bd Q_abd² and tr H² = 2 Σ (α_d² + (W₂)_bd²) Q_abd² + 2 Σ v_bd².
    """
    while True:
        network, inputs, labels = hinge_problem(size, 3, 2 * size, rng)
        first, second, last = network.weights
        reach = inputs @ first.T
        top = np.maximum(reach, 0.0) @ second.T
        outputs = np.maximum(top, 0.0) @ last[0]
        slopes = np.where(labels[:, 0] * outputs < 1, -labels[:, 0], 0.0) / len(inputs)
        above = slopes[:, None] * (top > 0)
        pairs = ((reach > 0)[:, :, None] * above[:, None, :]).reshape(len(inputs), -1)
        squares = np.square(inputs.T @ pairs).sum(axis=0).reshape(size, size)
        ends = np.maximum(reach, 0.0).T @ above
        second_moment = 2 * float(((last[0] ** 2 + second.T**2) * squares).sum() + np.square(ends).sum())
        if second_moment > 0:
            third = 6 * float((last[0] * second.T * ends * squares).sum())
            return float(third * np.sqrt(network.parameters.size) / second_moment**1.5)


GROUP = 8
"""Networks whose mean is one value of :func:`bounded_skewness`: a mean of a few is not skewed itself."""


def bounded_skewness(size: int, rng: np.random.Generator, layers: int) -> float:
    """|tr H³|/√(tr H² tr H⁴), the mean over eight networks: skewness over the root of kurtosis, between 0 and 1.

    The cosine of the angle between H and H² (Cauchy and Schwarz); no eigenvalues.
    """
    found = []
    for _ in range(GROUP):
        hessian = _hessian(size, rng, layers)
        square = hessian @ hessian
        found.append(
            abs(float((hessian * square).sum())) / float(np.linalg.norm(hessian) * np.linalg.norm(square))
        )
    return float(np.mean(found))


def network_cost(size: int, layers: int) -> float:
    """Nominal seconds of a dense Hessian with its eigenvalues."""
    side = (layers - 1) * size**2 + size
    return 1e-3 + 4e-8 * side**2 + 3e-10 * side**3


def products_cost(size: int, layers: int) -> float:
    """Nominal seconds of a dense Hessian with its square."""
    side = (layers - 1) * size**2 + size
    return 2e-3 + 2e-8 * side**2 + 4e-11 * side**3


SYMMETRIC_PLAN = Plan(size_name="n", cost=network_cost)

claim(
    "li.thm3.two-layers",
    asymmetry,
    at="Theorem 3",
    standing="theorem",
    printed="For L = 2 the spectrum of a network's Hessian is its own mirror image, exactly: (6) is bipartite then, "
    "whatever weights and data.",
    states=Identity(within=1e-10),
    over=(LAYERS,),
    points=({"layers": 2},),
    plan=SYMMETRIC_PLAN.but(sizes=(3, 8)),
)
DISTANCES_PLAN = SYMMETRIC_PLAN.but(
    exponents=(1.0, 1.5),
    because="a closed walk of odd length over the layers needs an odd cycle of them, which costs a sum over neurons "
    "against walks of even length (docs/papers/li/index.md)",
)
claim(
    "li.thm3",
    asymmetry,
    at="Theorem 3",
    standing="theorem",
    printed="The spectrum of a network's Hessian is symmetric about zero: Σ|λ_i + λ_{N+1−i}|/Σ|λ_i| → 0 with the "
    "width; L = 3.",
    states=Law(0.0, within=0.05),
    over=(LAYERS,),
    plan=DISTANCES_PLAN.but(sizes=(4, 8, 16)),
)
claim(
    "li.thm3.half",
    imbalance,
    at="Theorem 3",
    standing="theorem",
    printed="Half of the non-zero eigenvalues of a network's Hessian are negative, in the limit of large width; L = 3.",
    states=Law(0.0, within=0.02),
    over=(LAYERS,),
    plan=DISTANCES_PLAN.but(sizes=(4, 8, 16)),
)
claim(
    "li.thm3.deep",
    asymmetry,
    at="Theorem 3",
    standing="theorem",
    printed="The spectrum of a network's Hessian is symmetric about zero: Σ|λ_i + λ_{N+1−i}|/Σ|λ_i| → 0 with the "
    "width; L = 4 and 6.",
    states=Law(0.0, within=0.05),
    over=(LAYERS,),
    points=({"layers": 4}, {"layers": 6}),
    plan=DISTANCES_PLAN.but(sizes=(3, 5, 10)),
)
claim(
    "li.thm3.half-deep",
    imbalance,
    at="Theorem 3",
    standing="theorem",
    printed="Half of the non-zero eigenvalues of a network's Hessian are negative, in the limit of large width; L = 4 "
    "and 6.",
    states=Law(0.0, within=0.02),
    over=(LAYERS,),
    points=({"layers": 4}, {"layers": 6}),
    plan=DISTANCES_PLAN.but(sizes=(4, 6, 8, 12)),
)
claim(
    "li.thm3.skewness",
    skewness,
    at="Theorem 3",
    standing="theorem",
    printed="The skewness (tr H³/N)/(tr H²/N)^(3/2) of a network's Hessian tends to zero with the width; L = 3.",
    states=Limit(0.0, within=0.1),
    over=(),
    plan=SYMMETRIC_PLAN.but(
        sizes=(8, 16, 32, 64),
        exponents=(0.5, 1.0),
        because="tr H³ is of order one where hinges are switched off by the output, and N(tr H²/N)^(3/2) of order "
        "n^(1/2); where none is, the ratio is of order 1/n (docs/papers/li/index.md)",
        cost=lambda size: 2e-4 + 3.5e-8 * size**3,
    ),
)
claim(
    "li.thm3.skewness.deep",
    bounded_skewness,
    at="Theorem 3",
    standing="theorem",
    printed="The skewness of a network's Hessian over the root of its kurtosis, |tr H³|/√(tr H² tr H⁴) ≤ 1, tends to "
    "zero with the width; L = 4, the mean over eight networks.",
    states=Law(0.0, within=0.05),
    over=(LAYERS,),
    points=({"layers": 4},),
    plan=DISTANCES_PLAN.but(
        sizes=(4, 8, 16),
        because="the skewness is of order n^(-1/2) and the kurtosis, from eigenvalues of order one that are as many as "
        "n, of order n (docs/papers/li/index.md)",
        cost=lambda size, layers: GROUP * products_cost(size, layers),
    ),
)


# ---- Where the law of the spectrum is symmetric at every width ------------------------------------------------------


def _mirror_error(one: Array, other: Array) -> float:
    """Σ|λ_i + λ'_{N+1−i}|/Σ|λ_i| of two matrices: zero if the spectrum of one is the mirror image of the other's."""
    spectrum, mirrored = np.linalg.eigvalsh(one), np.linalg.eigvalsh(other)
    return float(np.abs(spectrum + mirrored[::-1]).sum() / np.abs(spectrum).sum())


def mirror_of_labels(size: int, rng: np.random.Generator, layers: int) -> float:
    """The spectrum with all labels turned beside the spectrum, at the same weights and inputs, hinges active."""
    while True:
        network, inputs, labels = hinge_problem(size, layers, 2 * size, rng)
        plain = network.with_loss("none")
        hessian = plain.hessian(inputs, -labels)
        if hessian.any():
            return _mirror_error(hessian, plain.hessian(inputs, labels))


def mirror_of_weights(size: int, rng: np.random.Generator, layers: int) -> float:
    """The spectrum with −α for α beside the spectrum, on the same data, hinges active."""
    while True:
        network, inputs, labels = hinge_problem(size, layers, 2 * size, rng)
        plain = network.with_loss("none")
        hessian = plain.hessian(inputs, -labels)
        if hessian.any():
            turned = plain.parameters.copy()
            turned[plain.architecture.layout.layer(layers - 1)] *= -1
            return _mirror_error(hessian, plain.with_parameters(turned).hessian(inputs, -labels))


MIRRORED_PLAN = SYMMETRIC_PLAN.but(sizes=(3, 6))
claim(
    "li.thm3.data",
    mirror_of_labels,
    at="Theorem 3",
    standing="theorem",
    printed="Randomness from the data at given weights: with fair labels and all hinges active the law of the spectrum "
    "is symmetric at every width. Turning all labels, which are as likely, mirrors the spectrum exactly.",
    states=Identity(within=1e-9),
    over=(LAYERS,),
    points=({"layers": 3}, {"layers": 6}),
    plan=MIRRORED_PLAN,
)
claim(
    "li.thm3.weights",
    mirror_of_weights,
    at="Theorem 3",
    standing="theorem",
    printed="Randomness from the weights at given data: with all hinges active the law of the spectrum is symmetric at "
    "every width. −α, as likely as α, mirrors the spectrum exactly.",
    states=Identity(within=1e-9),
    over=(LAYERS,),
    points=({"layers": 3}, {"layers": 6}),
    plan=MIRRORED_PLAN,
)
