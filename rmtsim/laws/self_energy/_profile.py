"""Independent entries: Wigner matrices and variance profiles, whose solution M is diagonal."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim.laws.self_energy._base import SelfEnergy, hermitian_matrix


class Wigner(SelfEnergy):
    """Self-energy of a Wigner matrix: S[R] = v tr(R)/n · 1.

    Parameters
    ----------
    size : int
        Side n of the matrix.
    variance : float, optional
        n times the variance v/n of an entry.
    transpose : bool, optional
        Whether to add the term v Rᵀ/n, which makes S exact for the Gaussian orthogonal ensemble (diagonal entries
        of variance 2v/n).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import Wigner
    >>> energy = Wigner(3, 2.0)
    >>> energy(np.diag([1.0, 2.0, 3.0])).diagonal().tolist()
    [4.0, 4.0, 4.0]
    >>> energy.norm
    2.0
    """

    def __init__(self, size: int, variance: float = 1.0, *, transpose: bool = False) -> None:
        self.size = validate.integer("size", size, meaning="side n of the matrix")
        self.variance = validate.positive_number("variance", variance, meaning="n times an entry's variance")
        self.transpose = validate.flag("transpose", transpose, meaning="real symmetric matrices")

    @property
    def diagonal(self) -> NDArray[np.float64]:
        """v/n everywhere, plus v/n on the diagonal if the transpose term is kept."""
        profile = np.full((self.size, self.size), self.variance / self.size)
        if self.transpose:
            profile[np.diag_indices(self.size)] *= 2
        return profile

    @property
    def mixing(self) -> bool:
        """True without the transpose term."""
        return not self.transpose

    @functools.cached_property
    def norm(self) -> float:
        """Norm v, or v(1 + 1/n) with the transpose term."""
        return self.variance * (1 + 1 / self.size if self.transpose else 1)

    def _apply(self, batch: Matrix, symmetric: bool = False) -> Matrix:
        scale = self.variance / self.size
        trace = np.trace(batch, axis1=-2, axis2=-1)[..., None, None]
        result: Matrix = scale * trace * np.eye(self.size)
        return result + scale * np.swapaxes(batch, -1, -2) if self.transpose else result


class VarianceProfile(SelfEnergy):
    """Self-energy of a matrix with independent entries of different variances: S[R] = diag(s r), r the diagonal of R.

    Parameters
    ----------
    profile : array_like
        Symmetric matrix s of the variances Var H_ij, none negative.
    transpose : bool, optional
        Whether to add the terms s_ij R_ji off the diagonal that real symmetric ensembles have. They do not change
        the solution for a diagonal mean.

    Raises
    ------
    ValueError
        If the profile is not symmetric or has negative entries.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import VarianceProfile
    >>> energy = VarianceProfile([[0.0, 1.0], [1.0, 3.0]])
    >>> energy(np.eye(2)).diagonal().tolist()
    [1.0, 4.0]
    """

    def __init__(self, profile: ArrayLike, *, transpose: bool = False) -> None:
        values = hermitian_matrix("profile", profile, meaning="profile_ij = Var H_ij")
        if np.iscomplexobj(values):
            raise TypeError("profile: expected real variances, not complex numbers")
        if values.min() < 0:
            i, j = np.argwhere(values < 0)[0]
            raise ValueError(
                f"profile[{i}, {j}]={values[i, j]}: expected variances >= 0 (profile_ij = Var H_ij)"
            )
        self.profile: NDArray[np.float64] = values.real
        self.size = len(values)
        self.transpose = validate.flag("transpose", transpose, meaning="real symmetric matrices")

    @property
    def diagonal(self) -> NDArray[np.float64]:
        """The profile itself."""
        return self.profile

    @functools.cached_property
    def norm(self) -> float:
        """The largest row sum."""
        return float(self.profile.sum(axis=1).max())

    def _apply(self, batch: Matrix, symmetric: bool = False) -> Matrix:
        entries = np.diagonal(batch, axis1=-2, axis2=-1)
        result: Any = np.swapaxes(batch, -1, -2) * self.profile if self.transpose else np.zeros_like(batch)
        index = np.arange(self.size)
        result[..., index, index] = entries @ self.profile
        return result  # type: ignore[no-any-return]
