"""Symmetric tridiagonal matrices: all eigenvalues in O(n²), the extreme ones of n = 10⁶ in seconds."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.linalg.lapack import dsytrd

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import describes, frozen
from rmtsim._kernels.sturm import count_above, kth_largest, resolvent_trace

_described = describes(
    count="int, optional\n    Number of eigenvalues, at most n.",
)


@frozen(eq=False)
class Tridiagonal:
    """A symmetric tridiagonal matrix, stored as its two diagonals.

    All eigenvalues cost O(n²); one eigenvalue at an end, the number of eigenvalues below a point and the trace of
    the resolvent cost O(n) each.

    Parameters
    ----------
    diagonal : array_like
        The n entries on the diagonal.
    off_diagonal : array_like
        The n − 1 entries beside it.

    Raises
    ------
    ValueError
        If the shapes do not fit or an entry is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import Tridiagonal
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
        """All eigenvalues.

        Returns
        -------
        ndarray
            The n eigenvalues in increasing order.
        """
        return np.asarray(eigvalsh_tridiagonal(self.diagonal, self.off_diagonal))

    def count_at_most(self, point: float) -> int:
        """Number of eigenvalues at or below a point, by a Sturm count in O(n).

        Parameters
        ----------
        point : float
            The point, finite.

        Returns
        -------
        int
            Number of eigenvalues ≤ ``point``.

        Examples
        --------
        >>> Tridiagonal(np.ones(3), np.ones(2)).count_at_most(1.5)
        2
        """
        point = validate.finite_number("point", point, meaning="where eigenvalues are counted")
        return len(self) - int(count_above(self.diagonal, self.off_diagonal**2, point))

    def mean_resolvent(self, z: complex) -> complex:
        """Normalised trace of the resolvent, in O(n).

        Parameters
        ----------
        z : complex
            Spectral parameter with positive imaginary part.

        Returns
        -------
        complex
            ``(1/n) tr (T − z)⁻¹``, the Stieltjes transform of the spectrum.

        Raises
        ------
        ValueError
            If ``z`` is not finite or Im z ≤ 0.

        Examples
        --------
        >>> t = Tridiagonal(np.ones(3), np.ones(2))
        >>> bool(abs(t.mean_resolvent(0.3 + 0.5j) - np.mean(1 / (t.eigenvalues() - 0.3 - 0.5j))) < 1e-14)
        True
        """
        z = complex(z)
        if not (z.imag > 0 and np.isfinite(z)):
            raise ValueError(f"z={z}: expected a finite number with Im z > 0")
        return complex(resolvent_trace(self.diagonal, self.off_diagonal**2, z)) / len(self)

    @_described
    def largest(self, count: int = 1) -> FloatArray:
        """The largest eigenvalues, by bisection with Sturm counts in O(n) each.

        Returns
        -------
        ndarray
            The ``count`` largest eigenvalues in increasing order.
        """
        return self._extreme(count, top=True)

    @_described
    def smallest(self, count: int = 1) -> FloatArray:
        """The smallest eigenvalues, by bisection with Sturm counts in O(n) each.

        Returns
        -------
        ndarray
            The ``count`` smallest eigenvalues in increasing order.
        """
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
        """The dense matrix.

        Returns
        -------
        ndarray
            Array of shape (n, n).
        """
        validate.memory(8.0 * len(self) ** 2, f"a {len(self)}×{len(self)} matrix")
        above = np.diag(self.off_diagonal, 1)
        return np.asarray(np.diag(self.diagonal) + above + above.T)


def tridiagonal_form(matrix: FloatArray) -> Tridiagonal:
    """A tridiagonal matrix with the eigenvalues of a symmetric matrix, by Householder reflections (LAPACK).

    Counting eigenvalues (:meth:`Tridiagonal.count_at_most`) or evaluating a resolvent
    (:meth:`Tridiagonal.mean_resolvent`) from it takes half of the time of all eigenvalues, or less.

    Parameters
    ----------
    matrix : (n, n) array_like
        Symmetric matrix; its lower triangle is read.

    Returns
    -------
    Tridiagonal
        The two diagonals.

    Raises
    ------
    ValueError
        If the matrix is not square.

    Examples
    --------
    >>> a = np.random.default_rng(0).standard_normal((5, 5))
    >>> bool(np.allclose(tridiagonal_form(a + a.T).eigenvalues(), np.linalg.eigvalsh(a + a.T)))
    True
    """
    matrix = validate.matrix("matrix", matrix, meaning="a symmetric matrix")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix of shape {matrix.shape}: expected a square one")
    # Row by row in memory, so LAPACK sees the transpose: its upper half is our lower one.
    _, diagonal, beside, _, _ = dsytrd(np.ascontiguousarray(matrix).T, lower=0, lwork=32 * len(matrix))
    return Tridiagonal(diagonal, beside)
