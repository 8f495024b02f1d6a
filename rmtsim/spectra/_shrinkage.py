"""Non-linear shrinkage of a sample covariance: Ledoit and Wolf's analytical formula (2020)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

_LARGEST = 1e150

_TERMS = 24
"""Last term of the kernel's series: its argument is at most 1/4, and 4^-25 is below the rounding error."""


@frozen(eq=False)
class Shrinkage:
    """A covariance matrix with shrunken eigenvalues.

    See Also
    --------
    shrink_covariance : Makes one; also :class:`rmtsim.estimators.NonlinearShrinkage`.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import shrink_covariance
    >>> shrink_covariance(np.random.default_rng(0).standard_normal((200, 100))).samples
    199
    """

    covariance: Array
    """Matrix with the eigenvectors of the sample covariance and the shrunken eigenvalues."""
    sample_eigenvalues: Array
    eigenvalues: Array
    """Eigenvalues before and after shrinkage, in increasing order of the former."""
    samples: int
    """Degrees of freedom: number of rows, minus one if means were subtracted."""


def shrink_covariance(data: NDArray[np.floating], *, centre: bool = True) -> Shrinkage:
    """Non-linear shrinkage of a sample covariance matrix by the analytical formula of Ledoit and Wolf.

    Parameters
    ----------
    data : array_like
        Data matrix, samples in rows, features in columns; at least 12 samples.
    centre : bool, optional
        Whether to subtract the means of the columns (this uses one degree of freedom).

    Returns
    -------
    Shrinkage
        The covariance and its eigenvalues before and after.

    Raises
    ------
    ValueError
        If there are too few samples or the data do not have full rank.

    Notes
    -----
    With y = d/N, an eigenvalue λ becomes λ/((πyλf)² + (1 − y − πyλHf)²), the limit of the best value for Frobenius
    loss [1]_; density f and Hilbert transform Hf of the spectrum are kernel estimates of bandwidth N^(−1/3) λ [2]_.
    For d > N it becomes λ/(π²λ²(f² + Hf²)), and zero eigenvalues get a common value.

    References
    ----------
    .. [1] O. Ledoit and S. Péché, "Eigenvectors of some large sample covariance matrix ensembles", Probab. Theory
       Related Fields 151 (2011).
    .. [2] O. Ledoit and M. Wolf, "Analytical nonlinear shrinkage of large-dimensional covariance matrices", Ann.
       Statist. 48 (2020).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import shrink_covariance
    >>> rng = np.random.default_rng(0)
    >>> found = shrink_covariance(rng.standard_normal((200, 100)), centre=False)
    >>> bool(np.ptp(found.eigenvalues) < 0.3 * np.ptp(found.sample_eigenvalues))
    True
    """
    x = validate.matrix("data", data, meaning="samples × features")
    centre = validate.flag("centre", centre, meaning="whether to subtract the means of the columns")
    rows, dimension = x.shape
    samples = rows - 1 if centre else rows
    if samples < 12:
        raise ValueError(f"data of {rows} rows: expected at least {13 if centre else 12} samples")
    validate.memory(8.0 * (3 * dimension**2 + rows * dimension), f"a {dimension}×{dimension} covariance")
    if np.abs(x).max() > _LARGEST:
        raise ValueError(f"data: expected entries of modulus up to {_LARGEST:g}, whose squares are doubles")
    if centre:
        x = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(x.T @ x / samples)
    values = np.maximum(values, 0.0)
    shrunken = shrunken_eigenvalues(values, samples)
    if shrunken is None:
        raise ValueError(
            "data: fewer directions with variance than samples and features allow; expected columns of full rank"
        )
    covariance = (vectors * shrunken) @ vectors.T
    return Shrinkage(0.5 * (covariance + covariance.T), values, shrunken, samples)


def shrunken_eigenvalues(values: Array, samples: int, loss: str = "frobenius") -> Array | None:
    """Shrunken values of increasing eigenvalues of a sample covariance; None if too many of these vanish.

    For Stein's loss and fewer features than samples the real part is taken twice and the imaginary part left out.
    """
    dimension = values.size
    live = min(dimension, samples)
    nonzero = values[dimension - live :]
    if nonzero[-1] == 0 or nonzero[0] <= 1e-12 * nonzero[-1]:
        return None
    shrunken = np.empty(dimension)
    density, hilbert = _kernel_estimates(nonzero, samples)
    ratio = dimension / samples
    if dimension < samples and loss == "stein":
        shrunken[:] = nonzero / np.maximum(
            1 - ratio - 2 * np.pi * ratio * nonzero * hilbert, 0.1 * (1 - ratio)
        )
    elif dimension <= samples:
        real = 1 - ratio - np.pi * ratio * nonzero * hilbert
        shrunken[:] = nonzero / ((np.pi * ratio * nonzero * density) ** 2 + real**2)
    else:
        # At zero every kernel is seen from the same place, λ_j/(bandwidth of λ_j) = N^(1/3) to its left.
        reach = samples ** (1 / 3)
        at_zero = reach * float(_kernel_hilbert(np.array([-reach]))[0] * (1 / nonzero).mean())
        shrunken[: dimension - samples] = 1 / (np.pi * (dimension - samples) / samples * at_zero)
        shrunken[dimension - samples :] = nonzero / (np.pi**2 * nonzero**2 * (density**2 + hilbert**2))
    return shrunken


def _kernel_estimates(values: Array, samples: int) -> tuple[Array, Array]:
    """Density of the spectrum and its Hilbert transform at the eigenvalues themselves."""
    bandwidth = values * samples ** (-1 / 3)
    x = (values[:, None] - values[None, :]) / bandwidth[None, :]
    inside = np.maximum(1 - x**2 / 5, 0.0)
    density = (3 / (4 * math.sqrt(5)) * inside / bandwidth).mean(axis=1)
    return density, np.asarray((_kernel_hilbert(x) / bandwidth).mean(axis=1))


def _kernel_hilbert(x: Array) -> Array:
    """Hilbert transform of the Epanechnikov kernel 3(1 − x²/5)/(4√5) of the interval |x| < √5.

    The closed form −3x/(10π) + 3(1 − x²/5) log|(√5 − x)/(√5 + x)|/(4√5π) loses all digits for large |x|, where its
    two terms cancel; there the series −(3/(√5π)) Σ_k u^(2k+1)/((2k+1)(2k+3)), u = √5/x, is used.
    """
    root = math.sqrt(5)
    values = np.empty(x.shape)
    far = np.abs(x) >= 2 * root
    u = root / x[far]
    square = u * u
    series = np.zeros(u.shape)
    for k in range(_TERMS, -1, -1):
        series = series * square + 1 / ((2 * k + 1) * (2 * k + 3))
    values[far] = -3 / (root * math.pi) * u * series
    near = x[~far]
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithm = (1 - near**2 / 5) * np.log(np.abs((root - near) / (root + near)))
    # At |x| = √5 the factor 1 − x²/5 beats the logarithm.
    logarithm[np.abs(near) == root] = 0.0
    values[~far] = -3 / (10 * math.pi) * near + 3 / (4 * root * math.pi) * logarithm
    return values
