"""The equation itself, for many spectral parameters at once: 1 + (zP − A + S[M]) M = 0.

Two representations share one interface: matrices (b, n, n), and diagonals (b, n) where M is diagonal for sure.
P is the identity, or for linearisations the projection on the blocks that carry the spectral parameter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws.self_energy.base import Matrix, SelfEnergy

__all__ = ["DiagonalProblem", "MatrixProblem", "Problem", "build_problem"]

# Complex and real doubles; NumPy's stubs lose the precision in almost every operation.
Complex = NDArray[Any]
Real = NDArray[Any]


class Problem(ABC):
    """A mean and a self-energy, ready to be solved; ``evaluations`` counts S[·], one per spectral parameter."""

    size: int
    evaluations: int = 0
    scale: float
    """A length of the spectrum: √‖S‖ plus half the spread of the mean's spectrum."""

    def parameter(self, z: Complex, shift: float | Real = 0.0) -> Complex:
        """ZP + i·shift·(1 − P) as diagonals (b, n)."""
        hidden = np.asarray(shift, dtype=np.float64)[..., None] * (1 - self.projection)
        result: Complex = z[:, None] * self.projection + 1j * hidden
        return result

    projection: Real
    observer: Real
    """Weights of the diagonal of M in the law's Stieltjes transform; they add up to one."""

    @abstractmethod
    def energy(self, state: Complex) -> Complex:
        """S[M], counted."""

    @abstractmethod
    def resolve(self, parameter: Complex, energy: Complex) -> Complex:
        """T = (A − Z − S)⁻¹."""

    @abstractmethod
    def defect(self, parameter: Complex, energy: Complex, state: Complex) -> Complex:
        """1 + (Z − A + S[M]) M."""

    @abstractmethod
    def sandwich(self, outer: Complex, inner: Complex) -> Complex:
        """T X T."""

    @abstractmethod
    def entries(self, state: Complex) -> Complex:
        """The diagonal (b, n)."""

    @abstractmethod
    def lowest_imaginary(self, state: Complex) -> Real:
        """Smallest eigenvalue of Im M = (M − M*)/2i."""

    @abstractmethod
    def lowest_real(self, state: Complex) -> Real:
        """Smallest eigenvalue of Re M = (M + M*)/2."""

    @abstractmethod
    def start(self, parameter: Complex) -> Complex:
        """(A − Z)⁻¹."""

    @abstractmethod
    def product(self, left: Complex, right: Complex) -> Complex:
        """The matrix product."""

    def trace(self, state: Complex) -> Complex:
        """The law's Stieltjes transform, one number per spectral parameter."""
        return self.entries(state) @ self.observer

    def norm(self, state: Complex) -> Real:
        """‖·‖_F/√n, one number per spectral parameter."""
        flat = state.reshape(len(state), -1)
        return np.asarray(np.linalg.norm(flat, axis=1) / np.sqrt(self.size))

    def positive(self, parameter: Complex, energy: Complex) -> NDArray[np.bool_]:
        """Whether Im T = T*(Im Z + Im S[M])T is positive definite, read off the well conditioned middle factor."""
        middle = self.add_diagonal(energy, parameter)
        lowest = self.lowest_imaginary(middle)
        if np.all(self.projection > 0):
            return np.asarray(lowest > 0)
        # Blocks without the spectral parameter only have to be non-negative, up to rounding.
        return np.asarray(lowest > -64 * np.finfo(float).eps * self.norm(middle))

    @abstractmethod
    def add_diagonal(self, state: Complex, diagonal: Complex) -> Complex:
        """State plus a diagonal matrix."""

    @abstractmethod
    def entry_scale(self, outer: Complex) -> Real:
        """The natural size of each entry of a change of M, √(|Tᵢᵢ| |Tⱼⱼ|)."""

    @property
    @abstractmethod
    def unknowns(self) -> int:
        """How many entries a state has."""


class DiagonalProblem(Problem):
    """−1/mᵢ = z pᵢ − aᵢ + (s m)ᵢ."""

    def __init__(self, mean: Real, profile: Real, projection: Real, observer: Real, norm: float) -> None:
        self.size = len(mean)
        self.mean, self.profile = mean, np.ascontiguousarray(profile)
        self.projection, self.observer = projection, observer
        self.scale = _length(mean, norm)
        self._constant = float(profile.flat[0]) if profile.size and np.ptp(profile) == 0 else None

    def energy(self, state: Complex) -> Complex:
        """S m; a constant profile needs only the sum."""
        self.evaluations += len(state)
        if self._constant is not None:
            return np.repeat(self._constant * state.sum(axis=1, keepdims=True), self.size, axis=1)
        parts = np.concatenate([state.real, state.imag]) @ self.profile.T
        result: Complex = parts[: len(state)] + 1j * parts[len(state) :]
        return result

    def resolve(self, parameter: Complex, energy: Complex) -> Complex:
        """1/(a − z − s m); an infinite entry (an atom hit on the axis) fails the residual test later."""
        with np.errstate(all="ignore"):
            return 1 / (self.mean - parameter - energy)

    def defect(self, parameter: Complex, energy: Complex, state: Complex) -> Complex:
        """1 + (z − a + s m) m."""
        return 1 + (parameter - self.mean + energy) * state

    def sandwich(self, outer: Complex, inner: Complex) -> Complex:
        """t² x."""
        return outer * inner * outer

    def entries(self, state: Complex) -> Complex:
        """The state is its diagonal."""
        return state

    def lowest_imaginary(self, state: Complex) -> Real:
        """The smallest imaginary part."""
        return np.asarray(state.imag.min(axis=1))

    def lowest_real(self, state: Complex) -> Real:
        """The smallest real part."""
        return np.asarray(state.real.min(axis=1))

    def start(self, parameter: Complex) -> Complex:
        """1/(a − z)."""
        return 1 / (self.mean - parameter)

    def product(self, left: Complex, right: Complex) -> Complex:
        """Entry by entry."""
        return left * right

    def add_diagonal(self, state: Complex, diagonal: Complex) -> Complex:
        """A sum."""
        return state + diagonal

    def entry_scale(self, outer: Complex) -> Real:
        """|t|."""
        return _floored(np.abs(outer))

    @property
    def unknowns(self) -> int:
        """N."""
        return self.size


class MatrixProblem(Problem):
    """The full equation on (b, n, n) arrays."""

    def __init__(self, mean: Matrix, energy: SelfEnergy, projection: Real, observer: Real) -> None:
        self.size = len(mean)
        self.mean, self.self_energy = mean, energy
        self.symmetric = energy.real and not np.iscomplexobj(mean)
        self.projection, self.observer = projection, observer
        self.scale = _length(np.linalg.eigvalsh(mean), energy.norm)
        self._index = np.arange(self.size)

    def energy(self, state: Complex) -> Complex:
        """S[M]."""
        self.evaluations += len(state)
        return self.self_energy._apply(state, self.symmetric).astype(np.complex128, copy=False)

    def resolve(self, parameter: Complex, energy: Complex) -> Complex:
        """A batch of inverses; symmetrised where M is symmetric, so that rounding cannot break it."""
        shifted = self._shifted(parameter, -energy)
        try:
            result: Complex = np.linalg.inv(shifted)
        except np.linalg.LinAlgError:  # one of them is singular: an atom was hit on the axis
            regular = np.isfinite(np.linalg.cond(shifted))
            result = np.full_like(shifted, np.nan)
            result[regular] = np.linalg.inv(shifted[regular])
        return (result + np.swapaxes(result, 1, 2)) / 2 if self.symmetric else result

    def _shifted(self, parameter: Complex, offset: Complex) -> Complex:
        total = offset + self.mean
        total[:, self._index, self._index] -= parameter
        return total

    def defect(self, parameter: Complex, energy: Complex, state: Complex) -> Complex:
        """1 − (A − Z − S[M]) M."""
        result: Complex = -self._shifted(parameter, -energy) @ state
        result[:, self._index, self._index] += 1
        return result

    def sandwich(self, outer: Complex, inner: Complex) -> Complex:
        """T X T."""
        result: Complex = outer @ inner @ outer
        return result

    def entries(self, state: Complex) -> Complex:
        """The diagonals."""
        return np.diagonal(state, axis1=1, axis2=2)

    def lowest_imaginary(self, state: Complex) -> Real:
        """Smallest eigenvalue of (M − M*)/2i."""
        if self.symmetric:
            return np.linalg.eigvalsh(state.imag)[:, 0]
        return np.linalg.eigvalsh((state - np.swapaxes(state, 1, 2).conj()) / 2j)[:, 0]

    def lowest_real(self, state: Complex) -> Real:
        """Smallest eigenvalue of (M + M*)/2."""
        return np.linalg.eigvalsh((state + np.swapaxes(state, 1, 2).conj()) / 2)[:, 0]

    def start(self, parameter: Complex) -> Complex:
        """(A − Z)⁻¹."""
        return self.resolve(parameter, np.zeros((len(parameter), self.size, self.size), dtype=np.complex128))

    def product(self, left: Complex, right: Complex) -> Complex:
        """A matrix product."""
        result: Complex = left @ right
        return result

    def add_diagonal(self, state: Complex, diagonal: Complex) -> Complex:
        """A copy with the diagonal moved."""
        result = state.copy()
        result[:, self._index, self._index] += diagonal
        return result

    def entry_scale(self, outer: Complex) -> Real:
        """√(|Tᵢᵢ| |Tⱼⱼ|), with the length of row i in place of Tᵢᵢ, which may vanish."""
        side = np.sqrt(_floored(np.linalg.norm(outer, axis=2)))
        result: Real = side[:, :, None] * side[:, None, :]
        return result

    @property
    def unknowns(self) -> int:
        """N²."""
        return self.size**2


def _floored(values: Real) -> Real:
    top = np.where(np.isfinite(values), values, 0.0).max(axis=1, keepdims=True)
    return np.clip(np.where(np.isfinite(values), values, 1.0), 1e-30 * top + 1e-300, None)


def _length(spectrum: Any, norm: float) -> float:
    length = 2 * np.sqrt(norm) + float(np.ptp(spectrum)) / 2
    return length if length > 0 else max(1.0, float(np.abs(spectrum).max()))


def build_problem(mean: Matrix | float, energy: SelfEnergy) -> tuple[Problem, Matrix | None]:
    """The cheapest exact representation, and the eigenvectors of the mean if the problem was rotated to them."""
    n = energy.size
    spectral = getattr(energy, "spectral", tuple(range(n)))
    weights = np.asarray(getattr(energy, "weights", np.ones(n)))
    projection = np.zeros(n)
    projection[list(spectral)] = 1.0
    observer = projection * weights / np.sum(projection * weights)
    full: Matrix = np.eye(n) * mean if np.ndim(mean) == 0 else np.asarray(mean)
    entries = np.diag(full).real.astype(np.float64)
    profile = energy.diagonal
    if profile is not None and not np.count_nonzero(full - np.diag(np.diag(full))):
        return DiagonalProblem(entries, profile, projection, observer, energy.norm), None
    if profile is not None and energy.mixing:
        values, vectors = np.linalg.eigh(full)
        return DiagonalProblem(values, profile, projection, observer, energy.norm), vectors
    return MatrixProblem(full, energy, projection, observer), None
