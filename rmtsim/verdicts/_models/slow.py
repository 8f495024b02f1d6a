"""Corrections slower than the declared ones, and the slowest under which a verdict holds (the breakdown point).

No finite set of sizes can exclude a correction that is slow enough, so a verdict states its *breakdown point*: the
slowest exponent p down to which a further term a·x^p does not change it. The slow term is added to the terms that the
data need: another power (declared, or 2p, p + ½, p + 1), the best model with one amplitude, or, where no such model
passes, two declared terms. Logarithms, g = 1/(1 + log(n/n₁)/c) with g² or a declared power, count as the slowest
plausible correction: 1/log n itself has c = log n₁, and a grid of c in place of the size's own logarithm makes the
answer independent of the unit of size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.verdicts._models.family import (
    APART,
    FASTEST,
    RATE_CORRECTION,
    TWO_TERM_SIZES,
    Branch,
    Family,
    second_exponents,
)

SLOWEST_USUAL = 0.25
"""If no exponents are declared, a verdict must hold for every power down to this one: random-matrix quantities have
corrections from n^-1/3 (edges, in units of their fluctuations) on."""

SLOWEST_PLAUSIBLE = 0.1
"""Unless it holds for every power down to this one and for 1/log n too, such a verdict says so in its first line."""

SLOWEST_TRIED = 0.02
"""Smallest exponent that is tried; a hundredfold size reduces such a correction by less than a tenth."""

_STEPS = 24
_LOGARITHMS = np.geomspace(0.5, 8.0, 9)
"""Values of c: log n₁ for smallest sizes from 2 to 3000, where size is counted in its natural unit."""


@frozen
class SlowFamily:
    """Models with the exponent that each represents."""

    family: Family
    speeds: NDArray[np.float64]


def exponents_tried(declared: tuple[float, ...]) -> NDArray[np.float64]:
    """From just below the slowest declared exponent downwards, with the usual and the slowest plausible one."""
    start = min(declared)
    if start <= SLOWEST_TRIED:
        return np.empty(0)
    grid = np.geomspace(start, SLOWEST_TRIED, _STEPS + 1)[1:]
    grid = np.append(grid, [p for p in (SLOWEST_USUAL, SLOWEST_PLAUSIBLE) if start > p])
    return np.unique(grid)[::-1]


Columns = tuple[float, tuple[NDArray[np.float64], ...]]
"""Exponent that a model represents, and its free terms."""


def _linear(sizes: tuple[int, ...], columns: Sequence[Columns]) -> SlowFamily:
    """A family of free amplitudes; all models have as many."""
    speeds = np.array([speed for speed, _ in columns])
    forms = np.array([terms for _, terms in columns], dtype=float)
    count, shape = len(speeds), (len(speeds), len(sizes))
    family = Family(
        "two free terms",
        sizes,
        (Branch("slow", None),),
        np.zeros(count, dtype=np.int_),
        speeds,
        np.zeros(count),
        np.zeros(shape),
        np.ones(shape),
        forms,
        (0.0, 0.0),
    )
    return SlowFamily(family, speeds)


def slow_corrections(
    sizes: tuple[float, ...], declared: tuple[float, ...]
) -> list[tuple[float, NDArray[np.float64]]]:
    """Single corrections slower than the declared ones for sequences without noise, each with its exponent."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    found = [(float(p), n**-p) for p in exponents_tried(declared)]
    if found and min(declared) > SLOWEST_PLAUSIBLE:
        found += [(SLOWEST_PLAUSIBLE, 1 / (1 + np.log(n) / c)) for c in _LOGARITHMS]
    return found


@lru_cache(maxsize=256)
def _alone_or_in_pairs(sizes: tuple[int, ...], declared: tuple[float, ...]) -> SlowFamily | None:
    """Slow terms with one other; alone where there are too few sizes for two."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    slow = slow_corrections(sizes, declared)
    if not slow:
        return None
    if len(sizes) < TWO_TERM_SIZES:
        return _linear(sizes, [(speed, (term,)) for speed, term in slow])
    columns: list[Columns] = []
    for speed, term in slow[: len(exponents_tried(declared))]:
        seconds = {*second_exponents(speed), *declared}
        columns += [(speed, (term, n**-q)) for q in sorted(seconds) if q > 1.01 * speed]
    for speed, term in slow[len(exponents_tried(declared)) :]:
        columns += [(speed, (term, term**2)), *((speed, (term, n**-q)) for q in declared)]
    return _linear(sizes, columns)


def slow_families(
    sizes: tuple[int, ...],
    declared: tuple[float, ...],
    needed: Sequence[tuple[NDArray[np.float64], ...]],
    *,
    flat: bool = False,
) -> list[SlowFamily]:
    """Slow corrections of a limit beside each of the combinations of terms that the data ``needed``.

    ``flat`` data need none: the slow term is then tried alone.
    """
    slow = slow_corrections(sizes, declared)
    if flat and slow:
        return [_linear(sizes, [(speed, (term,)) for speed, term in slow])]
    first = _alone_or_in_pairs(sizes, declared)
    if first is None:
        return []
    found = [first]
    for count in sorted({len(terms) for terms in needed}):
        if 1 + count >= len(sizes):
            continue  # it would describe any values
        mine = [terms for terms in needed if len(terms) == count]
        found.append(_linear(sizes, [(speed, (term, *terms)) for speed, term in slow for terms in mine]))
    return found


@lru_cache(maxsize=256)
def slow_alone(sizes: tuple[int, ...], declared: tuple[float, ...], *, squares: bool) -> list[SlowFamily]:
    """Slow corrections without another power: single ones, and with ``squares`` g and g² of logarithms."""
    slow = slow_corrections(sizes, declared)
    found = [_linear(sizes, [(speed, (term,)) for speed, term in slow])] if slow else []
    logarithms = slow[len(exponents_tried(declared)) :]
    if squares and logarithms and len(sizes) >= TWO_TERM_SIZES:
        found.append(_linear(sizes, [(speed, (term, term**2)) for speed, term in logarithms]))
    return found


@lru_cache(maxsize=256)
def near_pairs(sizes: tuple[int, ...], declared: tuple[float, ...]) -> list[tuple[float, float, Family]]:
    """Two declared powers at once that are so close that the other models treat them as alternatives."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    near = [(p, q) for p, q in itertools.combinations(sorted(set(declared)), 2) if q <= APART * p]
    if len(sizes) < TWO_TERM_SIZES:
        return []
    return [(p, q, _linear(sizes, [(p, (n**-p, n**-q))]).family) for p, q in near]


@lru_cache(maxsize=256)
def free_powers(sizes: tuple[int, ...], terms: int) -> SlowFamily:
    """One power, or a power with its multiples, for every exponent from the slowest plausible to the fastest."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    grid = np.geomspace(SLOWEST_PLAUSIBLE, FASTEST, 8 * _STEPS + 1)
    return _linear(sizes, [(p, tuple(n ** -(k * p) for k in range(1, terms + 1))) for p in grid.tolist()])


LARGE_CORRECTIONS = (2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0)
"""Relative corrections of a rate, at the smallest size, of which a refutation warns."""


@lru_cache(maxsize=256)
def large_corrections(sizes: tuple[int, ...], declared: tuple[float, ...]) -> SlowFamily:
    """Powers with a larger relative correction than the models of a rate have; speeds are how large it is."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    powers = np.union1d(declared, np.geomspace(min(declared), max(FASTEST, 2 * min(declared)), 12))
    rows = [(tau, np.log1p(tau * n**-p)) for tau in LARGE_CORRECTIONS for p in powers.tolist()]
    return _relative(sizes, rows)


@lru_cache(maxsize=256)
def slow_rates(sizes: tuple[int, ...], declared: tuple[float, ...]) -> SlowFamily | None:
    """Slow relative corrections of a power: 1 + τx^p, and powers of logarithms."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    tried = exponents_tried(declared)
    if len(tried) == 0:
        return None
    taus = np.linspace(*RATE_CORRECTION, 12)
    rows = [(p, np.log1p(tau * n**-p)) for p in tried.tolist() for tau in taus.tolist()]
    if min(declared) > SLOWEST_PLAUSIBLE:
        rows += [
            (SLOWEST_PLAUSIBLE, power * np.log1p(np.log(n) / c))
            for c in _LOGARITHMS
            for power in (-1.0, -0.5, 0.5, 1.0)
        ]
    return _relative(sizes, rows)


def _relative(sizes: tuple[int, ...], rows: Sequence[tuple[float, NDArray[np.float64]]]) -> SlowFamily:
    """Powers of the size with given relative corrections, in logarithms."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    speeds = np.array([speed for speed, _ in rows])
    offsets = np.array([offset for _, offset in rows])
    shape = offsets.shape
    family = Family(
        "rate",
        sizes,
        (Branch("slow", None),),
        np.zeros(len(speeds), dtype=np.int_),
        speeds,
        np.ones(len(speeds)),
        offsets,
        np.broadcast_to(-np.log(n), shape),
        np.ones((shape[0], 1, shape[1])),
        (0.0, 0.0),
    )
    return SlowFamily(family, speeds)


def breakdown_of(
    speeds: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    admissible: NDArray[np.bool_],
    interval: tuple[float, float],
    stands: Callable[[tuple[float, float]], bool],
    declared: tuple[float, ...],
) -> float:
    """Slowest exponent down to which the verdict holds, with the models' intervals joined to ``interval``.

    >>> speeds = np.array([0.4, 0.3, 0.2])
    >>> ends = np.array([1.1, 1.2, 2.5])
    >>> everything = np.ones(3, dtype=bool)
    >>> breakdown_of(speeds, 0 * ends, ends, everything, (0.0, 1.0), lambda ends: ends[1] < 2, (0.5,))
    0.3
    """
    reached = min(declared)
    least, greatest = interval
    for speed in sorted(set(speeds.tolist()), reverse=True):
        mine = (speeds == speed) & admissible
        if mine.any():
            least = min(least, float(low[mine].min()))
            greatest = max(greatest, float(high[mine].max()))
            if math.isnan(least + greatest) or not stands((least, greatest)):
                return reached
        reached = speed
    return reached
