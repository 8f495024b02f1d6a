"""Complex eigenvalues of matrices with independent entries of unequal variances, by Hermitisation."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.errors import ConvergenceError
from rmtsim.laws._planar import PlanarLaw
from rmtsim.laws._single_ring import radial_moment

_STEPS = 200
_RESIDUAL = 1e-12
"""Relative error of the equations at which a solution is accepted."""
_LARGEST = 1000
"""Classes of a profile: a radius needs equations of twice this size."""
_LEAST = 1e-15
_TABLE = 400


class ProfileCircular(PlanarLaw):
    """Law of the complex eigenvalues of a matrix with independent entries of unequal variances.

    Parameters
    ----------
    variances : array_like
        Square array: n times the variance of the entries in row i and column j, or of the block (i, j) if rows and
        columns of the matrix fall into classes.
    weights : array_like, optional
        Shares of the classes, which sum to one; equal by default.

    Attributes
    ----------
    variances, weights : ndarray
        The parameters.
    support : tuple of float
        The spectral radius √ρ, twice, with ρ that of the matrix variances[i, j]·weights[j].

    Raises
    ------
    ValueError
        If a variance is negative, or zeros make the matrix singular or let it fall into blocks.

    See Also
    --------
    Circular : The law of equal variances.
    SingleRing : Matrices with given singular values.
    ProfileNoise : Singular values of a rectangular matrix with a variance profile of low rank.

    Notes
    -----
    The Hermitisation at a point of modulus r below the radius has positive solutions a, b of ``a = S[a/(r² + ab)]``
    and ``b = Sᵀ[b/(r² + ab)]``, where ``(S x)ᵢ = Σⱼ variances[i, j]·weights[j]·xⱼ`` [1]_, [2]_. A disc of radius r has
    the mass ``Σ weights·r²/(r² + ab)``, and the law does not depend on the angle. ``rvs`` interpolates in a table of
    400 radii.

    References
    ----------
    .. [1] N. Cook, W. Hachem, J. Najim and D. Renfrew, "Non-Hermitian random matrices with a variance profile",
       Electron. J. Probab. 23 (2018).
    .. [2] J. Alt, L. Erdős and T. Krüger, "Local inhomogeneous circular law", Ann. Appl. Probab. 28 (2018).

    Examples
    --------
    Half of the units receive noise of variance 3, the others of variance 1:

    >>> from rmtsim.laws import ProfileCircular
    >>> law = ProfileCircular([[3.0, 3.0], [1.0, 1.0]])
    >>> round(law.support[0] ** 2, 12), round(law.radial_cdf(1.0), 6), round(law.pdf(0.0), 6)
    (2.0, 0.565741, 0.212207)
    >>> round(ProfileCircular([[2.0]]).radial_cdf(1.0), 12)  # the circular law
    0.5
    """

    def __init__(self, variances: ArrayLike, *, weights: ArrayLike | None = None) -> None:
        profile = validate.real_array("variances", variances, meaning="n times the variances of entries")
        if profile.ndim != 2 or profile.shape[0] != profile.shape[1] or not 1 <= len(profile) <= _LARGEST:
            raise ValueError(
                f"variances of shape {profile.shape}: expected a square array of 1 to {_LARGEST} rows"
            )
        count = len(profile)
        shares = np.full(count, 1 / count)
        if weights is not None:
            shares = validate.real_array("weights", weights, meaning="shares of the classes")
            if shares.shape != (count,) or shares.min() <= 0 or abs(shares.sum() - 1) > 1e-9:
                raise ValueError(f"weights={weights!r:.60}: expected {count} numbers > 0 that sum to 1")
        if profile.min() < 0 or not profile.max() > 0:
            raise ValueError("variances: expected numbers >= 0, not all zero")
        least, most = float(profile[profile > 0].min()), float(profile.max())
        if not (1e-100 < most < 1e100 and least >= _LEAST * most):
            raise ValueError(
                f"variances from {least:g} to {most:g}: expected numbers in (1e-100, 1e100), none but zeros below "
                f"{_LEAST:g} of the largest"
            )
        _check_pattern(profile > 0, equal=weights is None)
        self.variances, self.weights = profile, shares
        # In units of the largest variance, so that squares stay in the range of doubles.
        self._unit = float(profile.max())
        self._forward = profile / self._unit * shares
        self._backward = profile.T / self._unit * shares

    def __repr__(self) -> str:
        return f"ProfileCircular(variances of shape {self.variances.shape})"

    @cached_property
    def support(self) -> tuple[float, float]:
        """The spectral radius, twice: half-axes of the disc that is the support."""
        radius = math.sqrt(self._unit * float(np.abs(np.linalg.eigvals(self._forward)).max()))
        return radius, radius

    def _solved(self, squares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Masses of discs, and their derivatives, at squared radii inside the support, in units of the profile."""
        masses, slopes = np.zeros(squares.shape), np.zeros(squares.shape)
        logs = np.zeros(2 * len(self.weights))
        for place in np.argsort(squares):
            square = float(squares[place])
            logs, matrix, sides = self._newton(square, logs)
            a, b = np.exp(logs).reshape(2, -1)
            whole = square + a * b
            moved = np.linalg.solve(matrix, np.concatenate([side @ (1 / whole) for side in sides]))
            masses[place] = float(self.weights @ (square / whole))
            change = 1 - square * moved.reshape(2, -1).sum(axis=0)
            slopes[place] = float(self.weights @ (a * b / whole**2 * change))
        return masses, slopes

    def _newton(
        self, square: float, logs: FloatArray
    ) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
        """log a and log b, the Jacobian of their equations, and the two stochastic matrices in it."""
        count = len(self.weights)
        one = np.repeat([1.0, -1.0], count)
        # (a, b) and (λa, b/λ) are solutions together: the last term fixes Σ weights·log(a/b) = 0.
        border = np.outer(one, np.concatenate([self.weights, -self.weights]))
        error = math.inf
        for _ in range(_STEPS):
            a, b = np.exp(logs).reshape(2, -1)
            whole = square + a * b
            x, y = self._forward * (a / whole), self._backward * (b / whole)
            gaps = np.concatenate([np.log(x.sum(axis=1) / a), np.log(y.sum(axis=1) / b)])
            first, second = x / x.sum(axis=1)[:, None], y / y.sum(axis=1)[:, None]
            share = a * b / whole
            matrix = np.block(
                [[first * (1 - share), -first * share], [-second * share, second * (1 - share)]]
            )
            matrix += border - np.eye(2 * count)
            error = float(np.abs(gaps).max())
            step = np.linalg.solve(matrix, -gaps - one * float(border[0] @ logs))
            size = float(np.abs(step).max())
            if error <= _RESIDUAL and size <= 1e-9:
                return logs, matrix, (first, second)
            logs = logs + step * min(1.0, 2 / max(size, 1e-300))
        raise ConvergenceError(
            f"ProfileCircular: no solution at the squared radius {square * self._unit:.6g}",
            residual=error,
            iterations=_STEPS,
        )

    def _inside(self, r: FloatArray) -> tuple[NDArray[np.bool_], FloatArray]:
        """Which radii lie inside the support, and the distinct squares of those."""
        radius = self.support[0]
        # Nearer to the ends than this the equations have no more digits; F and the density are continuous there.
        share = np.clip(r / radius, 1e-7, 1 - 5e-13)
        return r < radius, np.asarray(share**2 * (radius**2 / self._unit))

    def _density(self, z: ComplexArray) -> FloatArray:
        inside, squares = self._inside(np.abs(z))
        values = np.zeros(z.shape)
        if inside.any():
            distinct, back = np.unique(squares[inside], return_inverse=True)
            values[inside] = (self._solved(distinct)[1] / (np.pi * self._unit))[back]
        return values

    def _radial(self, r: FloatArray) -> FloatArray:
        inside, squares = self._inside(r)
        values = np.ones(r.shape)
        if inside.any():
            distinct, back = np.unique(squares[inside], return_inverse=True)
            values[inside] = np.where(r[inside] == 0, 0.0, self._solved(distinct)[0][back])
        return values

    def moment(self, j: int, k: int) -> float:
        """Mixed moment, zero for j ≠ k, because the law is rotationally invariant."""
        return radial_moment(self, j, k, 0.0, self.support[0])

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> ComplexArray:
        from scipy.interpolate import PchipInterpolator

        masses, squares = self._table
        square = PchipInterpolator(masses, squares)(rng.random(shape))
        return np.asarray(np.sqrt(np.maximum(square, 0.0)) * np.exp(2j * np.pi * rng.random(shape)))

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Masses and squared radii of discs."""
        r = self.support[0] * np.sin(np.linspace(0, 0.5 * np.pi, _TABLE))
        return self._radial(r), r**2


def _check_pattern(pattern: NDArray[np.bool_], *, equal: bool) -> None:
    """Refuse zeros for which the matrix is singular or falls into blocks of rows and columns."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    count = len(pattern)
    place: NDArray[Any] = np.arange(count)
    if not pattern.diagonal().all():
        # With unequal shares a row of one class cannot be matched with a column of another one.
        place = maximum_bipartite_matching(csr_array(pattern), "column") if equal else np.full(count, -1)
    matched = csr_array(pattern[:, place].astype(np.int8))
    if place.min() < 0 or connected_components(matched, connection="strong")[0] > 1:
        raise ValueError(
            "variances: expected no zeros that make the matrix singular or let it fall into blocks; with weights, the "
            "diagonal has to be positive"
        )
