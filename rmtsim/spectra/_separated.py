"""Common parts of both kinds of spectra: outliers and frame of a bulk, and its goodness of fit."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.spectra._bulk import Bulk, Frame, Goodness
from rmtsim.spectra._fitted import DOUBT
from rmtsim.spectra._outliers import SHARE, Separation, screened, separate


def misfit(goodness: Goodness | None, level: float) -> str:
    """Why there is no rank with a level; empty if there is one."""
    if goodness is None or goodness.p_value >= min(level, DOUBT):
        return ""
    return f"the law of the bulk is rejected (p = {goodness.p_value:.2g})"


def too_many(split: Separation) -> str:
    """Message that more eigenvalues lie outside than a signal of low rank could have; empty otherwise."""
    if split.outliers.mean() <= SHARE:
        return ""
    return f"more than {SHARE:.0%} of the eigenvalues lie outside the bulk"


@frozen(eq=False)
class Null:
    """A test, why it was chosen, its outcome, and why this is no rank (empty if it is one)."""

    test: Literal["tracy-widom", "permutations", "signs"]
    choice: str
    reason: str
    split: Separation
    most: int
    """Largest number of components that the eigenvalues are compatible with."""


class NoBulkError(ArithmeticError):
    """Raised if no law can be fitted; the message says why."""


def fitted(
    values: FloatArray, bulk: Any, level: float, *, both: bool = False, refuse: bool = False
) -> tuple[Separation, Frame, Any, Any]:
    """Outliers, frame, how it was found, and the fit's quality (always that of the whole bulk).

    With ``refuse``, NoBulkError is raised if far more eigenvalues lie outside a law fitted to the quartiles than a
    signal of low rank could have.
    """
    if refuse and screened(values, bulk, both).mean() > SHARE:
        law = "semicircle" if both else "Marchenko–Pastur law"
        raise NoBulkError(
            f"more than {SHARE:.0%} of the eigenvalues lie outside a {law} fitted to the middle ones"
        )
    split = separate(values, bulk, level, both=both)
    frame = bulk.fit(values, split.outliers)
    goodness = bulk.goodness(values, split.outliers, frame)
    if goodness is None or goodness.p_value >= DOUBT:
        return split, frame, "trace", goodness
    split = separate(values, bulk, level, trimmed=True, both=both)
    return split, bulk.trimmed(values, split.outliers), "trimmed", goodness


def read_only(values: FloatArray) -> FloatArray:
    """A copy that cannot be changed."""
    try:
        values = np.array(values)
    except ValueError as error:
        raise ValueError(f"values: expected an array ({error})") from None
    values.flags.writeable = False
    return values


def most_components(values: FloatArray, bulk: Bulk, frame: Frame, found: int, level: float) -> int:
    """How many of the decreasing ``values`` the largest eigenvalue of the noise exceeds with probability ≤ 1 - level.

    A further component would have an eigenvalue above the largest one of the noise; a value that the noise exceeds
    with a probability above 1 - level is therefore no component, at that level.
    """
    count = found
    while count < values.size // 2 and bulk.log_tail(float(values[count]), frame, found) <= math.log1p(
        -level
    ):
        count += 1
    return count
