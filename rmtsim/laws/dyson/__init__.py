"""The Matrix Dyson equation 1 + (z − A + S[M]) M = 0, Im M > 0: solver, certificate, law."""

from rmtsim.laws.dyson._law import MatrixDyson
from rmtsim.laws.dyson._values import BoundaryValues, SamplingError, Solution

__all__ = ["BoundaryValues", "MatrixDyson", "SamplingError", "Solution"]
