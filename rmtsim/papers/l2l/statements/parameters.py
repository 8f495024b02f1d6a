"""Parameters and shapes shared by the statements on least-squares tasks, and the thesis' constant L."""

from __future__ import annotations

import functools

from rmtsim.claims import Parameter
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
NOISE = Parameter("noise", "standard deviation σ of the label noise", 1.0, draw_range=(0.3, 3.0))
POSITIVE_NOISE = Parameter(
    "noise", "standard deviation σ of the label noise", 1.0, open_below=True, draw_range=(0.3, 3.0)
)
STEPS = Parameter(
    "steps", "number t of gradient steps", 40, integer=True, lowest=1, highest=10**9, draw_range=(2, 60)
)
FEW_STEPS = Parameter(
    "steps", "number t of gradient steps", 10, integer=True, lowest=1, highest=10**9, draw_range=(2, 12)
)


"""A statement of the thesis."""

SMOOTH = (
    "t gradient steps are a polynomial of degree 2t in XᵀX/n, and Gaussian expectations of such traces are series in "
    "1/d (docs/papers/l2l/index.md)"
)


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
