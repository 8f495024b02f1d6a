"""A compiled loop of the quadrature of a band: mass up to a point, the points of a spectrum in one call.

No validation here. The plain twin is in tests/laws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.jit import kernel

Real = NDArray[np.float64]


@kernel
def panel_masses(u: Real, left: Real, right: Real, before: Real, series: Real, out: Real) -> None:
    """Mass between 0 and each u: all of the panels before, and Σ_j series_j P_j inside its own."""
    last = left.size - 1
    for i in range(u.size):
        panel = min(max(np.searchsorted(left, u[i], side="right") - 1, 0), last)
        width = right[panel] - left[panel]
        x = min(max((2 * u[i] - left[panel] - right[panel]) / width, -1.0), 1.0)
        older, newer = 1.0, x
        total = series[panel, 0] + series[panel, 1] * x
        for j in range(2, series.shape[1]):
            older, newer = newer, (newer * x * (2 * j - 1) - older * (j - 1)) / j
            total += series[panel, j] * newer
        out[i] = min(max(before[panel] + total, 0.0), before[last + 1])
