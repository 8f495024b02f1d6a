"""Search for the worst case of an inequality: differential evolution, a whole generation at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array


def maximise(
    objective: Callable[[Array], Array],
    dimension: int,
    rng: np.random.Generator,
    *,
    population: int = 32,
    generations: int = 40,
    spread: float = 1.5,
) -> tuple[Array, float]:
    """The best point found and its value; ``objective`` maps rows to numbers (-inf where a point is not allowed).

    Differential evolution (each trial: current + 0.7(best - current) + 0.7(difference of two others), crossover 0.8)
    from a Gaussian start. A search may miss the worst case, so that failure to find a violation proves nothing.

    >>> place, value = maximise(lambda x: -((x - 0.5) ** 2).sum(axis=1), 2, np.random.default_rng(0))
    >>> bool(value > -1e-3)
    True
    """
    if not callable(objective):
        raise TypeError(f"objective={validate.shown(objective)}: expected a function of rows")
    d = validate.integer("dimension", dimension)
    count = validate.integer("population", population, minimum=4)
    rounds = validate.integer("generations", generations)
    width = validate.positive_number("spread", spread)
    generator = validate.generator("rng", rng)
    points = width * generator.standard_normal((count, d))
    values = objective(points)
    for _ in range(rounds):
        best = points[int(np.argmax(values))]
        first, second = generator.integers(count, size=(2, count))
        pull = generator.uniform(0, 1, (count, 1))
        trial = points + pull * (best - points) + 0.7 * (points[first] - points[second])
        trial += 0.01 * generator.standard_normal((count, d))  # keeps a population that has contracted moving
        trial = np.where(generator.random((count, d)) < 0.8, trial, points)
        found = objective(trial)
        better = found > values
        points[better], values[better] = trial[better], found[better]
    top = int(np.argmax(values))
    return points[top].copy(), float(values[top])
