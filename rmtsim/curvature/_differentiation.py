"""Second derivatives of a loss by differences in high precision, used to test printed Hessians.

Differences in 90-digit arithmetic: with a step of 2⁻¹⁰⁰, about 1e-30, both truncation and rounding leave errors of
about 1e-30, far below the double precision of any formula under test, and no analytical derivative is used anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate

_DIGITS = 90
_STEP_BITS = 100
"""A step that is a power of two is added to a double without rounding."""


class SecondDifferences:
    """∂²loss/∂θ_r∂θ_c at one point, block by block; what blocks have in common is computed once.

    ``loss`` receives a list of mpmath numbers and must use mpmath functions (exp, log, …) throughout. The difference
    ℓ(both moved) − ℓ(each moved alone) + ℓ(none moved) is h² times the mixed derivative.

    >>> differences = SecondDifferences(lambda t: mpmath.exp(t[0]) * t[1] ** 2, [0.0, 3.0])
    >>> differences([0], [1]), differences([1], [1])
    (array([[6.]]), array([[2.]]))
    >>> SecondDifferences(lambda t: mpmath.exp(t[0]) + mpmath.exp(t[1]), [0.1, 0.2])([0], [1])    # not 1e-31
    array([[0.]])
    """

    def __init__(self, loss: Callable[[Sequence[Any]], Any], point: ArrayLike) -> None:
        self.loss = loss
        self.point = np.asarray(point, dtype=np.float64).ravel()
        with mpmath.workdps(_DIGITS):
            self._exact = [mpmath.mpf(float(value)) for value in self.point]
        self._known: dict[tuple[int, ...], Any] = {}

    def __call__(self, rows: Sequence[int], columns: Sequence[int]) -> NDArray[np.float64]:
        """The block of ``rows`` and ``columns``."""
        result = np.empty((len(rows), len(columns)))
        with mpmath.workdps(_DIGITS):
            step = mpmath.ldexp(1, -_STEP_BITS)
            for a, row in enumerate(rows):
                for b, column in enumerate(columns):
                    together = self._moved(step, min(row, column), max(row, column))
                    alone = self._moved(step, row) + self._moved(step, column)
                    difference = together - alone + self._moved(step)
                    # A difference no larger than the rounding of the four values counts as zero.
                    rounding = 16 * mpmath.mpf(10) ** -_DIGITS * (abs(together) + abs(alone))
                    result[a, b] = 0.0 if abs(difference) <= rounding else float(difference / step**2)
        return result

    def _moved(self, step: Any, *moved: int) -> Any:
        """ℓ(θ + h Σe) over the parameters moved."""
        if moved not in self._known:
            theta = list(self._exact)
            for index in moved:
                theta[index] += step
            self._known[moved] = self.loss(theta)
        return self._known[moved]


def hessian_by_differences(
    loss: Callable[[Sequence[Any]], Any],
    point: ArrayLike,
    rows: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """Second derivatives of a function by differences in 90-digit arithmetic.

    Use it to check formulas: no analytical derivative enters, and the error is about 1e-30.

    Parameters
    ----------
    loss : callable
        Maps a list of mpmath numbers to an mpmath number; must use mpmath functions (``mpmath.exp``, …) throughout.
    point : array_like
        Parameters at which to differentiate.
    rows, columns : sequence of int, optional
        Parameters of the rows and columns of the result; all by default.

    Returns
    -------
    ndarray
        ``∂²loss/∂θ_r∂θ_c`` for r in ``rows`` and c in ``columns``.

    Raises
    ------
    TypeError
        If ``loss`` is not callable.

    Notes
    -----
    Mixed second differences with step 2⁻¹⁰⁰, which is added to a double without rounding. A difference that is not
    larger than the rounding error of its four terms is returned as zero.

    Examples
    --------
    >>> import mpmath
    >>> from rmtsim.curvature import hessian_by_differences
    >>> hessian_by_differences(lambda t: mpmath.exp(t[0]) * t[1] ** 2, [0.0, 3.0])
    array([[9., 6.],
           [6., 2.]])
    """
    if not callable(loss):
        raise TypeError(f"loss={validate.shown(loss)}: expected a function of a list of mpmath numbers")
    differences = SecondDifferences(
        loss, validate.real_array("point", point, meaning="parameters of the loss")
    )
    size = differences.point.size

    def chosen(name: str, indices: Sequence[int] | None) -> Sequence[int]:
        if indices is None:
            return range(size)
        meaning = f"index of one of {size} parameters"
        return [
            validate.integer(name, index, minimum=0, maximum=size - 1, meaning=meaning)
            for index in validate.sequence(name, indices, meaning="indices of parameters")
        ]

    return differences(chosen("rows", rows), chosen("columns", columns))
