"""Numbers with intervals."""

from __future__ import annotations

import math
from typing import Any

from scipy.stats import t as student

from rmtsim._internal.docstrings import frozen

LEVEL = 0.95
"""Coverage of every interval."""


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

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.value:.4g}"
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"

    @property
    def relative(self) -> float:
        """Half the length of the interval over the absolute value; infinite for the value zero."""
        half = (self.high - self.low) / 2
        return 0.0 if half == 0 else half / abs(self.value) if self.value else math.inf

    def plot(self) -> Any:
        """Draw the estimate with its interval.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from rmtsim.plots._hessian import interval_figure

        return interval_figure({"estimate, 95 %": self})

    def to_dict(self) -> dict[str, Any]:
        """The fields, for JSON.

        Returns
        -------
        dict
        """
        return {"value": self.value, "error": self.error, "low": self.low, "high": self.high}


def quantile(degrees: float) -> float:
    """Two-sided quantile of Student's law."""
    return float(student.ppf(0.5 + LEVEL / 2, max(degrees, 1.0)))


def interval(value: float, error: float, degrees: float) -> Measured:
    """Estimate ± quantile times error.

    >>> interval(1.0, 0.0, 5)
    Measured(value=1.0, error=0.0, low=1.0, high=1.0)
    """
    half = quantile(degrees) * error if error else 0.0
    return Measured(value, error, value - half, value + half)


def positive_interval(value: float, error: float, degrees: float) -> Measured:
    """The same on a logarithmic scale, for numbers that are positive."""
    if not error or value <= 0:
        return interval(value, error, degrees)
    factor = math.exp(min(quantile(degrees) * error / value, 700.0))
    return Measured(value, error, value / factor, value * factor)
