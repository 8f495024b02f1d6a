"""Estimates with standard errors, and spectral distributions made of quadrature rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from rmtsim._internal import validate
from rmtsim.matrix_free._lanczos import Product, Rule, nested_quadratures

__all__ = ["Estimate", "GroupSpectrum", "estimated_spectrum", "exact_spectrum"]

Array = NDArray[np.float64]

_AT_ONCE = 2**28
"""Bytes of Lanczos vectors that starts iterated together may take."""
_SHORTER = 4
"""Rules cut short by one to this many steps: enough that one of them disagrees where steps are too few."""


@dataclass(frozen=True)
class Estimate:
    """A value and its standard error; the error is zero where the value is exact."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class GroupSpectrum:
    """The spectral distribution of a symmetric operator, or of one block of a Hessian, exact or estimated.

    ``nodes`` and ``weights`` have one row a probe; weights of a row sum to one. An exact spectrum has one row, its
    nodes are all eigenvalues and ``exact`` is True. Estimates average over probes. Their errors join the standard error
    over probes with what the rule does not resolve: the root mean square change of the average under the ``shorter``
    rules, zero for moments, of the order of a weight for a step (`cdf`) in the bulk.
    """

    name: str
    size: int
    exact: bool
    nodes: tuple[Array, ...]
    weights: tuple[Array, ...]
    shorter: tuple[tuple[Rule, ...], ...] = ()
    """Rules of one, two, … steps fewer, each with one (nodes, weights) a probe."""

    @property
    def eigenvalues(self) -> Array:
        """All eigenvalues, ascending; refused where the spectrum is an estimate."""
        if not self.exact:
            raise ValueError(
                f"{self.name} has {self.size} parameters: its spectrum is an estimate (density, cdf, moment), "
                "raise exact_up_to for eigenvalues"
            )
        return self.nodes[0]

    def average(self, function: Callable[[Array], Array]) -> Estimate:
        """tr f(H)/P with its standard error.

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
        """tr H^k/P."""
        power = validate.integer("order", order, minimum=0)
        return self.average(lambda t: t**power)

    def cdf(self, at: float) -> Estimate:
        """Share of eigenvalues ≤ ``at``."""
        point = validate.finite_number("at", at)
        return self.average(lambda t: (t <= point).astype(np.float64))

    def density(self, at: ArrayLike, width: float) -> tuple[Array, Array]:
        """Density smoothed by a Gaussian of standard deviation ``width``, and its standard error, at some points.

        A ``width`` far below the distance of nodes there (the spectrum's range over the number of steps) shows gaps
        between nodes that no rule sees.
        """
        points = validate.real_array("at", at)
        width = validate.positive_number("width", width, meaning="standard deviation of the smoothing")
        estimates = [self.average(lambda t, x=x: _bell((x - t) / width) / width) for x in points.ravel()]  # type: ignore[misc]
        values = np.array([e.value for e in estimates]).reshape(points.shape)
        errors = np.array([e.error for e in estimates]).reshape(points.shape)
        return values, errors

    def mass(self, low: float, high: float, width: float) -> Estimate:
        """Share of eigenvalues in [low, high], edges smoothed by a Gaussian of standard deviation ``width``."""
        width = validate.positive_number("width", width)
        return self.average(lambda t: np.asarray(ndtr((high - t) / width) - ndtr((low - t) / width)))

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest node: the ends of the spectrum where it is exact, inner bounds where it is not."""
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
