"""Masses of coinciding eigenvalues and the density of the others, for any spectrum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen

LEAST = 10
"""Least number of non-zero eigenvalues of a bulk."""
_TIED = 3
"""Number of coinciding non-zero eigenvalues from which on the matrix is not considered noise."""
_CHUNK = 1_000_000
"""Kernel values computed at a time."""
_FENCES = 3.0
"""Tukey's outer fences lie this many quartile ranges beyond the quartiles."""


@frozen
class Mass:
    """Eigenvalues that coincide to rounding.

    See Also
    --------
    Spectrum.masses : The masses of a measured spectrum, the largest value first.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import spectrum
    >>> spectrum(np.diag([0.0, 0.0, 0.0, 1.0])).masses
    (Mass(value=1.0, count=1, share=0.25), Mass(value=0.0, count=3, share=0.75))
    """

    value: float
    """Their mean; zero if they are zero to rounding."""
    count: int
    """Number of eigenvalues. It is one only if a single eigenvalue lies outside all masses: one value has no density,
    so that it counts as a mass too."""
    share: float
    """Their share of all eigenvalues."""


def rounding(values: FloatArray) -> float:
    """Distance below which eigenvalues of a matrix of this size cannot be distinguished."""
    return 10 * values.size * float(np.finfo(np.float64).eps) * float(np.abs(values).max())


def coinciding(values: FloatArray, dimension: int) -> tuple[tuple[Mass, ...], FloatArray]:
    """Masses in decreasing order of their value, and the other eigenvalues, decreasing.

    ``dimension`` counts zero eigenvalues that are not among the values. A value that has no other beside it is no
    mass, unless it is the only one.
    """
    falling = np.sort(values)[::-1]
    near = rounding(falling)
    falling = np.where(np.abs(falling) <= near, 0.0, falling)
    bounds = np.concatenate([[0], np.flatnonzero(-np.diff(falling) > near) + 1, [falling.size]])
    missing = dimension - falling.size
    masses, single = [], np.ones(falling.size, dtype=bool)
    for place in np.flatnonzero(np.diff(bounds) > 1).tolist():
        members = slice(bounds[place], bounds[place + 1])
        group = falling[members]
        # A chain of neighbours that is much longer than the rounding error is a dense part of the spectrum.
        if group[0] - group[-1] <= 2 * near:
            value = 0.0 if (group == 0).any() else float(np.clip(group.mean(), group[-1], group[0]))
            masses.append((value, group.size + (missing if value == 0 else 0)))
            single[members] = False
    rest = falling[single]
    if missing and not any(value == 0 for value, _ in masses):
        zeros = int((rest == 0).sum())
        masses.append((0.0, missing + zeros))
        rest = rest[rest != 0]
    if rest.size == 1:
        masses.append((float(rest[0]), 1))
        rest = rest[:0]
    masses.sort(reverse=True)
    return tuple(Mass(value, count, count / dimension) for value, count in masses), rest


def no_bulk(masses: tuple[Mass, ...], rest: FloatArray, dimension: int) -> str:
    """Why these eigenvalues have no bulk that could be fitted; empty if they may have one."""
    tied = [mass for mass in masses if mass.value != 0 and mass.count > 1]
    if not rest.size and all(mass.value == 0 for mass in masses):
        return "all eigenvalues are zero"
    count = sum(mass.count for mass in tied)
    if count >= _TIED:
        places = ", ".join(f"{mass.value:.4g}" for mass in tied[:3]) + (", …" if len(tied) > 3 else "")
        return f"{count} of {dimension} eigenvalues coincide with others (at {places}), which noise does not have"
    if rest.size + sum(mass.count for mass in masses if mass.value != 0) < LEAST:
        return f"fewer than {LEAST} eigenvalues are not zero, which is too few for a bulk"
    return ""


def kernel_density(values: FloatArray, x: ArrayLike, width: float | None, weight: float) -> Any:
    """Density of ``values`` at x with Gaussian kernels, of the total mass ``weight``."""
    points = validate.real_array("x", x, meaning="where the density is evaluated")
    if width is not None:
        width = validate.positive_number("width", width, meaning="standard deviation of a kernel")
    if not values.size:
        result = np.zeros(points.shape)
        return result if points.ndim else 0.0
    if width is None:
        width = _rule_of_thumb(values)
    flat = points.ravel()
    sums = np.empty(flat.size)
    step = max(_CHUNK // values.size, 1)
    with np.errstate(under="ignore", over="ignore"):
        for start in range(0, flat.size, step):
            scores = (flat[start : start + step, None] - values[None, :]) / width
            sums[start : start + step] = np.exp(-0.5 * scores**2).mean(axis=1)
    result = (weight / (width * math.sqrt(2 * math.pi)) * sums).reshape(points.shape)
    return result if points.ndim else float(result)


def _rule_of_thumb(values: FloatArray) -> float:
    """Silverman's width 0.9 min(deviation, quartile range/1.34) n^(-1/5)."""
    low, high = np.quantile(values, [0.25, 0.75])
    spreads = [spread for spread in (float(values.std()), float(high - low) / 1.34) if spread > 0]
    # Different values have a deviation; only that of neighbouring doubles rounds to zero.
    spread = min(spreads) if spreads else float(np.spacing(np.abs(values).max()))
    return float(0.9 * spread * values.size**-0.2)


def far_out(values: FloatArray) -> NDArray[np.bool_]:
    """Which of the values lie beyond Tukey's outer fences, three quartile ranges beyond the quartiles."""
    if values.size < 4:
        return np.zeros(values.shape, dtype=bool)
    low, high = np.quantile(values, [0.25, 0.75])
    reach = _FENCES * (high - low)
    return np.asarray((values < low - reach) | (values > high + reach))
