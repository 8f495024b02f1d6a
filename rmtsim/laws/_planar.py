"""Laws of complex eigenvalues of matrices without symmetry: circular, elliptic, and Ginibre's at finite n."""

from __future__ import annotations

import abc
import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaincc

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.deprecation import renamed_parameter
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._distribution import Drawn, like, pointwise


class PlanarDensity(abc.ABC):
    """A density in the complex plane: what all laws of complex eigenvalues have."""

    @property
    @abc.abstractmethod
    def support(self) -> tuple[float, float]:
        """Half-axes of the ellipse that holds the law, along and across the real line."""

    @pointwise("Density; zero outside the support.")
    def pdf(self, z: ArrayLike) -> Any:
        """Density with respect to area."""
        return self._mapped(validate.complex_array("z", z, meaning="points of the plane"), self._density)

    @pointwise("``log(pdf(z))``, −∞ where the density is zero.")
    def logpdf(self, z: ArrayLike) -> Any:
        """Logarithm of the density."""
        values = np.asarray(self.pdf(z))
        with np.errstate(divide="ignore"):
            return like(np.log(values), values)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the density over the plane.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; ``ax.figure`` is the figure.
        """
        from rmtsim.laws._drawing import draw

        return draw(self, "pdf", ax)

    @abc.abstractmethod
    def _density(self, z: ComplexArray) -> FloatArray: ...

    def _mapped(self, points: NDArray[Any], function: Callable[[Any], FloatArray]) -> Any:
        return like(np.asarray(function(points.ravel())), points)


class PlanarLaw(PlanarDensity, Drawn):
    """A probability measure on the complex plane that is symmetric about both axes.

    Base class of the laws of complex eigenvalues.

    Attributes
    ----------
    support : tuple of float
        Half-axes, along and across the real line, of the ellipse that contains the law.

    Examples
    --------
    >>> from rmtsim.laws import Circular
    >>> law = Circular(entry_variance=4.0)
    >>> law.support, law.radial_cdf(1.0)
    ((2.0, 2.0), 0.25)
    """

    @pointwise("Density; zero outside the support.")
    def density(self, z: ArrayLike) -> Any:
        """Density with respect to area; older name of :meth:`pdf`."""
        return self.pdf(z)

    def mean(self) -> complex:
        """Mean of the law: zero, by symmetry.

        Returns
        -------
        complex
            ``∫ z dμ``.
        """
        return complex(self.moment(1, 0))

    def var(self) -> float:
        """Variance of the law.

        Returns
        -------
        float
            ``∫ |z|² dμ``.
        """
        return self.moment(1, 1)

    @classmethod
    def fit(cls, data: ArrayLike) -> Self:
        """Law whose parameters are estimated from data, by second moments.

        Parameters
        ----------
        data : array_like of complex
            Observations; their order does not matter.

        Returns
        -------
        law
            The law.

        Raises
        ------
        TypeError
            If this kind of law has no estimator.

        Examples
        --------
        >>> from rmtsim.laws import Elliptic
        >>> law = Elliptic.fit(Elliptic(0.5, 2.0).rvs(20000, random_state=1))
        >>> round(law.correlation, 1), round(law.entry_variance, 1)
        (0.5, 2.0)
        """
        z = validate.complex_array("data", data, meaning="observations of the law").ravel()
        if z.size < 2 or not np.any(z):
            raise ValueError(f"data of {z.size} numbers: expected at least 2, not all zero")
        return cls._fitted(float((np.abs(z) ** 2).mean()), float((z**2).mean().real))

    @classmethod
    def _fitted(cls, size: float, square: float) -> Self:
        """Law with these values of E|z|² and Re E z²."""
        raise TypeError(f"{cls.__name__}.fit: this kind of law has no estimator")

    @pointwise("``μ(|z| ≤ r)``; zero for r < 0.")
    def radial_cdf(self, r: ArrayLike) -> Any:
        """Probability of a disc around zero."""
        radii = validate.real_array("r", r, infinite=True, meaning="radii")
        return self._mapped(np.asarray(np.maximum(radii, 0.0)), self._radial)

    @abc.abstractmethod
    def moment(self, j: int, k: int) -> float:
        """Mixed moment.

        Parameters
        ----------
        j, k : int
            Powers of z and of its conjugate, in [0, 100].

        Returns
        -------
        float
            ``∫ z^j z̄^k dμ``, a real number.
        """

    @abc.abstractmethod
    def _radial(self, r: FloatArray) -> FloatArray: ...


def _orders(j: int, k: int) -> tuple[int, int]:
    return (
        validate.integer("j", j, minimum=0, maximum=100, meaning="power of z"),
        validate.integer("k", k, minimum=0, maximum=100, meaning="power of the conjugate of z"),
    )


def _disc(shape: tuple[int, ...], rng: np.random.Generator) -> ComplexArray:
    radius = np.sqrt(rng.random(shape))
    return np.asarray(radius * np.exp(2j * np.pi * rng.random(shape)))


@renamed_parameter("variance", "entry_variance", removed="0.2")
@frozen
class Elliptic(PlanarLaw):
    """Elliptic law: eigenvalues of matrices whose entries a_ij and a_ji are correlated.

    Notes
    -----
    The law is uniform on the ellipse with half-axes σ(1 + τ) along and σ(1 − τ) across the real line, σ² the
    variance [1]_. τ = 0 is the circular law; as τ → 1 the law tends to the semicircle.

    References
    ----------
    .. [1] V. L. Girko, "The elliptic law", Theory Probab. Appl. 30 (1985).

    Examples
    --------
    >>> from rmtsim.laws import Elliptic
    >>> law = Elliptic(0.5)
    >>> law.support, round(law.density(1.2), 9), law.moment(1, 1)
    ((1.5, 0.5), 0.424413182, 0.625)
    >>> round(law.radial_cdf(1.0), 9)
    0.76451355
    """

    correlation: float = 0.0
    """Correlation τ of a_ij and a_ji, in (−1, 1)."""
    entry_variance: float = 1.0
    """n times the variance of an entry: E|a_ij|² = entry_variance/n."""

    def __post_init__(self) -> None:
        meaning = "of an entry and its mirror image"
        tau = validate.finite_number("correlation", self.correlation, meaning=meaning)
        if not -1 < tau < 1:
            raise ValueError(f"correlation={tau}: expected a number in (-1, 1) ({meaning})")
        object.__setattr__(self, "correlation", tau)
        variance = validate.positive_number(
            "entry_variance", self.entry_variance, meaning="n times an entry's variance"
        )
        if not 1e-100 < variance < 1e100:
            raise ValueError(f"entry_variance={variance}: expected a number in (1e-100, 1e100)")
        object.__setattr__(self, "entry_variance", variance)

    @property
    def support(self) -> tuple[float, float]:
        """σ(1 + τ) and σ(1 - τ)."""
        sigma = math.sqrt(self.entry_variance)
        return sigma * (1 + self.correlation), sigma * (1 - self.correlation)

    def _density(self, z: ComplexArray) -> FloatArray:
        along, across = self.support
        with np.errstate(over="ignore"):
            inside = (z.real / along) ** 2 + (z.imag / across) ** 2 <= 1
        return np.where(inside, 1 / (np.pi * along * across), 0.0)

    def _radial(self, r: FloatArray) -> FloatArray:
        short, long = sorted(self.support)
        r = np.minimum(r, long)
        if short == long:
            return np.asarray((r / long) ** 2)
        outer, inner = np.sqrt((long - r) * (long + r)), np.sqrt(np.maximum((r - short) * (r + short), 0.0))
        # Between the half-axes the circle cuts the ellipse at angle θ, of parameter φ on the ellipse.
        theta, phi = np.arctan2(short * outer, long * inner), np.arctan2(outer, inner)
        cut = (2 / np.pi) * ((r / short) * (r / long) * theta + (0.5 * np.pi - phi))
        return np.asarray(np.where(r <= short, (r / short) * (r / long), np.minimum(cut, 1.0)))

    def moment(self, j: int, k: int) -> float:
        """Mixed moment, from z = σ(ζ + τζ̄) with ζ uniform on the unit disc."""
        j, k = _orders(j, k)
        if (j + k) % 2:
            return 0.0
        half = (j + k) // 2
        # ζ taken a times from zʲ and half - a times from z̄ᵏ.
        terms = (
            math.comb(j, a) * math.comb(k, half - a) * self.correlation ** (j - a + half - a)
            for a in range(max(0, half - k), min(j, half) + 1)
        )
        return self.entry_variance**half * math.fsum(terms) / (half + 1)

    @classmethod
    def _fitted(cls, size: float, square: float) -> Self:
        # E|z|² = σ²(1 + τ²)/2 and E z² = σ²τ, so that τ/(1 + τ²) is half their quotient.
        half = float(np.clip(0.5 * square / size, -0.5, 0.5))
        tau = 2 * half / (1 + math.sqrt(1 - 4 * half**2))
        return cls(tau, 2 * size / (1 + tau**2))

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> ComplexArray:
        disc = _disc(shape, rng)
        return np.asarray(math.sqrt(self.entry_variance) * (disc + self.correlation * disc.conj()))


@renamed_parameter("variance", "entry_variance", removed="0.2")
@frozen
class Circular(Elliptic):
    """Circular law: eigenvalues of matrices with independent entries, uniform on a disc.

    Parameters
    ----------
    entry_variance : float, optional
        n times the variance of an entry; the radius of the disc is its square root.

    Notes
    -----
    See [1]_ for the proof under minimal assumptions.

    References
    ----------
    .. [1] T. Tao and V. Vu, "Random matrices: universality of ESDs and the circular law", Ann. Probab. 38 (2010).

    Examples
    --------
    >>> from rmtsim.laws import Circular
    >>> law = Circular()
    >>> law.radial_cdf([0.5, 2.0]).tolist(), law.moment(1, 1)
    ([0.25, 1.0], 0.5)
    """

    def __init__(self, entry_variance: float = 1.0) -> None:
        object.__setattr__(self, "correlation", 0.0)
        object.__setattr__(self, "entry_variance", entry_variance)
        self.__post_init__()

    @classmethod
    def _fitted(cls, size: float, square: float) -> Self:
        return cls(2 * size)

    def __repr__(self) -> str:
        return f"Circular(entry_variance={self.entry_variance!r})"


@frozen
class Ginibre(PlanarLaw):
    """Mean eigenvalue law of complex Gaussian matrices of a given size.

    Notes
    -----
    The density is Γ(n, n|z|²)/(π Γ(n)), with the upper incomplete gamma function [1]_; it tends to
    :class:`Circular`.

    References
    ----------
    .. [1] J. Ginibre, "Statistical ensembles of complex, quaternion, and real matrices", J. Math. Phys. 6 (1965).

    Examples
    --------
    >>> import math
    >>> from rmtsim.laws import Ginibre
    >>> law = Ginibre(1)
    >>> round(law.density(1j) * math.pi, 12) == round(math.exp(-1), 12), law.moment(1, 1)
    (True, 1.0)
    >>> round(Ginibre(50).radial_cdf(1.0), 9)
    0.943674994
    """

    size: int
    """Number n of rows; entries have E|a_ij|² = 1/n."""

    def __post_init__(self) -> None:
        size = validate.integer("size", self.size, maximum=10**8, meaning="rows of the matrix")
        object.__setattr__(self, "size", size)

    @property
    def support(self) -> tuple[float, float]:
        """The whole plane."""
        return math.inf, math.inf

    def _density(self, z: ComplexArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(gammaincc(self.size, self.size * np.abs(z) ** 2) / np.pi)

    def _radial(self, r: FloatArray) -> FloatArray:
        # Beyond 40 the gamma tail is zero at any size, and r² would overflow.
        square = np.minimum(r, 40.0) ** 2
        x = self.size * square
        return np.asarray(square * gammaincc(self.size, x) + gammainc(self.size + 1, x))

    def moment(self, j: int, k: int) -> float:
        """Mixed moment: Γ(n+k+1)/((k+1) Γ(n) n^(k+1)) for j = k, otherwise zero."""
        j, k = _orders(j, k)
        if j != k:
            return 0.0
        # A product of 1 + i/n keeps the digits that a difference of two log gammas would lose.
        rising = math.prod((self.size + i) / self.size for i in range(k + 1))
        return rising / (k + 1)

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> ComplexArray:
        """|z|² n is a mixture over k = 1..n of Gamma(k) (Kostlan), the angle uniform."""
        order = rng.integers(1, self.size + 1, shape)
        radius = np.sqrt(rng.gamma(order) / self.size)
        return np.asarray(radius * np.exp(2j * np.pi * rng.random(shape)))
