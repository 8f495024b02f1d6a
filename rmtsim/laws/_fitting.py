"""Parameters of a law from data: by moments, or by likelihood where the parameter is one of a few integers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate

if TYPE_CHECKING:
    from rmtsim.laws._distribution import Distribution

Law = TypeVar("Law", bound="Distribution")

_LARGEST = 1e150
"""Largest observation: sums of squares stay below the largest double."""


def data_array(data: ArrayLike, *, minimum: float = -math.inf) -> NDArray[np.float64]:
    """Flat array of at least two finite numbers >= ``minimum``."""
    array = validate.real_array("data", data, meaning="observations of the law").ravel()
    if array.size < 2:
        raise ValueError(f"data of {array.size} numbers: expected at least 2")
    if (array < minimum).any():
        raise ValueError(f"data={array[array < minimum][0]}: expected numbers >= {minimum:g}")
    largest = float(np.abs(array).max())
    if largest > _LARGEST:
        raise ValueError(
            f"data={largest:.6g}: expected numbers below {_LARGEST:g}, "
            "whose squares are finite; divide the data by a constant"
        )
    return array


def fixed_parameters(names: tuple[str, ...], given: dict[str, Any]) -> dict[str, float]:
    """Parameters that ``fit`` keeps, from keywords ``fNAME`` or ``fix_NAME`` as SciPy has them."""
    fixed = {}
    for key, value in given.items():
        name = key.removeprefix("fix_") if key.startswith("fix_") else key.removeprefix("f")
        if key == name or name not in names:
            accepted = ", ".join(f"f{each}" for each in names) or "none"
            raise TypeError(f"{key}={validate.shown(value)}: fit accepts the keywords {accepted}")
        fixed[name] = value
    return fixed


def positive_estimate(name: str, value: float) -> float:
    """``value`` if it is a positive number; otherwise the data do not come from the law."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(
            f"data: the moments give {name}={value:.6g}, expected a number > 0; the law does not fit"
        )
    return float(value)


def most_likely(laws: list[Law], data: NDArray[np.float64]) -> Law:
    """The law with the largest sum of log densities."""
    scores = [math.fsum(law.logpdf(data)) if (law.pdf(data) > 0).all() else -math.inf for law in laws]
    if max(scores) == -math.inf:
        raise ValueError("data: no law of this kind has a positive density at every observation")
    return laws[int(np.argmax(scores))]
