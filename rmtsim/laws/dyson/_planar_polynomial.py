"""Complex eigenvalues of polynomials in random matrices: Hermitisation of a linearisation.

A word x₁…x_d is u(1 - N)⁻¹v with x₁ and x_d in u and v and the other letters above the diagonal of N. The matrix
L(w) = [[a - w, u], [v, N - 1]] of all words therefore has the Schur complement p - w, and N - 1 has the determinant
±1, so that log|det(p - w)| = log|det L(w)|. With M the solution of the Dyson equation of [[0, L], [L*, 0]]
at iη, as η tends to zero, and g the mean of its entries at the places of w, transposed, the density is -∂g/∂w̄/π.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.errors import ConvergenceError
from rmtsim.laws.dyson._law import MatrixDyson
from rmtsim.laws.self_energy._block import Block

_HEIGHTS = 1e-6 * np.array([1.0, 2.0, 4.0])
"""Imaginary parts η, in units of the size of the polynomial, from which the density is extrapolated to zero."""
_STEPS, _RESIDUAL = 30, 1e-12


def density(
    made: Callable[[complex], tuple[MatrixDyson, list[int]]], unit: float, z: ComplexArray
) -> FloatArray:
    """Density at the points z; ``made(w)`` is the Hermitised problem, with the places of w in its upper half."""
    return np.array([_at(*made(complex(w)), unit) for w in z])


def _at(law: MatrixDyson, places: list[int], unit: float) -> float:
    energy = law.self_energy
    assert isinstance(energy, Block)
    half = energy.size // 2
    weights = energy.weights[places]
    values = []
    for height in _HEIGHTS * unit:
        matrix = law.solve(1j * float(height)).matrix
        matrix = np.diag(matrix) if matrix.ndim == 1 else matrix
        matrix, stability = _polished(law, energy, np.asarray(matrix, dtype=np.complex128), height)
        # ∂H/∂w̄ is -1 at the entries (half + i, i); the derivative of M solves the linearised equation.
        change = np.zeros_like(matrix)
        for i in places:
            change += np.outer(matrix[:, half + i], matrix[i])
        slope = np.linalg.solve(stability, change.ravel()).reshape(matrix.shape)
        entries = np.array([slope[half + i, i] for i in places])
        values.append(-float((weights @ entries).real) / (np.pi * float(weights.sum())))
    # Neville's scheme at η = 0: inside the support the density is a power series in η.
    table = np.array(values)
    for order in range(1, table.size):
        high, low = _HEIGHTS[order:], _HEIGHTS[:-order]
        table = (high * table[:-1] - low * table[1:]) / (high - low)
    return max(float(table[0]), 0.0)


def _polished(
    law: MatrixDyson, energy: Block, matrix: ComplexArray, height: float
) -> tuple[ComplexArray, ComplexArray]:
    """The solution after Newton steps, and the linearised equation 1 - M S[·] M on row-major vectors."""
    size = energy.size
    action = energy._superoperator
    fixed = law._full_mean - 1j * height * np.eye(size)
    for _ in range(_STEPS):
        outer = np.linalg.inv(fixed - (action @ matrix.ravel()).reshape(size, size))
        stability = np.eye(size * size) - np.kron(matrix, matrix.T) @ action
        gap = matrix - matrix @ np.linalg.solve(outer, matrix)
        residual = float(np.linalg.norm(outer - matrix) / np.linalg.norm(matrix))
        if residual <= _RESIDUAL:
            return matrix, stability
        matrix = matrix + np.linalg.solve(stability, gap.ravel()).reshape(size, size)
    raise ConvergenceError(
        f"density of eigenvalues: residual {residual:.2g} after {_STEPS} Newton steps, expected {_RESIDUAL:g}",
        residual=residual,
        iterations=_STEPS,
    )
