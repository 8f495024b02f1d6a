"""The equation 1 + (zP − A + S[M]) M = 0 for many spectral parameters at once.

Two representations share one interface: matrices (b, n, n), and diagonals (b, n) where M is known to be diagonal. P
is the identity, or for linearisations the projection on the blocks that carry the spectral parameter.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Matrix
from rmtsim.laws.dyson._merge import equitable_classes
from rmtsim.laws.self_energy._base import SelfEnergy

# Complex and real doubles; the precision is left out, because NumPy's stubs lose it in most operations.
Complex = NDArray[Any]
Real = NDArray[Any]

GRADED = 1e3
"""Rows of A − Z − S[M] whose sizes differ by more than this are balanced before inversion."""
DENSE = 40
"""Up to this many unknowns the stability operator is held as a matrix."""


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
    sides: Real
    """Weights of the diagonal in the trace for which S is self-adjoint: the sides of the blocks."""

    @abstractmethod
    def negative_share(self, state: Complex) -> Real:
        """Weight of the negative eigenvalues of a Hermitian M in units of the observed trace.

        At real x off the support this is ρ((−∞, x]) up to a constant: the imaginary part of
        tr log(A − x − S[M]) + ½ tr M S[M], whose derivative in x is −tr M, jumps by π for every sign.
        """

    @abstractmethod
    def dense_operator(self, outer: Complex) -> Complex | None:
        """1 − T S[·] T as matrices on the packed entries, or None where that saves no work."""

    def low_rank_solve(self, outer: Complex, right: Complex) -> Complex | None:
        """(1 − T S[·] T)⁻¹ of ``right`` by a system of a few scalars, or None where S is not of that form."""
        return None

    def packed(self, state: Complex) -> Complex:
        """The entries that determine M, (b, unknowns)."""
        return state

    def unpacked(self, entries: Complex) -> Complex:
        """M from the entries that determine it."""
        return entries

    @abstractmethod
    def energy(self, state: Complex) -> Complex:
        """Evaluate S[M] and increment the evaluation counter."""

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
        if self.multiplicity is not None:
            square = (flat.real**2 + flat.imag**2) @ self.multiplicity
            return np.asarray(np.sqrt(square / self.multiplicity.sum()))
        return np.asarray(np.linalg.norm(flat, axis=1) / np.sqrt(self.size))

    multiplicity: Real | None = None
    """How many rows of the matrix each entry of a merged state stands for."""

    def positive(self, parameter: Complex, energy: Complex) -> NDArray[np.bool_]:
        """Whether Im T = T*(Im Z + Im S[M])T is positive definite, read off the well conditioned middle factor."""
        middle = self.add_diagonal(energy, parameter)
        lowest = self.lowest_imaginary(middle)
        if np.all(self.projection > 0):
            return np.asarray(lowest > 0)
        # Blocks without the spectral parameter only have to be non-negative, up to rounding.
        return np.asarray(lowest > -64 * np.finfo(float).eps * self.norm(middle))

    @abstractmethod
    def geometric(self, state: Complex, older: Complex) -> Complex:
        """M M₀⁻¹ M, the next term of a geometric sequence; M itself where that is no number."""

    @abstractmethod
    def add_diagonal(self, state: Complex, diagonal: Complex) -> Complex:
        """State plus a diagonal matrix."""

    @abstractmethod
    def graded(self, defect: Complex, state: Complex) -> Real:
        """‖D^½ R D^(-½)‖_F/√n, D the sizes of the rows of M: what rounding leaves of R is of the order of eps."""

    @abstractmethod
    def entry_scale(self, outer: Complex) -> Real:
        """The natural size of each entry of a change of M, √(|Tᵢᵢ| |Tⱼⱼ|)."""

    @property
    @abstractmethod
    def unknowns(self) -> int:
        """How many entries a state has."""


class DiagonalProblem(Problem):
    """−1/mᵢ = z pᵢ − aᵢ + (s m)ᵢ."""

    def __init__(
        self,
        mean: Real,
        profile: Real,
        projection: Real,
        observer: Real,
        norm: float,
        sides: Real | None = None,
        multiplicity: Real | None = None,
    ) -> None:
        self.size = len(mean)
        self.mean, self.profile = mean, np.ascontiguousarray(profile)
        self.projection, self.observer = projection, observer
        self.scale = _length(mean, norm)
        self._constant = float(profile.flat[0]) if profile.size and np.ptp(profile) == 0 else None
        self.sides = np.ones(self.size) if sides is None else sides
        self.multiplicity = multiplicity
        self._observed = float(np.sum(self.sides * (projection > 0)))

    def negative_share(self, state: Complex) -> Real:
        """Entries with negative real part."""
        return np.asarray((state.real < 0) @ self.sides / self._observed)

    def dense_operator(self, outer: Complex) -> Complex | None:
        """1 − diag(t²) s for up to 40 rows."""
        if self.size > DENSE:
            return None
        result: Complex = -(outer**2)[:, :, None] * self.profile
        result[:, np.arange(self.size), np.arange(self.size)] += 1
        return result

    def components(self) -> list[tuple[float, DiagonalProblem]]:
        """Parts that the profile does not join, each with its share of the trace: the law is their mixture."""
        label = np.full(self.size, -1)
        joined = (self.profile != 0) | (self.profile.T != 0)
        for row in range(self.size):
            if label[row] >= 0:
                continue
            front = np.array([row])
            while len(front):
                label[front] = row
                front = np.flatnonzero(joined[front].any(axis=0) & (label < 0))
        parts = []
        for first in np.unique(label):
            rows = np.flatnonzero(label == first)
            share = float(self.observer[rows].sum())
            profile = self.profile[np.ix_(rows, rows)]
            parts.append(
                (
                    share,
                    DiagonalProblem(
                        self.mean[rows],
                        profile,
                        self.projection[rows],
                        self.observer[rows] / share,
                        float(profile.sum(axis=1).max()),
                        self.sides[rows],
                        None if self.multiplicity is None else self.multiplicity[rows],
                    ),
                )
            )
        return parts

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

    def geometric(self, state: Complex, older: Complex) -> Complex:
        """m²/m₀."""
        with np.errstate(all="ignore"):
            result = state * state / older
        return np.where(np.isfinite(result).all(axis=1, keepdims=True), result, state)

    def add_diagonal(self, state: Complex, diagonal: Complex) -> Complex:
        """A sum."""
        return state + diagonal

    def graded(self, defect: Complex, state: Complex) -> Real:
        """‖R‖ itself, R being diagonal."""
        return self.norm(defect)

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
        self.sides = np.asarray(getattr(energy, "weights", np.ones(self.size)), dtype=np.float64)
        self._observed = float(np.sum(self.sides * (projection > 0)))
        # Blocks of unequal sides cannot be joined by M.
        self._groups = [(side, np.flatnonzero(self.sides == side)) for side in np.unique(self.sides)]

    def negative_share(self, state: Complex) -> Real:
        """Negative eigenvalues of (M + M*)/2, group by group of equal sides."""
        real = (state + np.swapaxes(state, 1, 2).conj()) / 2
        total = np.zeros(len(state))
        for side, rows in self._groups:
            total += side * (np.linalg.eigvalsh(real[:, rows[:, None], rows]) < 0).sum(axis=1)
        return total / self._observed

    def dense_operator(self, outer: Complex) -> Complex | None:
        """S applied once to a basis of the space of M: symmetric ones, or all."""
        rows, columns = self.coordinates
        if len(rows) > DENSE:
            return None
        if self._images is None:
            units = np.zeros((len(rows), self.size, self.size), dtype=np.complex128)
            units[np.arange(len(rows)), rows, columns] = 1
            if self.symmetric:
                # On antisymmetric matrices the operator may be singular where M is not.
                units[np.arange(len(rows)), columns, rows] = 1
            self._images = self.self_energy._apply(units).astype(np.complex128)
        inner = (outer[:, None] @ self._images @ outer[:, None])[:, :, rows, columns]
        result: Complex = -np.swapaxes(inner, 1, 2)
        result[:, np.arange(len(rows)), np.arange(len(rows))] += 1
        return result

    def low_rank_solve(self, outer: Complex, right: Complex) -> Complex | None:
        """X = right + Σ x_k T F_k T with x_k = tr(G_k X), for S[R] = Σ F_k tr(G_k R)."""
        if self._factors is None:
            return None
        first, second = self._factors
        images = np.stack([outer @ part @ outer for part in first], axis=1)
        weights = np.einsum("jab,ckba->cjk", second, images)
        target = np.einsum("jab,cba->cj", second, right)
        small = np.eye(len(first)) - weights
        shares = np.full(target.shape, np.nan, dtype=np.complex128)
        finite = np.isfinite(small).all(axis=(1, 2)) & np.isfinite(target).all(axis=1)
        finite[finite] = np.abs(np.linalg.det(small[finite])) > 0
        shares[finite] = np.linalg.solve(small[finite], target[finite][:, :, None])[:, :, 0]
        result: Complex = right + np.einsum("ck,ckab->cab", shares, images)
        return result

    @functools.cached_property
    def _factors(self) -> tuple[Matrix, Matrix] | None:
        factors = self.self_energy.factors
        # Products of real and complex matrices would leave BLAS.
        return (
            None if factors is None else (factors[0].astype(np.complex128), factors[1].astype(np.complex128))
        )

    @functools.cached_property
    def coordinates(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Entries that determine M: the upper triangle of a symmetric one."""
        if self.symmetric:
            return np.triu_indices(self.size)
        rows, columns = np.indices((self.size, self.size))
        return rows.ravel(), columns.ravel()

    def packed(self, state: Complex) -> Complex:
        """The entries that determine M."""
        rows, columns = self.coordinates
        return state[:, rows, columns]

    def unpacked(self, entries: Complex) -> Complex:
        """M from the entries that determine it."""
        rows, columns = self.coordinates
        result = np.zeros((len(entries), self.size, self.size), dtype=np.complex128)
        result[:, rows, columns] = entries
        if self.symmetric:
            result[:, columns, rows] = entries
        return result

    _images: Complex | None = None

    def energy(self, state: Complex) -> Complex:
        """S[M]."""
        self.evaluations += len(state)
        return self.self_energy._apply(state, self.symmetric).astype(np.complex128, copy=False)

    def resolve(self, parameter: Complex, energy: Complex) -> Complex:
        """A batch of inverses; symmetrised where M is symmetric, so that rounding cannot break it."""
        shifted = self._shifted(parameter, -energy)
        balance = _balance(shifted)
        if balance is not None:
            # Graded beside atoms and hard edges: the inverse of the balanced matrix keeps the small entries.
            shifted = shifted * balance[:, :, None] * balance[:, None, :]
        try:
            result: Complex = np.linalg.inv(shifted)
        except np.linalg.LinAlgError:  # one of them is singular: an atom was hit on the axis
            regular = np.isfinite(np.linalg.cond(shifted))
            result = np.full_like(shifted, np.nan)
            result[regular] = np.linalg.inv(shifted[regular])
        if balance is not None:
            result = result * balance[:, :, None] * balance[:, None, :]
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

    def geometric(self, state: Complex, older: Complex) -> Complex:
        """By one linear solve each."""
        with np.errstate(all="ignore"):
            try:
                result: Complex = state @ np.linalg.solve(older, state)
            except np.linalg.LinAlgError:
                return state
        if self.symmetric:
            result = (result + np.swapaxes(result, 1, 2)) / 2
        return np.where(np.isfinite(result).all(axis=(1, 2), keepdims=True), result, state)

    def add_diagonal(self, state: Complex, diagonal: Complex) -> Complex:
        """A copy with the diagonal moved."""
        result = state.copy()
        result[:, self._index, self._index] += diagonal
        return result

    def graded(self, defect: Complex, state: Complex) -> Real:
        """By the lengths of the rows of M, as in ``entry_scale``."""
        side = np.sqrt(_floored(np.linalg.norm(state, axis=2)))
        return self.norm(defect * side[:, :, None] / side[:, None, :])

    def entry_scale(self, outer: Complex) -> Real:
        """√(|Tᵢᵢ| |Tⱼⱼ|), with the length of row i in place of Tᵢᵢ, which may vanish."""
        side = np.sqrt(_floored(np.linalg.norm(outer, axis=2)))
        result: Real = side[:, :, None] * side[:, None, :]
        return result

    @property
    def unknowns(self) -> int:
        """N²."""
        return self.size**2


@np.errstate(all="ignore")
def _balance(matrices: Complex) -> Real | None:
    """Scalings d with d_i d_j |X_ij| of largest entry one in every row (Ruiz), or None where rows are alike anyway."""
    sizes = np.abs(matrices)
    rows = sizes.max(axis=2)
    if not np.all(np.isfinite(rows)) or not np.any(rows.max(axis=1) > GRADED * rows.min(axis=1)):
        return None
    scale = np.ones(rows.shape)
    for _ in range(6):
        factor = 1 / np.sqrt(np.where(rows > 0, rows, 1.0))
        scale = scale * factor
        sizes = sizes * factor[:, :, None] * factor[:, None, :]
        rows = sizes.max(axis=2)
    return scale


def _floored(values: Real) -> Real:
    top = np.where(np.isfinite(values), values, 0.0).max(axis=1, keepdims=True)
    return np.clip(np.where(np.isfinite(values), values, 1.0), 1e-30 * top + 1e-300, None)


def _length(spectrum: Any, norm: float) -> float:
    length = 2 * np.sqrt(norm) + float(np.ptp(spectrum)) / 2
    return length if length > 0 else max(1.0, float(np.abs(spectrum).max()))


def build_problem(mean: Matrix | float, energy: SelfEnergy) -> tuple[Problem, Matrix | None, Any]:
    """The cheapest exact representation, eigenvectors of the mean if it was rotated to them, and merged classes."""
    n = energy.size
    spectral = getattr(energy, "spectral", tuple(range(n)))
    weights = np.asarray(getattr(energy, "weights", np.ones(n)), dtype=np.float64)
    projection = np.zeros(n)
    projection[list(spectral)] = 1.0
    observer = projection * weights / np.sum(projection * weights)
    full: Matrix = np.eye(n) * mean if np.ndim(mean) == 0 else np.asarray(mean)
    entries = np.diag(full).real.astype(np.float64)
    profile = energy.diagonal
    if profile is not None and not np.count_nonzero(full - np.diag(np.diag(full))):
        return (*_diagonal(entries, profile, projection, observer, weights, energy.norm, None),)
    if profile is not None and energy.mixing:
        values, vectors = np.linalg.eigh(full)
        return (*_diagonal(values, profile, projection, observer, weights, energy.norm, vectors),)
    shared = energy.simultaneous(full)
    if shared is not None:
        vectors, values, profile = shared
        return (*_diagonal(values, profile, projection, observer, weights, energy.norm, vectors),)
    return MatrixProblem(full, energy, projection, observer), None, None


def _diagonal(
    mean: Real, profile: Real, projection: Real, observer: Real, weights: Real, norm: float, vectors: Any
) -> tuple[Problem, Any, Any]:
    """The vector equation, with rows merged that must have equal entries of M."""
    classes = equitable_classes([mean, projection, observer, weights], profile)
    count = int(classes.max()) + 1
    if count == len(mean):
        return DiagonalProblem(mean, profile, projection, observer, norm, weights), vectors, None
    member = np.zeros((len(mean), count))
    member[np.arange(len(mean)), classes] = 1.0
    multiplicity = member.sum(axis=0)
    first = np.array([np.flatnonzero(classes == c)[0] for c in range(count)])
    merged = (member.T @ (profile @ member)) / multiplicity[:, None]
    problem = DiagonalProblem(
        mean[first],
        merged,
        projection[first],
        multiplicity * observer[first],
        norm,
        multiplicity * weights[first],
        multiplicity,
    )
    return problem, vectors, classes
