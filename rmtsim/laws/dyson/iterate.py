"""Iterations for one batch of spectral parameters: half-averaged fixed point, Anderson, Newton–Krylov."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws.dyson.krylov import gmres
from rmtsim.laws.dyson.problem import Complex, Problem, Real

__all__ = ["Outcome", "anderson", "fixed_point", "newton", "stability_solve"]

KRYLOV_STEPS = 60


@dataclass
class Outcome:
    """Where an iteration stopped, one entry per spectral parameter."""

    state: Complex
    residual: Real
    iterations: NDArray[np.intp]
    amplification: Real
    """‖Δ‖/‖T − M‖ of the last Newton step, an estimate of ‖(1 − T S[·] T)⁻¹‖ along the error."""


@np.errstate(all="ignore")  # a point that runs away overflows, and fails its residual
def stability_solve(problem: Problem, outer: Complex, right: Complex, tolerance: float | Real) -> Complex:
    """(1 − T S[·] T)⁻¹ applied to ``right``: the inverse of the stability operator."""
    bound = np.broadcast_to(np.asarray(tolerance, dtype=np.float64), (len(right),))
    # Entries measured against √(Tᵢᵢ Tⱼⱼ): near hard edges M spans many orders, and each part must converge.
    scale = problem.entry_scale(outer)

    def operator(inner: Complex) -> Complex:
        return inner - problem.sandwich(outer, problem.energy(inner * scale)) / scale

    return gmres(operator, right / scale, bound, KRYLOV_STEPS) * scale


@np.errstate(all="ignore")
def newton(
    problem: Problem, parameter: Complex, state: Complex, tolerance: float, steps: int = 12
) -> Outcome:
    """Newton on M = (A − Z − S[M])⁻¹, linear systems by GMRES; no globalisation, the caller checks the certificate.

    A point stops when its residual is below ``tolerance``, or when it has grown or stalled beyond hope.
    """
    count = len(state)
    state = state.copy()
    residual = np.full(count, np.inf)
    best_state, best = state.copy(), np.full(count, np.inf)
    iterations = np.zeros(count, dtype=np.intp)
    amplification = np.ones(count)
    active = np.arange(count)
    patience = np.zeros(count, dtype=np.intp)
    for step in range(3 * steps + 1):
        current = state[active]
        energy = problem.energy(current)
        defect = problem.norm(problem.defect(parameter[active], energy, current))
        finite = np.isfinite(defect)
        residual[active] = np.where(finite, defect, np.inf)
        better = residual[active] < best[active]
        best[active[better]] = residual[active[better]]
        best_state[active[better]] = current[better]
        patience[active] = np.where(better, 0, patience[active] + 1)
        hopeful = patience[active] < np.where(best[active] < 1e-10, 1, 4)  # rounding floor, or wandering
        keep = finite & (defect > tolerance) & hopeful & (defect < 1e6)
        # Next to an edge Newton gains a factor of four a step, not the square: let those points go on.
        if step >= steps:
            keep &= defect < 1e-6
        if step >= 3 * steps or not keep.any():
            break
        active, energy, current, defect = active[keep], energy[keep], current[keep], defect[keep]
        iterations[active] += 1
        outer = problem.resolve(parameter[active], energy)
        gap = outer - current
        # Inexact Newton: no use in solving the linear system beyond the quadratic error of its model.
        forcing = np.clip(0.3 * np.minimum(defect, 1.0), 0.03 * tolerance / defect, 0.1)
        change = stability_solve(problem, outer, gap, forcing)
        amplification[active] = problem.norm(change) / np.maximum(problem.norm(gap), 1e-300)
        state[active] = current + change
    return Outcome(best_state, best, iterations, amplification)


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
        np.concatenate([result.amplification for result in results]),
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
    return Outcome(state, np.array([residual]), np.array([step]), np.ones(1))
