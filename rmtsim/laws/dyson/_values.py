"""What the solver of the Matrix Dyson equation returns: values, each with its certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws.self_energy._base import Matrix

__all__ = ["BoundaryValues", "SamplingError", "Solution"]


@dataclass(frozen=True)
class Solution:
    """M at one spectral parameter, with its certificate: residual ≤ 1e-10, error ≤ 1e-6, Im M positive definite."""

    matrix: Matrix
    """n×n, or the diagonal (n,) where M is diagonal exactly."""
    residual: float
    """‖1 + (z − A + S[M]) M‖_F/√n."""
    iterations: int
    evaluations: int
    """How often S was evaluated, the Krylov steps included."""
    status: str
    error: float
    """Estimated ‖M − M_exact‖/‖M‖: size of the last Newton step, or distance to a certified solution."""
    condition: float
    """How strongly M reacts to a change of z, relatively: 1 far from the support, large beside an edge."""

    def full(self) -> Matrix:
        """M as an n×n matrix."""
        return np.diag(self.matrix) if self.matrix.ndim == 1 else self.matrix


@dataclass(frozen=True)
class BoundaryValues:
    """Density at real points, its estimated error (infinite where unknown), and how each point was certified."""

    density: NDArray[np.float64]
    error: NDArray[np.float64]
    residual: NDArray[np.float64]
    status: NDArray[np.str_]
    """``bulk`` and ``outside`` are certified on the axis; ``edge`` is a limit from above with the error given."""


@dataclass(frozen=True)
class SamplingError:
    """What an estimated covariance does to the density at real points, by a jackknife over groups of samples."""

    density: NDArray[np.float64]
    """From all samples, as ``density`` has it."""
    bias: NDArray[np.float64]
    """Estimated bias, of order 1/K: S is unbiased, but M is not linear in S. density − bias corrects it."""
    standard_error: NDArray[np.float64]
