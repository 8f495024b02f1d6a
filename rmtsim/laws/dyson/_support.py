"""Support of the law. It is complete, because the mass to the left of any point off the support is known.

Off the support M is Hermitian, and ρ((−∞, x]) is the share of its negative eigenvalues (docs/dyson.md). Two points
outside with different shares have mass between them, however little, and bisection finds it; two with equal shares
have none. A gap hidden between two points inside shows as a valley of the density, which is followed to its bottom.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rmtsim.errors import ConvergenceError
from rmtsim.laws.dyson._axis import Axis
from rmtsim.laws.dyson._continuation import BULK, OUTSIDE, boundary_values, descend
from rmtsim.laws.dyson._edge import BandEdge, refine_edges
from rmtsim.laws.dyson._problem import Problem, Real
from rmtsim.laws.dyson._quadrature import Break

Interval = tuple[float, float]
PASSES = 8
SEARCH = 60
GRID = 161


@dataclass
class Scan:
    """Bands between edges, the exact masses of their continuous parts, atoms and breaks of the density."""

    edges: list[BandEdge]
    atoms: list[tuple[float, float]]
    masses: list[float]
    breaks: list[Break] = field(default_factory=list)
    unaccounted: float = 0.0

    @property
    def bands(self) -> list[Interval]:
        """Pairs (lower, upper)."""
        ends = [edge.location for edge in self.edges]
        return list(zip(ends[::2], ends[1::2], strict=True))


def _search_range(problem: Problem, bounds: list[Interval] | None, center: float) -> list[Interval]:
    if bounds is not None:
        return bounds
    # A linearisation has no a-priori bound: widen until all the mass lies between the two ends.
    reach = 2 * problem.scale
    for _ in range(60):
        ends = np.array([center - reach, center + reach])
        values = boundary_values(problem, ends)
        if np.all(values.kind == OUTSIDE):
            share = problem.negative_share(values.state)
            if abs(share[1] - share[0] - 1) <= 1e-12:
                return [(float(ends[0]), float(ends[1]))]
        reach *= 4
    raise ConvergenceError("no bounded support found", residual=np.inf, iterations=60, status="unbounded")


def _grid(intervals: list[Interval], places: Real, linearised: bool) -> Real:
    """First grid: equally spaced points, and more points around the likely locations of singularities."""
    total = sum(high - low for low, high in intervals)
    fewest = max(5, min(33, 2000 // len(intervals)))
    points = []
    for low, high in intervals:
        width = high - low
        count = max(fewest, round(GRID * width / total))
        # An odd offset keeps the grid away from round numbers, where atoms are likely.
        points.append(np.linspace(low - 0.01237 * width, high + 0.01091 * width, count))
    if linearised:
        reach = max(abs(end) for interval in intervals for end in interval)
        ladder = reach * 10.0 ** (-np.arange(1, 23) / 2) * 1.0137
        for place in places[:4]:
            points += [place - ladder, place + ladder]
    return np.unique(np.concatenate(points))


def scan_support(
    problem: Problem, bounds: list[Interval] | None, center: float, places: Real, axis: Axis
) -> Scan:
    """Bands, atoms and singularities. ``places`` are where atoms and singularities are expected (zero, Spec A)."""
    intervals = _search_range(problem, bounds, center)
    if sum(high - low for low, high in intervals) <= 0:
        return Scan([], [(center, 1.0)], [])
    axis.visit(_grid(intervals, places, bounds is None))
    tried: dict[float, float] = {}
    edges: list[BandEdge] = []
    for _ in range(PASSES):
        gap_atoms = _locate_jumps(axis, places, tried)
        crossings = axis.crossings()
        edges = refine_edges(axis, crossings, places, edges)
        if len(edges) % 2:
            break
        _look_inside(axis, edges)
        _follow_valleys(axis)
        # Settled when the new points found no further edge, and every jump of the level is an atom's.
        if len(axis.crossings()) == len(crossings) and len(axis.jumps()) == len(gap_atoms):
            return _assemble(axis, edges, gap_atoms, places, tried)
    raise ConvergenceError(
        "the bands do not settle: a gap or a band lies within rounding of another; density(x) and solve(z) remain "
        "valid where they answer",
        residual=np.inf,
        iterations=PASSES,
        status="support",
    )


def _mass_at(problem: Problem, place: float, tried: dict[float, float]) -> float:
    if place not in tried:
        found = find_atoms(problem, np.array([place]))
        tried[place] = found[0][1] if found else 0.0
    return tried[place]


def _locate_jumps(axis: Axis, places: Real, tried: dict[float, float]) -> list[tuple[float, float]]:
    """Bisect every cell with mass between two outside points until a band is found, or an atom remains."""
    problem = axis.problem
    floor = 4e-15 * max(problem.scale, float(np.abs(axis.x).max()))
    for _ in range(SEARCH):
        atoms, trials = [], []
        for left, right, rise in axis.jumps():
            low, high = float(axis.x[left]), float(axis.x[right])
            inside = [float(p) for p in places if low < p < high]
            known = next((p for p in inside if abs(_mass_at(problem, p, tried) - rise) <= 1e-6 * rise), None)
            if known is not None:
                atoms.append((known, rise))
            elif high - low <= max(floor, 1e-12 * max(abs(low), abs(high)) if low * high > 0 else 0.0):
                atoms.append(((low + high) / 2, rise))
            else:
                trials += (low + (high - low) * np.array([0.26, 0.51, 0.76])).tolist()
                # Near a location with part of the mass, the rest may be closer by orders of magnitude.
                trials += [
                    p + s * d
                    for p in inside[:2]
                    for s, d in ((1, high - p), (-1, p - low))
                    for d in (d * 1e-3,)
                ]
        if not trials:
            return atoms
        count = len(axis.x)
        axis.visit(np.array(trials))
        if len(axis.x) == count:
            break
    return atoms


def _look_inside(axis: Axis, edges: list[BandEdge]) -> None:
    """Points through every band, crowded towards its ends."""
    points = []
    for lower, upper in zip(edges[::2], edges[1::2], strict=True):
        share = np.sin(np.linspace(0, np.pi / 2, 19)[1:-1]) ** 2
        points.append(lower.location + (upper.location - lower.location) * share)
    if points:
        axis.visit(np.concatenate(points))


def _follow_valleys(axis: Axis) -> None:
    """Bisect towards every minimum of the density inside a band until it proves smooth, or a gap is found."""
    floor = 1e-14 * max(axis.problem.scale, float(np.abs(axis.x).max()))
    settled: set[float] = set()
    for _ in range(SEARCH):
        trials = []
        for left, middle, right in _minima(axis):
            x, rho = axis.x[[left, middle, right]], axis.density[[left, middle, right]]
            if float(x[1]) in settled or x[2] - x[0] <= floor:
                continue
            # Parabola-like and far from zero: no gap within.
            if rho[0] + rho[2] - 2 * rho[1] <= 0.1 * rho[1]:
                settled.add(float(x[1]))
                continue
            trials += [(x[0] + x[1]) / 2, (x[1] + x[2]) / 2]
        if not trials:
            return
        before = len(axis.crossings()), len(axis.x)
        axis.visit(np.array(trials))
        if len(axis.crossings()) != before[0] or len(axis.x) == before[1]:
            return


def _minima(axis: Axis) -> list[tuple[int, int, int]]:
    sure = axis.sure
    inside, density = axis.kind[sure] == BULK, axis.density[sure]
    low = (density[1:-1] <= density[:-2]) & (density[1:-1] < density[2:])
    low &= inside[1:-1] & inside[:-2] & inside[2:]
    return [(int(sure[k]), int(sure[k + 1]), int(sure[k + 2])) for k in np.flatnonzero(low)]


def _assemble(
    axis: Axis,
    edges: list[BandEdge],
    gap_atoms: list[tuple[float, float]],
    places: Real,
    tried: dict[float, float],
) -> Scan:
    """Exact masses of the bands from the levels around them, and what is singular inside."""
    sure = axis.sure
    x, level = axis.x[sure], axis.level[sure]
    off = axis.kind[sure] == OUTSIDE
    x, level = x[off], level[off]
    if not len(x):
        raise ConvergenceError("no point off the support was found", residual=np.inf, iterations=PASSES)
    masses, breaks, atoms = [], [], dict(gap_atoms)
    for lower, upper in zip(edges[::2], edges[1::2], strict=True):
        # The nearest points outside on both sides determine what lies between them: this band, and atoms.
        left = int(np.searchsorted(x, 0.5 * (lower.location + upper.location))) - 1
        held = 0.0
        width = upper.location - lower.location
        between = [float(p) for p in places if x[left] < p < x[left + 1]]
        ladder = width * np.array([-1e-6, -1e-8, 1e-8, 1e-6])
        axis.visit(np.add.outer(np.array(between), ladder).ravel())
        for place in between:
            mass = _mass_at(axis.problem, place, tried) if _pole(axis, place, ladder) else 0.0
            if mass > 0:
                atoms[place] = mass
                held += mass
            if lower.location + 1e-9 * width < place < upper.location - 1e-9 * width:
                exponent = _exponent(axis, place, ladder)
                if abs(exponent) > 0.03 or mass > 0:
                    breaks.append(Break(place, exponent if abs(exponent) > 0.03 else 0.0))
        masses.append(float(level[left + 1] - level[left]) - held)
    for first, middle, last in _minima(axis):
        if axis.density[middle] < 0.3 * max(axis.density[first], axis.density[last]):
            breaks.append(Break(float(axis.x[middle]), 1 / 3))
    total = sum(masses) + sum(atoms.values())
    return Scan(edges, sorted(atoms.items()), masses, _distinct(breaks, axis.problem.scale), 1.0 - total)


def _distinct(breaks: list[Break], scale: float) -> list[Break]:
    kept: list[Break] = []
    for item in sorted(breaks, key=lambda b: b.location):
        if not kept or item.location - kept[-1].location > 1e-12 * scale:
            kept.append(item)
    return kept


def _pole(axis: Axis, place: float, ladder: Real) -> bool:
    """Whether Re m may have a pole there: its jump times the distance falls with the distance where there is none."""
    where = np.searchsorted(axis.x, place + ladder)
    real = axis.real[where]
    far = abs(real[3] - real[0]) * ladder[3]
    near = abs(real[2] - real[1]) * ladder[2]
    return not near < 0.3 * far


def _exponent(axis: Axis, place: float, ladder: Real) -> float:
    """p of ρ ~ |x − place|^p, from two distances on the side where the density changes more; 0 if regular."""
    density, kind = axis.at(place + ladder)
    slopes = []
    for close, away in ((1, 0), (2, 3)):
        if kind[close] == BULK and kind[away] == BULK:
            ratio = ladder[close] / ladder[away]
            slopes.append(float(np.log(density[close] / density[away]) / np.log(ratio)))
    exponent = max(slopes, key=abs) if slopes else 0.0
    # Powers of algebraic singularities are fractions; of staircase profiles −(k − 1)/(k + 1).
    for q in range(1, 9):
        if abs(q * exponent - round(q * exponent)) < 0.02:
            return round(q * exponent) / q
    return exponent


def find_atoms(problem: Problem, candidates: Real) -> list[tuple[float, float]]:
    """Candidates c at which η Im m(c + iη) has a limit above 1e-9 as η → 0, with that limit."""
    kept: list[float] = []
    for place in candidates:
        if all(abs(place - other) > 1e-12 * problem.scale for other in kept):
            kept.append(float(place))
    if not kept:
        return []
    places = np.sort(kept)
    eta = np.array([1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12, 1e-14]) * problem.scale
    result = descend(problem, (places[:, None] + 1j * eta).ravel())
    heights = np.tile(eta, len(places))
    masses = np.where(result.kind == BULK, heights * problem.trace(result.state).imag, np.nan)
    atoms = []
    for place, column in zip(places, masses.reshape(len(places), -1), strict=True):
        # In the bulk η Im m falls with η; at an atom it stays. The two lowest heights that were solved decide.
        solved = column[np.isfinite(column)]
        if len(solved) >= 2 and solved[-1] > 1e-10 and abs(solved[-2] - solved[-1]) < 0.02 * solved[-1]:
            atoms.append((float(place), float(solved[-1])))
    return atoms
