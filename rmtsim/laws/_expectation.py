"""Integrals of functions against a law, by adaptive quadrature in an angle."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim.errors import ConvergenceError

if TYPE_CHECKING:
    from rmtsim.laws._distribution import Distribution

Interval = tuple[float, float]
Weighted = Callable[[FloatArray, FloatArray], FloatArray]
"""Function of points and of the density there, such as x·density."""

_AIM, _ACCEPTED = 1e-12, 1e-8
"""Error that the quadrature aims at and the largest that it accepts, relative to the integral of |func|."""
_ROUGH, _SUBDIVISIONS = 1e-2, 400


def expectation(
    law: Distribution,
    func: Callable[[float], float] | None,
    lb: float | None,
    ub: float | None,
    *,
    conditional: bool,
) -> float:
    """∫ func dμ over [lb, ub]; see :meth:`Distribution.expect`."""
    low, high = _bound("lb", lb, -math.inf), _bound("ub", ub, math.inf)
    if low > high:
        raise ValueError(f"lb={low}, ub={high}: expected lb <= ub")
    conditional = validate.flag(
        "conditional", conditional, meaning="divide by the probability of the interval"
    )
    function = func if func is not None else float
    if not callable(function):
        raise TypeError(f"func={validate.shown(func)}: expected a function of one number")

    def weighted(x: FloatArray, density: FloatArray) -> FloatArray:
        return np.array([_value(function, each) for each in x.tolist()]) * density

    total = integral(law, weighted, low, high)
    total += math.fsum(mass * _value(function, place) for place, mass in law.atoms if low <= place <= high)
    if not conditional:
        return total
    atom_below = sum(mass for place, mass in law.atoms if place == low)
    probability = float(law.cdf(high)) - float(law.cdf(low)) + atom_below
    if probability <= 0:
        raise ValueError(f"lb={low}, ub={high}: the interval has probability zero")
    return total / probability


def differential_entropy(law: Distribution) -> float:
    """-∫ p log p."""
    if law.atoms:
        place, mass = law.atoms[0]
        raise ValueError(
            f"entropy: the law has an atom of mass {mass:.6g} at {place:.6g}; its differential entropy is not defined"
        )

    def weighted(x: FloatArray, density: FloatArray) -> FloatArray:
        positive = np.where(density > 0, density, 1.0)
        return -density * np.log(positive)

    return integral(law, weighted)


def _bound(name: str, value: float | None, default: float) -> float:
    if value is None:
        return default
    end = validate.real_array(name, value, infinite=True, meaning="end of the integral")
    if end.ndim:
        raise TypeError(f"{name} of shape {end.shape}: expected one number (end of the integral)")
    return float(end)


def _value(function: Callable[[float], float], x: float) -> float:
    value = np.asarray(function(x))
    if value.size != 1 or value.dtype.kind not in "biuf":
        raise TypeError(f"func({x!r}) = {validate.shown(value)}: expected one real number")
    number = float(value.reshape(()))
    if not math.isfinite(number):
        raise ValueError(f"func({x!r}) = {number}: expected a finite number at every point of the law")
    return number


def _pieces(law: Distribution, low: float, high: float) -> Iterator[tuple[int, Interval, Interval]]:
    """Number of an interval of the support, a finite part of it, and the range of the angle that [low, high] leaves."""
    for number, (lower, upper) in enumerate(law._intervals):
        first = lower if math.isfinite(lower) else law._finite_range[0]
        last = upper if math.isfinite(upper) else law._finite_range[1]
        # An unbounded law has most of its mass in a small part of the interval, which is divided there.
        bounded = (first, last) == (lower, upper)
        for start, end in itertools.pairwise([first, last] if bounded else [first, law.median(), last]):
            if start < end and low < end and high > start:
                yield (
                    number,
                    (start, end),
                    (_angle(max(low, start), start, end), _angle(min(high, end), start, end)),
                )


def _angle(x: float, lower: float, upper: float) -> float:
    return 2 * math.atan2(math.sqrt(x - lower), math.sqrt(upper - x))


def _integrand(
    law: Distribution, weighted: Weighted, number: int, ends: Interval
) -> Callable[[FloatArray], FloatArray]:
    """The integrand as a function of the angle, and its absolute value."""
    lower, upper = ends
    width = upper - lower

    def values(angles: FloatArray) -> FloatArray:
        angle = angles[:, 0]
        near_upper = angle >= 0.5 * np.pi
        # The distance from the nearer end keeps its digits where the point itself is rounded to the edge.
        distance = width * np.where(near_upper, np.cos(0.5 * angle), np.sin(0.5 * angle)) ** 2
        distance = np.maximum(distance, np.finfo(float).tiny)
        x = np.where(near_upper, upper - distance, lower + distance)
        if (lower, upper) == law._intervals[number]:
            density = law._density_near(distance, number, near_upper)
        else:
            density = np.asarray(law.density(x))
        # A point that rounding puts on a hard edge, where the density is infinite, has no weight.
        density = np.where(np.isfinite(density), density, 0.0)
        found = weighted(x, density) * (0.5 * width * np.sin(angle))
        return np.stack([found, np.abs(found)], axis=1)

    return values


def integral(law: Distribution, weighted: Weighted, low: float = -math.inf, high: float = math.inf) -> float:
    """∫ weighted(x, density) dx over the part of the support between low and high."""
    from scipy.integrate import cubature

    parts, errors, scale = [], [], 0.0
    for number, ends, (first, last) in _pieces(law, low, high):
        function = _integrand(law, weighted, number, ends)
        # A first quadrature estimates the integral of |weighted|, relative to which errors are measured.
        rough = float(cubature(function, [first], [last], rtol=_ROUGH, max_subdivisions=8).estimate[1])
        found = cubature(
            function, [first], [last], rtol=0.0, atol=_AIM * rough, max_subdivisions=_SUBDIVISIONS
        )
        parts.append(float(found.estimate[0]))
        errors.append(float(found.error[0]))
        scale += abs(float(found.estimate[1]))
    error = math.fsum(errors)
    if error > _ACCEPTED * scale:
        raise ConvergenceError(
            f"func: the integral over the law has an estimated error of {error:.2g} beside {scale:.3g}; "
            "divide the integral at the discontinuities of func with lb and ub",
            residual=error / scale,
            iterations=_SUBDIVISIONS,
        )
    return math.fsum(parts)
