"""The Wishart (Laguerre) ensembles, dense and tridiagonal, with spiked populations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import describes
from rmtsim._internal.randomness import RandomSource
from rmtsim.ensembles._entries import any_beta, dyson_index, gaussian_entries, spike_values
from rmtsim.ensembles._tridiagonal import Tridiagonal

_described = describes(
    dimension="int\n    Number d of features.",
    samples="int\n    Number N of samples.",
    rng="None, int, numpy.random.Generator, SeedSequence or BitGenerator\n    Source of randomness.",
)

_BLOCK = 2048
"""Columns of X that are drawn and multiplied at once."""


@_described
def wishart(
    dimension: int,
    samples: int,
    rng: RandomSource,
    *,
    beta: int = 1,
    variance: float = 1.0,
    spikes: ArrayLike = (),
) -> NDArray[Any]:
    """Draw a sample covariance matrix (Wishart or Laguerre ensemble), optionally with a spiked population.

    Parameters
    ----------
    beta : {1, 2, 4}, optional
        Dyson index: real (default), complex or quaternion entries.
    variance : float, optional
        Variance E|x|² of an entry of X.
    spikes : array_like, optional
        Population variances of the first features, in units of ``variance``; the other features have 1. An
        eigenvalue leaves the bulk if its spike exceeds 1 + √(d/N).

    Returns
    -------
    ndarray
        The matrix (1/N) XX* of shape (d, d), X of shape (d, N); for ``beta=4`` a complex matrix of twice the size.

    Raises
    ------
    ValueError
        If ``beta`` is not 1, 2 or 4, the variance or a spike is not positive, or there are more spikes than
        features.

    See Also
    --------
    wishart_tridiagonal : The same eigenvalues from a tridiagonal matrix, for any β > 0.
    rmtsim.laws.MarchenkoPastur : The limit of the spectrum.
    rmtsim.laws.SpikedCovariance : The limits of outliers.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import wishart
    >>> bool(np.linalg.eigvalsh(wishart(100, 400, np.random.default_rng(0), spikes=[5.0]))[-1] > 4.0)
    True
    """
    dimension = validate.integer("dimension", dimension, meaning="features d")
    samples = validate.integer("samples", samples, meaning="samples N")
    beta = dyson_index(beta)
    variance = validate.positive_number("variance", variance, meaning="variance of an entry")
    scales = np.ones(dimension)
    given = spike_values(spikes, dimension, positive=True)
    scales[: len(given)] = np.sqrt(given)
    entries = gaussian_entries(dimension, samples, beta, rng)
    entries *= np.tile(scales, 2 if beta == 4 else 1)[:, None]
    matrix = entries @ entries.conj().T * (variance / samples)
    return np.asarray(0.5 * (matrix + matrix.conj().T))


@_described
def wishart_tridiagonal(
    dimension: int,
    samples: int,
    rng: RandomSource,
    *,
    beta: float = 1.0,
    variance: float = 1.0,
    spike: float = 1.0,
) -> Tridiagonal:
    """Draw a tridiagonal matrix with the non-zero eigenvalues of a Wishart (Laguerre) β ensemble.

    Parameters
    ----------
    beta : float, optional
        Repulsion of the eigenvalues, any number in [0.001, 1e6].
    variance : float, optional
        Variance v of an entry of X.
    spike : float, optional
        Population variance of the first feature, in units of that of the others.

    Returns
    -------
    Tridiagonal
        A matrix with min(d, N) rows; the d − N zero eigenvalues that exist for d > N are left out.

    See Also
    --------
    wishart : Dense matrices for β = 1, 2, 4 with the same eigenvalue distribution.

    Notes
    -----
    The matrix is BBᵀ v/(βN), with B bidiagonal: χ variables with βN, β(N−1), … degrees of freedom on the diagonal
    and with β(d−1), β(d−2), … below it [1]_.

    References
    ----------
    .. [1] I. Dumitriu and A. Edelman, "Matrix models for beta ensembles", J. Math. Phys. 43 (2002).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import wishart_tridiagonal
    >>> t = wishart_tridiagonal(10**4, 4 * 10**4, np.random.default_rng(0))
    >>> bool(abs(t.largest(1)[0] - 2.25) < 0.02)
    True
    """
    dimension = validate.integer("dimension", dimension, meaning="features d")
    samples = validate.integer("samples", samples, meaning="samples N")
    rng = validate.generator("rng", rng)
    beta = any_beta(beta)
    variance = validate.positive_number("variance", variance, meaning="variance of an entry")
    spike = validate.positive_number("spike", spike, meaning="population variance of the first feature")
    least = min(dimension, samples)
    validate.memory(64.0 * least, f"a tridiagonal matrix of {least} rows")
    upper = rng.chisquare(beta * np.arange(samples, samples - least, -1.0))
    upper[0] *= spike
    # For d > N, B is (N+1)×N, and BᵀB has the N eigenvalues.
    wide = dimension > samples
    lower = rng.chisquare(beta * (dimension - np.arange(1.0, least + (1 if wide else 0))))
    unit = variance / (beta * samples)
    if wide:
        return Tridiagonal((upper + lower) * unit, np.sqrt(upper[1:] * lower[:-1]) * unit)
    return Tridiagonal((upper + np.concatenate([[0.0], lower])) * unit, np.sqrt(upper[:-1] * lower) * unit)


@_described
def weighted_wishart(dimension: int, weights: ArrayLike, rng: RandomSource) -> NDArray[np.float64]:
    """Sample covariance with a weight on each sample.

    Parameters
    ----------
    dimension : int
        Features d.
    weights : array_like of float
        Λ, one real number for each of the N samples.

    Returns
    -------
    ndarray of shape (dimension, dimension)
        (1/N) X diag(Λ) Xᵀ with X of shape dimension × N, standard Gaussian; symmetric to the last bit.

    Raises
    ------
    ValueError
        If there is no weight, or the matrix does not fit in memory.

    Examples
    --------
    >>> matrix = weighted_wishart(2, [1.0, -1.0, 0.5], np.random.default_rng(0))
    >>> bool((matrix == matrix.T).all())
    True
    """
    dimension = validate.integer("dimension", dimension, meaning="features d")
    rng = validate.generator("rng", rng)
    values = validate.real_array("weights", weights, meaning="one weight a sample")
    if values.ndim != 1 or not values.size:
        raise ValueError(f"weights of shape {values.shape}: expected one number a sample, at least one")
    count = values.size
    validate.memory(
        8.0 * dimension * (2 * dimension + 2 * min(count, _BLOCK)),
        f"a {dimension}×{dimension} matrix (dimension={dimension})",
    )
    total = np.zeros((dimension, dimension))
    for first in range(0, count, _BLOCK):
        block = rng.standard_normal((dimension, min(_BLOCK, count - first)))
        total += (block * (values[first : first + block.shape[1]] / count)) @ block.T
    # BLAS may sum the two triangles in different orders.
    return np.asarray(0.5 * (total + total.T))
