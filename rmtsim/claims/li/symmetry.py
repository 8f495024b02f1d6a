"""Claims of `li` on the spectra of network Hessians: Theorem 3's symmetry, and the law of Theorem 2.

Weights N(0, 2/n), normal inputs, fair labels, 2n samples unless said. H is that of the hinge loss; where a mean of
zero is needed it is −(1/m)Σ y_i ∇²T(x_i), the same with all hinges active.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.declare import claim
from rmtsim.claims.model import Parameter
from rmtsim.claims.papers import PAPERS
from rmtsim.networks import Network
from rmtsim.sampling.hinge_training import hinge_problem

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


def skewness(size: int, rng: np.random.Generator, layers: int) -> float:
    """(tr H³/N)/(tr H²/N)^(3/2), no eigenvalue computed."""
    hessian = _hessian(size, rng, layers)
    square = hessian @ hessian
    return float((square * hessian).sum() * np.sqrt(len(hessian)) / np.trace(square) ** 1.5)


def network_cost(size: int, layers: int) -> float:
    """Nominal seconds of a dense Hessian with its eigenvalues."""
    side = (layers - 1) * size**2 + size
    return 1e-3 + 4e-8 * side**2 + 3e-10 * side**3


symmetric = partial(
    claim,
    paper=PAPERS["li"],
    standing="theorem",
    source="Theorem 3",
    size_name="n",
    parameters=(LAYERS,),
    cost=network_cost,
)

symmetric(
    "li.thm3.two-layers",
    asymmetry,
    statement="For L = 2 the spectrum of a network's Hessian is its own mirror image, exactly: (6) is bipartite then, "
    "whatever weights and data.",
    identity=True,
    tolerance=1e-10,
    sizes=(3, 8),
    grid=({"layers": 2},),
)
distances = partial(
    symmetric,
    law=0.0,
    exponents=(1.0, 1.5),
    because="a closed walk of odd length over the layers needs an odd cycle of them, which costs a sum over neurons "
    "against walks of even length (docs/li.md)",
)
distances(
    "li.thm3",
    asymmetry,
    statement="The spectrum of a network's Hessian is symmetric about zero: Σ|λ_i + λ_{N+1−i}|/Σ|λ_i| → 0 with the "
    "width; L = 3.",
    tolerance=0.05,
    sizes=(4, 8, 16),
)
distances(
    "li.thm3.half",
    imbalance,
    statement="Half of the non-zero eigenvalues of a network's Hessian are negative, in the limit of large width; L = "
    "3.",
    tolerance=0.02,
    sizes=(4, 8, 16),
)
distances(
    "li.thm3.deep",
    asymmetry,
    statement="The spectrum of a network's Hessian is symmetric about zero: Σ|λ_i + λ_{N+1−i}|/Σ|λ_i| → 0 with the "
    "width; L = 4 and 6.",
    tolerance=0.05,
    sizes=(3, 5, 10),
    grid=({"layers": 4}, {"layers": 6}),
)
distances(
    "li.thm3.half-deep",
    imbalance,
    statement="Half of the non-zero eigenvalues of a network's Hessian are negative, in the limit of large width; L = "
    "4 and 6.",
    tolerance=0.02,
    sizes=(3, 5, 10),
    grid=({"layers": 4}, {"layers": 6}),
)
symmetric(
    "li.thm3.skewness",
    skewness,
    statement="The skewness (tr H³/N)/(tr H²/N)^(3/2) of a network's Hessian tends to zero with the width; L = 3.",
    limit=0.0,
    tolerance=0.1,
    sizes=(6, 12, 24),
    exponents=(0.5, 1.0),
    because="tr H³ is of order one where hinges are switched off by the output, and N(tr H²/N)^(3/2) of order "
    "n^(1/2); where none is, the ratio is of order 1/n (docs/li.md)",
    cost=lambda size, layers: 1e-3 + 3e-8 * (layers * size**2) ** 2,
)


# ---- The law of Theorem 2 with the network's own covariance --------------------------------------------------------

DATA = Parameter(
    "samples_per_neuron", "m/n, samples over width", 4.0, lowest=0.5, highest=32.0, draw_range=(1.0, 8.0)
)


def _centred(network: Network, samples: int, rng: np.random.Generator) -> Array:
    """−(1/m)Σ y_i ∇²T(x_i) for fresh samples with fair labels: mean zero at given weights."""
    inputs = rng.standard_normal((samples, network.architecture.inputs))
    labels = 2.0 * rng.integers(0, 2, (samples, 1)) - 1.0
    return network.with_loss("none").hessian(inputs, -labels)


def fourth_moment_gap(size: int, rng: np.random.Generator, layers: int, samples_per_neuron: float) -> float:
    """(tr H⁴ − μ₄)/(tr H⁴ + μ₄), μ₄ the equation's fourth moment; four data sets at one draw of the weights.

    With A = 0 the law of the equation has the fourth moment (1/N) tr(S[S[1]] + S[1]²) = (2/N) E tr(H²H'²), H' an
    independent copy: S enters through its definition, E[H R H] at these weights.
    """
    while True:
        network, _, _ = hinge_problem(size, layers, 1, rng)
        squares = []
        for _ in range(4):
            hessian = _centred(network, max(1, round(samples_per_neuron * size)), rng)
            squares.append(hessian @ hessian)
        if all(square.any() for square in squares):
            own = float(np.mean([(square * square).sum() for square in squares]))
            cross = [(squares[a] * squares[b]).sum() for a in range(4) for b in range(a)]
            stated = 2 * float(np.mean(cross))
            return (own - stated) / (own + stated)


claim(
    "li.thm2.law.network",
    fourth_moment_gap,
    paper=PAPERS["li"],
    standing="theorem",
    source="Theorem 2 with section 3.2",
    statement="The Matrix Dyson equation with the network's own covariance (data drawn anew, weights kept) describes "
    "the spectrum of its Hessian where A = 0: tr H⁴ agrees with the fourth moment of its law as the width grows, m/n "
    "kept.",
    limit=0.0,
    tolerance=0.05,
    sizes=(4, 8, 16),
    size_name="n",
    parameters=(LAYERS, DATA),
    grid=({"layers": 2}, {"layers": 3}),
    exponents=(1.0,),
    because="crossing pairings, fourth cumulants and the variance of the ratio each cost a power of n",
    cost=lambda size, layers: 2e-3 + 1e-7 * (layers * size**2) ** 2,
    note="Condition 4.5 does not hold, so the theorem does not apply; the law does all the same.",
)
