"""Appendix C, eqs. (51)-(53): functions whose gradient has a constant norm, the steps behind Proposition 2.2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim.claims import Identity, Plan, claim
from rmtsim.papers.liu.simulation.cones import cone, flow, gradient

_PLAN = Plan(sizes=(2, 5), size_name="number of parameters", cost=5e-4)


@claim("liu.eq51", states=Identity(within=1e-10), plan=_PLAN)
def growth_error(size: int, rng: Generator) -> float:
    """Relative error of f(w(t)) - f(w₀)."""
    value, start, constant = cone(size, rng)
    time = float(rng.exponential())
    risen = float(value(flow(value, start, time)) - value(start))
    return abs(risen / (constant**2 * time) - 1)


@claim("liu.eq52", states=Identity(within=1e-10), plan=_PLAN)
def straight_line_error(size: int, rng: Generator) -> float:
    """Relative error of w(t) - w₀."""
    value, start, constant = cone(size, rng)
    time = float(rng.exponential())
    stated = time * gradient(value, start)
    return float(np.linalg.norm(flow(value, start, time) - start - stated) / (constant * time))


@claim("liu.eq53", states=Identity(within=1e-10), plan=_PLAN)
def angle(size: int, rng: Generator) -> float:
    """|⟨∇f, v - w₀⟩| over the product of the norms."""
    slope, offset = rng.standard_normal(size), rng.standard_normal()

    def value(w: Any) -> Any:
        return w @ slope + offset

    start, end = rng.standard_normal((2, size))
    line = rng.standard_normal(size)
    reach = 1.0
    while (value(end + reach * line) - value(start)) * (value(end - reach * line) - value(start)) > 0:
        reach *= 2
    low, high = -reach, reach
    rising = value(end + high * line) > value(end + low * line)
    for _ in range(200):
        middle = (low + high) / 2
        if (value(end + middle * line) < value(start)) == rising:
            low = middle
        else:
            high = middle
    found = end + low * line - start
    there = gradient(value, start)
    return float(abs(there @ found) / (np.linalg.norm(there) * np.linalg.norm(found)))
