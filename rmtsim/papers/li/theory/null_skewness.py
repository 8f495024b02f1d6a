"""How many co-skewness values of independent normal entries exceed a threshold: Table 2 of `li`, skewness.

A standardised normal sample b is uniform on a sphere. So (1/n)Σ z_a² z_b, given a, is Pearson's r times the deviation
of the z_a², √(b₂ − 1) with b₂ the sample's kurtosis, and (1/n)Σ z_a z_b z_c, given a and b, is r times the deviation of
the products z_a z_b. What remains are laws of one sample's moments: of the skewness (D'Agostino's transformation,
1970), of b₂ (Anscombe and Glynn, 1983), and of the squared deviation of z_a z_b, whose mean is 1 and variance 4/n to
leading order (lognormal). All three are approximations; simulation differs by a few per cent.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, records_take_arrays
from rmtsim._internal.docstrings import frozen

__all__ = ["NullTriples", "null_triples"]


_NODES = 40
"""Of Gauss and Hermite: integrands are smooth."""


@frozen
class NullTriples:
    """Expected numbers of ordered triples above a threshold, by how many different entries they have."""

    one: float
    two: float
    three: float

    @property
    def mean(self) -> float:
        """s₀: all of them."""
        return self.one + self.two + self.three


@records_take_arrays
def null_triples(dimension: int, samples: int, threshold: float) -> NullTriples:
    """s₀ of Algorithm 3 for skewness: ordered triples of N_b² independent normal entries above ``threshold``.

    >>> found = null_triples(10, samples=157, threshold=0.4)          # Table 2: 67.80 ± 73.74
    >>> round(found.one, 1), round(found.two, 1), round(found.three, 1), round(found.mean, 1)
    (3.9, 15.4, 1.3, 20.5)
    """
    side = validate.integer("dimension", dimension, minimum=2, meaning="N_b, rows of the sampled submatrix")
    n = validate.integer("samples", samples, minimum=20, meaning="number n of observations")
    at = validate.positive_number("threshold", threshold)
    entries = float(side) ** 2
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    weights = weights / weights.sum()
    squares = _kurtosis(nodes, n) - 1
    spread = math.log1p(4 / n)
    products = np.exp(math.sqrt(spread) * nodes - spread / 2)
    return NullTriples(
        entries * _skewness_tail(at, n),
        3 * entries * (entries - 1) * float(weights @ _tail(at, squares, n)),
        entries * (entries - 1) * (entries - 2) * float(weights @ _tail(at, products, n)),
    )


def _tail(at: float, variances: Array, n: int) -> Array:
    """P(√v |r| > at) for Pearson's r of independent samples; 1 − r² has a beta law."""
    share = np.divide(at**2, variances, out=np.full_like(variances, np.inf), where=variances > 0)
    return np.asarray(special.betainc((n - 2) / 2, 0.5, np.clip(1 - share, 0.0, 1.0)))


def _skewness_tail(at: float, n: int) -> float:
    """P(|√b₁| > at) for the skewness √b₁ of a normal sample: δ asinh(y/α) is normal, y the standardised skewness."""
    y = at * math.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    kurtosis = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    square = math.sqrt(2 * (kurtosis - 1)) - 1
    return float(
        2 * stats.norm.sf(math.asinh(y / math.sqrt(2 / (square - 1))) / math.sqrt(math.log(square) / 2))
    )


def _kurtosis(normal: Array, n: int) -> Array:
    """b₂ of a normal sample as a function of a normal variable: its cube root law, with its first three moments."""
    mean = 3 * (n - 1) / (n + 1)
    deviation = math.sqrt(24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5)))
    skewness = (
        6
        * (n**2 - 5 * n + 2)
        / ((n + 7) * (n + 9))
        * math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    )
    freedom = 6 + 8 / skewness * (2 / skewness + math.sqrt(1 + 4 / skewness**2))
    root = 1 - 2 / (9 * freedom) - normal * math.sqrt(2 / (9 * freedom))
    # Nodes near the pole and beyond it: no sample has b₂ > n.
    found = mean + deviation * ((1 - 2 / freedom) / np.maximum(root, 1e-3) ** 3 - 1) / math.sqrt(
        2 / (freedom - 4)
    )
    return np.asarray(np.minimum(found, n))
