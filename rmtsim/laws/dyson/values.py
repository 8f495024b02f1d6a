"""What the solver of the Matrix Dyson equation returns: values, each with its certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws.self_energy.base import Matrix

__all__ = ["BoundaryValues", "Solution"]


@dataclass(frozen=True)
class Solution:
    """M at one spectral parameter, with its certificate: the residual is ≤ 1e-10 and Im M positive definite."""

    matrix: Matrix
    """n×n, or the diagonal (n,) where M is diagonal exactly."""
    residual: float
    """‖1 + (z − A + S[M]) M‖_F/√n."""
    iterations: int
    evaluations: int
    """How often S was evaluated, the Krylov steps included."""
    status: str

    def full(self) -> Matrix:
        """M as an n×n matrix."""
        return np.diag(self.matrix) if self.matrix.ndim == 1 else self.matrix


@dataclass(frozen=True)
class BoundaryValues:
    """Density at real points, its estimated error, and how each point was certified."""

    density: NDArray[np.float64]
    error: NDArray[np.float64]
    residual: NDArray[np.float64]
    status: NDArray[np.str_]
    """``bulk`` and ``outside`` are certified on the axis; ``edge`` is a limit from above with the error given."""
