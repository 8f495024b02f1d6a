"""The Gaussian ensembles GOE, GUE, GSE, dense and tridiagonal, with spikes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import describes
from rmtsim._internal.randomness import RandomSource
from rmtsim.ensembles._entries import any_beta, dyson_index, gaussian_entries, spike_values
from rmtsim.ensembles._tridiagonal import Tridiagonal

_described = describes(
    size="int\n    Number n of rows.",
    rng="None, int, numpy.random.Generator, SeedSequence or BitGenerator\n    Source of randomness.",
)


@_described
def gaussian(
    size: int, rng: RandomSource, *, beta: int = 1, variance: float = 1.0, spikes: ArrayLike = ()
) -> NDArray[Any]:
    """Draw a matrix of a Gaussian ensemble (GOE, GUE or GSE), optionally with added spikes.

    Parameters
    ----------
    beta : {1, 2, 4}, optional
        Dyson index: real (default), complex or quaternion entries.
    variance : float, optional
        n times the variance v/n of an entry off the diagonal; the spectrum tends to [−2√v, 2√v].
    spikes : array_like, optional
        Numbers θ added to the first diagonal entries. An eigenvalue leaves the bulk if |θ| > √v.

    Returns
    -------
    ndarray
        A symmetric or Hermitian matrix of shape (n, n); for ``beta=4`` a complex matrix of shape (2n, 2n), with
        every eigenvalue twice.

    Raises
    ------
    ValueError
        If ``beta`` is not 1, 2 or 4, the variance is not positive, or there are more spikes than rows.

    See Also
    --------
    gaussian_tridiagonal : The same eigenvalues from a tridiagonal matrix, for any β > 0.
    rmtsim.laws.Semicircle : The limit of the spectrum.

    Notes
    -----
    The density of the matrix is proportional to ``exp(−(βn/4v) tr H²)``: ``E|h_ij|² = v/n`` off the diagonal and
    ``E h_ii² = 2v/(βn)`` on it.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import gaussian
    >>> gaussian(3, np.random.default_rng(0), beta=4).shape
    (6, 6)
    >>> bool(np.linalg.eigvalsh(gaussian(200, np.random.default_rng(0), spikes=[3.0]))[-1] > 3.0)
    True
    """
    size = validate.integer("size", size, meaning="rows of the matrix")
    beta = dyson_index(beta)
    variance = validate.positive_number("variance", variance, meaning="n times an entry's variance")
    added = spike_values(spikes, size, positive=False)
    entries = gaussian_entries(size, size, beta, rng)
    matrix = (entries + entries.conj().T) * math.sqrt(variance / (2 * size))
    places = np.arange(len(added))
    for first in (0, size) if beta == 4 else (0,):
        matrix[places + first, places + first] += added
    return np.asarray(matrix)


@_described
def gaussian_tridiagonal(
    size: int, rng: RandomSource, *, beta: float = 1.0, variance: float = 1.0, spike: float = 0.0
) -> Tridiagonal:
    """Draw a tridiagonal matrix with the eigenvalues of a Gaussian β ensemble.

    Parameters
    ----------
    beta : float, optional
        Repulsion of the eigenvalues, any number in [0.001, 1e6].
    variance : float, optional
        n times the variance v/n of an entry of the dense matrix; the spectrum tends to [−2√v, 2√v].
    spike : float, optional
        Number added to the first diagonal entry.

    Returns
    -------
    Tridiagonal
        The matrix, as its two diagonals.

    See Also
    --------
    gaussian : Dense matrices for β = 1, 2, 4 with the same eigenvalue distribution.

    Notes
    -----
    The diagonal is N(0, 2v/(βn)); the entries beside it are √(v/(βn)) times independent χ variables with β(n−1), …,
    2β, β degrees of freedom [1]_.

    References
    ----------
    .. [1] I. Dumitriu and A. Edelman, "Matrix models for beta ensembles", J. Math. Phys. 43 (2002).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import gaussian_tridiagonal
    >>> t = gaussian_tridiagonal(10**5, np.random.default_rng(0))
    >>> bool(abs(t.largest(1)[0] - 2) < 0.01)
    True
    """
    size = validate.integer("size", size, meaning="rows of the matrix")
    rng = validate.generator("rng", rng)
    beta = any_beta(beta)
    variance = validate.positive_number("variance", variance, meaning="n times an entry's variance")
    spike = validate.finite_number("spike", spike, meaning="added to the first entry")
    validate.memory(48.0 * size, f"a tridiagonal matrix of {size} rows")
    unit = math.sqrt(variance / size)
    diagonal = rng.standard_normal(size) * (unit * math.sqrt(2 / beta))
    diagonal[0] += spike
    degrees = beta * np.arange(size - 1, 0, -1)
    return Tridiagonal(diagonal, np.sqrt(rng.chisquare(degrees) / beta) * unit)
