"""Whether the methods of a law agree with each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.testing._conformance import Check, Conformance, at_most, described, failed_with

_ORDER = 400
_SHARES = np.linspace(0.05, 0.95, 19)


@described
def check_law(
    law: Any,
    *,
    support: Sequence[tuple[float, float]] | None = None,
    atoms: Sequence[tuple[float, float]] | None = None,
    tolerance: float = 1e-6,
    name: str = "",
) -> Conformance:
    """Check that density, distribution function, quantiles and moments of a law agree.

    Parameters
    ----------
    law : object
        Anything with some of ``pdf`` or ``density``, ``cdf``, ``ppf``, and ``moment(k)`` or ``mean()`` and ``var()``,
        as SciPy's frozen distributions and :mod:`rmtsim.laws` have them.
    support : sequence of (float, float), optional
        Intervals that hold the continuous part. By default ``law.support``, or the range of ``law.ppf``.
    atoms : sequence of (float, float), optional
        Locations and masses of atoms. By default ``law.atoms``, or none.
    tolerance : float, optional
        Largest error of a probability, and relative error of a moment.

    Returns
    -------
    Conformance
        One verdict per property. A property that needs a method which the law lacks is "not offered".

    Notes
    -----
    Integrals use Gauss–Legendre points in the angle x = centre + radius·sin θ, which resolves square-root edges and
    inverse square roots.

    Examples
    --------
    >>> from scipy import stats
    >>> from rmtsim.testing import check_law
    >>> print(check_law(stats.uniform(), name="uniform"))
    uniform
    CONFIRMED     mass is one: error ..., allowed 1e-06
    CONFIRMED     density is not negative: error 0, allowed 1e-06
    CONFIRMED     cdf is the integral of the density: error ..., allowed 1e-06
    CONFIRMED     cdf rises from 0 to 1: error 0, allowed 1e-06
    CONFIRMED     ppf inverts the cdf: error ..., allowed 1e-06
    CONFIRMED     moments are integrals of the density: error ..., allowed 1e-06
    """
    tolerance = validate.positive_number("tolerance", tolerance, meaning="largest error of a probability")
    intervals = _support(law, support)
    places = _places(law, atoms)
    density = getattr(law, "density", None) or getattr(law, "pdf", None)
    cdf, ppf = getattr(law, "cdf", None), getattr(law, "ppf", None)
    points, weights = _rule(intervals)
    checks: list[Check] = []

    def run(title: str, needs: Sequence[Any], error: Any) -> None:
        if any(each is None for each in needs):
            checks.append(Check(title, None))
            return
        try:
            checks.append(at_most(title, float(error()), tolerance))
        except Exception as problem:
            checks.append(failed_with(title, problem))

    def mass() -> float:
        total = float(_values(density, points) @ weights) + sum(float(m) for _, m in places)
        return abs(total - 1)

    def integrals() -> float:
        ends = np.array([low + share * (high - low) for low, high in intervals for share in _SHARES])
        # A law of atoms alone is tried at its atoms.
        ends = ends if ends.size else np.array([place for place, _ in places])
        return max(
            abs(_below(density, intervals, places, x) - float(_values(cdf, np.array([x]))[0])) for x in ends
        )

    def rises() -> float:
        reached = [*np.ravel(intervals), *(place for place, _ in places)]
        low, high = min(reached), max(reached)
        reach = high - low + 1.0
        levels = _values(cdf, np.linspace(low - reach, high + reach, 301))
        falls = float(np.maximum(-np.diff(levels), 0).max())
        return max(abs(float(levels[0])), abs(float(levels[-1]) - 1), falls)

    def inverts() -> float:
        quantiles = _values(ppf, _SHARES)
        step = 1e-9 * (1 + np.abs(quantiles))
        above = _values(cdf, quantiles + step)
        below = _values(cdf, quantiles - step)
        rounding = (
            np.abs(above - below) if density is None else np.abs(_values(density, quantiles)) * 2 * step
        )
        return float(max(np.max(_SHARES - above - rounding), np.max(below - _SHARES - rounding), 0.0))

    run("mass is one", [density], mass)
    run(
        "density is not negative",
        [density],
        lambda: max(0.0, -float(_values(density, points).min(initial=0.0))),
    )
    run("cdf is the integral of the density", [density, cdf], integrals)
    run("cdf rises from 0 to 1", [cdf], rises)
    run("ppf inverts the cdf", [cdf, ppf], inverts)
    stated = _moments(law)
    run(
        "moments are integrals of the density",
        [density, stated or None],
        lambda: max(_moment_error(k, value, density, points, weights, places) for k, value in stated.items()),
    )
    return Conformance(name or type(law).__name__, tuple(checks))


def _places(law: Any, given: Sequence[tuple[float, float]] | None) -> list[tuple[float, float]]:
    """Locations and masses of the atoms."""
    found = given if given is not None else getattr(law, "atoms", None)
    if found is None or len(validate.sequence("atoms", found, meaning="pairs of location and mass")) == 0:
        return []
    pairs = validate.real_array("atoms", found, meaning="pairs of location and mass")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"atoms of shape {pairs.shape}: expected pairs of location and mass")
    return [(place, mass) for place, mass in pairs.tolist()]


def _support(law: Any, given: Sequence[tuple[float, float]] | None) -> list[tuple[float, float]]:
    """Finite intervals of the continuous part."""
    if given is not None:
        found: Any = given
    else:
        found = getattr(law, "support", None)
        # SciPy's support is a method; that of a spectral law is a tuple of intervals, which can be called.
        found = found() if callable(found) and not isinstance(found, tuple) else found
    if found is None:
        raise ValueError("support=None: the law has no attribute support; give its intervals")
    if len(found) == 0:  # a law of atoms alone has no continuous part
        return []
    ends = validate.real_array("support", found, infinite=True, meaning="intervals")
    if ends.shape[-1:] != (2,) or ends.ndim > 2:
        raise ValueError(f"support of shape {ends.shape}: expected pairs of ends")
    intervals = [(low, high) for low, high in np.atleast_2d(ends).tolist()]
    if not np.isfinite(intervals).all():
        ppf = getattr(law, "ppf", None)
        if ppf is None or len(intervals) > 1:
            raise ValueError(f"support={intervals}: expected finite intervals")
        intervals = [(float(ppf(1e-12)), float(ppf(1 - 1e-12)))]
    return sorted(intervals)


def _rule(intervals: Sequence[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights of an integral over intervals."""
    nodes, shares = np.polynomial.legendre.leggauss(_ORDER)
    angle, points, weights = np.pi / 2 * nodes, [], []
    for low, high in intervals:
        radius = (high - low) / 2
        points.append((low + high) / 2 + radius * np.sin(angle))
        weights.append(np.pi / 2 * shares * radius * np.cos(angle))
    return np.concatenate(points or [np.zeros(0)]), np.concatenate(weights or [np.zeros(0)])


def _values(function: Any, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of a method that takes arrays, or numbers only."""
    try:
        found = np.asarray(function(points), dtype=float)
        if found.shape == points.shape:
            return found
    except (TypeError, ValueError):
        pass
    return np.array([float(function(float(x))) for x in points])


def _below(density: Any, intervals: Any, places: Any, x: float) -> float:
    parts = [(low, min(high, x)) for low, high in intervals if low < x]
    total = sum(m for place, m in places if place <= x)
    for low, high in parts:
        points, weights = _rule([(low, high)])
        total += float(_values(density, points) @ weights)
    return float(total)


def _moments(law: Any) -> dict[int, float]:
    moment = getattr(law, "moment", None)
    try:
        if callable(moment):
            return {k: float(moment(k)) for k in (1, 2, 3, 4)}
        if callable(getattr(law, "mean", None)) and callable(getattr(law, "var", None)):
            mean = float(law.mean())
            return {1: mean, 2: float(law.var()) + mean**2}
    except (NotImplementedError, TypeError):
        pass
    return {}


def _moment_error(k: int, stated: float, density: Any, points: Any, weights: Any, places: Any) -> float:
    found = float((_values(density, points) * points**k) @ weights) + sum(m * x**k for x, m in places)
    scale = float((np.abs(_values(density, points)) * np.abs(points) ** k) @ weights) + sum(
        m * abs(x) ** k for x, m in places
    )
    return float(abs(found - stated) / max(scale, abs(stated), 1e-300))
