"""Populations: discrete measures ν = Σ wₖ δ_{tₖ}, checked, merged, and scaled so that nothing overflows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen

_SUM_TOLERANCE = 1e-9
_WIDEST_RANGE = 1e150
"""Atoms further apart in size than this would underflow when squared."""


@frozen(eq=False)
class Population:
    """Atoms ``poles``·2^``exponent`` other than zero with their ``weights``; zero holds the rest, 1 - ``share``."""

    poles: FloatArray
    """Increasing, distinct, not zero, the largest in size between 1/2 and 1."""
    weights: FloatArray
    weights_low: FloatArray
    """What rounding took from the weights: weights + weights_low is good to thirty digits."""
    share: float
    exponent: int

    def __post_init__(self) -> None:
        for array in (self.poles, self.weights, self.weights_low):
            array.flags.writeable = False

    def moment(self, k: int) -> float:
        """∫ tᵏ dν in units of 2^exponent, k ≥ 1."""
        return math.fsum(self.weights * self.poles**k)

    def quantiles(self, count: int) -> FloatArray:
        """The (i - 1/2)/count quantiles of ν, in its own units: a deterministic sample of that size."""
        atoms = np.concatenate([self.poles, [0.0]])
        masses = np.concatenate([self.weights, [1 - self.share]])
        order = np.argsort(atoms)
        levels = np.cumsum(masses[order])
        place = np.searchsorted(levels, (np.arange(count) + 0.5) / count * levels[-1])
        return np.asarray(np.ldexp(atoms[order][place], self.exponent))


def population(atoms: ArrayLike, weights: ArrayLike | None = None) -> Population:
    """The population with these atoms and weights (equal if None); see ``GeneralizedMarchenkoPastur``."""
    points = validate.real_array("atoms", atoms, meaning="locations tₖ of the population").ravel()
    if not points.size:
        raise ValueError("atoms=[]: expected at least one atom (locations tₖ of the population)")
    if weights is None:
        masses = np.ones(points.shape)
    else:
        masses = validate.real_array("weights", weights, meaning="masses wₖ of the population").ravel()
        if masses.shape != points.shape:
            raise ValueError(
                f"weights: {masses.size} of them for {points.size} atoms; expected one for each atom"
            )
        if (masses < 0).any():
            raise ValueError(f"weights={masses[masses < 0][0]}: expected numbers >= 0 (masses wₖ)")
        total = math.fsum(masses)
        if abs(total - 1) > _SUM_TOLERANCE:
            raise ValueError(
                f"weights: they sum to {total:.12g}, off by {total - 1:+.3g}; expected a sum of 1"
            )
    points, masses = points[masses > 0], masses[masses > 0]
    poles, merged, merged_low = _merged(points, masses)
    nonzero = poles != 0
    null = math.fsum(merged[~nonzero])
    poles, merged, merged_low = poles[nonzero], merged[nonzero], merged_low[nonzero]
    if not poles.size:
        return Population(poles, merged, merged_low, 0.0, 0)
    sizes = np.abs(poles)
    if sizes.max() / _WIDEST_RANGE > sizes.min():
        raise ValueError(
            f"atoms={sizes.min():g}: more than {_WIDEST_RANGE:g} times smaller than the largest; "
            "expected 0 or a comparable size"
        )
    exponent = int(np.frexp(sizes.max())[1])
    # Summed, not 1 - null: a small share keeps its digits; without zeros it is one, whatever the rounding.
    share = 1.0 if null == 0 else math.fsum(merged)
    return Population(np.ldexp(poles, -exponent), merged, merged_low, share, exponent)


def _merged(points: FloatArray, masses: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Distinct points and their shares of the total mass, each share in two doubles."""
    poles, place, counts = np.unique(points, return_inverse=True, return_counts=True)
    order = np.argsort(place.ravel(), kind="stable")
    grouped = masses[order]
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    high, low = grouped[starts].copy(), np.zeros(poles.size)
    for k in np.flatnonzero(counts > 1):
        group = grouped[starts[k] : starts[k] + counts[k]].tolist()
        high[k] = math.fsum(group)
        low[k] = math.fsum([*group, -high[k]])
    total = math.fsum(masses)
    total_low = math.fsum([*masses.tolist(), -total])
    share = high / total
    product, error = _two_product(share, total)
    # What is left of the mass after the rounded share, exact but for the last division.
    rest = ((high - product) - error + low - share * total_low) / total
    return poles, share, rest


def _two_product(a: FloatArray, b: float) -> tuple[FloatArray, FloatArray]:
    """a·b as a sum of two doubles (Dekker)."""

    def split(x: Any) -> tuple[Any, Any]:
        scaled = 134217729.0 * x
        upper = scaled - (scaled - x)
        return upper, x - upper

    product = a * b
    (a_high, a_low), (b_high, b_low) = split(a), split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def of_distribution(distribution: Any, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Atoms and weights for a ``scipy.stats`` frozen distribution: a quadrature rule in its quantiles.

    The double-exponential rule in the level u converges fast whatever the tails or end-point singularities of the
    distribution.
    """
    nodes = validate.integer("nodes", nodes, minimum=3, maximum=10**6, meaning="atoms of the quadrature")
    if not all(hasattr(distribution, name) for name in ("ppf", "isf", "cdf")):
        raise TypeError(f"distribution={distribution!r}: expected a frozen distribution of scipy.stats")
    level, complement, weights = _double_exponential(nodes)
    with np.errstate(all="ignore"):
        atoms = np.where(level <= 0.5, distribution.ppf(level), distribution.isf(complement))
    if not np.isfinite(atoms).all():
        raise ValueError(f"distribution={distribution!r}: its quantiles are not finite")
    return atoms, weights


def of_density(
    density: Callable[[FloatArray], ArrayLike], lower: float, upper: float, nodes: int
) -> tuple[FloatArray, FloatArray]:
    """Atoms and weights for a density on [lower, upper]; singularities at the two ends are allowed."""
    nodes = validate.integer("nodes", nodes, minimum=3, maximum=10**6, meaning="atoms of the quadrature")
    lower = validate.finite_number("lower", lower, meaning="lower end of the density's interval")
    upper = validate.finite_number("upper", upper, meaning="upper end of the density's interval")
    if not lower < upper:
        raise ValueError(f"upper={upper}: expected a number above lower={lower}")
    if not callable(density):
        raise TypeError(f"density={density!r}: expected a function of an array of points")
    level, complement, weights = _double_exponential(nodes)
    width = upper - lower
    atoms = np.where(level <= 0.5, lower + width * level, upper - width * complement)
    inside = (atoms > lower) & (atoms < upper)
    atoms, weights = atoms[inside], weights[inside]
    values = validate.real_array("density", density(atoms), meaning="values of the density")
    if values.shape != atoms.shape:
        raise ValueError(f"density: returned shape {values.shape} for {atoms.shape} points")
    if (values < 0).any():
        raise ValueError(f"density={values[values < 0][0]}: expected values >= 0")
    masses = values * weights * width
    total = math.fsum(masses)
    if abs(total - 1) > 1e-6:
        raise ValueError(
            f"density: its integral over [{lower:g}, {upper:g}] is {total:.9g}, off by {total - 1:+.3g}; "
            "expected 1 (more nodes may help a density with kinks)"
        )
    return atoms, masses / total


def _double_exponential(nodes: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Levels u in (0, 1), 1 - u, and weights that sum to one: u = 1/(1 + exp(-π sinh τ)), τ equally spaced.

    The range of τ ends where weights fall below 1e-12, beyond which atoms would have negligible mass.
    """
    tau = np.linspace(-2.9, 2.9, nodes)
    exponent = np.pi * np.sinh(tau)
    level = 1 / (1 + np.exp(-exponent))
    complement = 1 / (1 + np.exp(exponent))
    weights = np.cosh(tau) * level * complement
    return level, complement, weights / math.fsum(weights)
