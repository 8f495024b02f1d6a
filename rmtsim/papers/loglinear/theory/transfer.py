"""The lower bounds of Section 3.5 in closed form: total variation and divergence implied by misclassification."""

from __future__ import annotations

from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array

__all__ = ["least_tradeoff", "tradeoff", "tradeoff_floor"]


def _checked(activity: Any, room: Any) -> tuple[Array, Array]:
    weight = validate.real_array("activity", activity, meaning="K = k min e^{b_j - ε_b}")
    width = validate.real_array("room", room, meaning="Λ = Γ/2 - 2ε_b")
    if (weight < 0).any() or (width < 0).any():
        raise ValueError(
            f"activity={validate.shown(activity)}, room={validate.shown(room)}: expected numbers >= 0"
        )
    try:
        np.broadcast_shapes(weight.shape, width.shape)
    except ValueError:
        raise ValueError("activity, room: expected numbers, or arrays that fit together") from None
    return weight, width


def tradeoff(bulk_error: Any, activity: Any, room: Any) -> Array:
    """(1 - e^{-ε}) + K e^{-ε}(e^{σ(Λ - ε)} - 1), the braces of eq. (3.12), at ε = ``bulk_error``.

    >>> tradeoff(0.0, 0.5, 1.0).round(6).tolist()
    0.859141
    """
    weight, width = _checked(activity, room)
    shift = validate.real_array("bulk_error", bulk_error, meaning="ε_p")
    if (shift < 0).any():
        raise ValueError(f"bulk_error={validate.shown(bulk_error)}: expected numbers >= 0 (ε_p)")
    try:
        np.broadcast_shapes(weight.shape, width.shape, shift.shape)
    except ValueError:
        raise ValueError(
            "bulk_error, activity, room: expected numbers, or arrays that fit together"
        ) from None
    return np.asarray(-np.expm1(-shift) + weight * np.exp(-shift) * np.expm1(np.maximum(width - shift, 0.0)))


def least_tradeoff(activity: Any, room: Any) -> Array:
    """min over ε ≥ 0 of :func:`tradeoff`: a parabola in e^{-ε}.

    K(e^Λ - 1) for K ≤ 1/(2e^Λ - 1), 1 - (1 + K)²/(4Ke^Λ) up to K = 1, then 1 - e^{-Λ}.

    >>> least_tradeoff([0.01, 0.5, 2.0], 1.0).round(6).tolist()
    [0.017183, 0.586136, 0.632121]
    """
    weight, width = _checked(activity, room)
    weight, width = np.broadcast_arrays(weight, width)
    growth = np.exp(width)
    safe = np.where(weight > 0, weight, 1.0)
    inner = 1 - (1 + safe) ** 2 / (4 * safe * growth)
    return np.asarray(
        np.where(
            weight * (2 * growth - 1) <= 1,
            weight * np.expm1(width),
            np.where(weight < 1, inner, -np.expm1(-width)),
        )
    )


def tradeoff_floor(activity: Any, room: Any) -> Array:
    """min{1 - e^{-Λ/3}, 2K sinh(Λ/3)}, the lower bound (3.21) of :func:`least_tradeoff`.

    >>> bool(tradeoff_floor(0.5, 1.0) <= least_tradeoff(0.5, 1.0))
    True
    """
    weight, width = _checked(activity, room)
    return np.asarray(np.minimum(-np.expm1(-width / 3), 2 * weight * np.sinh(width / 3)))
