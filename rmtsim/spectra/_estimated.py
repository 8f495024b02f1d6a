"""A bulk whose population is estimated from itself, and the outliers beyond it.

With an unknown population, a group of large eigenvalues may count as part of it or as a signal. Here at most a tenth
of the eigenvalues, and at most twenty, may be outliers: λ_r is one if it lies beyond the bulk whose population
explains the eigenvalues below it, for r or for some larger number. This is required for every population that
explains them at half the level, not only for the best one: a smooth population has few values at its end, and the
largest value of the best one may be too small.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws import SpikedCovariance
from rmtsim.spectra._bulk import Beta, Goodness
from rmtsim.spectra._outliers import Separation
from rmtsim.spectra._populated import PopulatedBulk
from rmtsim.spectra._population_fit import Fit, fitted_population
from rmtsim.spectra._reading import LivePart

_MOST = 20
_SHARE = 10
_GAPS = 5
"""An outlier is separated from the bulk by more than the mean of as many gaps below it; others are not tried."""


@frozen(eq=False)
class EstimatedBulk:
    """The bulk with its estimated population, the outliers, and the fit of the population."""

    bulk: PopulatedBulk
    split: Separation
    fit: Fit

    @property
    def goodness(self) -> Goodness:
        """χ² of the best population; its p-value is conservative, since the population was fitted."""
        fit = self.fit
        return Goodness(fit.statistic, fit.freedom, fit.p_value, fit.freedom)


def estimated_bulk(part: LivePart, beta: Beta, level: float) -> EstimatedBulk:
    """Outliers from the largest number that is possible down to the first that is one."""
    values = part.values / part.samples
    most = min(_MOST, values.size // _SHARE)
    kept = 0
    for removed in range(most, 0, -1):
        gap = values[removed - 1] - values[removed]
        if gap * _GAPS <= values[removed] - values[removed + _GAPS]:
            continue
        try:
            fit, bulk = _fit(values, part, removed, beta)
        except ConvergenceError:
            # Eigenvalues of the bulk that are taken for spikes may leave sums which no population has.
            continue
        if _log_tail(values[removed - 1], bulk, fit, removed) > math.log(0.5 * level):
            continue
        shift = _edge_error(fit, level)
        if _log_tail(values[removed - 1] - shift, bulk, fit, removed) <= math.log(0.5 * level):
            kept = removed
            break
    if not kept:
        fit, bulk = _fit(values, part, 0, beta)
        suspicious = _log_tail(values[0], bulk, fit, 0) <= math.log(0.5 * level)
        shift = _edge_error(fit, level) if suspicious else 0.0
    outliers = np.zeros(values.shape, dtype=bool)
    outliers[:kept] = True
    # Half of the level is the population's, so that a p-value is twice the chance beyond its highest edge.
    tails = [_log_tail(value - shift, bulk, fit, kept) + math.log(2) for value in values[: kept + 1]]
    running = np.minimum(np.maximum.accumulate(tails), 0.0)
    return EstimatedBulk(bulk, Separation(outliers, running[:kept], float(running[kept])), fit)


def _edge_error(fit: Fit, level: float) -> float:
    """How much further out the edge may lie than that of the best population, at half the level."""
    law = SpikedCovariance(fit.dimension / fit.samples, (), 1.0, *fit.atoms)
    return max(0.0, fit.highest_edge(0.5 * level) - law.support[-1][1])


def _fit(values: FloatArray, part: LivePart, removed: int, beta: Beta) -> tuple[Fit, PopulatedBulk]:
    fit = fitted_population(values[removed:], values[:removed], part.dimension, part.samples, beta)
    places, shares = fit.atoms
    return fit, PopulatedBulk(part.dimension, part.samples, places / float(shares @ places), shares, beta)


def _log_tail(value: float, bulk: PopulatedBulk, fit: Fit, removed: int) -> float:
    """log P(largest of the bulk > value), the population taken as it was estimated."""
    places, shares = fit.atoms
    frame = bulk.frame(float(shares @ places), removed)
    return bulk.log_tail(value * bulk.samples, frame, removed, known=True)
