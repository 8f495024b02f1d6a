"""Where the law lives: bands found by a certified scan, edges refined, atoms told apart from narrow bands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rmtsim.errors import ConvergenceError
from rmtsim.laws.dyson.continuation import BULK, EDGE, FAILED, OUTSIDE, boundary_values, descend
from rmtsim.laws.dyson.problem import Problem, Real

__all__ = ["Scan", "find_atoms", "scan_support"]

Interval = tuple[float, float]


@dataclass
class Scan:
    """Bands with their edges, atoms, and local minima of the density (cusps and shallow valleys)."""

    bands: list[Interval]
    atoms: list[tuple[float, float]]
    valleys: list[float] = field(default_factory=list)
    poles: list[float] = field(default_factory=list)


@dataclass
class _Points:
    x: Real
    density: Real
    real: Real
    inside: NDArray[np.bool_]
    sure: NDArray[np.bool_]


def _evaluate(problem: Problem, x: Real) -> _Points:
    result = boundary_values(problem, x)
    failed = np.flatnonzero(result.kind == FAILED)
    if len(failed):
        worst = failed[0]
        raise ConvergenceError(
            f"x={x[worst]:.17g}: no boundary value found (residual {result.residual[worst]:.2g}); "
            "try solve(z) with Im z > 0 near it, or check that the self-energy is what was meant",
            residual=float(result.residual[worst]),
            iterations=int(result.iterations[worst]),
        )
    trace = problem.trace(result.state)
    density = np.where(result.kind == OUTSIDE, 0.0, trace.imag / np.pi)
    # A point that lies on an edge to rounding counts as inside where the density is not negligible.
    inside = (result.kind == BULK) & (density * problem.scale > 1e-9)
    inside |= (result.kind == EDGE) & (density * problem.scale > 1e-4)
    return _Points(x, density, trace.real, inside, result.kind != EDGE)


def _merge(old: _Points, new: _Points) -> _Points:
    order = np.argsort(np.concatenate([old.x, new.x]), kind="stable")
    return _Points(
        *(
            np.concatenate([getattr(old, name), getattr(new, name)])[order]
            for name in ("x", "density", "real", "inside", "sure")
        )
    )


def _search_range(problem: Problem, bound: Interval | None, center: float) -> Interval:
    if bound is not None:
        return bound
    # A linearisation has no a-priori bound: widen until the transform looks like that of far away mass.
    reach = 2 * problem.scale
    for _ in range(60):
        ends = np.array([center - 2 * reach, center - reach, center + reach, center + 2 * reach])
        values = boundary_values(problem, ends)
        moment = -problem.trace(values.state).real * (ends - center)
        if np.all(values.kind == OUTSIDE) and np.all(np.abs(moment - 1) < 0.25):
            return float(ends[1]), float(ends[2])
        reach *= 1.7
    raise ConvergenceError("no bounded support found", residual=np.inf, iterations=60, status="unbounded")


def scan_support(problem: Problem, bound: Interval | None, center: float, points: int) -> Scan:
    """Scan ``points`` places, look closer at valleys and at suspicious gaps, then refine every edge."""
    low, high = _search_range(problem, bound, center)
    width = high - low
    if width <= 0:
        return Scan([], [(center, 1.0)])
    # An odd offset keeps round numbers, where atoms like to sit, off the grid.
    grid = np.linspace(low - 0.01237 * width, high + 0.01091 * width, points)
    known = _evaluate(problem, grid)
    for _ in range(8):
        cells = _suspicious(known, problem.scale)
        if not len(cells):
            break
        left, right = known.x[cells], known.x[cells + 1]
        inner = np.unique(left[:, None] + (right - left)[:, None] * np.linspace(0, 1, 7)[1:-1])
        inner = inner[~np.isin(inner, known.x)]
        if not len(inner):
            break
        known = _merge(known, _evaluate(problem, inner))
    crossings = np.flatnonzero(known.inside[1:] != known.inside[:-1])
    edges = _refine(problem, known, crossings) if len(crossings) else np.array([])
    if len(edges) % 2 or known.inside[0] or known.inside[-1]:
        raise ConvergenceError(
            "the support reaches beyond its a-priori bound; the self-energy is not positivity preserving",
            residual=np.inf,
            iterations=points,
        )
    bands = [(float(a), float(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    valleys = [float(known.x[i]) for i in _valleys(known)]
    return Scan(bands, [], valleys, _poles(problem, known))


def _poles(problem: Problem, known: _Points) -> list[float]:
    """Zeros of 1/m in empty cells over which m falls: 1/m is analytic there, so the root of its interpolant."""
    outside = ~known.inside
    cells = np.flatnonzero(outside[1:] & outside[:-1] & (known.real[:-1] > 0) & (known.real[1:] < 0))
    poles = []
    for cell in cells:
        middle = float(known.x[cell] + known.x[cell + 1]) / 2
        half = float(known.x[cell + 1] - known.x[cell]) / 2
        for shrink in (1.0, 0.05):
            nodes = np.cos(np.pi * (np.arange(8) + 0.5) / 8)[::-1] * half * shrink
            result = boundary_values(problem, middle + nodes)
            if np.any(result.kind != OUTSIDE):
                break
            inverse = 1 / problem.trace(result.state).real
            roots = np.roots(np.polyfit(nodes / half, inverse, 7))
            near = roots[np.argmin(np.abs(roots))]
            if abs(near) > 1:
                break
            middle += float(near.real) * half
        else:
            poles.append(middle)
    return poles


def _valleys(known: _Points) -> NDArray[np.intp]:
    density, inside = known.density, known.inside
    middle = (density[1:-1] <= density[:-2]) & (density[1:-1] < density[2:])
    return np.flatnonzero(middle & inside[1:-1] & inside[:-2] & inside[2:]) + 1


def _suspicious(known: _Points, scale: float) -> NDArray[np.intp]:
    """Cells beside deep valleys, which may hide a gap, and empty cells over which Re m falls, which hold mass."""
    cells: list[int] = []
    peak = float(known.density.max(initial=0.0))
    gap = np.diff(known.x)
    for i in _valleys(known):
        if known.density[i] < 0.2 * peak and known.x[i + 1] - known.x[i - 1] > 1e-7 * scale:
            cells += [int(i) - 1, int(i)]
    outside = ~known.inside
    falling = outside[1:] & outside[:-1] & (np.diff(known.real) < 0) & (gap > 1e-3 * scale)
    cells += [int(i) for i in np.flatnonzero(falling)]
    # A band that one point found and its neighbours did not deserves company.
    lonely = np.flatnonzero(known.inside[1:-1] & outside[2:] & outside[:-2]) + 1
    for i in lonely:
        if known.x[i + 1] - known.x[i - 1] > 1e-9 * scale:
            cells += [int(i) - 1, int(i)]
    return np.unique(np.array(cells, dtype=np.intp))


def _refine(problem: Problem, known: _Points, crossings: NDArray[np.intp]) -> Real:
    """Edges between an outside and an inside point: ρ² (or 1/ρ² at a hard edge) is linear there, so a secant.

    Points too close to the edge to be certified move no bracket; when only those are left, the secant through
    the last two certified inside points is the edge.
    """
    inner_side = known.inside[crossings + 1]
    outer = np.where(inner_side, known.x[crossings], known.x[crossings + 1])
    inner = np.where(inner_side, known.x[crossings + 1], known.x[crossings])
    height = np.where(inner_side, known.density[crossings + 1], known.density[crossings])
    old_inner, old_height = np.full(len(inner), np.nan), np.full(len(inner), np.nan)
    floor = 2e-14 * max(problem.scale, float(np.abs(known.x).max()))
    settled = np.zeros(len(inner), dtype=np.bool_)

    def secant() -> Real:
        with np.errstate(all="ignore"):
            power = np.where(height > old_height, -2.0, 2.0)
            new, old = height**power, old_height**power
            guess = inner - new * (inner - old_inner) / (new - old)
        sane = np.isfinite(guess) & ((guess - outer) * (inner - guess) > 0)
        return np.where(sane, guess, (inner + outer) / 2)

    for _ in range(60):
        work = np.flatnonzero((np.abs(inner - outer) > floor) & ~settled)
        if not len(work):
            break
        estimate = secant()
        step = np.maximum(0.02 * np.abs(inner - estimate), floor / 3) * np.sign(inner - outer)
        tried = np.stack([estimate - step, estimate + step, (inner + outer) / 2])[:, work]
        tried = np.clip(tried, np.minimum(inner, outer)[work], np.maximum(inner, outer)[work])
        places, back = np.unique(tried.ravel(), return_inverse=True)
        seen = _evaluate(problem, places)
        inside, density, sure = (
            getattr(seen, name)[back].reshape(3, -1) for name in ("inside", "density", "sure")
        )
        for column, edge in enumerate(work):
            before = abs(inner[edge] - outer[edge])
            for row in np.flatnonzero(sure[:, column]):
                x = tried[row, column]
                if inside[row, column] and abs(x - outer[edge]) < abs(inner[edge] - outer[edge]):
                    old_inner[edge], old_height[edge] = inner[edge], height[edge]
                    inner[edge], height[edge] = x, density[row, column]
                elif not inside[row, column] and abs(inner[edge] - x) < abs(inner[edge] - outer[edge]):
                    outer[edge] = x
            settled[edge] = abs(inner[edge] - outer[edge]) >= before
    return np.sort(secant())


def find_atoms(problem: Problem, candidates: Real) -> list[tuple[float, float]]:
    """Candidates c at which η Im m(c + iη) has a limit above 1e-7 as η → 0, with that limit."""
    kept: list[float] = []
    for place in candidates:  # earlier candidates win: exact eigenvalues before computed poles
        if all(abs(place - other) > 1e-8 * problem.scale for other in kept):
            kept.append(float(place))
    if not kept:
        return []
    places = np.sort(kept)
    masses = []
    for height in (1e-6, 1e-9):
        eta = height * problem.scale
        result = descend(problem, places + 1j * eta)
        masses.append(np.where(result.kind == BULK, eta * problem.trace(result.state).imag, np.nan))
    coarse, fine = masses
    found = (fine > 1e-7) & (np.abs(coarse - fine) < 0.01 * fine)
    return [(float(c), float(w)) for c, w in zip(places[found], fine[found], strict=True)]
