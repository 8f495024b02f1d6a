"""Which sizes to sample next: the split of cost that promises the narrowest interval."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._examinations.design import Design
from rmtsim.verdicts._models.family import TWO_TERM_SIZES, second_exponents

_PARTS = 3
"""Candidate splits give each size a multiple of a third of the cost (before mixing with an even rule)."""

_HORIZON = 3.0
"""Splits are compared at this multiple of the cost spent so far, because a single round says too little."""


@lru_cache(maxsize=32)
def _splits(count: int) -> NDArray[np.float64]:
    """Shares of cost per size: every third-part split, each mixed with a fifth of the even one."""
    whole = [parts for parts in itertools.product(range(_PARTS + 1), repeat=count) if sum(parts) == _PARTS]
    shares = 0.8 * np.array(whole, dtype=float) / _PARTS + 0.2 / count
    return np.concatenate((np.full((1, count), 1 / count), shares))


def extrapolating_splits(
    sizes: tuple[int, ...],
    costs: NDArray[np.float64],
    spreads: NDArray[np.float64],
    exponents: tuple[float, ...],
) -> NDArray[np.float64]:
    """Shares of cost per size that extrapolate best under each series of two terms, and of three if ``sizes`` allow.

    With fewer than four sizes, those under each single term.

    A limit under free terms is Σ w_k·mean_k with w·1 = 1 and w·term = 0. On as many sizes as unknowns w is unique, and
    its variance Σ (w_k·spread_k)²/N_k at unit cost is least for N_k ∝ |w_k|·spread_k/√cost_k, where it is
    (Σ|w_k|·spread_k·√cost_k)². The best such set of sizes is the best of all designs (Elfving).

    >>> even = np.ones(3)
    >>> extrapolating_splits((10, 20, 40), even, even, (1.0,)).round(3).tolist()
    [[0.2, 0.0, 0.8]]
    """
    x = sizes[0] / np.asarray(sizes, dtype=float)
    models: list[tuple[float, ...]] = [(p,) for p in exponents]
    if len(sizes) >= TWO_TERM_SIZES:
        pairs = [(p, q) for p in exponents for q in second_exponents(p)]
        longer = [(p, q, 2 * q - p) for p, q in pairs] if len(sizes) > TWO_TERM_SIZES else []
        models = [*pairs, *longer]
    found = []
    for powers in models:
        columns = np.stack([np.ones(len(x)), *(x**p for p in powers)])
        sets = np.array(list(itertools.combinations(range(len(x)), len(columns))))
        unit = np.zeros((len(sets), len(columns), 1))
        unit[:, 0] = 1.0
        weights = np.linalg.solve(columns[:, sets].transpose(1, 0, 2), unit)[..., 0]
        prices = np.abs(weights) * (spreads * np.sqrt(costs))[sets]
        best = int(np.argmin(prices.sum(axis=1)))
        shares = np.zeros(len(x))
        shares[sets[best]] = prices[best] / prices[best].sum()
        found.append(shares)
    return np.array(found)


def _candidates(
    design: Design, counts: NDArray[np.int_], means: MeanSet, exponents: tuple[float, ...] | None
) -> NDArray[np.float64]:
    """Splits to compare: coarse ones, and for a limit those that extrapolate best, with a tenth for all sizes."""
    low, high = means.ends
    spreads = (high - low) * np.sqrt(counts)
    if exponents is None or len(counts) < 2 or not (np.isfinite(spreads).all() and spreads.min() > 0):
        return _splits(len(counts))
    best = extrapolating_splits(design.sizes, np.array(design.costs), spreads, exponents)
    # Plans for a box are analysed separately, which is slow, so only a few are tried.
    others = _splits(len(counts)) if means.axes is not None else np.full((1, len(counts)), 1 / len(counts))
    return np.concatenate((others, 0.9 * best + 0.1 / len(counts)))


FLOOR = 0.1
"""Share of the cost that each of the two largest sizes gets at least: they must have a vote in the verdict."""


def _with_floor(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Splits in which the two largest sizes have their floor.

    >>> _with_floor(np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])).round(2).tolist()
    [[0.82, 0.09, 0.09], [0.2, 0.3, 0.5]]
    """
    floored = shares.copy()
    floored[:, -2:] = np.maximum(floored[:, -2:], FLOOR)
    return np.asarray(floored / floored.sum(axis=1, keepdims=True))


def next_batches(
    design: Design,
    counts: NDArray[np.int_],
    wanted: NDArray[np.int_],
    means: MeanSet,
    foresee: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    cost: float,
    left: float = math.inf,
    exponents: tuple[float, ...] | None = None,
) -> NDArray[np.int_]:
    """Batches per size, worth about ``cost`` nominal seconds.

    ``wanted`` is the number of replicates that a size without a bounded interval will need, ``foresee`` how wide the
    interval would be with each row of hypothetical counts, ``left`` what the whole run can still spend, ``exponents``
    (of a limit) which corrections are extrapolated away.

    For each split the interval that would result is computed around the values seen so far, and the split
    with the narrowest one is approached. Choosing by past values is allowed: the set of means is valid under any such
    rule.
    """
    lengths, costs = np.array(design.batches), np.array(design.costs)
    open_ended = ~np.isfinite(means.ends[1] - means.ends[0])
    added: NDArray[np.int_] = np.zeros(len(counts), dtype=np.int_)
    # A size whose values are skewed or do not vary needs many replicates; if the budget does not allow them, the size
    # is left out.
    hopeless = open_ended & (np.maximum(0, wanted - counts) * costs > left)
    if (open_ended & ~hopeless).any():
        # Sizes with too few replicates for a bounded interval: double them before anything else.
        added[open_ended & ~hopeless] = np.ceil(counts / lengths)[open_ended & ~hopeless]
        return added
    horizon = _HORIZON * float((counts * costs).sum())
    spent = float((counts * costs).sum())
    splits = _with_floor(_candidates(design, counts, means, exponents))
    targets = np.maximum(counts, splits * horizon / costs)
    # Some sizes already have more than their share: compare splits at equal total cost.
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
