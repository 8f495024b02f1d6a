"""Parameters and costs that the statements share."""

from __future__ import annotations

from functools import partial

from rmtsim.claims import Parameter

RATIO = Parameter(
    "ratio", "y = d/N, features over samples", 0.25, lowest=0.01, highest=1.0, draw_range=(0.1, 0.9)
)
_spike = partial(Parameter, "spike", "ℓ, the first feature's population variance")
SPIKE = _spike(
    4.0,
    lowest=2.2,
    highest=1e3,
    draw_range=(2.5, 10.0),
    assumption="above the threshold 1 + √y of every ratio y ≤ 1",
)
WEAK_SPIKE = _spike(
    1.1,
    lowest=1.0,
    highest=1.1,
    draw_range=(1.0, 1.1),
    assumption="below the threshold 1 + √y of every ratio y ≥ 0.01",
)


def dense_eigenvalue_cost(size: int) -> float:
    """Nominal seconds of drawing a symmetric matrix and its eigenvalues."""
    return 1.5e-4 + 4e-8 * size**2 + 6e-10 * size**3


def bisection_cost(size: int) -> float:
    """Nominal seconds of a tridiagonal matrix and one extreme eigenvalue by bisection."""
    return 8e-5 + 3e-7 * size


def cost_of_two(size: int) -> float:
    """Nominal seconds of two such matrices."""
    return 2 * bisection_cost(size)
