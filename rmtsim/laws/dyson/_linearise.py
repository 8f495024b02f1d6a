"""Rational functions of large random matrices as block problems: Wishart, weighted Wishart, products, features.

Each law is that of a Schur complement u (−Q)⁻¹ u* on the first block of [[−z, u], [u*, Q]].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim.laws.dyson._law import MatrixDyson
from rmtsim.laws.self_energy._block import Block


def _unit(size: int, i: int, j: int, value: float = 1.0) -> np.ndarray:
    result = np.zeros((size, size))
    result[i, j] = value
    return result


def wishart(ratio: float, variance: float = 1.0) -> MatrixDyson:
    """Law of X Xᵀ/N from a block problem of size two.

    Parameters
    ----------
    ratio : float
        Limit of d/N, X of shape (d, N).
    variance : float, optional
        Variance of an entry of X.

    Returns
    -------
    MatrixDyson
        The Marchenko–Pastur law, from the linearisation [[−z, X], [Xᵀ, −1]].

    Examples
    --------
    >>> from rmtsim.laws import MarchenkoPastur
    >>> from rmtsim.laws.dyson import wishart
    >>> abs(wishart(0.5).density(1.0) - MarchenkoPastur(0.5).density(1.0)) < 1e-12
    True
    """
    ratio = validate.positive_number("ratio", ratio, meaning="ratio = d/N")
    deviation = np.sqrt(validate.positive_number("variance", variance))
    return MatrixDyson(
        np.diag([0.0, -1.0]), Block(general=[_unit(2, 0, 1, deviation)], weights=(ratio, 1.0), spectral=(0,))
    )


def weighted_wishart(ratio: float, values: ArrayLike, shares: ArrayLike | None = None) -> MatrixDyson:
    """Law of X Λ Xᵀ/N from a block problem.

    Parameters
    ----------
    ratio : float
        Limit of d/N, X of shape (d, N) with independent standard entries.
    values : array_like
        Eigenvalues of Λ, none of them zero.
    shares : array_like, optional
        Their shares, which sum to one; equal by default.

    Returns
    -------
    MatrixDyson
        The law.

    Raises
    ------
    ValueError
        If an eigenvalue is zero, or the shares are not positive with sum one.

    See Also
    --------
    rmtsim.laws.GeneralizedMarchenkoPastur : The same law from a scalar equation.

    Examples
    --------
    >>> from rmtsim.laws.dyson import weighted_wishart
    >>> round(weighted_wishart(0.5, [1.0, -2.0], [0.5, 0.5]).moment(1), 9)
    -0.5
    """
    levels = validate.real_array("values", values, meaning="eigenvalues of Λ").ravel()
    if not len(levels) or np.any(levels == 0):
        raise ValueError("values: expected at least one eigenvalue of Λ, none of them zero")
    weights = (
        np.full(len(levels), 1 / len(levels)) if shares is None else validate.real_array("shares", shares)
    )
    if (
        weights.shape != levels.shape
        or not weights.size
        or weights.min() <= 0
        or abs(weights.sum() - 1) > 1e-9
    ):
        raise ValueError(f"shares={shares!r:.60}: expected {len(levels)} numbers > 0 that add up to 1")
    ratio = validate.positive_number("ratio", ratio, meaning="ratio = d/N")
    k = len(levels) + 1
    return MatrixDyson(
        np.diag([0.0, *(-1 / levels)]),
        Block(general=[_unit(k, 0, j) for j in range(1, k)], weights=(ratio, *weights), spectral=(0,)),
    )


def anticommutator() -> MatrixDyson:
    """Law of XY + YX for two independent Wigner matrices of variance one.

    Returns
    -------
    MatrixDyson
        The law, from the linearisation [[−z, X, Y], [X, 0, −1], [Y, −1, 0]].

    Examples
    --------
    >>> from rmtsim.laws.dyson import anticommutator
    >>> law = anticommutator()
    >>> round(law.moment(2), 7), round(law.support[0][1], 6)
    (2.0, 3.330191)
    """
    mean = np.zeros((3, 3))
    mean[1, 2] = mean[2, 1] = -1.0
    coefficients = [_unit(3, 0, 1) + _unit(3, 1, 0), _unit(3, 0, 2) + _unit(3, 2, 0)]
    return MatrixDyson(mean, Block(hermitian=coefficients, spectral=(0,)))


def random_features(
    inputs: float, features: float, linear: float = 1.0, nonlinear: float = 1.0
) -> MatrixDyson:
    """Law of the Gram matrix of random features, F Fᵀ/N with F = linear·W X/√d + nonlinear·Z.

    Parameters
    ----------
    inputs : float
        Limit of d/N.
    features : float
        Limit of p/N.
    linear, nonlinear : float, optional
        Coefficients. For features f(WX/√d) with centred f take linear = E[f(g) g] and nonlinear² = E[f(g)²] −
        linear².

    Returns
    -------
    MatrixDyson
        The law for W of shape (p, d), X of shape (d, N) and Z of shape (p, N), all with independent standard
        entries.

    Raises
    ------
    ValueError
        If a parameter is not positive or exceeds 1e100.

    Examples
    --------
    >>> from rmtsim.laws.dyson import random_features
    >>> round(random_features(0.8, 0.5).moment(1), 6)
    2.0
    """
    delta = validate.positive_number("inputs", inputs, meaning="d/N")
    psi = validate.positive_number("features", features, meaning="p/N")
    a = validate.positive_number("linear", linear)
    b = validate.positive_number("nonlinear", nonlinear)
    for name, value in (("linear", a), ("nonlinear", b)):
        if value > 1e100:
            raise ValueError(f"{name}={value}: expected a number in (0, 1e100], whose powers are doubles")
    # Blocks: features p, samples N, inputs d, d. With F = a W X/√d + b Z, the lower 3×3 block Q carries
    # −1 on the samples and couples W and X through two copies of the inputs.
    mean = np.zeros((4, 4))
    mean[1, 1] = -1.0
    mean[2, 3] = mean[3, 2] = -1.0
    scale = np.sqrt(a / np.sqrt(delta))
    # Entries of the blocks have variance 1/N: W X/√d/√N = (W/√N)(X/√N)/√δ.
    general = [_unit(4, 0, 1, b), _unit(4, 0, 2, scale), _unit(4, 3, 1, scale)]
    return MatrixDyson(mean, Block(general=general, weights=(psi, 1.0, delta, delta), spectral=(0,)))
