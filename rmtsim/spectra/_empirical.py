"""Comparison of measured spectra with a law: two distances, and their distribution if the law is true."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import describes, frozen
from rmtsim._internal.randomness import RandomSource
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import pointwise

_described = describes(
    law="SpectralLaw\n    The law, with cdf F.",
    rng="None, int, numpy.random.Generator, SeedSequence or BitGenerator\n    Source of the simulated spectra.",
    distance='{"kolmogorov", "wasserstein"}, optional\n    Distance.',
)

Distance = Literal["kolmogorov", "wasserstein"]
Null = Literal["matrix", "independent"]


@frozen
class DistanceTest:
    """Result of a test of a measured spectrum against a law."""

    distance: float
    """Distance between spectrum and law."""
    threshold: float
    """Distance that is exceeded with probability at most ``level`` if the law is true."""
    level: float
    """False-alarm probability."""
    p_value: float
    """Monte Carlo p-value."""

    @property
    def rejected(self) -> bool:
        """Whether the distance exceeds the threshold."""
        return self.distance > self.threshold


@frozen(eq=False)
class EmpiricalSpectrum:
    """Empirical distribution of n eigenvalues, to be compared with a law.

    Use :func:`empirical` to make one.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws import Semicircle
    >>> from rmtsim.spectra import empirical, random_matrix
    >>> spectrum = empirical(np.linalg.eigvalsh(random_matrix(Semicircle(), 300, np.random.default_rng(0))))
    >>> spectrum.size, bool(spectrum.kolmogorov(Semicircle()) < 0.02)
    (300, True)
    """

    eigenvalues: FloatArray
    """Eigenvalues in increasing order."""

    @property
    def size(self) -> int:
        """Number n of eigenvalues."""
        return int(self.eigenvalues.size)

    @pointwise("Shares in [0, 1].")
    def cdf(self, x: ArrayLike) -> Any:
        """Share of eigenvalues at or below given points."""
        points = validate.real_array("x", x, infinite=True)
        shares = np.searchsorted(self.eigenvalues, points, side="right") / self.size
        return shares if points.ndim else float(shares)

    def moment(self, k: int) -> float:
        """Mean power of the eigenvalues.

        Parameters
        ----------
        k : int
            Order, k ≥ 0.

        Returns
        -------
        float
            ``(1/n) Σ λ^k``.
        """
        k = validate.integer("k", k, minimum=0, meaning="order of the moment")
        return math.fsum(self.eigenvalues**k) / self.size

    @_described
    def kolmogorov(self, law: SpectralLaw) -> float:
        """Kolmogorov distance to a law.

        Returns
        -------
        float
            ``sup |F_n(x) − F(x)|``, one-sided limits included.

        Notes
        -----
        Eigenvalues within rounding of an atom (n units in the last place of the largest eigenvalue) count as lying
        on it, because solvers return the null space of a matrix as numbers such as ±1e-17.
        """
        values = self._snapped(law)
        n = values.size
        points = np.union1d(values, [location for location, _ in law.atoms])
        right = np.asarray(law.cdf(points))
        left = right - _masses_at(points, law)
        above = np.abs(np.searchsorted(values, points, side="right") / n - right)
        below = np.abs(np.searchsorted(values, points, side="left") / n - left)
        return float(max(above.max(), below.max()))

    @_described
    def wasserstein(self, law: SpectralLaw) -> float:
        """Wasserstein-1 distance to a law.

        Returns
        -------
        float
            ``∫ |F_n(x) − F(x)| dx``.
        """
        values = self._snapped(law)
        n = values.size
        edges = [end for ends in law.support for end in ends] + [location for location, _ in law.atoms]
        # Between these points F_n is constant and F smooth; at the quantiles of F_n's levels they cross.
        crossings = np.asarray(law.ppf(np.arange(1, n) / n)) if n > 1 else np.empty(0)
        points = np.unique(np.concatenate([values, crossings, edges]))
        start, width = points[:-1], np.diff(points)
        step = np.searchsorted(values, start, side="right") / n
        total = np.zeros(start.shape)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            total += weight * np.abs(np.asarray(law.cdf(start + node * width)) - step)
        return math.fsum(total * width)

    @_described
    def null_level(
        self,
        law: SpectralLaw,
        *,
        rng: RandomSource,
        distance: Distance = "kolmogorov",
        level: float = 0.01,
        null: Null = "matrix",
        replicates: int | None = None,
    ) -> float:
        """Distance that eigenvalues of the law exceed with a given probability.

        Parameters
        ----------
        law : SpectralLaw
            The law.
        level : float, optional
            Probability of a larger distance, in (0, 1).
        null : {"matrix", "independent"}, optional
            Simulate eigenvalues of ``random_matrix(law, n, rng)`` (default), or independent draws. Eigenvalues repel,
            and their distance is of order log(n)/n; that of independent draws is of order 1/√n.
        replicates : int, optional
            Number of simulated spectra; by default the smallest number that the level allows.

        Returns
        -------
        float
            The threshold of :meth:`test`.

        Notes
        -----
        The threshold is an order statistic of the simulated distances, chosen so that the false-alarm probability
        is at most ``level`` for any number of replicates (Monte Carlo test).
        """
        return self.test(
            law, rng=rng, distance=distance, level=level, null=null, replicates=replicates
        ).threshold

    @_described
    def test(
        self,
        law: SpectralLaw,
        *,
        rng: RandomSource,
        distance: Distance = "kolmogorov",
        level: float = 0.01,
        null: Null = "matrix",
        replicates: int | None = None,
    ) -> DistanceTest:
        """Monte Carlo test of a law.

        Parameters
        ----------
        law : SpectralLaw
            The law to test.
        level : float, optional
            False-alarm probability, in (0, 1).
        null : {"matrix", "independent"}, optional
            Null model, see :meth:`null_level`.
        replicates : int, optional
            Number of simulated spectra, at least ``ceil(1/level) − 1``, which is the default.

        Returns
        -------
        DistanceTest
            Attributes ``distance``, ``threshold``, ``level``, ``p_value`` and ``rejected``.

        Examples
        --------
        >>> from rmtsim.laws import MarchenkoPastur
        >>> from rmtsim.spectra import random_matrix
        >>> rng = np.random.default_rng(0)
        >>> true, wrong = MarchenkoPastur(0.5), MarchenkoPastur(0.55)
        >>> spectrum = empirical(np.linalg.eigvalsh(random_matrix(true, 200, rng)))
        >>> spectrum.test(true, rng=rng).rejected, spectrum.test(wrong, rng=rng).rejected
        (False, True)
        """
        measure = _measure(distance)
        level = validate.positive_number("level", level, meaning="false-alarm probability")
        if level >= 1:
            raise ValueError(f"level={level}: expected a number in (0, 1) (false-alarm probability)")
        smallest = math.ceil(1 / level) - 1
        count = smallest if replicates is None else validate.integer("replicates", replicates)
        if count < smallest:
            raise ValueError(f"replicates={count}: expected at least {smallest} for level {level:g}")
        draw = _null_draw(null)
        rng = validate.generator("rng", rng)  # once: an integer would give every replicate the same draws
        simulated = np.sort([measure(empirical(draw(law, self.size, rng)), law) for _ in range(count)])
        own = measure(self, law)
        # Under the law all count + 1 distances are exchangeable: the own one exceeds the j-th smallest
        # of the others with probability at most 1 - j/(count + 1).
        rank = min(count, math.ceil((1 - level) * (count + 1) - 1e-9))
        return DistanceTest(
            distance=own,
            threshold=float(simulated[rank - 1]),
            level=level,
            p_value=(1 + int(np.count_nonzero(simulated >= own))) / (count + 1),
        )

    def _snapped(self, law: SpectralLaw) -> FloatArray:
        if not isinstance(law, SpectralLaw):
            raise TypeError(f"law={validate.shown(law)}: expected a law of eigenvalues")
        values = self.eigenvalues.copy()
        rounding = values.size * np.finfo(np.float64).eps * float(np.abs(values).max())
        for location, _ in law.atoms:
            values[np.abs(values - location) <= rounding] = location
        return np.sort(values)


def empirical(eigenvalues: ArrayLike) -> EmpiricalSpectrum:
    """Empirical distribution of measured eigenvalues.

    Parameters
    ----------
    eigenvalues : array_like
        Eigenvalues, in any order and shape; at least one.

    Returns
    -------
    EmpiricalSpectrum
        Their distribution, with distances to laws and tests.

    Raises
    ------
    ValueError
        If there is no eigenvalue, or one is not finite.

    Examples
    --------
    >>> from rmtsim.laws import Semicircle
    >>> from rmtsim.spectra import empirical
    >>> spectrum = empirical([1.0, -1.0])
    >>> round(spectrum.kolmogorov(Semicircle()), 6), round(spectrum.wasserstein(Semicircle()), 6)
    (0.304499, 0.471827)
    """
    values = np.sort(validate.real_array("eigenvalues", eigenvalues, meaning="a measured spectrum").ravel())
    if not values.size:
        raise ValueError("eigenvalues=[]: expected at least one eigenvalue")
    values.flags.writeable = False
    return EmpiricalSpectrum(values)


def _measure(distance: str) -> Callable[[EmpiricalSpectrum, SpectralLaw], float]:
    if distance == "kolmogorov":
        return EmpiricalSpectrum.kolmogorov
    if distance == "wasserstein":
        return EmpiricalSpectrum.wasserstein
    raise ValueError(f"distance={distance!r}: expected 'kolmogorov' or 'wasserstein'")


def _null_draw(null: str) -> Callable[[SpectralLaw, int, np.random.Generator], FloatArray]:
    if null == "matrix":
        from rmtsim.spectra._random_matrix import random_matrix

        return lambda law, n, rng: np.asarray(
            np.linalg.eigvalsh(random_matrix(law, n, rng)), dtype=np.float64
        )
    if null == "independent":
        return lambda law, n, rng: law.sample(n, rng)
    raise ValueError(f"null={null!r}: expected 'matrix' or 'independent'")


def _masses_at(points: FloatArray, law: SpectralLaw) -> FloatArray:
    masses = np.zeros(points.shape)
    for location, mass in law.atoms:
        masses[points == location] += mass
    return masses


def _edge_rule(order: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss–Legendre on [0, 1] after x = u²(3 - 2u), which flattens the powers 3/2 and 1/2 at both ends."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    u, w = 0.5 * (nodes + 1), 0.5 * weights
    return u * u * (3 - 2 * u), 6 * u * (1 - u) * w


_NODES, _WEIGHTS = _edge_rule(12)
