"""Claims of `li` on the law of Theorem 2 with a network's own covariance: does it describe the network's spectrum?

Weights N(0, 2/n) are kept and data drawn anew, with fair labels and all hinges active: H = −(1/m)Σ y_i ∇²T(x_i) has the
mean zero. The equation's fourth moment is (1/N) tr(S[S[1]] + S[1]²) = (2/N) E tr(H²H'²), H' an independent copy: S
enters through its definition, E[HRH] at these weights, and no equation need be solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Limit, Parameter, Place, Plan, claim
from rmtsim.networks import Network
from rmtsim.papers.li.simulation.hinge_training import hinge_problem
from rmtsim.papers.li.statements.symmetry import LAYERS

Array = NDArray[np.float64]
DATA_SETS = 4
"""Drawn at one draw of the weights: their pairs give S without bias."""

DATA = Parameter(
    "samples_per_neuron", "m/n, samples over width", 4.0, lowest=0.5, highest=32.0, draw_range=(1.0, 8.0)
)
OWN_LAW_PLAN = Plan(size_name="n", exponents=(1.0,))


# ---- The bulk --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FourthMoments:
    """tr H⁴ at one draw of the weights: the network's, the equation's, and what single samples add to it."""

    network: float
    equation: float
    single_samples: float

    def gap(self, *, corrected: bool) -> float:
        """(network − equation)/(network + equation), the term of single samples added to the equation's or not."""
        stated = self.equation + (self.single_samples if corrected else 0.0)
        return (self.network - stated) / (self.network + self.equation)


def bulk_moments(size: int, samples: int, rng: np.random.Generator) -> FourthMoments:
    """Fourth moments of the bulk for L = 3, a draw of the weights.

    The blocks of W₁ and W₂ are, for every unit b of the first layer, A_b = (1/m)Σ ξ_i h_ib x_i (h'_i ∘ α)ᵀ with ξ = −y.
    The mean p of the gates h' over the data makes one direction per b, p ∘ α, that outgrows the others, and the n
    parameters α make n more. Both are fixed by the weights and are left out: h' − p for h', no rows of α. That removes
    2n of the 2n² + n dimensions, and moves the distribution of the eigenvalues, and the law, by O(1/n) at most.
    """
    first, second = (rng.standard_normal((size, size)) * np.sqrt(2 / size) for _ in range(2))
    last = rng.standard_normal(size) * np.sqrt(2 / size)

    def gates(count: int) -> tuple[Array, Array, Array]:
        inputs = rng.standard_normal((count, size))
        reach = inputs @ first
        return inputs, (reach > 0).astype(float), (np.maximum(reach, 0.0) @ second > 0).astype(float)

    # The error of p leaves one direction of the relative weight 1/4096.
    mean_gates = gates(4096)[2].mean(axis=0)
    inputs, below, above = gates(1024)
    tops = np.square((above - mean_gates) * last).sum(axis=1)
    # ∇²T of one sample has Σ_b h_b singular values |x||y|, each twice in tr (∇²T)⁴.
    single = 2 * float((below.sum(axis=1) * np.square(inputs).sum(axis=1) ** 2 * tops**2).mean()) / samples**3
    left, right = [], []
    for _ in range(DATA_SETS):
        inputs, below, above = gates(samples)
        signs = 2.0 * rng.integers(0, 2, samples) - 1.0
        rows = (signs / samples * below.T)[:, :, None] * inputs
        blocks = rows.transpose(0, 2, 1) @ ((above - mean_gates) * last)
        left.append(blocks @ blocks.transpose(0, 2, 1))
        right.append(blocks.transpose(0, 2, 1) @ blocks)
    own = 2 * float(np.mean([np.square(each).sum() for each in left]))
    cross = [
        (left[a] * left[b]).sum() + (right[a] * right[b]).sum() for a in range(DATA_SETS) for b in range(a)
    ]
    return FourthMoments(own, 2 * float(np.mean(cross)), single)


def gap_of_the_bulk(
    size: int, rng: np.random.Generator, samples_per_neuron: float, *, corrected: bool
) -> float:
    """The gap between the fourth moments of the bulk, drawn anew if no sample reaches the output."""
    while True:
        found = bulk_moments(size, max(1, round(samples_per_neuron * size)), rng)
        if found.network > 0 and found.equation > 0:
            return found.gap(corrected=corrected)


claim(
    "li.thm2.law.network",
    partial(gap_of_the_bulk, corrected=False),
    at="Theorem 2 with section 3.2",
    standing="remark",
    printed="Asked of networks as they are: the Matrix Dyson equation with the network's own covariance (data drawn "
    "anew, weights kept) describes the spectrum of its Hessian where A = 0. Tested by the fourth moment as the width "
    "grows, m = n; L = 3, less 2n directions of N that outgrow the bulk.",
    corrected=Corrected(
        "tr H⁴ is the equation's fourth moment plus E tr(∇²T(x))⁴/m³, a term of relative order n/m: the law describes "
        "the bulk for m ≫ n only. As the width grows, m = n and m = 4n; L = 3, less the same directions.",
        measured=partial(gap_of_the_bulk, corrected=True),
        points=({"samples_per_neuron": 1.0}, {"samples_per_neuron": 4.0}),
    ),
    states=Limit(0.0, within=0.05),
    over=(DATA,),
    points=({"samples_per_neuron": 1.0},),
    plan=OWN_LAW_PLAN.but(
        sizes=(8, 16, 32),
        because="crossing pairings, the variance of the ratio and the correlations of gates each cost a power of n",
        cost=lambda size, samples_per_neuron: 1e-3 + 9e-6 * size**2,
    ),
    erratum=Erratum(
        cause="a sample's Hessian has few large eigenvalues, so that m of order n samples do not make a Gaussian "
        "matrix",
        note="Each entry is nearly Gaussian, all together are not: H is a sum of m matrices of rank of order n whose "
        "singular values are alike. i = j = k = l in tr H⁴ gives E tr(∇²T)⁴/m³, a share of order n/m of the rest. The "
        "conditions on cumulants exclude it (D.2, D.5); Condition 4.5 does not hold either.",
        credit="Condition 4.1 lets m → ∞ first (eq. (23)), and then the term is gone: it falls like n/m. For the whole "
        "matrix the fourth moments agree (li.thm2.law.outliers).",
    ),
)


# ---- The outlying eigenvalues ----------------------------------------------------------------------------------------


def _centred(network: Network, samples: int, rng: np.random.Generator) -> Array:
    """−(1/m)Σ y_i ∇²T(x_i) for fresh samples with fair labels: mean zero at given weights."""
    inputs = rng.standard_normal((samples, network.architecture.inputs))
    labels = 2.0 * rng.integers(0, 2, (samples, 1)) - 1.0
    return network.with_loss("none").hessian(inputs, -labels)


def fourth_moment_gap(size: int, rng: np.random.Generator, layers: int, samples_per_neuron: float) -> float:
    """(tr H⁴ − μ₄)/(tr H⁴ + μ₄), μ₄ the equation's fourth moment; four data sets at one draw of the weights."""
    while True:
        network, _, _ = hinge_problem(size, layers, 1, rng)
        squares = []
        for _ in range(DATA_SETS):
            hessian = _centred(network, max(1, round(samples_per_neuron * size)), rng)
            squares.append(hessian @ hessian)
        if all(square.any() for square in squares):
            own = float(np.mean([(square * square).sum() for square in squares]))
            cross = [(squares[a] * squares[b]).sum() for a in range(DATA_SETS) for b in range(a)]
            stated = 2 * float(np.mean(cross))
            return (own - stated) / (own + stated)


claim(
    "li.thm2.law.outliers",
    fourth_moment_gap,
    at=Place(
        "Theorem 2 with section 3.2",
        note="Squared norms of sums of m vectors of n or n² dimensions concentrate, with fourth cumulants of relative "
        "order 1/m: what fails in the bulk (li.thm2.law.network) is not seen here.",
    ),
    standing="remark",
    printed="The same of the whole matrix, whose fourth moment its n or so largest eigenvalues carry: tr H⁴ agrees "
    "with the fourth moment of the law as the width grows, m/n kept; L = 2, where there are no others but zeros, and L "
    "= 3.",
    states=Limit(0.0, within=0.05),
    over=(LAYERS, DATA),
    points=({"layers": 2}, {"layers": 3}),
    plan=OWN_LAW_PLAN.but(
        sizes=(4, 8, 16),
        because="crossing pairings, fourth cumulants and the variance of the ratio each cost a power of n",
        cost=lambda size, layers: 2e-3 + 1e-7 * (layers * size**2) ** 2,
    ),
)
