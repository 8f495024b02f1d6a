"""Limits of sequences computed without noise: extrapolation over the declared exponents.

For an exponent p the values are interpolated by L + a₁n^-p + … + a_m n^-mp through the last m + 1 sizes. The
order whose limit moved least from the order before is taken, and three times that move (plus the values'
own error, amplified by the weights) is its half-width: where it converges at all, each order gains
more than a factor two, so the move overstates the error that is left. An exponent that is not in the data
moves visibly; exponents with half-widths far above the best one are inadmissible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate

__all__ = ["Extrapolation", "extrapolate", "sequence", "slow_extrapolations"]

_SAFETY = 3.0
_ADMISSIBLE = 30.0


@dataclass(frozen=True)
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


def _weights(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of the values in the limit of the interpolant (Lagrange's at zero, in powers of x)."""
    weights = np.ones(len(x))
    for k in range(len(x)):
        others = np.delete(x, k)
        weights[k] = np.prod(others / (others - x[k]))
    return weights


def _extrapolated(
    x: NDArray[np.float64], values: NDArray[np.float64], errors: NDArray[np.float64], exponent: float
) -> Extrapolation:
    """Orders one by one; ``x`` is the correction at each size, and ``exponent`` what it is called."""
    limits, propagated, rows = [values[-1]], [errors[-1]], [np.ones(1)]
    for order in range(1, len(values)):
        weights = _weights(x[-order - 1 :])
        limits.append(float(weights @ values[-order - 1 :]))
        propagated.append(float(np.abs(weights) @ errors[-order - 1 :]))
        rows.append(weights)
    moves = np.abs(np.diff(limits))
    totals = _SAFETY * moves + np.array(propagated[1:])
    best = int(np.argmin(totals)) + 1
    return Extrapolation(
        exponent,
        float(limits[best]),
        float(totals[best - 1]),
        float(propagated[best]),
        (0.0,) * (len(values) - best - 1) + tuple(rows[best].tolist()),
    )


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
    """Admissible exponents' limits of ``values``, each known within its error; at least three sizes.

    >>> sizes = (100, 200, 400, 800)
    >>> best = extrapolate(sizes, [1 + 2 / n + 5 / n**2 for n in sizes], [1e-15] * 4, (0.5, 1.0))[0]
    >>> best.exponent, abs(best.limit - 1) < best.error < 1e-4
    (1.0, True)
    """
    n, v, e = sequence(sizes, values, errors)
    if len(n) < 3:
        raise ValueError(f"sizes={tuple(sizes)}: expected at least three sizes for an extrapolation")
    powers = validate.real_array("exponents", exponents, meaning="finite-size corrections size^-p")
    if powers.ndim != 1 or not powers.size or powers.min() <= 0 or powers.max() > _LARGEST_EXPONENT:
        raise ValueError(
            f"exponents={exponents!r:.60}: expected one or more numbers in (0, {_LARGEST_EXPONENT:g}]"
        )
    exponents = powers.tolist()
    tried = sorted({*exponents, *_observed(n, v, e, min(exponents))})
    found = [_extrapolated((n / n[-1]) ** -p, v, e, float(p)) for p in tried]
    found.sort(key=lambda item: item.error)
    return [item for item in found if item.error <= _ADMISSIBLE * found[0].error]


def slow_extrapolations(
    sizes: Sequence[float],
    values: Sequence[float],
    errors: Sequence[float],
    corrections: Sequence[tuple[float, NDArray[np.float64]]],
    best: float,
) -> list[Extrapolation]:
    """Limits under slower ``corrections`` (what each is called, and its size) that fit about as well as ``best``.

    ``best`` is the half-width of the best declared exponent: a correction that leaves far more is not in the data.
    """
    v, e = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    found = [_extrapolated(x, v, e, speed) for speed, x in corrections]
    return [item for item in found if item.error <= _ADMISSIBLE * best]


def _observed(
    sizes: NDArray[np.float64], values: NDArray[np.float64], errors: NDArray[np.float64], slowest: float
) -> list[float]:
    """The free exponent: that with which the last three values lie on L + a·n^-p, if they are monotone."""
    first, second = values[-2] - values[-3], values[-1] - values[-2]
    if abs(second) <= 4 * errors[-3:].max() or first * second <= 0:
        return []
    low, middle, high = sizes[-3:] / sizes[-1]

    def ratio(p: float) -> float:
        return float((middle**-p - low**-p) / (high**-p - middle**-p))

    grid = np.linspace(slowest, 4.0, 800)
    gaps = np.array([ratio(p) for p in grid]) - first / second
    change = np.flatnonzero(np.diff(np.sign(gaps)))
    return [] if len(change) == 0 or not math.isfinite(gaps[change[0]]) else [float(grid[change[0]])]
