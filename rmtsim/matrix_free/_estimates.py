"""Estimates with standard errors, and spectral distributions made of quadrature rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.matrix_free._lanczos import Product, Rule, nested_quadratures

_AT_ONCE = 2**28
"""Bytes of Lanczos vectors that starts iterated together may take."""
_SHORTER = 4
"""Rules cut short by one to this many steps: enough that one of them disagrees where steps are too few."""


@frozen
class Estimate:
    """An estimated number and its standard error.

    See Also
    --------
    operator_trace : Returns one, as do the methods of :class:`GroupSpectrum`.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.matrix_free import operator_trace
    >>> operator_trace(np.diag([1.0, 2.0, 4.0]), np.random.default_rng(0))  # small operators are summed exactly
    Estimate(value=7.0, error=0.0)
    """

    value: float
    """The estimate."""
    error: float
    """Its standard error; zero if the value is exact."""


@frozen(eq=False)
class GroupSpectrum:
    """The spectral distribution of a symmetric operator or of a block of a Hessian, exact or estimated.

    Made by :func:`operator_spectrum` and :func:`rmtsim.networks.hessian_spectrum`. An exact spectrum consists of
    all eigenvalues with equal weights; an estimated one of a quadrature rule per random start (probe).

    Notes
    -----
    The error of an estimate combines the standard error over probes with the root mean square change under the
    shorter rules. That change is zero for low moments, and of the order of one weight for ``cdf`` inside the
    spectrum.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.matrix_free import operator_spectrum
    >>> spectrum = operator_spectrum(np.diag([1.0, 3.0]), np.random.default_rng(0))
    >>> spectrum.eigenvalues.tolist(), spectrum.moment(2), spectrum.cdf(2.0)
    ([1.0, 3.0], Estimate(value=5.0, error=0.0), Estimate(value=0.5, error=0.0))
    """

    name: str
    """Name of the operator or block."""
    size: int
    """Number P of rows."""
    exact: bool
    """Whether the nodes are all eigenvalues."""
    nodes: tuple[Array, ...]
    weights: tuple[Array, ...]
    """Quadrature rules, one per probe; the weights of a rule sum to one."""
    shorter: tuple[tuple[Rule, ...], ...] = ()
    """Rules (nodes, weights) with one, two, … Lanczos steps fewer, used to estimate what the rules do not resolve."""

    @property
    def eigenvalues(self) -> Array:
        """All eigenvalues in increasing order; ValueError if the spectrum is an estimate."""
        if not self.exact:
            raise ValueError(
                f"{self.name} has {self.size} parameters: its spectrum is an estimate (density, cdf, moment), "
                "raise exact_up_to for eigenvalues"
            )
        return self.nodes[0]

    def average(self, function: Callable[[Array], Array]) -> Estimate:
        """Average of a function over the spectrum.

        Parameters
        ----------
        function : callable
            Maps an array of points to an array of values.

        Returns
        -------
        Estimate
            ``tr f(H)/P`` with its standard error.

        Examples
        --------
        >>> spectrum = GroupSpectrum("model", 2, True, (np.array([1.0, 3.0]),), (np.array([0.5, 0.5]),))
        >>> spectrum.average(np.square)
        Estimate(value=5.0, error=0.0)
        """
        values = _integrals(zip(self.nodes, self.weights, strict=True), function)
        if self.exact:
            return Estimate(float(values.mean()), 0.0)
        error = float(values.std(ddof=1) / math.sqrt(len(values)))
        moved = [float(_integrals(rules, function).mean() - values.mean()) for rules in self.shorter]
        unresolved = math.sqrt(sum(gap**2 for gap in moved) / len(moved)) if moved else 0.0
        return Estimate(float(values.mean()), math.hypot(error, unresolved))

    def moment(self, order: int) -> Estimate:
        """Moment of the spectrum.

        Parameters
        ----------
        order : int
            Order k ≥ 0.

        Returns
        -------
        Estimate
            ``tr H^k/P`` with its standard error.
        """
        power = validate.integer("order", order, minimum=0)
        return self.average(lambda t: t**power)

    def cdf(self, at: float) -> Estimate:
        """Share of the eigenvalues at or below a point.

        Parameters
        ----------
        at : float
            Upper end of the half-line that is counted.

        Returns
        -------
        Estimate
            A number in [0, 1] with its standard error.
        """
        point = validate.finite_number("at", at)
        return self.average(lambda t: (t <= point).astype(np.float64))

    def density(self, at: ArrayLike, width: float) -> tuple[Array, Array]:
        """Smoothed density of the spectrum.

        Parameters
        ----------
        at : array_like
            Points.
        width : float
            Standard deviation of the Gaussian that smooths the spectrum. Choose it no smaller than the distance
            between nodes, about the length of the spectrum over the number of Lanczos steps.

        Returns
        -------
        density, error : ndarray
            Density at the points and its standard error.
        """
        points = validate.real_array("at", at)
        width = validate.positive_number("width", width, meaning="standard deviation of the smoothing")
        estimates = [self.average(lambda t, x=x: _bell((x - t) / width) / width) for x in points.ravel()]  # type: ignore[misc]
        values = np.array([e.value for e in estimates]).reshape(points.shape)
        errors = np.array([e.error for e in estimates]).reshape(points.shape)
        return values, errors

    def mass(self, low: float, high: float, width: float) -> Estimate:
        """Share of the eigenvalues in an interval with smoothed ends.

        Parameters
        ----------
        low, high : float
            Ends of the interval.
        width : float
            Standard deviation of the Gaussian that smooths the ends.

        Returns
        -------
        Estimate
            A number in [0, 1] with its standard error.
        """
        width = validate.positive_number("width", width)
        return self.average(lambda t: np.asarray(ndtr((high - t) / width) - ndtr((low - t) / width)))

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest node: the ends of an exact spectrum, bounds from inside for an estimate."""
        return min(float(t.min()) for t in self.nodes), max(float(t.max()) for t in self.nodes)


def _integrals(rules: Iterable[Rule], function: Callable[[Array], Array]) -> Array:
    return np.array([float(weights @ function(nodes)) for nodes, weights in rules])


def _bell(x: Array) -> Array:
    return np.asarray(np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi))


def exact_spectrum(name: str, block: Array) -> GroupSpectrum:
    """The spectrum of a symmetric matrix, diagonalised."""
    size = len(block)
    return GroupSpectrum(
        name,
        size,
        True,
        (np.asarray(np.linalg.eigvalsh(block), dtype=np.float64),),
        (np.full(size, 1 / size),),
    )


def estimated_spectrum(
    name: str, product: Product, size: int, rng: np.random.Generator, probes: int, steps: int
) -> GroupSpectrum:
    """Stochastic Lanczos quadrature with ``probes`` random starts; ``product`` maps rows of vectors to rows.

    As many starts at once as ``_AT_ONCE`` bytes hold: one product with many vectors reads the operator once.
    """
    together = int(min(probes, max(1, _AT_ONCE // (8 * size * min(steps, size)))))
    rules = []
    for first in range(0, probes, together):
        starts = np.stack([rng.standard_normal(size) for _ in range(min(together, probes - first))])
        rules += nested_quadratures(product, starts, steps, _SHORTER)
    whole, *shorter = zip(*rules, strict=True)
    return GroupSpectrum(
        name, size, False, tuple(r[0] for r in whole), tuple(r[1] for r in whole), tuple(shorter)
    )
