"""Conditions of the theorems of `li` on an ensemble: mean, comparability, bound of the support, covariance norms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim._internal.docstrings import frozen
from rmtsim.laws.self_energy._base import SelfEnergy, hermitian_matrix
from rmtsim.laws.self_energy._gaussian import FromSamples

STARTS = 24
SWEEPS = 60
CHOI_LIMIT = 24


@frozen
class MeanCondition:
    """Size of the mean of an ensemble."""

    norm: float
    """Operator norm ‖A‖ of the mean, or of the mean of samples."""
    noise: float
    """For K samples: 2√(‖S‖/K), to leading order a bound of the norm of the mean of K centred matrices; otherwise
    0."""

    @property
    def holds(self) -> bool:
        """Whether the mean is zero, up to rounding or sampling noise."""
        return self.norm <= max(self.noise, 1e-12)


@frozen
class Comparability:
    """Constants of c·tr(T)/N ≤ S[T] ≤ C·tr(T)/N for all T ≥ 0, each enclosed by an interval."""

    c: tuple[float, float]
    C: tuple[float, float]
    """Lower and upper bound of the best constants. The inner ends (upper for c, lower for C) are attained."""
    how: str
    """How the bounds were found."""


@frozen
class CovarianceNorms:
    """Norms of the second cumulants of W = √N (H − A)."""

    average: float
    """Average norm ‖ |κ(·,·)| ‖, exact."""
    isotropic: tuple[float, float]
    """Lower and upper bound of the isotropic norm."""


def _energy(source: Any) -> SelfEnergy:
    if isinstance(source, SelfEnergy):
        return source
    return _samples(source)


def _samples(source: Any) -> FromSamples:
    try:
        return FromSamples(source)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"source: expected a self-energy or a stack of sampled matrices ({error})"
        ) from None


def mean_condition(source: ArrayLike) -> MeanCondition:
    """Test whether the mean of an ensemble is zero.

    Parameters
    ----------
    source : array_like
        A matrix A, or a stack of sampled matrices of shape (K, n, n).

    Returns
    -------
    MeanCondition
        Attributes ``norm``, ``noise`` and ``holds``.

    Raises
    ------
    ValueError
        If ``source`` is neither a matrix nor a stack of matrices.

    Notes
    -----
    Condition 4.3 of the paper with key ``li``.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.dyson import mean_condition
    >>> mean_condition(np.zeros((3, 3))).holds
    True
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.standard_normal((200, 4, 4))
    >>> mean_condition(noise + noise.transpose(0, 2, 1)).holds
    True
    """
    try:
        dimensions = np.ndim(source)
    except ValueError as error:
        raise ValueError(f"source: expected a matrix, or a stack of matrices ({error})") from None
    if dimensions == 3:
        samples = _samples(source)
        found = np.array([samples.norm, *np.ravel(samples.mean)])
        validate.computed("source", np.abs(found))
        norm = float(np.linalg.norm(samples.mean, 2))
        return MeanCondition(norm, 2 * float(np.sqrt(samples.norm / len(samples.matrices))))
    return MeanCondition(float(np.linalg.norm(hermitian_matrix("source", source), 2)), 0.0)


def support_bound(mean: ArrayLike, self_energy: SelfEnergy) -> tuple[tuple[float, float], ...]:
    """Intervals that contain the support of the law of a Matrix Dyson equation.

    Parameters
    ----------
    mean : float or array_like
        Mean A.
    self_energy : SelfEnergy
        Covariance S.

    Returns
    -------
    tuple of (float, float)
        All points within 2‖S‖^½ of the spectrum of A, as disjoint intervals.

    Raises
    ------
    TypeError
        If ``self_energy`` is not a self-energy.
    ValueError
        If ``mean`` is neither a number nor a matrix.

    Examples
    --------
    >>> from rmtsim.laws.dyson import support_bound
    >>> from rmtsim.laws.self_energy import Wigner
    >>> support_bound([[3.0, 0.0], [0.0, -3.0]], Wigner(2, 1.0))
    ((-5.0, -1.0), (1.0, 5.0))
    """
    if not isinstance(self_energy, SelfEnergy):
        raise TypeError(
            f"self_energy={validate.shown(self_energy)}: expected a self-energy, for instance self_energy.Wigner(4)"
        )
    try:
        scalar = np.ndim(mean) == 0
    except ValueError as error:
        raise ValueError(f"mean: expected a number or a matrix ({error})") from None
    spectrum = (
        np.array([validate.finite_number("mean", mean)])
        if scalar
        else np.linalg.eigvalsh(hermitian_matrix("mean", mean, size=self_energy.size)).astype(np.float64)
    )
    return tuple(spread_intervals(spectrum, 2 * np.sqrt(self_energy.norm)))


def spread_intervals(spectrum: NDArray[np.float64], reach: float) -> list[tuple[float, float]]:
    """The set of points within ``reach`` of an increasing spectrum, as disjoint intervals."""
    intervals: list[list[float]] = []
    for value in spectrum:
        if intervals and value - reach <= intervals[-1][1]:
            intervals[-1][1] = float(value + reach)
        else:
            intervals.append([float(value - reach), float(value + reach)])
    return [(low, high) for low, high in intervals]


def _vectors(size: int, rng: np.random.Generator, real: bool) -> Iterator[Matrix]:
    for i in range(min(size, STARTS)):
        yield np.eye(size)[i].astype(np.complex128)
    for _ in range(STARTS):
        vector = rng.standard_normal(size) + (0 if real else 1j * rng.standard_normal(size))
        yield (vector / np.linalg.norm(vector)).astype(np.complex128)


def _alternate(energy: SelfEnergy, index: int) -> float:
    """Extreme u* S[v v*] u over unit u, v: S is self-adjoint, so each half step is an eigenvector problem."""
    best = np.inf if index == 0 else -np.inf
    rng = np.random.default_rng(45)
    for vector in _vectors(energy.size, rng, energy.real):
        previous = np.nan
        for _ in range(SWEEPS):
            values, basis = np.linalg.eigh(np.asarray(energy(np.outer(vector, vector.conj()))))
            vector = basis[:, index]
            if abs(values[index] - previous) <= 1e-12 * max(abs(values[-1]), 1e-300):
                break
            previous = values[index]
        best = min(best, float(values[0])) if index == 0 else max(best, float(values[-1]))
    return best


def comparability(source: SelfEnergy | ArrayLike) -> Comparability:
    """Constants c and C of c·tr(T)/N ≤ S[T] ≤ C·tr(T)/N for all T ≥ 0 (flatness of the self-energy).

    Parameters
    ----------
    source : SelfEnergy or array_like
        A self-energy, or a stack of sampled matrices of shape (K, n, n).

    Returns
    -------
    Comparability
        Intervals ``c`` and ``C`` that contain the best constants.

    Notes
    -----
    Condition 4.5 of the paper with key ``li``. By linearity T = vv* suffices. The inner ends are attained by
    vectors that alternating eigenvectors find. A diagonal self-energy gives both constants exactly. Otherwise, for
    n ≤ 24, the eigenvalues of the Choi matrix Σ e_ij ⊗ S[e_ij] and of its partial transpose bound them; in any case
    c ≥ 0 and C ≤ N‖S[1]‖.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.dyson import comparability
    >>> from rmtsim.laws.self_energy import VarianceProfile
    >>> result = comparability(VarianceProfile(np.array([[1.0, 2.0], [2.0, 3.0]]) / 2))
    >>> [round(end, 9) for end in (*result.c, *result.C)]
    [1.0, 1.0, 3.0, 3.0]
    """
    energy = _energy(source)
    n = energy.size
    attained = (max(0.0, n * _alternate(energy, 0)), n * _alternate(energy, -1))
    profile = energy.diagonal
    if profile is not None and not getattr(energy, "transpose", False):
        # S[T] = diag(s t) with t >= 0: its extreme eigenvalues over t of sum one are entries of s.
        return Comparability(
            (float(n * profile.min()),) * 2, (float(n * profile.max()),) * 2, "exact: diagonal self-energy"
        )
    low, high = 0.0, n * energy.norm
    if n <= CHOI_LIMIT:
        choi = np.empty((n, n, n, n), dtype=np.complex128)
        for i in range(n):
            for j in range(n):
                unit = np.zeros((n, n))
                unit[i, j] = 1.0
                choi[i, :, j, :] = energy(unit)
        for table in (choi, choi.transpose(2, 1, 0, 3)):
            spectrum = np.linalg.eigvalsh(table.reshape(n * n, n * n))
            low, high = max(low, n * float(spectrum[0])), min(high, n * float(spectrum[-1]))
    return Comparability(
        (min(low, attained[0]), attained[0]),
        (attained[1], max(high, attained[1])),
        "inner ends attained by alternating eigenvectors; outer ends from Choi matrices and ‖S[1]‖",
    )


def covariance_norms(source: SelfEnergy | ArrayLike, *, limit: int = 24) -> CovarianceNorms:
    """Average and isotropic norm of the second cumulants of W = √N (H − A).

    Parameters
    ----------
    source : SelfEnergy or array_like
        A self-energy with its transpose term, or a stack of sampled matrices of shape (K, n, n).
    limit : int, optional
        Largest accepted size n; n⁴ numbers are held in memory.

    Returns
    -------
    CovarianceNorms
        Attributes ``average`` and ``isotropic``.

    Raises
    ------
    ValueError
        If n exceeds ``limit``.

    Notes
    -----
    Definition D.7 of the paper with key ``li``, at second order. The cumulants κ(ab, cd) = N E[w_ab w_cd] are
    entries of S[e_b e_cᵀ]. The isotropic norm is an infimum over splits κ = κ_d + κ_c: the upper bound is the best
    of four splits, the lower bound the largest |κ(x⊗p, y⊗q)| that alternating maximisation finds.

    Examples
    --------
    >>> from rmtsim.laws.dyson import covariance_norms
    >>> from rmtsim.laws.self_energy import Wigner
    >>> norms = covariance_norms(Wigner(4, 1.0, transpose=True))
    >>> round(norms.average, 9), [round(end, 6) for end in norms.isotropic]
    (2.0, [2.0, 2.0])
    """
    energy = _energy(source)
    n = energy.size
    limit = validate.integer("limit", limit, meaning="largest size")
    if n > limit:
        raise ValueError(
            f"size={n}: expected at most limit={limit} (n⁴ entries are held); raise limit to compute them"
        )
    validate.memory(16.0 * 6 * n**4, f"the covariances of all pairs of entries at n = {n}")
    kappa = np.empty((n, n, n, n))
    for b in range(n):
        for c in range(n):
            unit = np.zeros((n, n))
            unit[b, c] = 1.0
            kappa[:, b, c, :] = n * np.real(energy(unit))
    average = float(np.linalg.norm(np.abs(kappa).reshape(n * n, n * n), 2))
    a, b, c, d = np.indices(kappa.shape)
    direct = np.abs(a - c) + np.abs(b - d)
    cross = np.abs(a - d) + np.abs(b - c)
    near = np.where(direct < cross, kappa, np.where(direct == cross, kappa / 2, 0.0))
    splits = [(kappa, 0 * kappa), (0 * kappa, kappa), (kappa / 2, kappa / 2), (near, kappa - near)]
    upper = min(_norm(first, "d") + _norm(second, "c") for first, second in splits)
    return CovarianceNorms(average, (min(_form(kappa), upper), upper))


def _norm(kappa: NDArray[np.float64], kind: str) -> float:
    """An upper bound of sup_x ‖ ‖κ(x i, · j)‖ ‖ (d) or sup_x ‖ ‖κ(x i, j ·)‖ ‖ (c) by entrywise operator norms."""
    n = len(kappa)
    order = (1, 3, 2, 0) if kind == "d" else (1, 2, 3, 0)  # [i, j, dot, a]
    blocks = kappa.transpose(order)
    entries = np.linalg.norm(blocks.reshape(n * n, n, n), ord=2, axis=(1, 2)).reshape(n, n)
    return float(np.linalg.norm(entries, 2))


def _form(kappa: NDArray[np.float64]) -> float:
    """The largest |κ(x⊗p, y⊗q)| over unit vectors found by alternating maximisation."""
    rng = np.random.default_rng(47)
    n = len(kappa)
    best = 0.0
    for _ in range(STARTS):
        vectors = [v / np.linalg.norm(v) for v in rng.standard_normal((4, n))]
        for _ in range(SWEEPS):
            for axis in range(4):
                form = kappa
                for other in reversed([i for i in range(4) if i != axis]):
                    form = np.tensordot(form, vectors[other], axes=([other], [0]))
                size = float(np.linalg.norm(form))
                if size > 0:
                    vectors[axis] = form / size
        best = max(best, size)
    return best
