"""Numbers with intervals.

The t statistic T = (estimate − truth)/error of a mean of n independent values with skewness γ is not symmetric: with
s = γ/√n, the skewness of the mean, T + s/6 + (s/3) T² is normal to the next order (Johnson 1978). The end of an
interval on the side of the longer tail is found from (e^{2aT} − 1)/(2a) + s/6, a = s/3, which has the same expansion
and increases everywhere. The other end is that of the symmetric interval: the same formula would move it towards the
estimate, which is right for a known s, but loses coverage where s is overestimated. The symmetric interval misses too
often by 2zφ(z)(z⁴ + 2z² − 3)s²/18, z its normal quantile (Hall 1992); where this exceeds the level itself, s is too
large for an expansion, and the interval is marked as not trustworthy.

Few values hardly show their skewness. Curvatures are means of contributions that mostly have one sign. Whatever their
number, the ratio of skewness to coefficient of variation of a mean is that of one contribution: 2 for a gamma law
(squares of Gaussian data), c² + 3 for a log-normal law of coefficient of variation c. Values of one sign are given at
least four times their coefficient of variation, the ratio of a log-normal law with c = 1.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from scipy.stats import norm
from scipy.stats import t as student

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen, returns_data, returns_figure

LEVEL = 0.95
"""Coverage of every interval."""
_NORMAL = float(norm.ppf(0.5 + LEVEL / 2))
_SKEWED = math.sqrt(18 * (1 - LEVEL) / (2 * _NORMAL * norm.pdf(_NORMAL) * (_NORMAL**4 + 2 * _NORMAL**2 - 3)))
"""Skewness of a mean, 0.45, at which a symmetric interval misses twice as often as its level says."""
_BEND = 0.9
"""Largest 2a|T| of the transformation, which must be below one."""
_FEW = 5
"""Values from which a skewness is estimated."""
_ONE_SIGN = 4.0
"""Least skewness of values of one sign, in units of their coefficient of variation."""


@frozen
class Measured:
    """A number with its standard error and a 95 % interval.

    Examples
    --------
    >>> print(Measured(2.0, 0.1, 1.8, 2.2))
    2 [1.8, 2.2]
    """

    value: float
    error: float
    """Estimate and standard error."""
    low: float
    high: float
    """Ends of the interval."""
    trustworthy: bool = True
    """False if the values behind the estimate are so skewed, or so few, that the interval may miss more often than its
    level says."""

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.value:.4g}"
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"

    @property
    def note(self) -> str:
        """A remark if the interval is not trustworthy, else nothing."""
        return "" if self.trustworthy else " (skewed: not trustworthy with so few samples)"

    @property
    def relative(self) -> float:
        """Half the length of the interval over the absolute value; infinite for the value zero."""
        half = (self.high - self.low) / 2
        return 0.0 if half == 0 else half / abs(self.value) if self.value else math.inf

    @returns_figure
    def plot(self) -> Any:
        """Draw the estimate with its interval."""
        from rmtsim.plots._hessian import interval_figure

        return interval_figure({"estimate, 95 %": self})

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self)


def quantile(degrees: float) -> float:
    """Two-sided quantile of Student's law."""
    return float(student.ppf(0.5 + LEVEL / 2, max(degrees, 1.0)))


def interval(value: float, error: float, degrees: float) -> Measured:
    """Estimate ± quantile times error.

    >>> interval(1.0, 0.0, 5)
    Measured(value=1.0, error=0.0, low=1.0, high=1.0, trustworthy=True)
    """
    half = quantile(degrees) * error if error else 0.0
    return Measured(value, error, value - half, value + half)


def positive_interval(value: float, error: float, degrees: float) -> Measured:
    """The same on a logarithmic scale, for numbers that are positive."""
    if not error or value <= 0:
        return interval(value, error, degrees)
    factor = math.exp(min(quantile(degrees) * error / value, 700.0))
    return Measured(value, error, value / factor, value * factor)


def skewed_interval(value: float, error: float, weights: Array, values: Array, degrees: float) -> Measured:
    """Interval about a weighted mean of skewed values, or about an estimate that is one to first order.

    >>> import numpy as np
    >>> found = skewed_interval(1.0, 0.1, np.full(10, 0.1), np.linspace(0.5, 1.5, 10), 9)
    >>> bool(1.0 - found.low < found.high - 1.0), found.trustworthy
    (True, True)
    """
    count = len(values)
    moved = weights * (values - weights @ values)
    scale = math.hypot(*moved)
    if not error or not scale:
        return interval(value, error, degrees)
    sign = -1.0 if value < 0 else 1.0
    varying = error / abs(value) if value and (sign * values > 0).all() else 0.0
    seen = chance = 0.0
    if count >= _FEW:
        seen = sign * math.sqrt(count * (count - 1)) / (count - 2) * float(((moved / scale) ** 3).sum())
        # The 99 % point of the skewness of as many normal values.
        spread = 6 * (count - 1) / ((count - 2) * (count + 1) * (count + 3))
        chance = float(norm.ppf(0.99)) * math.sqrt(spread)
    outer = _reach(max(_ONE_SIGN * varying, seen), degrees) * error
    inner = _reach(0.0 if varying else -seen, degrees) * error
    low, high = (value - inner, value + outer) if sign > 0 else (value - outer, value + inner)
    shown = seen if varying else abs(seen)
    return Measured(value, error, low, high, 2 * varying <= _SKEWED and shown <= max(_SKEWED, chance))


def _reach(skew: float, degrees: float) -> float:
    """Errors from the estimate to the end of its interval on the side where the mean has this skewness."""
    wide = quantile(degrees)
    skew = min(skew, _SKEWED)
    bend = min(skew / 3, _BEND / 2 / (wide + skew / 6))
    return -math.log1p(-2 * bend * (wide + skew / 6)) / (2 * bend) if bend > 0 else wide
