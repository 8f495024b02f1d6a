"""Laws of common ensembles of correlated random matrices, solved by the Matrix Dyson equation.

In every function ``size=None`` gives the law of infinite matrices and a number that of matrices of this side.

>>> from rmtsim.laws.dyson import ensembles
>>> [round(edge, 6) for edge in ensembles.wigner(4.0).support[0]]
[-4.0, 4.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rmtsim import laws
from rmtsim._internal import validate
from rmtsim._internal.docstrings import describes
from rmtsim.laws import self_energy

if TYPE_CHECKING:
    from rmtsim.laws import MatrixDyson

_described = describes(
    size="int, optional\n    Side n of the matrix; infinite by default.",
    Returns="MatrixDyson\n    The law.",
)

__all__ = ["banded", "deformed", "rectangular", "separable", "two_block", "wigner"]

POINTS = 64
"""Places at which a continuous profile or symbol is sampled for the law of infinite matrices (midpoint rule)."""
SECOND = 0.1
"""Variance within the second of two halves, over that within the first."""
FLOOR = 0.2
"""Variance far from the diagonal, over what the band adds on it."""


@_described
def wigner(variance: float = 1.0, size: int | None = None) -> MatrixDyson:
    """Law of a matrix with independent entries of equal variance.

    Parameters
    ----------
    variance : float, optional
        n times the variance of an entry.

    Examples
    --------
    >>> from rmtsim.laws.dyson import ensembles
    >>> [round(edge, 6) for edge in ensembles.wigner(4.0).support[0]]
    [-4.0, 4.0]
    """
    return laws.MatrixDyson(0.0, self_energy.Wigner(_side(size, 1), variance))


@_described
def two_block(
    across: float, second: float = SECOND, variance: float = 1.0, size: int | None = None
) -> MatrixDyson:
    """Law of a matrix with independent entries whose variance depends on the half of the indices.

    Parameters
    ----------
    across : float
        Variance between the halves, relative to that within the first half.
    second : float, optional
        Variance within the second half, relative to that within the first.
    variance : float, optional
        n times the variance v/n within the first half.

    Examples
    --------
    >>> from rmtsim.laws.dyson import ensembles
    >>> round(ensembles.two_block(0.2).moment(2), 9)  # (1 + 0.1 + 2·0.2)/4
    0.375
    """
    across, second = _variance("across", across), _variance("second", second)
    variance = _positive_variance(variance)
    side = _side(size, 2)
    half = (np.arange(side) >= side // 2).astype(np.intp)
    levels = variance * np.array([[1.0, across], [across, second]])
    return laws.MatrixDyson(0.0, self_energy.VarianceProfile(levels[np.ix_(half, half)] / side))


@_described
def banded(width: float, floor: float = FLOOR, variance: float = 1.0, size: int | None = None) -> MatrixDyson:
    """Law of a matrix with independent entries whose variance decreases away from the diagonal.

    Parameters
    ----------
    width : float
        Width of the band relative to n.
    floor : float, optional
        Variance far from the diagonal, relative to what the band adds on it.
    variance : float, optional
        Factor v of all variances.

    Returns
    -------
    MatrixDyson
        The law of entries of variance v(floor + exp(−(x − y)²/(2 width²)))/n at x = i/n, y = j/n.

    Raises
    ------
    ValueError
        If ``width`` or a variance is outside its range.

    Examples
    --------
    >>> from rmtsim.laws.dyson import ensembles
    >>> round(ensembles.banded(1e3).moment(2), 6)  # so wide that every variance is v(floor + 1)/n
    1.2
    """
    side = _side(size, POINTS)
    width = validate.positive_number("width", width, meaning="width of the band over n")
    if not 1e-100 <= width <= 1e100:
        raise ValueError(f"width={width}: expected a number in [1e-100, 1e100] (width of the band over n)")
    floor = _variance("floor", floor)
    variance = _positive_variance(variance)
    x = (np.arange(side) + 0.5) / side
    band = floor + np.exp(-((x[:, None] - x) ** 2) / (2 * width**2))
    return laws.MatrixDyson(0.0, self_energy.VarianceProfile(variance * band / side))


@_described
def separable(correlation: float, variance: float = 1.0, size: int | None = None) -> MatrixDyson:
    """Law of √v L^½ G L^½ with L_ij = correlation^|i−j| and G a Wigner matrix.

    Parameters
    ----------
    correlation : float
        Correlation of neighbouring rows, in [0, 1).
    variance : float, optional
        Factor v.

    Raises
    ------
    ValueError
        If ``correlation`` is not in [0, 1).

    Notes
    -----
    The law depends on the eigenvalues of L only. For infinite matrices they are the symbol of the Toeplitz matrix
    at equally spaced angles.

    Examples
    --------
    >>> from rmtsim.laws.dyson import ensembles
    >>> round(ensembles.separable(0.5).moment(2), 9)
    1.0
    """
    r = validate.finite_number("correlation", correlation, meaning="L_ij = r^|i-j|")
    if not 0 <= r < 1:
        raise ValueError(f"correlation={r}: expected a number in [0, 1) (L_ij = r^|i-j|)")
    variance = _positive_variance(variance)
    if size is None:
        angle = np.pi * (np.arange(POINTS) + 0.5) / POINTS
        values = (1 - r**2) / (1 - 2 * r * np.cos(angle) + r**2)
    else:
        index = np.arange(_side(size, 1))
        values = np.maximum(np.linalg.eigvalsh(r ** np.abs(index[:, None] - index)), 0)
    return laws.MatrixDyson(0.0, self_energy.Kronecker(np.sqrt(variance) * np.diag(values)))


@_described
def deformed(separation: float, variance: float = 1.0, size: int | None = None) -> MatrixDyson:
    """Law of a Wigner matrix plus a mean with eigenvalues ±separation in equal shares.

    Parameters
    ----------
    separation : float
        Eigenvalues of the mean; the support splits beyond √v.
    variance : float, optional
        n times the variance v/n of an entry.

    Raises
    ------
    ValueError
        If ``separation`` exceeds 1e100 or a parameter is outside its range.

    Examples
    --------
    >>> from rmtsim.laws.dyson import ensembles
    >>> len(ensembles.deformed(0.9).support), len(ensembles.deformed(1.1).support)
    (1, 2)
    """
    separation = validate.finite_number("separation", separation, meaning="eigenvalues ± of the mean")
    if abs(separation) > 1e100:  # squares of it must stay in the range of doubles
        raise ValueError(f"separation={separation}: expected at most 1e100 (eigenvalues ± of the mean)")
    variance = _positive_variance(variance)
    side = _side(size, 2)
    signs = np.where(np.arange(side) < side // 2, -1.0, 1.0)
    return laws.MatrixDyson(separation * np.diag(signs), self_energy.Wigner(side, variance))


@_described
def rectangular(ratio: float, size: int | None = None) -> MatrixDyson:
    """Law of the block matrix [[0, X], [Xᵀ, 0]] with a rectangular X.

    Parameters
    ----------
    ratio : float
        Rows of X divided by its columns; the entries have variance one over the number of columns.
    size : int, optional
        Number of columns; infinite by default.

    Raises
    ------
    ValueError
        If ``ratio`` is not positive, or too large at this ``size``.

    Examples
    --------
    >>> from rmtsim.laws.dyson import ensembles
    >>> [(location, round(mass, 6)) for location, mass in ensembles.rectangular(0.5).atoms]
    [(0.0, 0.333333)]
    """
    ratio = validate.positive_number("ratio", ratio, meaning="rows of X over its columns")
    size = None if size is None else _side(size, 1)
    if size is not None and ratio * size > validate.MAXIMUM_SIZE:
        raise ValueError(f"ratio={ratio}: expected at most {validate.MAXIMUM_SIZE} rows at size={size}")
    rows = ratio if size is None else max(1, round(ratio * size)) / size
    return laws.MatrixDyson(0.0, self_energy.Block(general=[[[0, 1], [0, 0]]], weights=(rows, 1.0)))


def _side(size: int | None, infinite: int) -> int:
    """Side of the matrix problem to solve; ``infinite`` is that of the law of infinite matrices."""
    if size is None:
        return infinite
    size = validate.integer("size", size, minimum=min(infinite, 2))
    validate.memory(64.0 * size**2, f"size={size}: the matrix problem")
    return size


def _variance(name: str, value: float) -> float:
    number = validate.finite_number(name, value, meaning="a variance")
    if number < 0:
        raise ValueError(f"{name}={number}: expected a finite number >= 0 (a variance)")
    return number


def _positive_variance(variance: float) -> float:
    number = validate.positive_number("variance", variance)
    if number > 1e100:  # squares of it must stay in the range of doubles
        raise ValueError(f"variance={number}: expected at most 1e100")
    return number
