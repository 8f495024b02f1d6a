"""Theorem 5.1: gradient descent converges exponentially although the tangent kernel of φ(f) changes."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Parameter, Probability, Relative, Simulated, claim
from rmtsim.papers.liu.simulation.sine_descent import INPUTS, TARGETS, descend, draw, linearised_change
from rmtsim.papers.liu.statements.parameters import WIDTHS
from rmtsim.papers.liu.theory.bent_output import bent_kernel_change, sine_kernel

BEND = Parameter(
    "bend",
    "a in φ(z) = z + a sin z, so that |φ'| ≥ ρ = 1 - a",
    default=0.5,
    open_below=True,
    highest=0.9,
    draw_range=(0.2, 0.8),
    assumption="|φ'| ≥ ρ > 0 needs a < 1",
)


def step_size(bend: float) -> float:
    """η: a half over the largest eigenvalue that K̃ can have in the limit, (1 + a)²‖K∞‖."""
    return float(0.5 / ((1 + bend) ** 2 * np.linalg.eigvalsh(sine_kernel(INPUTS))[-1]))


_STEPS = 150
_FRESH = 32
_SIMULATED = Simulated(theory="the step size of the statement contains the limiting kernel")


@claim(
    "liu.thm5.1",
    states=Probability(1.0, within=0.03),
    over=(BEND,),
    points=({"bend": 0.5}, {"bend": 0.8}),
    plan=WIDTHS.but(sizes=(32, 128, 512), exponents=(4.0,), cost=lambda size: 2e-4 + 1.5e-5 * size),
    evidence=_SIMULATED,
)
def converges(size: int, rng: Generator, replicates: int, bend: float) -> NDArray[np.bool_]:
    """Whether every loss obeys the bound."""
    rate = step_size(bend)
    smallest = 0.5 * float(np.linalg.eigvalsh(sine_kernel(INPUTS))[0])
    losses = descend(*draw(size, rng, replicates), bend, _STEPS, rate).losses
    factor = 1 - rate * smallest * (1 - bend) ** 2
    return np.asarray((losses <= losses[:, :1] * factor ** np.arange(_STEPS + 1)).all(axis=1))


@claim(
    "liu.thm5.1.kernel",
    states=Limit(
        lambda bend: bent_kernel_change(bend, INPUTS, TARGETS, steps=_STEPS, rate=step_size(bend)),
        within=Relative(0.05),
    ),
    over=(BEND,),
    plan=WIDTHS.but(sizes=(64, 256, 1024), exponents=(1.0,), cost=lambda size: 1.2e-3 + 2.6e-5 * size),
    evidence=_SIMULATED,
)
def kernel_moves(size: int, rng: Generator, replicates: int, bend: float) -> Array:
    """sup_t ‖K̃_t - K̃_0‖_F/‖K̃_0‖_F, less that of the linearised network, plus the mean of that over 32 fresh draws.

    Nearly all of the spread comes from f(w₀), which the linearised network shares. The linearised network costs a
    hundredth, so its mean is taken over many draws: the expectation is the same, and the variance a fifth or less.
    """
    rate = step_size(bend)
    w, v = draw(size, rng, replicates)
    found = descend(w, v, bend, _STEPS, rate).change - linearised_change(w, v, bend, _STEPS, rate)
    fresh = [linearised_change(*draw(size, rng, replicates), bend, _STEPS, rate) for _ in range(_FRESH)]
    return np.asarray(found + np.mean(fresh, axis=0))
