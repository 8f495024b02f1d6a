"""Continuation from far above the real axis, where the iteration converges, down to z or to the axis itself.

On the axis the equation is analytic away from edges, so Newton solves it there; what it returns is accepted only
with a certificate. Let M be a solution at real x with 1 − M S[·] M invertible. The implicit function theorem
continues it to x + iη with M(x + iη) = M + iηY + O(η²), Y = (1 − M S[·] M)⁻¹[M²]. If Im M + η Re Y is positive
definite for small η > 0, this branch is the unique solution above the axis, and M its boundary value. That decides
both cases: inside the bulk (Im M > 0) and outside the support (M Hermitian, Y > 0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws.dyson._iterate import Outcome, newton, relative_size, stability_solve
from rmtsim.laws.dyson._problem import Complex, Problem, Real

RESIDUAL = 1e-10
"""Every returned M satisfies ‖1 + (z − A + S[M]) M‖_F/√n ≤ this."""
ACCURACY = 1e-6
"""Relative error of every M that is called converged."""
TIGHT = 1e-13
"""Last relative Newton step of a returned M, unless rounding stops them earlier."""
LOOSE = 1e-3
"""Last relative Newton step of the levels on the way."""
RATIO = 0.2
LOWEST = 1e-14
MEMORY = 2**29
ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Relative rounding error of an entry of T, over √n."""
KNOWN = 1e-2
"""A relative error above this certifies nothing."""

BULK, OUTSIDE, EDGE, FAILED = 0, 1, 2, 3


@dataclass
class Boundary:
    """Solutions and what is known about them, one entry per spectral parameter."""

    state: Complex
    residual: Real
    iterations: NDArray[np.intp]
    kind: NDArray[np.intp]
    error: Real
    """Estimated error of the Stieltjes transform; infinite where unknown."""

    def taken(self, rows: NDArray[np.intp]) -> Boundary:
        """Some of the points, in this order."""
        return Boundary(*(getattr(self, field.name)[rows] for field in fields(self)))


def _batches(problem: Problem, count: int) -> Iterator[slice]:
    """Parts of a grid whose Krylov bases fit in ``MEMORY`` bytes."""
    width = max(1, MEMORY // (16 * 64 * problem.unknowns))
    for first in range(0, count, width):
        yield slice(first, min(count, first + width))


def finish(problem: Problem, z: Complex, guess: Complex) -> Boundary:
    """Newton at z itself from ``guess``, and the certificate; kind FAILED where it does not hold."""
    parameter = problem.parameter(z)
    outcome = newton(problem, parameter, guess, TIGHT)
    return certify(problem, z, outcome)


def certify(problem: Problem, z: Complex, outcome: Outcome) -> Boundary:
    """Kind and error of the Newton solution at z; FAILED where the branch is not certified."""
    kind = np.full(len(z), FAILED, dtype=np.intp)
    relative = outcome.error
    state, residual = outcome.state, outcome.residual
    error = np.full(len(z), np.inf)
    good = np.flatnonzero((outcome.graded <= RESIDUAL) & (relative < KNOWN))
    if len(good):
        inner = state[good]
        energy = problem.energy(inner)
        outer = problem.resolve(problem.parameter(z[good]), energy)
        # Newton may stop because of rounding: the rounding of T, times the condition, does not show in the steps.
        strength = _condition(problem, outer)
        known = relative[good] + ROUNDING * np.sqrt(problem.size) * np.maximum(strength, 1.0)
        # Entries are known relatively; the transform, and Im M, up to this.
        error[good] = known * problem.norm(problem.entry_scale(outer))
        above = z[good].imag > 0
        # Steps prove a solution nearby (Newton and Kantorovich) if their size times the condition is small. Just
        # beyond an edge, where the branch has ended, they stay small without proving anything.
        with np.errstate(invalid="ignore"):
            sound = np.isfinite(strength) & (known * strength < 0.1)
        certain = _classify(problem, inner, outer, error[good])
        positive = problem.positive(problem.parameter(z[good]), energy)
        # Above the axis both proofs hold: Im M beyond its error, or a branch that rises from a Hermitian M.
        certain = np.where(above, np.where((certain != FAILED) & positive, BULK, FAILED), certain)
        kind[good] = np.where(sound, certain, FAILED)
    return Boundary(state, residual, outcome.iterations, kind, error)


def _condition(problem: Problem, outer: Complex) -> Real:
    """‖(1 − T S[·] T)⁻¹[T²]‖/‖T²‖: the sensitivity of M to z, which bounds the other sensitivities."""
    square = problem.product(outer, outer)
    with np.errstate(all="ignore"):
        slope = stability_solve(problem, outer, square, 1e-2)
        return relative_size(problem, slope, outer) / relative_size(problem, square, outer)


def condition(problem: Problem, parameter: Complex, state: Complex) -> Real:
    """Condition of the equation at solutions ``state``; at least one."""
    outer = problem.resolve(parameter, problem.energy(state))
    return np.maximum(_condition(problem, outer), 1.0)


def _classify(problem: Problem, state: Complex, outer: Complex, error: Real) -> NDArray[np.intp]:
    """Bulk, outside, or undecided, for solutions on the axis known up to ``error``."""
    size = problem.norm(state)
    lowest = problem.lowest_imaginary(state)
    height = _imaginary_norm(problem, state)
    # Next to an edge the error of M grows like 1/distance^½: an imaginary part below it decides nothing.
    resolved = height > 5 * error
    kind = np.where(resolved & (lowest > 1e-7 * size), BULK, FAILED)
    rest = np.flatnonzero(kind == FAILED)
    if len(rest):
        slope = stability_solve(problem, outer[rest], problem.product(outer[rest], outer[rest]), 1e-4)
        strength = problem.norm(slope)
        usable = np.isfinite(strength) & (strength > 0)
        slope = np.where(usable.reshape((-1,) + (1,) * (slope.ndim - 1)), slope, 0)
        # On the kernel of Im M the first-order term decides, so a small multiple of it is added.
        step = 1e-3 * size[rest] / np.where(usable, strength, 1.0)
        moved = state[rest] + 1j * step.reshape((-1,) + (1,) * (slope.ndim - 1)) * slope
        flat = height[rest] <= np.maximum(1e-8 * size[rest], 5 * error[rest])
        positive = usable & (lowest[rest] > -1e-8 * size[rest]) & (problem.lowest_imaginary(moved) > 0)
        outside = positive & flat
        outside[outside] &= problem.lowest_real(slope[outside]) > 0
        kind[rest] = np.where(outside, OUTSIDE, np.where(positive & resolved[rest] & ~flat, BULK, FAILED))
    return kind


def _imaginary_norm(problem: Problem, state: Complex) -> Real:
    if state.ndim == 2:
        return problem.norm(state.imag.astype(np.complex128))
    return problem.norm((state - np.swapaxes(state, 1, 2).conj()) / 2)


def descend(problem: Problem, z: Complex) -> Boundary:
    """Solutions at z (Im z ≥ 0) by continuation in Im z from the length of the spectrum downwards.

    Each level is solved loosely, with Im M > 0 checked; a level that fails is divided. Every second level the jump
    to z itself is tried. Points that fail down to 1e-14 lengths are at an edge, a cusp or an atom: there the lowest
    level is kept, and the change over the last two levels is the error.
    """
    return _join([_descend(problem, z[part]) for part in _batches(problem, len(z))])


def _join(parts: list[Boundary]) -> Boundary:
    if len(parts) == 1:
        return parts[0]
    return Boundary(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("state", "residual", "iterations", "kind", "error")
        )
    )


def _descend(problem: Problem, z: Complex) -> Boundary:
    count, length = len(z), problem.scale
    target = z.imag
    singular = bool(np.any(problem.projection == 0))

    def at(points: NDArray[np.intp], height: Real) -> Complex:
        moved = z[points].real + 1j * np.maximum(height, target[points])
        return problem.parameter(moved, height if singular else 0.0)

    everyone = np.arange(count)
    height = np.full(count, length)
    state = problem.start(at(everyone, height))
    for _ in range(4):
        state = (state + problem.resolve(at(everyone, height), problem.energy(state))) / 2
    result = Boundary(
        state, np.full(count, np.inf), np.full(count, 4), np.full(count, FAILED), np.full(count, np.inf)
    )
    step = np.full(count, RATIO)
    due = np.full(count, length * RATIO)
    active = everyone
    # First level: converge where the map contracts, so that every later level starts from a true solution.
    first = newton(problem, at(everyone, height), state, LOOSE)
    state = first.state
    result.iterations += first.iterations
    older, older_height = state.copy(), np.full(count, np.inf)
    while len(active):
        lower = height[active] * step[active]
        guess = state[active].copy()
        # Where M follows a power of the height, as at edges, cusps and hard edges, two levels predict the third.
        steady = np.isclose(lower * older_height[active], height[active] ** 2, rtol=1e-9, atol=0.0)
        if steady.any():
            guess[steady] = problem.geometric(state[active[steady]], older[active[steady]])
        outcome = newton(problem, at(active, lower), guess, LOOSE, steps=8)
        result.iterations[active] += outcome.iterations
        good = outcome.error <= 4 * LOOSE + 1e-12
        if good.any():
            inside = problem.lowest_imaginary(outcome.state[good])
            good[good] = inside > -1e-9 * problem.norm(outcome.state[good])
        step[active[~good]] = np.sqrt(step[active[~good]])
        moved = active[good]
        older[moved], older_height[moved] = state[moved], height[moved]
        state[moved], height[moved] = outcome.state[good], lower[good]
        step[moved] = np.maximum(step[moved] ** 2, RATIO)
        ready = moved[(height[moved] <= due[moved]) | (height[moved] <= target[moved])]
        if len(ready):
            done = finish(problem, z[ready], state[ready])
            result.iterations[ready] += done.iterations
            settled = done.kind != FAILED
            due[ready] = height[ready] * RATIO**2
            _store(result, ready[settled], done, settled)
        pending = result.kind == FAILED
        lost = pending & (step > 0.97)
        bottom = pending & ((height <= LOWEST * length) | (lost & (height <= 1e-9 * length)))
        ending = np.flatnonzero(bottom)
        if len(ending):
            _keep_lowest(problem, result, ending, at, height[ending], state[ending])
        active = np.flatnonzero((result.kind == FAILED) & ~lost & ~bottom)
    failed = result.kind == FAILED
    if failed.any():
        result.state[failed] = state[failed]
        energy = problem.energy(state[failed])
        result.residual[failed] = problem.norm(
            problem.defect(problem.parameter(z[failed]), energy, state[failed])
        )
    return result


def _store(result: Boundary, points: NDArray[np.intp], done: Boundary, chosen: NDArray[np.bool_]) -> None:
    result.state[points] = done.state[chosen]
    result.residual[points] = done.residual[chosen]
    result.kind[points] = done.kind[chosen]
    result.error[points] = done.error[chosen]


def _keep_lowest(
    problem: Problem,
    result: Boundary,
    points: NDArray[np.intp],
    at: Callable[[NDArray[np.intp], Real], Complex],
    height: Real,
    state: Complex,
) -> None:
    """The lowest level as the answer, with its distance from a level 25 times higher as the error.

    At an edge or a cusp M itself is known to about the size of its imaginary part, which counts as error too.
    """
    outcome: Outcome = newton(problem, at(points, height), state, TIGHT)
    above: Outcome = newton(problem, at(points, 25 * height), outcome.state, TIGHT)
    good = (outcome.graded <= RESIDUAL) & (outcome.error < KNOWN)
    chosen = points[good]
    result.state[chosen] = outcome.state[good]
    result.residual[chosen] = outcome.residual[good]
    result.kind[chosen] = EDGE
    trace = problem.trace(outcome.state)
    known = (above.graded <= RESIDUAL) & (above.error < KNOWN)
    change = np.where(known, np.abs(trace - problem.trace(above.state)), np.inf)
    spread = outcome.error * problem.norm(outcome.state)
    result.error[chosen] = (np.maximum(change, np.abs(trace.imag)) + spread)[good]


def boundary_values(problem: Problem, x: Real, known: tuple[Real, Boundary] | None = None) -> Boundary:
    """Boundary values at sorted distinct real x: a coarse subset by continuation, the rest from its neighbours.

    Guesses are polynomial through up to four solved neighbours of one kind; since the certificate decides, a bad
    guess only costs time. ``known`` holds points solved before, which then take the place of the subset.
    """
    count = len(x)
    if known is not None and len(known[0]):
        places = np.concatenate([x, known[0]])
        order = np.argsort(places, kind="stable")
        result = _join([_empty(count, known[1].state.shape[1:]), known[1]]).taken(order)
        solved = (order >= count) & (result.kind != FAILED)
        mine = np.flatnonzero(order < count)
        _from_neighbours(problem, places[order], result, np.flatnonzero(solved), mine)
        return result.taken(mine)
    z = x.astype(np.complex128)
    stride = 1
    while stride * 24 < count:
        stride *= 2
    first = np.unique(np.append(np.arange(0, count, stride), count - 1))
    coarse = descend(problem, z[first])
    result = _empty(count, coarse.state.shape[1:])
    result.iterations[first] = coarse.iterations
    _store(result, first, coarse, np.ones(len(first), dtype=np.bool_))
    solved = np.zeros(count, dtype=np.bool_)
    solved[first] = True
    while not solved.all():
        stride //= 2
        points = (
            np.flatnonzero(~solved & (np.arange(count) % stride == 0))
            if stride > 1
            else np.flatnonzero(~solved)
        )
        _from_neighbours(problem, x, result, np.flatnonzero(solved), points)
        solved[points] = True
    return result


def _empty(count: int, shape: tuple[int, ...]) -> Boundary:
    return Boundary(
        np.zeros((count, *shape), dtype=np.complex128),
        np.full(count, np.inf),
        np.zeros(count, dtype=np.intp),
        np.full(count, FAILED),
        np.full(count, np.inf),
    )


def _from_neighbours(
    problem: Problem, x: Real, result: Boundary, known: NDArray[np.intp], points: NDArray[np.intp]
) -> None:
    """Solve ``points`` of x from guesses through the ``known`` ones, and by continuation where that fails."""
    z = x.astype(np.complex128)
    for part in _batches(problem, len(points)):
        here = points[part]
        done = finish(problem, z[here], _guess(x, known, result, here))
        result.iterations[here] += done.iterations
        settled = done.kind != FAILED
        _store(result, here[settled], done, settled)
        again = here[~settled]
        if len(again):
            done = descend(problem, z[again])
            result.iterations[again] += done.iterations
            _store(result, again, done, np.ones(len(again), dtype=np.bool_))


def _guess(x: Real, known: NDArray[np.intp], result: Boundary, points: NDArray[np.intp]) -> Complex:
    """Lagrange interpolation through the solved neighbours of one kind, two on each side at most."""
    place = np.searchsorted(known, points)
    offsets = place[:, None] + np.arange(-2, 2)
    present = (offsets >= 0) & (offsets < len(known))
    near = known[np.clip(offsets, 0, len(known) - 1)]
    kinds = np.where(present, result.kind[near], FAILED)
    wanted = np.where((kinds[:, 1:3] == BULK).any(axis=1), BULK, OUTSIDE)
    use = kinds == wanted[:, None]
    # Across an edge the solution has a square-root branch: take the one neighbour on the wanted side.
    split = kinds[:, 1] != kinds[:, 2]
    use[split, 0] = use[split, 3] = False
    use[~use.any(axis=1), 1] = True
    nodes = x[near]
    here = x[points][:, None, None]
    factor = np.ones((len(points), 4, 4))
    pairs = use[:, :, None] & use[:, None, :] & ~np.eye(4, dtype=np.bool_)
    gap = np.where(pairs, nodes[:, :, None] - nodes[:, None, :], 1.0)
    np.copyto(factor, (here - nodes[:, None, :]) / gap, where=pairs)
    weight = np.where(use, factor.prod(axis=2), 0.0)
    shape = (-1,) + (1,) * (result.state.ndim - 1)
    guess: Complex = sum(weight[:, i].reshape(shape) * result.state[near[:, i]] for i in range(4))
    return guess
