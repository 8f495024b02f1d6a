"""Symmetric tridiagonal matrices: all eigenvalues in O(n²), the extreme ones of n = 10⁶ in seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh_tridiagonal

from rmtsim import validate
from rmtsim.kernels.sturm import kth_largest

__all__ = ["Tridiagonal"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tridiagonal:
    """A symmetric tridiagonal matrix, kept as its two diagonals.

    >>> t = Tridiagonal(np.ones(3), np.ones(2))
    >>> np.round(t.eigenvalues(), 6).tolist(), np.round(t.largest(1), 6).tolist()
    ([-0.414214, 1.0, 2.414214], [2.414214])
    """

    diagonal: FloatArray
    off_diagonal: FloatArray

    def __post_init__(self) -> None:
        for name in ("diagonal", "off_diagonal"):
            values = validate.real_array(name, getattr(self, name), meaning="entries of a tridiagonal matrix")
            object.__setattr__(self, name, values)
        if (
            self.diagonal.ndim != 1
            or self.off_diagonal.shape != (len(self.diagonal) - 1,)
            or not len(self.diagonal)
        ):
            raise ValueError(
                f"diagonal, off_diagonal of shapes {self.diagonal.shape}, {self.off_diagonal.shape}: "
                "expected n and n - 1"
            )

    def __len__(self) -> int:
        return len(self.diagonal)

    def eigenvalues(self) -> FloatArray:
        """All of them, in increasing order."""
        return np.asarray(eigvalsh_tridiagonal(self.diagonal, self.off_diagonal))

    def largest(self, count: int = 1) -> FloatArray:
        """The ``count`` largest, in increasing order, by bisection with Sturm counts: O(n) each."""
        return self._extreme(count, top=True)

    def smallest(self, count: int = 1) -> FloatArray:
        """The ``count`` smallest, in increasing order."""
        return self._extreme(count, top=False)

    def _extreme(self, count: int, *, top: bool) -> FloatArray:
        count = validate.integer("count", count, maximum=len(self), meaning="eigenvalues wanted")
        sign = 1.0 if top else -1.0
        diagonal, squares = sign * self.diagonal, self.off_diagonal**2
        reach = np.zeros(len(self))
        reach[1:] += np.abs(self.off_diagonal)
        reach[:-1] += np.abs(self.off_diagonal)
        # Gershgorin's discs hold all eigenvalues; a little more, so that none lies on an end.
        low, high = float((diagonal - reach).min()), float((diagonal + reach).max())
        slack = 1e-12 * max(abs(low), abs(high)) + np.finfo(np.float64).tiny
        low, high = low - slack, high + slack
        found = []
        for rank in range(1, count + 1):
            # No eigenvalue of a higher rank exceeds the last one found.
            high = kth_largest(diagonal, squares, rank, low, high)
            found.append(sign * high)
            high = np.nextafter(high, np.inf)
        return np.array(found[::-1] if top else found)

    def matrix(self) -> FloatArray:
        """The matrix itself, dense."""
        validate.memory(8.0 * len(self) ** 2, f"a {len(self)}×{len(self)} matrix")
        above = np.diag(self.off_diagonal, 1)
        return np.asarray(np.diag(self.diagonal) + above + above.T)
