"""Iterations for one batch of spectral parameters: half-averaged fixed point, Anderson, Newton–Krylov."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws.dyson._krylov import gmres
from rmtsim.laws.dyson._problem import Complex, Problem, Real

KRYLOV_STEPS = 60
FLOOR = 16 * float(np.finfo(np.float64).eps)


@dataclass
class Outcome:
    """Where an iteration stopped, one entry per spectral parameter."""

    state: Complex
    residual: Real
    iterations: NDArray[np.intp]
    error: Real
    """Estimated relative error of M, entries measured against √(|Tᵢᵢ||Tⱼⱼ|); infinite where nothing is known.

    It comes from Newton steps: while they shrink they bound the error left, and where rounding stops them their
    size is rounding times the condition of the equation.
    """
    graded: Real
    """The residual with rows and columns measured in their own sizes, where that is smaller."""


@np.errstate(all="ignore")  # a diverging point overflows, and fails the residual test
def stability_solve(problem: Problem, outer: Complex, right: Complex, tolerance: float | Real) -> Complex:
    """(1 − T S[·] T)⁻¹ applied to ``right``: the inverse of the stability operator."""
    direct = problem.low_rank_solve(outer, right)
    if direct is not None:
        return direct
    # Entries measured against √(Tᵢᵢ Tⱼⱼ): near hard edges M spans many orders, and each part must converge.
    scale = problem.entry_scale(outer)
    dense = problem.dense_operator(outer)
    if dense is not None:
        return problem.unpacked(_dense_solve(dense, problem.packed(right), problem.packed(scale)))
    bound = np.broadcast_to(np.asarray(tolerance, dtype=np.float64), (len(right),))

    def operator(inner: Complex) -> Complex:
        return inner - problem.sandwich(outer, problem.energy(inner * scale)) / scale

    return gmres(operator, right / scale, bound, KRYLOV_STEPS) * scale


def _dense_solve(dense: Complex, right: Complex, scale: Real) -> Complex:
    """Solutions (b, unknowns) of the systems (b, unknowns, unknowns), NaN where one is singular."""
    flat = (right / scale)[:, :, None]
    dense = dense * scale[:, None, :] / scale[:, :, None]
    finite = np.isfinite(dense).all(axis=(1, 2)) & np.isfinite(flat).all(axis=(1, 2))
    result = np.full(flat.shape, np.nan, dtype=np.complex128)
    try:
        result[finite] = np.linalg.solve(dense[finite], flat[finite])
    except np.linalg.LinAlgError:  # exactly on an edge; the others are still wanted
        for i in np.flatnonzero(finite):
            with contextlib.suppress(np.linalg.LinAlgError):
                result[i] = np.linalg.solve(dense[i], flat[i])
    return result[:, :, 0] * scale


@np.errstate(all="ignore")
def newton(problem: Problem, parameter: Complex, state: Complex, accuracy: float, steps: int = 12) -> Outcome:
    """Newton on M = (A − Z − S[M])⁻¹, linear systems by GMRES; no globalisation, the caller checks the certificate.

    A point stops when a step changes M by less than ``accuracy``, relatively, or when rounding prevents steps from
    shrinking. A small residual is no stopping criterion: near an edge it says little about M.
    """
    count = len(state)
    state = state.copy()
    iterations = np.zeros(count, dtype=np.intp)
    error = np.full(count, np.inf)
    last = np.full(count, np.inf)
    slow = np.zeros(count, dtype=np.intp)
    active = np.arange(count)
    for step in range(3 * steps):
        if not len(active):
            break
        current = state[active]
        outer = problem.resolve(parameter[active], problem.energy(current))
        # Inexact Newton: no use in solving the linear system beyond the quadratic error of its model.
        forcing = np.clip(0.3 * np.where(np.isfinite(last[active]), last[active], 1.0), 1e-5, 0.1)
        change = stability_solve(problem, outer, outer - current, forcing)
        moved = current + change
        size = relative_size(problem, change, outer)
        iterations[active] += 1
        finite = np.isfinite(size)
        before = last[active]
        # Steps that do not shrink are dominated by rounding; near an edge they shrink by halves long before.
        floor = finite & (size > 0.25 * before) & (before < 1e-5)
        slow[active] = np.where(floor, slow[active] + 1, 0)
        stalled = slow[active] >= 2
        done = finite & ((size <= accuracy) | stalled)
        good = finite & (size < 1e3)
        state[active[good]] = moved[good]
        # At the level of rounding, the larger of the last two steps estimates the rounding error of M.
        error[active[done]] = 4 * np.maximum(size, np.where(stalled, before, 0.0))[done] + FLOOR
        last[active] = size
        keep = good & ~done
        if step >= steps:
            keep &= size < 0.1
        active = active[keep]
    defect = problem.defect(parameter, problem.energy(state), state)
    residual, graded = problem.norm(defect), problem.graded(defect, state)
    residual = np.where(np.isfinite(residual), residual, np.inf)
    graded = np.where(np.isfinite(graded), graded, np.inf)
    return Outcome(state, residual, iterations, error, np.minimum(residual, graded))


def relative_size(problem: Problem, change: Complex, outer: Complex) -> Real:
    """The largest entry of Δ measured against √(|Tᵢᵢ||Tⱼⱼ|): rows of little weight count equally."""
    scaled = np.abs(change / problem.entry_scale(outer))
    return np.asarray(scaled.reshape(len(scaled), -1).max(axis=1))


def fixed_point(
    problem: Problem, parameter: Complex, state: Complex, tolerance: float, steps: int
) -> Outcome:
    """M ← (M + (A − Z − S[M])⁻¹)/2, which keeps Im M positive and always converges (Helton, Rashidi Far, Speicher)."""
    return _mixing(problem, parameter, state, tolerance, steps, memory=0)


def anderson(
    problem: Problem, parameter: Complex, state: Complex, tolerance: float, steps: int, memory: int = 8
) -> Outcome:
    """The half-averaged map with Anderson acceleration over ``memory`` differences.

    A step that would leave Im M > 0 is replaced by the plain half-averaged one, so the map stays defined.
    """
    return _mixing(problem, parameter, state, tolerance, steps, memory)


def _mixing(
    problem: Problem, parameter: Complex, state: Complex, tolerance: float, steps: int, memory: int
) -> Outcome:
    results = [
        _mix_one(problem, parameter[i : i + 1], state[i : i + 1], tolerance, steps, memory)
        for i in range(len(state))
    ]
    return Outcome(
        np.concatenate([result.state for result in results]),
        np.concatenate([result.residual for result in results]),
        np.concatenate([result.iterations for result in results]),
        np.concatenate([result.error for result in results]),
        np.concatenate([result.graded for result in results]),
    )


def _mix_one(
    problem: Problem, parameter: Complex, state: Complex, tolerance: float, steps: int, memory: int
) -> Outcome:
    history: list[tuple[Complex, Complex]] = []
    previous: tuple[Complex, Complex] | None = None
    residual = np.inf
    for step in range(steps + 1):
        energy = problem.energy(state)
        residual = float(problem.norm(problem.defect(parameter, energy, state))[0])
        if residual <= tolerance or step == steps:
            break
        gap = (problem.resolve(parameter, energy) - state) / 2
        update = gap
        if memory:
            if previous is not None:
                history = [*history[-(memory - 1) :], (state - previous[0], gap - previous[1])]
            previous = (state, gap)
            if history:
                changes = np.stack([difference[1].ravel() for difference in history], axis=1)
                weights, *_ = np.linalg.lstsq(changes, gap.ravel(), rcond=1e-12)
                correction = sum(
                    weight * (moved + changed)
                    for weight, (moved, changed) in zip(weights, history, strict=True)
                )
                update = gap - correction
                if problem.lowest_imaginary(state + update)[0] <= 0:
                    update, history, previous = gap, [], None
        state = state + update
    return Outcome(state, np.array([residual]), np.array([step]), np.full(1, np.inf), np.array([residual]))
