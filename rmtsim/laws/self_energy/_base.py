"""Base class of self-energies: S[R], its adjoint and its norm."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal.arrays import Matrix

SYMMETRY_TOLERANCE = 1e-10
"""Relative asymmetry that is attributed to rounding by the caller and removed by averaging."""


def hermitian_matrix(name: str, value: Any, *, size: int | None = None, meaning: str = "") -> Matrix:
    """``value`` as a finite symmetric (or complex Hermitian) matrix, or an error that names the worst entry."""
    try:
        matrix = np.asarray(value)
        matrix = matrix.astype(np.complex128 if np.iscomplexobj(matrix) else np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: expected a matrix of numbers, not {type(value).__name__}") from None
    note = f" ({meaning})" if meaning else ""
    wanted = f"{size}×{size}" if size is not None else "n×n with n >= 1"
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.shape[0] > 0
    if not square or (size is not None and matrix.shape[0] != size):
        raise ValueError(f"{name} has shape {matrix.shape}: expected {wanted}{note}")
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"{name}[{i}, {j}]={matrix[i, j]}: expected finite entries{note}")
    gap = np.abs(matrix - matrix.conj().T)
    if gap.max() > SYMMETRY_TOLERANCE * max(np.abs(matrix).max(), np.finfo(float).tiny):
        i, j = (int(index) for index in np.unravel_index(gap.argmax(), gap.shape))
        kind = "Hermitian" if np.iscomplexobj(matrix) else "symmetric"
        raise ValueError(
            f"{name}[{i}, {j}]={matrix[i, j]} but {name}[{j}, {i}]={matrix[j, i]}: "
            f"expected a {kind} matrix{note}"
        )
    result: Matrix = (matrix + matrix.conj().T) / 2
    return result


def positive_semidefinite(name: str, value: Any, *, size: int | None = None, meaning: str = "") -> Matrix:
    """``value`` as a positive semi-definite matrix (eigenvalues above minus rounding)."""
    matrix = hermitian_matrix(name, value, size=size, meaning=meaning)
    spectrum = np.linalg.eigvalsh(matrix)
    if spectrum[0] < -1e-10 * max(spectrum[-1], np.finfo(float).tiny):
        raise ValueError(f"{name} has eigenvalue {spectrum[0]:.4g}: expected a positive semi-definite matrix")
    return matrix


class SelfEnergy(ABC):
    """Self-energy S[R] = E[W R W] of a centred random Hermitian matrix W.

    Base class. A self-energy is a linear map on n×n matrices that preserves positivity; calling it with a matrix R
    evaluates S[R].

    Attributes
    ----------
    size : int
        Side n of the matrices.
    real : bool
        Whether S maps real symmetric matrices to real symmetric matrices.
    norm : float
        Norm ‖S‖ = ‖S[1]‖ induced by the operator norm.
    diagonal : ndarray or None
        Matrix s of shape (n, n) with S[diag r] = diag(s r), if S maps diagonal matrices to diagonal matrices.
    mixing : bool
        Whether S[R] depends on tr R only.

    Notes
    -----
    A subclass defines ``_apply``, which maps a batch of matrices of shape (b, n, n).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import Wigner
    >>> energy = Wigner(3)
    >>> energy.size, energy.norm, energy(np.eye(3)).diagonal().tolist()
    (3, 1.0, [1.0, 1.0, 1.0])
    """

    size: int
    real: bool = True

    def __call__(self, matrix: ArrayLike) -> Matrix:
        """S[R] for one n×n matrix R."""
        return self._one("matrix", matrix, self._apply)

    def adjoint(self, matrix: ArrayLike) -> Matrix:
        """Adjoint of the self-energy.

        Parameters
        ----------
        matrix : array_like
            Matrix R of shape (n, n).

        Returns
        -------
        ndarray
            S*[R], with tr(X* S[Y]) = tr(S*[X]* Y); equal to S[R] for covariances of Hermitian matrices.
        """
        return self._one("matrix", matrix, self._apply)

    @functools.cached_property
    def norm(self) -> float:
        """‖S‖ induced by the operator norm: ‖S[1]‖, since S preserves positivity (Russo and Dye)."""
        identity = np.eye(self.size)
        return float(np.linalg.norm(self(identity), 2))

    @property
    def diagonal(self) -> NDArray[np.float64] | None:
        """The n×n matrix s if S[diag r] = diag(s r) on diagonal matrices, so that a vector equation is exact."""
        return None

    @property
    def mixing(self) -> bool:
        """Whether S depends on R through tr R alone, so that any mean can be diagonalised away."""
        return False

    @property
    def factors(self) -> tuple[Matrix, Matrix] | None:
        """Matrices F and G of shape (k, n, n) with S[R] = Σ F_k tr(G_k R), if few of them describe S.

        Newton's linear systems then have k unknowns instead of n².
        """
        return None

    def simultaneous(self, mean: Matrix) -> tuple[Matrix, NDArray[np.float64], NDArray[np.float64]] | None:
        """Basis in which the mean and the self-energy are diagonal, if there is one.

        Parameters
        ----------
        mean : ndarray
            Mean A of shape (n, n).

        Returns
        -------
        tuple of ndarray or None
            Unitary V, the diagonal of V*AV, and s with S[V diag(r) V*] = V diag(s r) V*; None if no such basis is
            known.
        """
        return None

    @abstractmethod
    def _apply(self, batch: Matrix, symmetric: bool = False) -> Matrix:
        """S of each matrix of a batch (b, n, n); ``symmetric`` promises R = Rᵀ."""

    def _one(self, name: str, matrix: ArrayLike, function: Any) -> Matrix:
        values = np.asarray(matrix)
        if values.shape != (self.size, self.size):
            raise ValueError(f"{name} has shape {values.shape}: expected {self.size}×{self.size}")
        values = values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)
        result: Matrix = function(values[None])[0]
        return result
