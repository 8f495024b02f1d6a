"""Complex eigenvalues of matrices whose singular vectors are uniform and independent: the single ring law.

For T with Haar-distributed singular vectors the Hermitisation [[0, T − z], [(T − z)*, 0]] leaves one equation. With s
the Stieltjes transform of the law of TT* and t > 0,

    F = t s(−t),    r² = 1/s(−t) − t

is the mass F of the disc of radius r (Haagerup and Larsen 2000, in terms of the S-transform r² = 1/S(F − 1)). Both
increase with t: r² from 1/∫dμ/x to ∫x dμ, F from the mass at zero to 1.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._planar import PlanarLaw, _orders
from rmtsim.laws._roots import increasing_root

_SMALLEST, _LARGEST = 1e-30, 1e16
"""Range of t in units of the mean."""
_FAR, _TERMS = 100.0, 9
"""Multiple of the largest square beyond which moments replace the Stieltjes transform, and their number."""
_CIRCLE = 48
"""Points of Cauchy's formula for the derivative of the Stieltjes transform: errors of 2^-48."""


@frozen
class SingleRing(PlanarLaw):
    """Single ring law: eigenvalues of U T V with U, V Haar-distributed and given singular values.

    Raises
    ------
    TypeError
        If ``squares`` is not a spectral law.
    ValueError
        If it has negative values or only one point.

    See Also
    --------
    Circular : The case of independent entries, ``SingleRing(MarchenkoPastur(1.0))``.

    Notes
    -----
    The law is rotationally invariant with support between the radii (∫dμ/x)^(−1/2) and (∫x dμ)^(1/2) [1]_ [2]_. An atom
    of ``squares`` at zero is an atom at zero. Products of independent matrices of this kind are of this kind, with the
    free product of the laws. Errors are about 1e-12 for ``radial_cdf`` (absolute) and 1e-10 for the density (relative).

    References
    ----------
    .. [1] U. Haagerup and F. Larsen, "Brown's spectral distribution measure for R-diagonal elements in finite von
       Neumann algebras", J. Funct. Anal. 176 (2000).
    .. [2] A. Guionnet, M. Krishnapur and O. Zeitouni, "The single ring theorem", Ann. Math. 174 (2011).

    Examples
    --------
    >>> from rmtsim.laws import Discrete, MarchenkoPastur, SingleRing
    >>> round(SingleRing(MarchenkoPastur(1.0)).radial_cdf(0.5), 9)
    0.25
    >>> ring = SingleRing(Discrete([1.0, 4.0]))
    >>> [round(radius, 6) for radius in (ring.inner_radius, ring.outer_radius)]
    [1.264911, 1.581139]
    """

    squares: SpectralLaw
    """Law of the squared singular values, on [0, ∞), not concentrated at one point."""

    def __post_init__(self) -> None:
        if not isinstance(self.squares, SpectralLaw):
            raise TypeError(f"squares={validate.shown(self.squares)}: expected a spectral law")
        low, high = self.squares.support()
        if low < 0:
            raise ValueError(f"squares: expected a law on [0, ∞), and its support begins at {low:g}")
        if high == low or self._spread <= 1e-9 * self._moments[0] ** 2:
            raise ValueError("squares: expected more than one point; with one, eigenvalues lie on a circle")

    @cached_property
    def _moments(self) -> tuple[float, ...]:
        return tuple(self.squares.moment(k) for k in range(1, _TERMS + 1))

    @property
    def _spread(self) -> float:
        return self._moments[1] - self._moments[0] ** 2

    @property
    def outer_radius(self) -> float:
        """Largest modulus, (∫x dμ)^(1/2)."""
        return math.sqrt(self._moments[0])

    @cached_property
    def inner_radius(self) -> float:
        """Smallest modulus, (∫dμ/x)^(−1/2), 0 if the integral diverges."""
        low = self.squares.support()[0]
        if low > 0:
            return 1 / math.sqrt(float(self.squares.stieltjes(0.0)))
        # The squared radius falls with t without a limit, or to a positive one.
        ends = self._square(np.log(self._moments[0] * np.array([1e-30, 1e-26])))
        return math.sqrt(ends[0]) if ends[1] < 1.0001 * ends[0] else 0.0

    @property
    def support(self) -> tuple[float, float]:
        """The outer radius, twice: half-axes of the disc that contains the law."""
        return self.outer_radius, self.outer_radius

    def _parts(self, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Squared radius, F, and their derivatives, up to a common factor, at t = e^y."""
        t = np.exp(y)
        far = t > _FAR * self.squares.support()[1]
        square, mass, square_slope, mass_slope = (np.empty(t.shape) for _ in range(4))
        if far.any():
            # F = P(u) and r² = (1 - P)/(uP) with u = 1/t and P = 1 - m₁u + m₂u² - …
            signed = [(-1) ** k * moment for k, moment in enumerate((1.0, *self._moments))]
            p, n = np.polynomial.Polynomial(signed), np.polynomial.Polynomial([-each for each in signed[1:]])
            u = 1 / t[far]
            mass[far], square[far] = p(u), n(u) / p(u)
            mass_slope[far] = -p.deriv()(u)
            square_slope[far] = (n(u) * p.deriv()(u) - n.deriv()(u) * p(u)) / p(u) ** 2
        near = ~far
        if near.any():
            here = t[near]
            s = self.squares.stieltjes(-here)
            # ∫dμ/(x + t)² by Cauchy's formula on a circle of half the distance to the support.
            radius = 0.5 * (here + self.squares.support()[0])
            turn = np.exp(2j * np.pi * (np.arange(_CIRCLE) + 0.5) / _CIRCLE)
            around = self.squares.stieltjes(-here[:, None] + radius[:, None] * turn)
            q = np.real(around / turn).mean(axis=1) / radius
            mass[near], square[near] = here * s, 1 / s - here
            mass_slope[near], square_slope[near] = s - here * q, q / s**2 - 1
        return square, mass, square_slope, mass_slope

    def _values(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Squared radius and F at t = e^y, without their derivatives."""
        t = np.exp(y)
        far = t > _FAR * self.squares.support()[1]
        square, mass = np.empty(t.shape), np.empty(t.shape)
        if far.any():
            square[far], mass[far] = self._parts(y[far])[:2]
        if not far.all():
            s = self.squares.stieltjes(-t[~far])
            square[~far], mass[~far] = 1 / s - t[~far], t[~far] * s
        return square, mass

    def _square(self, y: FloatArray) -> FloatArray:
        return self._values(y)[0]

    def _mass(self, y: FloatArray) -> FloatArray:
        return self._values(y)[1]

    def _slope(self, y: FloatArray) -> FloatArray:
        """dF/d(r²) at t = e^y."""
        _, _, square_slope, mass_slope = self._parts(y)
        return mass_slope / square_slope

    def _bracket(self, size: int) -> tuple[FloatArray, FloatArray]:
        low, high = (math.log(each * self._moments[0]) for each in (_SMALLEST, _LARGEST))
        return np.full(size, low), np.full(size, high)

    def _at_radius(self, r: FloatArray) -> FloatArray:
        """Log t at radii inside the ring."""
        low, high = self._bracket(r.size)

        def excess(y: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            return self._square(y) - r[k] ** 2, np.full(y.shape, np.nan)

        return increasing_root(excess, low, high, 0.5 * (low + high), 1e-16 * self._moments[0])

    def _inside(self, r: FloatArray) -> NDArray[np.bool_]:
        lowest = math.sqrt(self._square(self._bracket(1)[0])[0])
        return (r > max(self.inner_radius, lowest)) & (r < self.outer_radius)

    def _density(self, z: ComplexArray) -> FloatArray:
        r = np.abs(z)
        values = np.zeros(r.shape)
        inside = self._inside(r)
        if inside.any():
            radii, back = np.unique(r[inside], return_inverse=True)
            values[inside] = (self._slope(self._at_radius(radii)) / np.pi)[back]
        return values

    def _radial(self, r: FloatArray) -> FloatArray:
        atom = sum(mass for place, mass in self.squares.atoms if place == 0)
        values = np.where(r >= self.outer_radius, 1.0, atom)
        inside = self._inside(r)
        if inside.any():
            values[inside] = self._mass(self._at_radius(r[inside]))
        return values

    def moment(self, j: int, k: int) -> float:
        """Mixed moment, zero for j ≠ k, because the law is rotationally invariant."""
        return radial_moment(self, j, k, self.inner_radius, self.outer_radius)

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> ComplexArray:
        level = rng.random(shape).ravel()
        low, high = self._bracket(level.size)

        def excess(y: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            return self._mass(y) - level[k], np.full(y.shape, np.nan)

        y = increasing_root(excess, low, high, 0.5 * (low + high), 1e-15)
        radius = np.sqrt(np.maximum(self._square(y), 0.0))
        atom = sum(mass for place, mass in self.squares.atoms if place == 0)
        radius[level <= atom] = 0.0
        return np.asarray((radius * np.exp(2j * np.pi * rng.random(level.shape))).reshape(shape))


def radial_moment(law: PlanarLaw, j: int, k: int, low: float, high: float) -> float:
    """Mixed moment of a rotationally invariant law between two radii."""
    j, k = _orders(j, k)
    if j != k:
        return 0.0
    if k == 0:
        return 1.0
    # ∫ r^(2k) dF = high^(2k) - k∫ F d(r²) (r²)^(k-1); Gauss–Legendre in the angle of r.
    nodes, weights = np.polynomial.legendre.leggauss(100)
    angle = 0.25 * np.pi * (nodes + 1)
    r = low + (high - low) * np.sin(angle)
    slope = (high - low) * np.cos(angle) * 0.25 * np.pi * weights
    inner = float(np.sum(slope * 2 * k * r ** (2 * k - 1) * law._radial(r)))
    inner += low ** (2 * k) * float(law._radial(np.array([low]))[0])
    return high ** (2 * k) - inner
