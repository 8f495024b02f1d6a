"""Edges of bands: extrapolated from inside, with the power of the density there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rmtsim._internal.docstrings import frozen
from rmtsim.laws.dyson._axis import Axis
from rmtsim.laws.dyson._continuation import BULK, OUTSIDE
from rmtsim.laws.dyson._problem import Real

ROUNDS = 60
SHRINK = 0.04
"""The next point's distance from the edge over that of the last one."""
CLOSE = 1e-7
"""Distance from the edge, in widths of its first bracket, at which extrapolation has nothing left to gain."""


@frozen
class BandEdge:
    """An end of a band: density ~ |x − location|^exponent inside."""

    location: float
    kind: str
    """``square root``, ``cusp`` (exponent 1/3), ``hard`` (−1/2) or ``power``."""
    exponent: float
    error: float
    """Estimated error of the location."""


NAMED = (("square root", 0.5), ("hard", -0.5), ("cusp", 1 / 3))


def kind_of(exponent: float) -> tuple[str, float]:
    """The name of an edge with this exponent, measured to a few per cent, and its exact exponent."""
    for name, value in NAMED:
        if abs(exponent - value) < 0.06:
            return name, value
    return "power", exponent


@dataclass
class _Bracket:
    outer: float
    inner: float
    near: list[tuple[float, float]]
    """Inside points (x, ρ), the nearest to the edge last."""
    estimate: float = np.nan
    change: float = np.inf
    done: bool = False
    width: float = 0.0
    """Of the bracket a round ago."""
    halved: bool = False
    """Whether its middle was tried this round."""

    def extrapolate(self) -> float:
        """Where f = ρ² (or ρ⁻² if the density grows) is zero, by inverse interpolation through up to three points."""
        points = self.separated()
        if len(points) < 2:
            return float("nan")
        growing = points[-1][1] > points[-2][1]
        with np.errstate(all="ignore"):
            f = np.array([rho ** (-2.0 if growing else 2.0) for _, rho in points])
            f = f / f.max()
            base = points[-1][0]
            total = 0.0
            for i, (x, _) in enumerate(points):
                weight = 1.0
                for j in range(len(points)):
                    if j != i:
                        weight *= f[j] / (f[j] - f[i])
                total += weight * (x - base)
        return float(base + total)

    def separated(self) -> list[tuple[float, float]]:
        """Up to three inside points whose distances from the edge differ by factors, the nearest last."""
        reference = self.estimate if np.isfinite(self.estimate) else self.outer
        chosen: list[tuple[float, float]] = []
        reach = 0.0
        for x, rho in reversed(self.near):
            if abs(x - reference) > 2.5 * reach and rho > 0:
                chosen.append((x, rho))
                reach = abs(x - reference)
            if len(chosen) == 3:
                break
        return chosen[::-1]

    def inside_bracket(self, x: float) -> bool:
        low, high = sorted((self.outer, self.inner))
        return bool(low < x < high)


def refine_edges(
    axis: Axis, crossings: list[tuple[int, int]], snap: Real, known: list[BandEdge]
) -> list[BandEdge]:
    """The edge in each cell between an outside and an inside point; ``snap`` contains possible locations of hard edges.

    Edges ``known`` from an earlier pass are kept where they still lie in their cell.
    """
    cells = [sorted((float(axis.x[outer]), float(axis.x[inner]))) for outer, inner in crossings]
    kept = [next((edge for edge in known if low <= edge.location <= high), None) for low, high in cells]
    todo = [pair for pair, edge in zip(crossings, kept, strict=True) if edge is None]
    fresh = iter(_refined(axis, todo, snap)) if todo else iter(())
    return [next(fresh) if edge is None else edge for edge in kept]


def _refined(axis: Axis, crossings: list[tuple[int, int]], snap: Real) -> list[BandEdge]:
    floor = 2e-15 * max(axis.problem.scale, float(np.abs(axis.x).max()))
    brackets = []
    for outer, inner in crossings:
        side = 1 if axis.x[inner] > axis.x[outer] else -1
        near = []
        for k in (inner + 2 * side, inner + side, inner):
            if 0 <= k < len(axis.x) and axis.kind[k] == BULK:
                near.append((float(axis.x[k]), float(axis.density[k])))
            else:
                near.clear()
        brackets.append(_Bracket(float(axis.x[outer]), float(axis.x[inner]), near))
    widths = [abs(bracket.inner - bracket.outer) for bracket in brackets]
    for _ in range(ROUNDS):
        trials: list[tuple[_Bracket, float]] = []
        for bracket, width in zip(brackets, widths, strict=True):
            if bracket.done:
                continue
            guess = bracket.extrapolate()
            gap = bracket.inner - bracket.outer
            if abs(gap) <= floor:
                bracket.done = True
                continue
            if bracket.inside_bracket(guess):
                bracket.change = abs(guess - bracket.estimate)
                bracket.estimate = guess
                distance = bracket.inner - guess
                closed = abs(bracket.outer - guess) <= 4 * abs(distance) + floor
                if (
                    closed
                    and abs(distance) <= CLOSE * width
                    and bracket.change <= max(1e-4 * abs(distance), floor)
                ):
                    bracket.done = True
                    continue
                trials.append((bracket, guess + SHRINK * distance))
                # A point just outside closes the bracket, so that a wrong guess is detected.
                trials.append((bracket, guess - SHRINK * distance))
            bracket.halved = abs(gap) > 0.4 * bracket.width or not bracket.inside_bracket(guess)
            if bracket.halved:
                trials.append((bracket, _between(bracket.outer, bracket.inner)))
            bracket.width = abs(gap)
        if not trials:
            break
        density, kind = axis.at(np.array([x for _, x in trials]))
        for (bracket, x), rho, what in zip(trials, density, kind, strict=True):
            if not bracket.inside_bracket(x):
                continue
            if what == BULK:
                bracket.inner = x
                bracket.near.append((x, float(rho)))
                bracket.near.sort(key=lambda point: -abs(point[0] - bracket.outer))
            elif what == OUTSIDE:
                bracket.outer = x
        for bracket in brackets:
            moved = {x for owner, x in trials if owner is bracket}
            if bracket.halved and moved and bracket.inner not in moved and bracket.outer not in moved:
                # No trial was decided: rounding hides the edge between them.
                bracket.done = True
    return [_finished(bracket, snap, floor) for bracket in brackets]


def _between(outer: float, inner: float) -> float:
    """The middle, or the geometric middle where the ends differ in order of magnitude on one side of zero."""
    if outer * inner > 0 and max(abs(outer), abs(inner)) > 10 * min(abs(outer), abs(inner)):
        return float(np.sign(inner) * np.sqrt(abs(outer)) * np.sqrt(abs(inner)))
    return (outer + inner) / 2


def _finished(bracket: _Bracket, snap: Real, floor: float) -> BandEdge:
    estimate = bracket.extrapolate()
    if not (bracket.inside_bracket(estimate) or abs(estimate - bracket.outer) <= floor):
        estimate = _between(bracket.outer, bracket.inner)
    change = abs(estimate - bracket.estimate)
    error = min(abs(bracket.inner - bracket.outer), change if np.isfinite(change) else np.inf) + floor
    for place in snap:
        # The location of a singular end is known exactly from the equation.
        ends = bracket.separated()
        if len(ends) > 1 and ends[-1][1] > ends[-2][1]:
            reach = max(1e-6 * abs(ends[-1][0] - place), 10 * error)
            if abs(place - estimate) <= reach:
                estimate = float(place)
    exponent = np.nan
    bracket.estimate = estimate
    points = [point for point in bracket.separated() if point[0] != estimate]
    if len(points) >= 2:
        (x1, r1), (x2, r2) = points[-2:]
        exponent = float(np.log(r1 / r2) / np.log(abs(x1 - estimate) / abs(x2 - estimate)))
    exponent = exponent if np.isfinite(exponent) else 0.5
    return BandEdge(float(estimate), *kind_of(exponent), float(error))
