"""Which sizes to sample next: the split of cost that promises the narrowest interval."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim.verify.analysis import Analysis
from rmtsim.verify.design import Design
from rmtsim.verify.evidence import MeanSet

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
    foresee: Callable[[NDArray[np.float64]], Analysis],
    cost: float,
) -> NDArray[np.int_]:
    """Batches per size, worth about ``cost`` nominal seconds; ``foresee`` analyses hypothetical counts.

    For each split the interval that would result is computed around the values seen so far, and the split
    with the narrowest one is approached. Choosing by past values is harmless: the set of means is valid
    under any such rule.
    """
    lengths, costs = np.array(design.batches), np.array(design.costs)
    open_ended = ~np.isfinite(means.ends[1] - means.ends[0])
    added: NDArray[np.int_] = np.zeros(len(counts), dtype=np.int_)
    if open_ended.any():
        # Sizes with too few replicates for a bounded interval: double them before anything else.
        added[open_ended] = np.ceil(counts[open_ended] / lengths[open_ended])
        return added
    horizon = _HORIZON * float((counts * costs).sum())
    best, best_width = counts, math.inf
    for split in _splits(len(counts)):
        target = np.maximum(counts, split * horizon / costs)
        # Sizes that already have more than their share make the others wait: compare at equal total cost.
        target = counts + (target - counts) * (horizon - (counts * costs).sum()) / max(
            float(((target - counts) * costs).sum()), 1e-300
        )
        analysis = foresee(target)
        low, high = analysis.interval
        # Equal widths (bounded quantities at their bound) are told apart by the noise left in the best model.
        width = high - low + 1e-3 * analysis.statistical
        if width < best_width:
            best, best_width = target, width
    missing = np.asarray(best - counts, dtype=float)
    if not missing.any():
        missing = np.ones(len(counts)) / costs
    share = missing * cost / float((missing * costs).sum()) / lengths
    added = np.floor(share + 0.5).astype(np.int_)
    if not added.any():
        added[int(np.argmax(share))] = 1
    return added
