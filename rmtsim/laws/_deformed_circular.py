"""Complex eigenvalues of a deterministic matrix plus independent noise, by Hermitisation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.errors import ConvergenceError
from rmtsim.laws._planar import PlanarDensity

STEPS = 200
RESIDUAL = 1e-12
"""Relative error of the equation of the radius at which a density is accepted."""


class DeformedCircular(PlanarDensity):
    """Law of the complex eigenvalues of A + X with a deterministic A and independent entries of X.

    Parameters
    ----------
    mean : complex, array_like
        The matrix A: a number a for a·1, the eigenvalues of a normal matrix, or a square matrix.
    entry_variance : float, optional
        n times the variance of an entry of X, real or complex.
    weights : array_like, optional
        Shares of the eigenvalues, which sum to one; equal by default. Not for a square matrix.

    Raises
    ------
    ValueError
        If the mean is not finite or not square, or the weights do not fit.

    See Also
    --------
    Circular : The law for A = 0.
    SingleRing : Matrices with given singular values.

    Notes
    -----
    With C = w - A the Hermitisation [[0, C + X], [(C + X)*, 0]] leaves one unknown t² ≥ 0 with
    ``entry_variance · tr (t² + C C*)⁻¹ = 1`` (tr is the normalised trace); w lies in the support where it is
    positive. The density per area is ``(t² tr(P Q) + |tr(P² C)|²/tr(P²))/π``, P = (t² + C C*)⁻¹ and
    Q = (t² + C*C)⁻¹; docs/laws.md derives it. See [1]_.

    References
    ----------
    .. [1] T. Tao, V. Vu and M. Krishnapur, "Random matrices: universality of ESDs and the circular law", Ann.
       Probab. 38 (2010).

    Examples
    --------
    Two clusters around ±1.2 merge when the noise is strong enough:

    >>> from rmtsim.laws import DeformedCircular
    >>> law = DeformedCircular([-1.2, 1.2])
    >>> law.inside([0.0, 1.2]).tolist(), round(law.pdf(1.2), 9)
    ([False, True], 0.29540518)
    >>> round(DeformedCircular(0.0).pdf(0.5), 12)  # 1/π: the circular law
    0.318309886184
    """

    def __init__(
        self, mean: ArrayLike, entry_variance: float = 1.0, *, weights: ArrayLike | None = None
    ) -> None:
        array = validate.complex_array("mean", mean, meaning="the matrix A, or its eigenvalues")
        self.entry_variance = validate.positive_number("entry_variance", entry_variance)
        if array.ndim > 2 or not array.size or (array.ndim == 2 and array.shape[0] != array.shape[1]):
            raise ValueError(
                f"mean of shape {array.shape}: expected a number, eigenvalues or a square matrix"
            )
        if array.ndim == 2 and weights is not None:
            raise ValueError("weights: expected none for a square matrix, whose eigenvalues count equally")
        self.mean_matrix = array if array.ndim == 2 else np.atleast_1d(array)
        count = len(self.mean_matrix)
        self.weights = _shares(weights, count)
        # Lengths in units of the noise, so that squares stay in the range of doubles.
        self._scale = math.sqrt(self.entry_variance)
        self._mean = self.mean_matrix / self._scale
        if not np.all(np.abs(self._mean) < 1e100):
            raise ValueError(
                f"mean, entry_variance={self.entry_variance}: expected |mean| < 1e100·√entry_variance"
            )

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.mean_matrix.shape))
        return f"DeformedCircular(mean of shape {shape}, entry_variance={self.entry_variance!r})"

    @property
    def support(self) -> tuple[float, float]:
        """Half-axes of a disc around zero that contains the law: its radius, twice."""
        size = np.linalg.norm(self._mean, 2) if self._mean.ndim == 2 else np.abs(self._mean).max()
        radius = float(self._scale * (size + 1))
        return radius, radius

    def _density(self, z: ComplexArray) -> FloatArray:
        flat = z / self._scale
        values = self._of_matrix(flat) if self._mean.ndim == 2 else self._of_normal(flat)
        return np.asarray(values / (np.pi * self.entry_variance))

    def inside(self, z: ArrayLike) -> Any:
        """Whether points lie inside the support.

        Parameters
        ----------
        z : complex or array_like
            Points of the plane.

        Returns
        -------
        bool or ndarray of bool
            Whether ``entry_variance · tr ((z - A)(z - A)*)⁻¹ > 1``.

        Examples
        --------
        >>> from rmtsim.laws import DeformedCircular
        >>> DeformedCircular([0.0, 3.0], weights=[0.25, 0.75]).inside([0.4, 0.6, 2.0, 2.2]).tolist()
        [True, False, False, True]
        """
        points = validate.complex_array("z", z, meaning="points of the plane")
        flat = points.ravel() / self._scale
        if self._mean.ndim == 2:
            squares = np.array([np.linalg.svd(self._shifted(w), compute_uv=False) ** 2 for w in flat])
        else:
            squares = np.abs(flat[:, None] - self._mean) ** 2
        with np.errstate(divide="ignore"):
            found = (self.weights / squares.reshape(len(flat), -1)).sum(axis=1) > 1
        result = found.reshape(points.shape)
        return result if points.ndim else bool(result)

    def moment(self, k: int) -> complex:
        """Holomorphic moment.

        Parameters
        ----------
        k : int
            Power, in [0, 100].

        Returns
        -------
        complex
            ``∫ z^k dμ = tr A^k``: the noise does not change it.

        Examples
        --------
        >>> from rmtsim.laws import DeformedCircular
        >>> DeformedCircular([1.0, 3.0]).moment(2)
        (5+0j)
        """
        power = validate.integer("k", k, minimum=0, maximum=100, meaning="power of z")
        values = np.linalg.eigvals(self.mean_matrix) if self._mean.ndim == 2 else self.mean_matrix
        return complex(self.weights @ values**power)

    def mean(self) -> complex:
        """Mean of the law.

        Returns
        -------
        complex
            ``tr A``.

        Examples
        --------
        >>> from rmtsim.laws import DeformedCircular
        >>> DeformedCircular([1.0, 2j]).mean()
        (0.5+1j)
        """
        return self.moment(1)

    def _shifted(self, w: complex) -> ComplexArray:
        return np.asarray(w * np.eye(len(self._mean)) - self._mean)

    def _of_normal(self, w: ComplexArray) -> FloatArray:
        shift = w[:, None] - self._mean
        squares = np.abs(shift) ** 2
        radius = _radius(squares, self.weights)
        values = np.zeros(len(w))
        (at,) = np.nonzero(radius)
        resolvent = 1 / (radius[at, None] + squares[at])
        heavy = self.weights * resolvent**2
        total = heavy.sum(axis=1)
        values[at] = radius[at] * total + np.abs((heavy * shift[at]).sum(axis=1)) ** 2 / total
        return values

    def _of_matrix(self, w: ComplexArray) -> FloatArray:
        values = np.zeros(len(w))
        count = len(self._mean)
        for i, point in enumerate(w):
            left, singular, right = np.linalg.svd(self._shifted(point))
            squares = singular**2
            (radius,) = _radius(squares[None], self.weights)
            if radius == 0:
                continue
            resolvent = 1 / (radius + squares)
            overlap = right @ left  # of right and left singular vectors: V* U
            both = resolvent @ np.abs(overlap) ** 2 @ resolvent / count
            square = (resolvent**2).sum() / count
            tilt = (resolvent**2 * singular * np.diag(overlap)).sum() / count
            values[i] = radius * both + abs(tilt) ** 2 / square
        return values


def _shares(weights: ArrayLike | None, count: int) -> FloatArray:
    if weights is None:
        return np.full(count, 1 / count)
    shares = np.atleast_1d(validate.real_array("weights", weights, meaning="shares of the eigenvalues"))
    if shares.shape != (count,) or shares.min() <= 0 or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(f"weights={weights!r:.60}: expected {count} numbers > 0 that sum to 1")
    return np.asarray(shares / shares.sum())


def _radius(squares: FloatArray, weights: FloatArray) -> FloatArray:
    """The root t² of Σ w/(s + t²) = 1 for each row s; zero where there is none above zero.

    1/Σ w/(s + t²) is increasing and concave in t², so that Newton steps from the left do not pass the root.
    """
    with np.errstate(divide="ignore"):
        outside = (weights / squares).sum(axis=1) <= 1
    root = np.maximum((weights - squares).max(axis=1), 1e-300)
    for _ in range(STEPS):
        resolvent = weights / (squares + root[:, None])
        total = resolvent.sum(axis=1)
        slope = (resolvent / (squares + root[:, None])).sum(axis=1)
        step = (total - 1) * total / slope
        moved = root + np.maximum(step, 0.0)
        settled = moved - root <= 2e-16 * moved
        root = moved
        if np.all(settled | outside):
            break
    root = np.where(outside, 0.0, root)
    error = np.abs((weights / (squares + root[:, None])).sum(axis=1) - 1)[~outside]
    if error.size and not error.max() <= RESIDUAL:
        raise ConvergenceError(
            "DeformedCircular: the radius of a point did not converge",
            residual=float(error.max()),
            iterations=STEPS,
        )
    return np.asarray(root)
