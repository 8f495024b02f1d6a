"""Which null the outliers of a data matrix are tested against, from what its entries and its bulk show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.spectra._flips import entries_of, flip_test
from rmtsim.spectra._outliers import Separation

__all__ = ["Null", "choose_null"]

_AFFORDABLE = 500_000
"""Entries up to which sign flips are tried without being requested."""


@dataclass(frozen=True)
class Null:
    """A test, why it was chosen, and why its result is no rank (empty if it is one)."""

    test: Literal["tracy-widom", "signs"]
    choice: str
    reason: str


def choose_null(
    data: NDArray[Any],
    values: NDArray[np.float64],
    split: Separation,
    gaussian: Null,
    level: float,
    requested: bool,
    rng: np.random.Generator | None,
) -> tuple[Null, Separation | None]:
    """The null for a data matrix, with the outliers by sign flips if these are used.

    ``split`` and ``gaussian`` are the outliers by the Tracy–Widom law and its verdict on the bulk.
    """
    parts = [gaussian.reason, entries_of(data, int(split.outliers.sum())).words()]
    doubts = ", ".join(part for part in parts if part)
    if not requested:
        if not doubts:
            return gaussian, None
        if data.size > _AFFORDABLE:
            remedy = f"test='signs' tests {data.size:.2g} entries by sign flips"
            return replace(gaussian, reason=f"{doubts}; {remedy}"), None
    found = flip_test(data, values, level, np.random.default_rng(0) if rng is None else rng)
    reason = "" if found.fits else found.words()
    return Null("signs", doubts, reason), found.split
