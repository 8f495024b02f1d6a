"""Centre and scale of the largest eigenvalue, so that (λ_max - centre)/scale follows a Tracy–Widom law to second order.

The first-order constants leave an error of order n^{-1/3}; those below are meant to leave n^{-2/3} (El Karoui 2006,
Ma 2012, Johnstone and Ma 2012), and do better in our simulations for β = 1 and for Wigner matrices.
For β = 2 Wishart matrices with N, d ≤ 80 they were not more accurate than the first-order constants.
"""

from __future__ import annotations

import math
from typing import Literal

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen


@frozen
class EdgeScaling:
    """Centre and scale of the largest eigenvalue: (λ_max − centre)/scale tends to a Tracy–Widom law."""

    centre: float
    """Location of the largest eigenvalue."""
    scale: float
    """Size of its fluctuations."""

    def standardise(self, eigenvalue: float) -> float:
        """Eigenvalue in units of the fluctuations at the edge.

        Parameters
        ----------
        eigenvalue : float
            The largest eigenvalue of a random matrix.

        Returns
        -------
        float
            ``(eigenvalue − centre)/scale``.
        """
        return (eigenvalue - self.centre) / self.scale


def _beta(beta: int) -> int:
    return validate.integer("beta", beta, minimum=1, maximum=2, meaning="1 or 2: real or complex entries")


def wigner_edge(n: int, beta: Literal[1, 2] = 1, *, variance: float = 1.0) -> EdgeScaling:
    """Centre and scale of the largest eigenvalue of a Gaussian matrix.

    Parameters
    ----------
    n : int
        Size of the matrix, at least 2.
    beta : {1, 2}, optional
        Real symmetric (default) or complex Hermitian matrix.
    variance : float, optional
        n times the variance v/n of an entry off the diagonal; the spectrum tends to [−2√v, 2√v].

    Returns
    -------
    EdgeScaling
        ``centre`` and ``scale``: (λ_max − centre)/scale tends to :class:`TracyWidom`, with an error of order
        n^(−2/3).

    Notes
    -----
    For β = 2, centre 2√v and scale √v n^(−2/3). For β = 1, whose diagonal entries have variance 2v/n, n is replaced
    by n − ½ except in the normalisation of the entries [1]_.

    References
    ----------
    .. [1] I. M. Johnstone and Z. Ma, "Fast approach to the Tracy–Widom law at the edge of GOE and GUE", Ann. Appl.
       Probab. 22 (2012).

    Examples
    --------
    >>> from rmtsim.laws import wigner_edge
    >>> edge = wigner_edge(100)
    >>> round(edge.centre, 4), round(edge.scale, 4), round(edge.standardise(2.0), 3)
    (1.995, 0.0465, 0.108)
    """
    n = validate.integer("n", n, minimum=2, meaning="size of the matrix")
    deviation = math.sqrt(
        validate.positive_number("variance", variance, meaning="n times an entry's variance")
    )
    effective = n if _beta(beta) == 2 else n - 0.5
    # Entries of variance v/n: the matrix of effective size N has its edge at 2√(vN/n) and its scale N^{-1/6}√(v/n).
    return EdgeScaling(
        2 * deviation * math.sqrt(effective / n), deviation * effective ** (-1 / 6) / math.sqrt(n)
    )


def wishart_edge(
    samples: int, dimension: int, beta: Literal[1, 2] = 1, *, variance: float = 1.0
) -> EdgeScaling:
    """Centre and scale of the largest eigenvalue of a sample covariance matrix of white noise.

    Parameters
    ----------
    samples : int
        Number N of samples, at least 2.
    dimension : int
        Number d of features, at least 2.
    beta : {1, 2}, optional
        Real (default) or complex entries.
    variance : float, optional
        Variance of an entry.

    Returns
    -------
    EdgeScaling
        ``centre`` and ``scale`` for the largest eigenvalue of (1/N) XXᵀ, X of shape (d, N):
        (λ_max − centre)/scale tends to :class:`TracyWidom`.

    Notes
    -----
    β = 1 [1]_: with a = √(N − ½) and b = √(d − ½), centre (a + b)²/N and scale (a + b)(1/a + 1/b)^(1/3)/N, in units
    of the variance. β = 2 [2]_: a combination of the constants for (N − 1, d) and (N, d − 1) that cancels the next
    order. In simulations with N, d ≤ 80 the latter gained nothing over the first-order constants.

    References
    ----------
    .. [1] Z. Ma, "Accuracy of the Tracy–Widom limits for the extreme eigenvalues in white Wishart matrices",
       Bernoulli 18 (2012).
    .. [2] N. El Karoui, "A rate of convergence result for the largest eigenvalue of complex white Wishart
       matrices", Ann. Probab. 34 (2006).

    Examples
    --------
    >>> from rmtsim.laws import wishart_edge
    >>> edge = wishart_edge(400, 100)
    >>> round(edge.centre, 4), round(edge.scale, 4)
    (2.2444, 0.0398)
    """
    samples = validate.integer("samples", samples, minimum=2, meaning="number of samples N")
    dimension = validate.integer("dimension", dimension, minimum=2, meaning="dimension d")
    unit = validate.positive_number("variance", variance, meaning="variance of the entries") / samples

    def first_order(n: float, d: float) -> tuple[float, float]:
        a, b = math.sqrt(n), math.sqrt(d)
        return (a + b) ** 2, (a + b) * (1 / a + 1 / b) ** (1 / 3)

    if _beta(beta) == 1:
        centre, scale = first_order(samples - 0.5, dimension - 0.5)
    else:
        left = first_order(samples - 0.5, dimension + 0.5)
        right = first_order(samples + 0.5, dimension - 0.5)
        # Weights that cancel the n^{-1/3} term: γ = μ₁√σ₂/(μ₂√σ₁), as El Karoui combines the two shapes.
        gamma = left[0] * math.sqrt(right[1]) / (right[0] * math.sqrt(left[1]))
        scale = (1 + gamma) / (1 / left[1] + gamma / right[1])
        centre = (1 / math.sqrt(left[1]) + 1 / math.sqrt(right[1])) / (
            1 / (left[0] * math.sqrt(left[1])) + 1 / (right[0] * math.sqrt(right[1]))
        )
    return EdgeScaling(unit * centre, unit * scale)
