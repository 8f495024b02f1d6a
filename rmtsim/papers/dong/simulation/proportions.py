"""Matrix shapes in the proportional regime d, N → ∞ with d/N → γ."""

from __future__ import annotations

from rmtsim._internal import validate


def proportional_shape(size: int, gamma: float) -> tuple[int, int]:
    """(dimension, samples) with the smaller of the two close to ``size`` and their ratio close to ``gamma``.

    Rounding one of the two would disturb the ratio by up to 1/(2·size), an irregular error that finite-size
    fits cannot model. Among shapes whose smaller side is within 4 % above ``size`` this takes the best
    ratio (the smallest such shape if several are equally good).

    >>> proportional_shape(100, 0.5), proportional_shape(100, 3.0), proportional_shape(40, 0.7)
    ((100, 200), (300, 100), (42, 60))
    """
    size = validate.integer("size", size, meaning="smaller of dimension and samples")
    gamma = validate.positive_number("gamma", gamma, meaning="gamma = d/N")
    factor = max(gamma, 1 / gamma)
    if not size * factor <= validate.MAXIMUM_SIZE:
        raise ValueError(
            f"gamma={gamma}: the larger side would exceed {validate.MAXIMUM_SIZE} at size={size}"
        )
    smaller = min(
        range(size, size + max(size // 25, 2) + 1),
        key=lambda side: abs(round(side * factor) / (side * factor) - 1),
    )
    larger = validate.integer("larger side", round(smaller * factor), meaning=f"size={size}, gamma={gamma}")
    return (smaller, larger) if gamma <= 1 else (larger, smaller)
