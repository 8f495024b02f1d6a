"""How much more nominal time a verdict is expected to need."""

from __future__ import annotations

import math

from rmtsim.verdicts.models.analysis import Analysis

__all__ = ["outlook_of"]


def outlook_of(predicted: float, tolerance: float, analysis: Analysis, spent: float) -> float:
    """Nominal seconds still needed if chance shrinks like 1/√time and the model spread stays; may be infinite.

    The verdict comes when the half-width fits either inside the zone or between estimate and zone.
    """
    half = (analysis.interval[1] - analysis.interval[0]) / 2
    if not math.isfinite(half) or not math.isfinite(analysis.estimate):
        return spent
    middle = (analysis.interval[1] + analysis.interval[0]) / 2
    gap = abs(abs(middle - predicted) - tolerance)
    # Undetermined models shrink with the noise too, though not wholly: count half of their spread as lasting.
    room = gap - 0.5 * analysis.model
    shrinking = analysis.statistical + 0.5 * analysis.model
    if room <= 0:
        return math.inf
    factor = shrinking / room
    return max(0.0, spent * (factor**2 - 1))
