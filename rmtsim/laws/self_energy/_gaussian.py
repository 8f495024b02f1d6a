"""The general Gaussian ensemble H = A + Σ gₖ Bₖ, and covariances estimated from observed matrices."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim.laws.self_energy._base import SelfEnergy, hermitian_matrix

COMMUTING_LIMIT = 8
"""More matrices than this are not tried for common eigenvectors."""
PACKED_LIMIT = 2**23
"""Largest number of entries of S as a matrix on symmetric matrices that is worth holding (64 MB)."""


def _stack(name: str, matrices: Any) -> Matrix:
    try:
        items = list(matrices)
    except TypeError:
        raise TypeError(f"{name}: expected a sequence of matrices, not {type(matrices).__name__}") from None
    if not items:
        raise ValueError(f"{name}: expected at least one matrix, got none")
    size = np.shape(items[0])[0] if np.ndim(items[0]) == 2 else None
    return np.stack([hermitian_matrix(f"{name}[{k}]", item, size=size) for k, item in enumerate(items)])


def _is_diagonal(matrix: Matrix) -> bool:
    return not np.count_nonzero(matrix - np.diag(np.diag(matrix)))


def _keeps_diagonals(matrices: Matrix) -> bool:
    """Whether Σ Bₖ diag(r) Bₖ is diagonal for every r: for each l, Σₖ Bₖ[i, l] conj(Bₖ[j, l]) = 0 for i ≠ j."""
    scale = float(np.sum(np.abs(matrices) ** 2))
    for column in np.moveaxis(matrices, 2, 0):
        image = column.T @ column.conj()
        if np.abs(image - np.diag(np.diag(image))).max() > 1e-14 * scale:
            return False
    return True


class GaussianSum(SelfEnergy):
    """Self-energy of a Gaussian matrix Σ g_k B_k: S[R] = Σ B_k R B_k.

    The g_k are independent standard real Gaussian numbers. Every centred Gaussian ensemble of real symmetric
    matrices has this form.

    Parameters
    ----------
    matrices : array_like
        Symmetric or Hermitian matrices B_k, shape (K, n, n).

    Raises
    ------
    ValueError
        If there is no matrix, or one is not Hermitian.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import GaussianSum
    >>> energy = GaussianSum([np.eye(2), [[0.0, 1.0], [1.0, 0.0]]])
    >>> energy(np.diag([1.0, 3.0])).tolist()
    [[4.0, 0.0], [0.0, 4.0]]
    """

    def __init__(self, matrices: ArrayLike) -> None:
        self.matrices = _stack("matrices", matrices)
        self.size = self.matrices.shape[1]
        self.real = not np.iscomplexobj(self.matrices)

    @classmethod
    def complex_sum(cls, matrices: ArrayLike) -> GaussianSum:
        """Self-energy of Σ (g_k C_k + ḡ_k C_k*) with complex Gaussian numbers g_k, E|g_k|² = 1.

        Parameters
        ----------
        matrices : array_like
            Matrices C_k, shape (K, n, n).

        Returns
        -------
        GaussianSum
            S[R] = Σ (C_k R C_k* + C_k* R C_k).

        Examples
        --------
        >>> import numpy as np
        >>> energy = GaussianSum.complex_sum([[[0.0, 1.0], [0.0, 0.0]]])
        >>> energy(np.diag([1.0, 3.0])).real.round(12).tolist()
        [[3.0, 0.0], [0.0, 1.0]]
        """
        items = [np.asarray(item, dtype=np.complex128) for item in np.asarray(matrices)]
        for k, item in enumerate(items):
            if item.ndim != 2 or item.shape[0] != item.shape[1] or item.shape != items[0].shape:
                raise ValueError(f"matrices[{k}] has shape {item.shape}: expected n×n, the same n for all")
        halves = [(item + item.conj().T) / np.sqrt(2) for item in items]
        others = [1j * (item - item.conj().T) / np.sqrt(2) for item in items]
        return cls(np.stack(halves + others))

    def simultaneous(self, mean: Matrix) -> tuple[Matrix, NDArray[np.float64], NDArray[np.float64]] | None:
        """Basis in which S maps diagonal matrices to diagonal ones.

        Common eigenvectors of the matrices and the mean, or eigenvectors of the mean alone.
        """
        if len(self.matrices) > COMMUTING_LIMIT:
            return None
        every = np.concatenate([self.matrices, np.asarray(mean)[None]])
        sizes = np.linalg.norm(every, axis=(1, 2))
        # A combination without coincidences of its own has the common eigenvectors.
        weights = np.sqrt(np.arange(2, 2 + len(every))) / np.maximum(sizes, np.finfo(float).tiny)
        combined = np.tensordot(np.where(sizes > 0, weights, 0.0), every, axes=1)
        for candidate in (combined, every[-1]):
            _, vectors = np.linalg.eigh(candidate)
            turned = vectors.conj().T @ every @ vectors
            turned[np.abs(turned) <= 1e-14 * self.size * sizes[:, None, None]] = 0
            if _is_diagonal(turned[-1]) and _keeps_diagonals(turned[:-1]):
                return vectors, np.diag(turned[-1]).real.copy(), (np.abs(turned[:-1]) ** 2).sum(axis=0)
        return None

    @functools.cached_property
    def _rows(self) -> Matrix:
        count, n, _ = self.matrices.shape
        return np.ascontiguousarray(self.matrices.reshape(count * n, n))

    @functools.cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.triu_indices(self.size)

    @functools.cached_property
    def _packed(self) -> NDArray[np.float64] | None:
        """S on symmetric matrices held as their upper triangles; None where Σ Bₖ R Bₖ is cheaper or smaller."""
        count, n, _ = self.matrices.shape
        entries = (n * (n + 1) // 2) ** 2
        if not self.real or entries > PACKED_LIMIT or 8 * count < n:
            return None
        flat = self.matrices.reshape(count, n * n)
        kernel = (flat.T @ flat).reshape(n, n, n, n)  # [i, k, j, l] = Σ B_ik B_jl
        i, j = self._pairs
        direct = kernel[i[:, None], i[None, :], j[:, None], j[None, :]]
        crossed = kernel[i[:, None], j[None, :], j[:, None], i[None, :]]
        packed: NDArray[np.float64] = direct + np.where(i == j, 0.0, crossed)
        return packed

    def _apply(self, batch: Matrix, symmetric: bool = False) -> Matrix:
        if symmetric and self._packed is not None:
            i, j = self._pairs
            half = batch[..., i, j]
            if np.iscomplexobj(half):
                # One real product over both parts: a real matrix times a complex one would be promoted.
                parts = np.concatenate([half.real, half.imag]) @ self._packed.T
                half = parts[: len(batch)] + 1j * parts[len(batch) :]
            else:
                half = half @ self._packed.T
            result = np.empty(batch.shape, dtype=half.dtype)
            result[..., i, j] = half
            result[..., j, i] = half
            return result
        count, n, _ = self.matrices.shape
        dtype = np.result_type(batch, self.matrices)
        out = np.empty(batch.shape, dtype=dtype)
        wide = self.matrices.transpose(1, 0, 2).reshape(n, count * n)
        for index, item in enumerate(batch):
            out[index] = wide @ (item @ self.matrices).reshape(count * n, n)
        return out


class FromSamples(GaussianSum):
    """Self-energy estimated from observed matrices: S[R] = Σ (H_k − H̄) R (H_k − H̄)/(K − 1).

    The estimate is unbiased. As a covariance it has rank at most K − 1.

    Parameters
    ----------
    matrices : array_like
        Observed symmetric or Hermitian matrices H_1, …, H_K, shape (K, n, n), K ≥ 2.

    Attributes
    ----------
    mean : ndarray
        Mean H̄ of the observed matrices.
    count : int
        Number K.

    See Also
    --------
    rmtsim.laws.MatrixDyson.sampling_error : Error of the density due to the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import FromSamples
    >>> energy = FromSamples([np.diag([1.0, 0.0]), np.diag([3.0, 0.0])])
    >>> energy(np.eye(2)).tolist(), energy.mean.diagonal().tolist()
    ([[2.0, 0.0], [0.0, 0.0]], [2.0, 0.0])
    """

    def __init__(self, matrices: ArrayLike) -> None:
        observed = _stack("matrices", matrices)
        if len(observed) < 2:
            raise ValueError(f"matrices: expected at least 2 observed matrices, got {len(observed)}")
        validate.memory(observed.nbytes, "the centred copies of the observed matrices")
        self.mean: Matrix = observed.mean(axis=0)
        super().__init__((observed - self.mean) / np.sqrt(len(observed) - 1))

    @property
    def count(self) -> int:
        """How many matrices were observed, K."""
        return len(self.matrices)

    def without_groups(self, groups: int) -> list[FromSamples]:
        """Estimates with one group of observed matrices left out, for a jackknife.

        Parameters
        ----------
        groups : int
            Number of groups; matrix k belongs to group k mod ``groups``.

        Returns
        -------
        list of FromSamples
            One estimate per group.
        """
        observed = self.matrices * np.sqrt(self.count - 1) + self.mean
        member = np.arange(self.count) % groups
        return [FromSamples(observed[member != group]) for group in range(groups)]
