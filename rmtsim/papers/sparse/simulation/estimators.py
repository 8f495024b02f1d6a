"""Estimators of the hidden part of a measurement that know the support: ridge regression and least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.papers.sparse.simulation.checks import checked_dictionary, checked_measurements


def _parts(observed: Any, seen: Any, hidden: Any) -> tuple[Array, Array, Array]:
    inner, outer = checked_dictionary("seen", seen), checked_dictionary("hidden", hidden)
    if inner.shape[1] != outer.shape[1]:
        raise ValueError(f"hidden of shape {outer.shape}: expected {inner.shape[1]} columns, as seen has")
    return checked_measurements(observed, inner.shape[0], "observed"), inner, outer


def ridge_estimate(observed: Any, seen: Any, hidden: Any, penalty: float) -> Array:
    """P_{M^c}A_S(ΛᵀΛ + penalty·I)⁻¹Λᵀ[y]_M with Λ = P_M A_S (``seen``), for every row of ``observed`` = [y]_M.

    For [z]_S ~ N(0, σ_z²I) and noise σ² the conditional mean has the penalty σ²/σ_z² (equation (A.15) prints 1/σ_z²).

    >>> ridge_estimate([2.0], [[1.0]], [[3.0]], 1.0).tolist()
    [[3.0]]
    """
    rows, inner, outer = _parts(observed, seen, hidden)
    penalty = validate.positive_number("penalty", penalty, meaning="ridge penalty")
    system = inner.T @ inner + penalty * np.eye(inner.shape[1])
    return np.asarray(np.linalg.solve(system, inner.T @ rows.T).T @ outer.T)


def least_squares_estimate(observed: Any, seen: Any, hidden: Any) -> Array:
    """P_{M^c}A_S Λ⁺[y]_M, equation (A.17).

    >>> least_squares_estimate([2.0], [[1.0]], [[3.0]]).round(12).tolist()
    [[6.0]]
    """
    rows, inner, outer = _parts(observed, seen, hidden)
    return np.asarray(rows @ np.linalg.pinv(inner).T @ outer.T)
