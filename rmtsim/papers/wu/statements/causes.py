"""The slips behind the refuted statements of `wu`, and what several of them share."""

from __future__ import annotations

from rmtsim.claims import Erratum

__all__ = [
    "ACTIVATION_OF_OUTPUT",
    "DIAGONAL_OF_AUTOCORRELATION",
    "FACTOR_A_QUARTER",
    "FACTOR_OF_GATES",
    "FACTOR_TWO_PI",
    "FAIR_COIN",
    "FOURTH_MOMENT",
    "MASS_AT_ZERO",
    "MEANS_SQUARED",
    "MEAN_DROPPED",
    "OUTPUT_CLASSES",
    "OUTPUT_RANK",
    "STRIDE",
    "UNBOUNDED_CHERNOFF",
    "VECTOR_LENGTH",
    "fair_coins",
]

MEAN_DROPPED = "the mean of the inputs is taken to vanish (Lemma B.1)"
"""One slip, inherited by everything that takes activations for fair coins."""
ACTIVATION_OF_OUTPUT = "D is defined by the sign of y = σ(u), not of u"
FACTOR_A_QUARTER = "the factor 1/4 of (140) is lost"
DIAGONAL_OF_AUTOCORRELATION = "the squared diagonal of E[xxᵀ] is counted wrongly"
FOURTH_MOMENT = "a fourth moment is scaled by the variance, not by its square"
MASS_AT_ZERO = "the sign in the mass at zero of N^R(μ, σ²), as our copies read it"
STRIDE = "the stride of the matricization"
FACTOR_TWO_PI = "2πd²/2π for d²/2π"
FACTOR_OF_GATES = "the factor 2^{-(L-p)} of the gates is lost"
MEANS_SQUARED = "a sum over entries is written as a mean, and means of products as products of means"
VECTOR_LENGTH = "a vector of n entries is bounded as one of c"
OUTPUT_CLASSES = "output neurons stand for classes, but curvatures need not agree on their order"
OUTPUT_RANK = "the output layer's M is taken for one of full rank"
UNBOUNDED_CHERNOFF = "a bound for bounded variables is used for unbounded ones"

FAIR_COIN = (
    "Fails with Lemma B.1: row sums of W^(1) are N(0, 1), not N(0, 1/n), so the mean of the rectified inputs gives "
    "unit i the bias μ·g_i and it is active with probability π_i = Φ(g_i/√(π-1)), not 1/2; E π_i = 1/2 but "
    "E π_i² = 1/4 + arcsin(1/π)/(2π)."
)


def fair_coins(step: str = "", credit: str = "") -> Erratum:
    """The erratum of a statement that takes activations for fair coins; ``step`` names how it inherits the slip.

    >>> fair_coins("Follows Lemma B.19.").note.startswith("Follows Lemma B.19. Fails with Lemma B.1")
    True
    """
    return Erratum(cause=MEAN_DROPPED, note=f"{step} {FAIR_COIN}".lstrip(), credit=credit)
