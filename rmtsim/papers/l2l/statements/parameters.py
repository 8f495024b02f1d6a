"""Common parts of the statements on least-squares tasks: parameters, grids, plans, evidence, and the constant L."""

from __future__ import annotations

import functools
from dataclasses import replace

from rmtsim.claims import Grid, Parameter, Plan, Simulated
from rmtsim.papers.l2l.theory import critical_step, validation_time

L = 100.0
"""Throughout appendix D.2 and D.4 the letter L is this number: an upper bound of ‖H‖ and of 1/λ_n(H)."""

RATIO = Parameter(
    "ratio", "limit of d/n", 2.0, open_below=True, draw_range=(0.3, 4.0), assumption="d/n → ratio in (0, ∞)"
)
SCARCE = Parameter(
    "ratio",
    "limit of d/n",
    2.0,
    lowest=4 / 3,
    highest=4.0,
    draw_range=(4 / 3, 4.0),
    assumption="Theorem 5.4.1 assumes n in [d/4, 3d/4]",
)
PLENTY = Parameter(
    "ratio",
    "limit of d/n",
    0.02,
    open_below=True,
    highest=0.025,
    draw_range=(0.005, 0.025),
    assumption="Lemma D.3.7 assumes n ≥ cd; 40d here, as Lemma D.3.1",
)
NOISE = Parameter("noise", "standard deviation σ of the label noise", 1.0, draw_range=(0.3, 3.0))
POSITIVE_NOISE = replace(NOISE, open_below=True)
LARGE_NOISE = replace(
    NOISE, default=80.0, lowest=80.0, draw_range=(80.0, 300.0), assumption="the proof takes σ ≥ 8√L = 80"
)
STEPS = Parameter(
    "steps", "number t of gradient steps", 40, integer=True, lowest=1, highest=10**9, draw_range=(2, 60)
)
FEW_STEPS = replace(STEPS, default=10, draw_range=(2, 12))

SHARE = Parameter(
    "share",
    "δ in c_min ≥ δ/√d",
    0.5,
    open_below=True,
    highest=2.0,
    draw_range=(0.2, 1.0),
    assumption="the constant hidden in Ω(1/√d)",
)
PRODUCT = Parameter(
    "product",
    "step size times the largest eigenvalue, ηL",
    0.5,
    open_below=True,
    highest=10.0,
    draw_range=(0.2, 6.0),
    assumption="Corollary 5.3.3 distinguishes ηL below and above 2",
)

SCARCE_RATIOS = Grid((SCARCE,), points=({"ratio": 4 / 3}, {"ratio": 4.0}))
SCARCE_GRID = Grid(
    (SCARCE, POSITIVE_NOISE), points=({"ratio": 4 / 3, "noise": 1.0}, {"ratio": 4.0, "noise": 3.0})
)
SCARCE_POINT = Grid((SCARCE, POSITIVE_NOISE), points=({"ratio": 2.0, "noise": 1.0},))
PLENTY_GRID = Grid((PLENTY, POSITIVE_NOISE), points=({"ratio": 0.02}, {"ratio": 0.01, "noise": 2.0}))

SMOOTH = (
    "t gradient steps are a polynomial of degree 2t in XᵀX/n, and Gaussian expectations of such traces are series in "
    "1/d (docs/papers/l2l/index.md)"
)


def task_cost(size: int, ratio: float = 2.0) -> float:
    """Nominal seconds of one task with n = d/ratio < d samples."""
    return 1.5e-4 + 2e-8 * size * size / ratio + 1e-9 * (size / ratio) ** 3


SCARCE_PLAN = Plan(size_name="d", cost=task_cost)

POPULATION_OBJECTIVE = Simulated(theory="the population objective is that of the limit law")
BEYOND_CRITICAL_STEP = Simulated(
    theory="the limit of the critical step size says from where on the bound is tested"
)
UP_TO_CRITICAL_STEP = Simulated(
    theory="the limit of the critical step size says up to where the variation is taken"
)
AT_BEST_STEP = Simulated(theory="the step size at which the error is measured is the limit law's best one")


@functools.cache
def best_time(noise: float, ratio: float) -> float:
    """τ* of the limit law, computed once per parameter point."""
    return validation_time(noise, ratio).place


@functools.cache
def critical(steps: int, noise: float, ratio: float) -> float:
    """Critical step size of the limit law, computed once per parameter point."""
    return critical_step(steps, noise, ratio)


def samples(dimension: int, ratio: float) -> int:
    """n for a dimension: d/ratio, rounded."""
    return max(1, round(dimension / ratio))
