"""Limits of sequences computed without noise: extrapolation over the declared exponents.

For an exponent p the values are interpolated by L + a₁n^-p + … + a_m n^-mp through the last m + 1 sizes, and through
the m + 1 before the last. The highest order is taken (a lower one where rounding, amplified by the weights, exceeds
what the series leaves out), and its half-width is three times the larger of two changes: of the limit from the order
before, and of that order's limit from the window before. If the exponent is right, both exceed the remaining error;
if it is not (log n/n under 1/n), orders may agree with each other while windows do not. (Choosing the order with the
smallest change often misses the limit, if coefficients are of order one.) Exponents with half-widths far above the
best one are inadmissible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen

_SAFETY = 3.0
_CAUTION = 4.0
_ADMISSIBLE = 30.0


@frozen
class Extrapolation:
    """One exponent's limit."""

    exponent: float
    limit: float
    error: float
    """Half-width: truncation and propagated error of the values."""
    propagated: float
    weights: tuple[float, ...] = ()
    """Of the values in the limit."""

    @property
    def ends(self) -> tuple[float, float]:
        """The interval for the limit."""
        return self.limit - self.error, self.limit + self.error


def _factors(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Factors x_j/(x_j - x_k), (…, j, k), of which the weights of every window of sizes are products; one if j = k."""
    gaps = x[..., :, None] - x[..., None, :]
    same = np.arange(x.shape[-1])
    gaps[..., same, same] = 1.0
    found = x[..., :, None] / gaps
    found[..., same, same] = 1.0
    return np.asarray(found)


def _weights(factors: NDArray[np.float64], first: int, after: int) -> NDArray[np.float64]:
    """Weights of values number ``first`` to ``after`` in the interpolant's limit (Lagrange's at 0, in powers of x)."""
    return np.asarray(np.multiply.reduce(factors[..., first:after, first:after], axis=-2))


def _extrapolated(
    x: NDArray[np.float64],
    values: NDArray[np.float64],
    errors: NDArray[np.float64],
    exponents: Sequence[float],
) -> list[Extrapolation]:
    """Extrapolations of increasing order; rows of ``x`` are corrections at each size, ``exponents`` their labels."""
    count = len(values)
    factors = _factors(x)
    rows = [_weights(factors, count - 1 - order, count) for order in range(count)]
    before = [_weights(factors, count - 2 - order, count - 1) for order in range(count - 1)]
    limits = np.stack([np.vecdot(row, values[-row.shape[-1] :]) for row in rows], axis=-1)
    propagated = np.stack([np.vecdot(np.abs(row), errors[-row.shape[-1] :]) for row in rows], axis=-1)
    earlier = np.stack([np.vecdot(row, values[-row.shape[-1] - 1 : -1]) for row in before], axis=-1)
    steps = np.abs(np.diff(limits))
    moves = np.maximum(steps, np.abs(limits[:, :-1] - earlier))
    found = []
    for k, exponent in enumerate(exponents):
        order, left_out = _chosen_order(steps[k].tolist(), moves[k].tolist(), propagated[k].tolist())
        found.append(
            Extrapolation(
                exponent,
                float(limits[k, order]),
                float(left_out + propagated[k, order]),
                float(propagated[k, order]),
                (0.0,) * (count - order - 1) + tuple(rows[order][k].tolist()),
            )
        )
    return found


def _chosen_order(steps: list[float], moves: list[float], propagated: list[float]) -> tuple[int, float]:
    """The chosen order, and the estimated remainder of its series."""
    count = len(propagated)
    if count <= 3:
        # One change between windows may be small by chance, so the first change counts as well.
        return 1, _SAFETY * max(steps[0], moves[-1] if count == 3 else 0.0)
    totals = [_SAFETY * move + error for move, error in zip(moves, propagated[1:], strict=True)]
    order = count - 1
    while order > 1 and propagated[order] > totals[order - 1] / 2 and totals[order - 2] < totals[order - 1]:
        order -= 1
    return order, _SAFETY * moves[order - 1]


_LARGEST_EXPONENT = 16.0


def sequence(
    sizes: Sequence[float], values: Sequence[float], errors: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Values known within errors at increasing sizes, as arrays of one length."""
    n, v, e = (
        validate.real_array(name, item)
        for name, item in (("sizes", sizes), ("values", values), ("errors", errors))
    )
    if n.ndim != 1 or len(n) < 2 or n.min() <= 0 or n.max() > 1e18 or (np.diff(n) <= 0).any():
        raise ValueError(f"sizes={sizes!r:.60}: expected at least two increasing numbers > 0, at most 1e18")
    for name, item in (("values", v), ("errors", e)):
        if item.shape != n.shape or np.abs(item).max() > 1e150:
            raise ValueError(
                f"{name} of shape {item.shape}: expected {len(n)} numbers within ±1e150, one per size"
            )
    if e.min() < 0:
        raise ValueError(f"errors={errors!r:.60}: expected numbers >= 0")
    return n, v, e


def extrapolate(
    sizes: Sequence[float],
    values: Sequence[float],
    errors: Sequence[float],
    exponents: Sequence[float],
) -> list[Extrapolation]:
    """Admissible exponents' limits of ``values``, each known within its error; at least two sizes.

    The free exponent, with which the last three values lie on one power, is added to the declared ones and excludes
    none of them, because it fits those values by construction.

    >>> sizes = (100, 200, 400, 800)
    >>> best = extrapolate(sizes, [1 + 2 / n + 5 / n**2 for n in sizes], [1e-15] * 4, (0.5, 1.0))[0]
    >>> best.exponent, abs(best.limit - 1) < best.error < 1e-3
    (1.0, True)
    """
    n, v, e = sequence(sizes, values, errors)
    powers = validate.real_array("exponents", exponents, meaning="finite-size corrections size^-p")
    if powers.ndim != 1 or not powers.size or powers.min() <= 0 or powers.max() > _LARGEST_EXPONENT:
        raise ValueError(
            f"exponents={exponents!r:.60}: expected one or more numbers in (0, {_LARGEST_EXPONENT:g}]"
        )
    exponents = powers.tolist()
    declared, free = (
        _under([((n / n[-1]) ** -p, float(p)) for p in sorted(set(tried))], v, e)
        for tried in (exponents, _observed(n, v, e, min(exponents)))
    )
    declared.sort(key=lambda item: item.error)
    return [item for item in (*declared, *free) if item.error <= _ADMISSIBLE * declared[0].error]


def cautious_ends(
    sizes: Sequence[float], values: Sequence[float], errors: Sequence[float], exponents: Sequence[float]
) -> tuple[float, float]:
    """Interval that a refutation must exclude: the limits of three successive orders, each with four times its last
    change.

    In a high order the small sizes have hardly any weight, so the agreement of high orders shows little where values
    pass through a transition or oscillate. Hence the two orders below the highest count as well, each with the change
    when its window moves by one size; and windows do not extend beyond the last turning point of the values.

    >>> sizes = (100, 200, 400, 800)
    >>> low, high = cautious_ends(sizes, [1 + 2 / n + 5 / n**2 for n in sizes], [1e-15] * 4, (1.0,))
    >>> low < 1 < high < 1.001
    True
    """
    n, v, e = sequence(sizes, values, errors)
    count = len(v)
    steps = np.sign(np.where(np.abs(np.diff(v)) <= e[1:] + e[:-1], 0.0, np.diff(v)))
    turns = np.flatnonzero(steps[1:] * steps[:-1] < 0)
    highest = count - 1 if len(turns) == 0 else count - 2 - int(turns[-1])
    ends = []
    for p in exponents:
        factors = _factors((n / n[-1]) ** -p)
        for order in range(max(1, highest - 2), highest + 1):
            row = _weights(factors, count - 1 - order, count)
            limit = float(row @ v[count - 1 - order :])
            first = max(0, count - 2 - order)
            window = _weights(factors, first, count - 1)
            move = abs(limit - float(window @ v[first : count - 1]))
            half = _CAUTION * move + float(np.abs(row) @ e[count - 1 - order :])
            ends.append((limit - half, limit + half))
    return min(low for low, _ in ends), max(high for _, high in ends)


def slow_extrapolations(
    sizes: Sequence[float],
    values: Sequence[float],
    errors: Sequence[float],
    corrections: Sequence[tuple[float, NDArray[np.float64]]],
    best: float,
) -> list[Extrapolation]:
    """Limits under slower ``corrections`` (label and size of each) that fit about as well as ``best``.

    ``best`` is the half-width of the best declared exponent: a correction with a much larger one does not describe
    the data.
    """
    v, e = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    found = _under([(x, speed) for speed, x in corrections], v, e)
    return [item for item in found if item.error <= _ADMISSIBLE * best]


def _under(
    corrections: Sequence[tuple[NDArray[np.float64], float]],
    values: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> list[Extrapolation]:
    """Limits under each of some corrections, given with what it is called."""
    if not corrections:
        return []
    return _extrapolated(
        np.stack([x for x, _ in corrections]), values, errors, [name for _, name in corrections]
    )


def _observed(
    sizes: NDArray[np.float64], values: NDArray[np.float64], errors: NDArray[np.float64], slowest: float
) -> list[float]:
    """The free exponent: that with which the last three values lie on L + a·n^-p, if they are monotone."""
    if len(values) < 3:
        return []
    first, second = values[-2] - values[-3], values[-1] - values[-2]
    if abs(second) <= 4 * errors[-3:].max() or first * second <= 0:
        return []
    grid, ratios = _ratios_of_steps(tuple((sizes[-3:] / sizes[-1]).tolist()), slowest)
    gaps = ratios - first / second
    change = np.flatnonzero(np.diff(np.sign(gaps)))
    return [] if len(change) == 0 or not math.isfinite(gaps[change[0]]) else [float(grid[change[0]])]


@lru_cache(maxsize=64)
def _ratios_of_steps(
    sizes: tuple[float, ...], slowest: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exponents from the slowest on, and how the steps between three sizes compare under each."""
    low, middle, high = np.array(sizes)

    def ratio(p: float) -> float:
        return float((middle**-p - low**-p) / (high**-p - middle**-p))

    grid = np.linspace(slowest, 4.0, 800)
    return grid, np.array([ratio(p) for p in grid])
