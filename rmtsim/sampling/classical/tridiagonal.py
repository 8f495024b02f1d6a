"""Symmetric tridiagonal matrices: all eigenvalues in O(n²), the extreme ones of n = 10⁶ in seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh_tridiagonal

from rmtsim import validate

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
        n = len(self)
        count = validate.integer("count", count, maximum=n, meaning="eigenvalues wanted")
        if n == 1:
            return self.diagonal.copy()
        chosen = (n - count, n - 1) if top else (0, count - 1)
        return np.asarray(
            eigvalsh_tridiagonal(
                self.diagonal, self.off_diagonal, select="i", select_range=chosen, lapack_driver="stebz"
            )
        )

    def matrix(self) -> FloatArray:
        """The matrix itself, dense."""
        validate.memory(8.0 * len(self) ** 2, f"a {len(self)}×{len(self)} matrix")
        above = np.diag(self.off_diagonal, 1)
        return np.asarray(np.diag(self.diagonal) + above + above.T)
