"""Claims of `li` on the spectra of network Hessians: Theorem 3's symmetry.

Weights N(0, 2/n), normal inputs, fair labels, 2n samples unless said. H is that of the hinge loss; where a mean of
zero is needed it is −(1/m)Σ y_i ∇²T(x_i), the same with all hinges active.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Choice, Identity, Law, Limit, Option, Plan, claim
from rmtsim.networks import Network
from rmtsim.papers.li.simulation.hinge_training import hinge_problem
from rmtsim.papers.li.simulation.network_hessians import drawn_hessian, skewness
from rmtsim.papers.li.simulation.spectral_symmetry import mirror_error
from rmtsim.papers.li.statements.parameters import depth

LAYERS = depth(meaning="L, layers with the output's", highest=8, draw_range=(2, 6))


def asymmetry(size: int, rng: np.random.Generator, layers: int) -> float:
    """The distance of a network's spectrum to its mirror image."""
    return mirror_error(np.linalg.eigvalsh(drawn_hessian(size, rng, layers)))


def imbalance(size: int, rng: np.random.Generator, layers: int) -> float:
    """|share of negative among non-zero eigenvalues − ½|."""
    spectrum = np.linalg.eigvalsh(drawn_hessian(size, rng, layers))
    nonzero = spectrum[np.abs(spectrum) > 1e-9 * np.abs(spectrum).max()]
    return float(abs(np.mean(nonzero < 0) - 0.5))


def hessian_cost(size: int, layers: int) -> float:
    """Nominal seconds of a dense Hessian with its eigenvalues."""
    side = (layers - 1) * size**2 + size
    return 1e-3 + 4e-8 * side**2 + 3e-10 * side**3


SPECTRA = Plan(size_name="n", cost=hessian_cost)

claim(
    "li.thm3.two-layers",
    asymmetry,
    states=Identity(within=1e-10),
    over=(LAYERS,),
    points=({"layers": 2},),
    plan=SPECTRA.but(sizes=(3, 8)),
)
DEEP = ({"layers": 4}, {"layers": 6})
DISTANCES = SPECTRA.but(
    sizes=(4, 6, 8, 12, 16),
    exponents=(1.0, 1.5),
    because="a closed walk of odd length over the layers needs an odd cycle of them, which costs a sum over neurons "
    "against walks of even length (docs/papers/li/index.md)",
)

claim("li.thm3", asymmetry, states=Law(0.0, within=0.05), over=(LAYERS,), plan=DISTANCES)
claim(
    "li.thm3.deep",
    asymmetry,
    states=Law(0.0, within=0.05),
    over=(LAYERS,),
    points=DEEP,
    plan=DISTANCES.but(sizes=(3, 4, 6, 8, 12)),
)
claim("li.thm3.half", imbalance, states=Law(0.0, within=0.02), over=(LAYERS,), plan=DISTANCES)
claim(
    "li.thm3.half-deep",
    imbalance,
    states=Law(0.0, within=0.02),
    over=(LAYERS,),
    points=DEEP,
    plan=DISTANCES,
)
claim(
    "li.thm3.skewness",
    skewness,
    states=Limit(0.0, within=0.1),
    plan=SPECTRA.but(sizes=(8, 16, 32, 64), exponents=(0.5, 1.0), cost=lambda size: 2e-4 + 3.5e-8 * size**3),
)


GROUP = 8
"""Networks whose mean is one value of :func:`bounded_skewness`: a mean of a few is not skewed itself."""


def products_cost(size: int, layers: int) -> float:
    """Nominal seconds of eight dense Hessians with their squares."""
    side = (layers - 1) * size**2 + size
    return GROUP * (2e-3 + 2e-8 * side**2 + 4e-11 * side**3)


@claim(
    "li.thm3.skewness.deep",
    states=Law(0.0, within=0.05),
    over=(LAYERS,),
    points=({"layers": 4},),
    plan=DISTANCES.but(sizes=(4, 8, 16), cost=products_cost),
)
def bounded_skewness(size: int, rng: np.random.Generator, layers: int) -> float:
    """|tr H³|/√(tr H² tr H⁴), the mean over eight networks: skewness over the root of kurtosis, between 0 and 1.

    The cosine of the angle between H and H² (Cauchy and Schwarz), computed without eigenvalues.
    """
    found = []
    for _ in range(GROUP):
        hessian = drawn_hessian(size, rng, layers)
        square = hessian @ hessian
        found.append(
            abs(float((hessian * square).sum())) / float(np.linalg.norm(hessian) * np.linalg.norm(square))
        )
    return float(np.mean(found))


# ---- Where the law of the spectrum is symmetric at every width ------------------------------------------------------


def turned_labels(network: Network, inputs: Array, labels: Array) -> Array:
    """The Hessian with all labels turned, hinges active."""
    return network.hessian(inputs, labels)


def turned_output(network: Network, inputs: Array, labels: Array) -> Array:
    """The Hessian with −α for α, hinges active."""
    turned = network.parameters.copy()
    turned[network.architecture.layout.layer(len(network.weights) - 1)] *= -1
    return network.with_parameters(turned).hessian(inputs, -labels)


TURNED = {
    "data": Option(
        turned_labels,
        "Randomness from the data at given weights: with fair labels and all hinges active the law of the spectrum is "
        "symmetric at every width. Turning all labels, which are as likely, mirrors the spectrum exactly.",
    ),
    "weights": Option(
        turned_output,
        "Randomness from the weights at given data: with all hinges active the law of the spectrum is symmetric at "
        "every width. −α, as likely as α, mirrors the spectrum exactly.",
    ),
}


def mirror_of(
    size: int, rng: np.random.Generator, turned: Callable[[Network, Array, Array], Array], layers: int
) -> float:
    """Distance between the spectrum of a Hessian and the mirror image of that of the turned one, hinges active."""
    while True:
        network, inputs, labels = hinge_problem(size, layers, 2 * size, rng)
        plain = network.with_loss("none")
        hessian = plain.hessian(inputs, -labels)
        if hessian.any():
            other = turned(plain, inputs, labels)
            return mirror_error(np.linalg.eigvalsh(hessian), np.linalg.eigvalsh(other))


claim(
    "li.thm3.{turned}",
    mirror_of,
    states=Identity(within=1e-9),
    over=(Choice("turned", TURNED), LAYERS),
    points=({"layers": 3}, {"layers": 6}),
    plan=SPECTRA.but(sizes=(3, 6)),
)
