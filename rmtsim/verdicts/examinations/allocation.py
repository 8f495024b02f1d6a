"""Which sizes to sample next: the split of cost that promises the narrowest interval."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts.evidence.mean_set import MeanSet
from rmtsim.verdicts.evidence.sequences import ROOMY
from rmtsim.verdicts.examinations.design import Design

__all__ = ["next_batches"]

_PARTS = 3
"""Candidate splits give each size a multiple of a third of the cost (before mixing with an even rule)."""

_HORIZON = 3.0
"""Splits are compared at this multiple of what has been spent: one round alone would be short-sighted."""


@lru_cache(maxsize=32)
def _splits(count: int) -> NDArray[np.float64]:
    """Shares of cost per size: every third-part split, each mixed with a fifth of the even one."""
    whole = [parts for parts in itertools.product(range(_PARTS + 1), repeat=count) if sum(parts) == _PARTS]
    shares = 0.8 * np.array(whole, dtype=float) / _PARTS + 0.2 / count
    return np.concatenate((np.full((1, count), 1 / count), shares))


def next_batches(
    design: Design,
    counts: NDArray[np.int_],
    means: MeanSet,
    foresee: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    cost: float,
    left: float = math.inf,
) -> NDArray[np.int_]:
    """Batches per size, worth about ``cost`` nominal seconds.

    ``foresee`` says how wide the interval would be with each row of hypothetical counts, ``left`` what the whole run
    can still spend.

    For each split the interval that would result is computed around the values seen so far, and the split
    with the narrowest one is approached. Choosing by past values is harmless: the set of means is valid
    under any such rule.
    """
    lengths, costs = np.array(design.batches), np.array(design.costs)
    open_ended = ~np.isfinite(means.ends[1] - means.ends[0])
    added: NDArray[np.int_] = np.zeros(len(counts), dtype=np.int_)
    # A size whose values are skewed or do not vary needs many replicates; where they are out of reach it is given up.
    hopeless = open_ended & (np.maximum(0, ROOMY - counts) * costs > left)
    if (open_ended & ~hopeless).any():
        # Sizes with too few replicates for a bounded interval: double them before anything else.
        added[open_ended & ~hopeless] = np.ceil(counts / lengths)[open_ended & ~hopeless]
        return added
    horizon = _HORIZON * float((counts * costs).sum())
    spent = float((counts * costs).sum())
    targets = np.maximum(counts, _splits(len(counts)) * horizon / costs)
    # Sizes that already have more than their share make the others wait: compare at equal total cost.
    extra = ((targets - counts) * costs).sum(axis=1, keepdims=True)
    targets = counts + (targets - counts) * (horizon - spent) / np.maximum(extra, 1e-300)
    widths = foresee(targets)
    best = targets[int(np.argmin(widths))] if np.isfinite(widths).any() else counts
    missing = np.where(hopeless, 0.0, best - counts)
    if not missing.any():
        missing = np.where(hopeless & ~hopeless.all(), 0.0, 1 / costs)
    share = missing * cost / float((missing * costs).sum()) / lengths
    added = np.floor(share + 0.5).astype(np.int_)
    if not added.any():
        added[int(np.argmax(share))] = 1
    return added
