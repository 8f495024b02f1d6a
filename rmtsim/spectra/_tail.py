"""A power law for the tail of a spectrum, by maximum likelihood above a cut chosen by Kolmogorov distance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen

_LEAST = 10
"""Eigenvalues that a tail needs."""
_CUTS = 200
"""Cuts that are tried at most."""


@frozen
class PowerTail:
    """Power law fitted to the largest eigenvalues: density proportional to λ^(−exponent) above a cut.

    See Also
    --------
    power_tail : Fits one to eigenvalues.
    Spectrum.tail : That of a spectrum whose bulk does not fit its law.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import power_tail
    >>> tail = power_tail((1 - (np.arange(400) + 0.5) / 400) ** -0.5)
    >>> tail.count >= 10, bool(tail.distance < 0.02)
    (True, True)
    """

    exponent: float
    """Exponent of the density."""
    error: float
    """``(exponent − 1)/√count``, the standard error for independent values; only a guide for eigenvalues, which
    repel."""
    cut: float
    """Beginning of the tail."""
    count: int
    """Number of eigenvalues above the cut."""
    distance: float
    """Kolmogorov distance between these and the fitted law."""


def power_tail(eigenvalues: ArrayLike) -> PowerTail | None:
    """Fit a power law to the largest eigenvalues.

    Parameters
    ----------
    eigenvalues : array_like
        Eigenvalues; those that are not positive are ignored.

    Returns
    -------
    PowerTail or None
        Exponent, cut and distance; None if there are fewer than twenty positive eigenvalues.

    Notes
    -----
    Hill's estimator [1]_ above the cut that minimises the Kolmogorov distance [2]_; at most half of the eigenvalues
    belong to the tail.

    References
    ----------
    .. [1] B. M. Hill, "A simple general approach to inference about the tail of a distribution", Ann. Statist. 3
       (1975).
    .. [2] A. Clauset, C. R. Shalizi and M. E. J. Newman, "Power-law distributions in empirical data", SIAM Rev. 51
       (2009).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import power_tail
    >>> values = (1 - (np.arange(400) + 0.5) / 400) ** -0.5     # P(λ > x) = x^-2: density exponent 3
    >>> tail = power_tail(values)
    >>> round(tail.exponent, 1), tail.count >= 10
    (3.0, True)
    """
    values = np.sort(validate.real_array("eigenvalues", eigenvalues, meaning="a spectrum").ravel())[::-1]
    values = values[values > 0]
    best: PowerTail | None = None
    most = values.size // 2
    if most < _LEAST:
        return None
    logs = np.log(values)
    sums = np.cumsum(logs)
    for count in np.unique(np.linspace(_LEAST, most, min(_CUTS, most - _LEAST + 1)).astype(int)):
        cut = logs[count]
        mean = float(sums[count - 1] / count - cut)
        if not mean > 0:
            continue
        distance = _distance(logs[:count] - cut, mean)
        if best is None or distance < best.distance:
            rate = 1 / mean
            best = PowerTail(1 + rate, rate / math.sqrt(count), math.exp(cut), int(count), distance)
    return best


def _distance(excess: NDArray[np.float64], mean: float) -> float:
    """Kolmogorov distance of log(λ/cut), decreasing, from an exponential law."""
    survival = np.exp(-excess / mean)
    ranks = np.arange(excess.size + 1) / excess.size
    return float(max(np.abs(survival - ranks[1:]).max(), np.abs(survival - ranks[:-1]).max()))
