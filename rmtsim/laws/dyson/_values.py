"""Results of the solver of the Matrix Dyson equation, each with its certificate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Matrix
from rmtsim._internal.docstrings import frozen


@frozen
class Solution:
    """Solution M of the Matrix Dyson equation at one spectral parameter, with its certificate.

    Examples
    --------
    >>> from rmtsim.laws import MatrixDyson, self_energy
    >>> solution = MatrixDyson(0.0, self_energy.Wigner(2)).solve(1j)
    >>> solution.status, solution.residual < 1e-10, solution.full().shape
    ('converged', True, (2, 2))
    """

    matrix: Matrix
    """M of shape (n, n), or its diagonal of shape (n,) if M is diagonal."""
    residual: float
    """``‖1 + (z − A + S[M]) M‖_F/√n``, at most 1e-10."""
    iterations: int
    """Number of iterations."""
    evaluations: int
    """Number of evaluations of S, including Krylov steps."""
    status: str
    """"converged"."""
    error: float
    """Estimated relative error of M, at most 1e-6."""
    condition: float
    """Relative sensitivity of M to z: 1 far from the support, large near an edge."""

    def full(self) -> Matrix:
        """M as a matrix.

        Returns
        -------
        ndarray
            Array of shape (n, n).
        """
        return np.diag(self.matrix) if self.matrix.ndim == 1 else self.matrix


@frozen
class BoundaryValues:
    """Density of a law on the real axis, with error estimates.

    Examples
    --------
    >>> from rmtsim.laws import MatrixDyson, self_energy
    >>> values = MatrixDyson(0.0, self_energy.Wigner(2)).boundary([0.0, 3.0])
    >>> values.status.tolist(), values.density.round(6).tolist()
    (['bulk', 'outside'], [0.31831, 0.0])
    """

    density: NDArray[np.float64]
    """Density at the points."""
    error: NDArray[np.float64]
    """Its estimated error; infinite where unknown."""
    residual: NDArray[np.float64]
    """Residual of the Matrix Dyson equation."""
    status: NDArray[np.str_]
    """"bulk" and "outside" are certified on the axis; "edge" is a limit from above with the error given."""


@frozen
class SamplingError:
    """Effect of an estimated covariance on the density, by a jackknife over groups of samples.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws import MatrixDyson, self_energy
    >>> rng = np.random.default_rng(0)
    >>> from rmtsim.spectra import gaussian_matrix
    >>> energy = self_energy.FromSamples([gaussian_matrix(self_energy.Wigner(4), rng) for _ in range(100)])
    >>> bool(MatrixDyson(0.0, energy).sampling_error(0.0).standard_error > 0)
    True
    """

    density: NDArray[np.float64]
    """Density from all samples."""
    bias: NDArray[np.float64]
    """Estimated bias, of order 1/K for K samples; ``density − bias`` corrects it."""
    standard_error: NDArray[np.float64]
    """Standard error of the density."""
