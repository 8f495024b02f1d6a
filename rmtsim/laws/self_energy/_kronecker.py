"""Separable covariances, Cov(W) built of Kronecker products, without any n²×n² array."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim.laws.self_energy._base import SelfEnergy, positive_semidefinite


class Kronecker(SelfEnergy):
    """Self-energy of a separable covariance: S[R] = (L tr(C R) + C tr(L R))/2n.

    It belongs to W = (L^½ X C^½ + C^½ Xᵀ L^½)/√(2n) with independent standard entries of X.

    Parameters
    ----------
    left : array_like
        Covariance L of the rows, positive semi-definite.
    right : array_like, optional
        Covariance C of the columns; equal to L by default, which gives S[R] = L tr(L R)/n and W = L^½ G L^½ with a
        Wigner matrix G.
    transpose : bool, optional
        Whether to add the next-order terms (L Rᵀ C + C Rᵀ L)/2n of the real ensemble.

    Raises
    ------
    ValueError
        If a factor is not positive semi-definite, or ``transpose`` is given with complex factors.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import Kronecker
    >>> energy = Kronecker(np.diag([1.0, 3.0]))
    >>> energy(np.eye(2)).tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    """

    def __init__(self, left: ArrayLike, right: ArrayLike | None = None, *, transpose: bool = False) -> None:
        self.left = positive_semidefinite("left", left, meaning="row covariance")
        self.size = len(self.left)
        self.right = (
            self.left
            if right is None
            else positive_semidefinite("right", right, size=self.size, meaning="column covariance")
        )
        self.transpose = validate.flag("transpose", transpose, meaning="real symmetric matrices")
        self.real = not (np.iscomplexobj(self.left) or np.iscomplexobj(self.right))
        if not self.real and self.transpose:
            raise ValueError(
                "transpose=True: expected real left and right (the term belongs to real ensembles)"
            )

    @property
    def diagonal(self) -> NDArray[np.float64] | None:
        """The profile (l cᵀ + c lᵀ)/2n if both factors are diagonal."""
        left, right = np.diag(self.left).real, np.diag(self.right).real
        if np.count_nonzero(self.left - np.diag(left)) or np.count_nonzero(self.right - np.diag(right)):
            return None
        profile = (np.outer(left, right) + np.outer(right, left)) / (2 * self.size)
        if self.transpose:
            profile[np.diag_indices(self.size)] *= 2
        return profile

    @property
    def factors(self) -> tuple[Matrix, Matrix] | None:
        """Two scalars, tr(C R) and tr(L R), determine S[R]; with ``transpose`` it is not of this form."""
        if self.transpose:
            return None
        pair = np.stack([self.left, self.right])
        return pair / (2 * self.size), pair[::-1]

    def simultaneous(self, mean: Matrix) -> tuple[Matrix, NDArray[np.float64], NDArray[np.float64]] | None:
        """Common eigenvectors of L, C and the mean, if the three commute to rounding."""
        if self.transpose:
            return None
        # A combination without accidental degeneracies: the factors are scaled to comparable size.
        parts = [self.left, self.right, mean]
        sizes = [max(float(np.abs(part).max()), np.finfo(float).tiny) for part in parts]
        mixture = sum(
            share * part / size for share, part, size in zip((1.0, np.e, np.pi**2), parts, sizes, strict=True)
        )
        vectors = np.linalg.eigh(mixture)[1]
        turned = [vectors.conj().T @ part @ vectors for part in parts]
        for part, size in zip(turned, sizes, strict=True):
            if np.abs(part - np.diag(np.diag(part))).max() > 1e-13 * self.size * size:
                return None
        left, right, entries = (np.diag(part).real for part in turned)
        profile = (np.outer(left, right) + np.outer(right, left)) / (2 * self.size)
        return vectors, entries, np.maximum(profile, 0.0)

    def _apply(self, batch: Matrix, symmetric: bool = False) -> Matrix:
        scale = 1 / (2 * self.size)
        by_right = scale * np.einsum("ij,...ji->...", self.right, batch)[..., None, None]
        by_left = scale * np.einsum("ij,...ji->...", self.left, batch)[..., None, None]
        result: Matrix = by_right * self.left + by_left * self.right
        if self.transpose:
            turned = np.swapaxes(batch, -1, -2)
            result = result + scale * (self.left @ turned @ self.right + self.right @ turned @ self.left)
        return result
