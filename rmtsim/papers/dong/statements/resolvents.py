"""Distance of a spectrum to a law between Stieltjes transforms, where it has a finite-size series.

The mean of (Im z)²|s_H(z) - s(z)|² over nine points z = μ + σ(t + i), t from -2 to 2, with mean μ and deviation σ of
the law: at most π² times the squared Kolmogorov distance. The transform is a smooth function of the matrix, so the
expectation, a variance plus a squared bias, is a power series in 1/size where a Kolmogorov distance has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen

_PLACES = np.linspace(-2.0, 2.0, 9) + 1j
"""Points of the upper half-plane, in deviations of the law from its mean."""


@frozen
class StatedResolvent:
    """The Stieltjes transform of a law at the points where spectra are compared with it."""

    points: NDArray[np.complex128]
    """z."""
    values: NDArray[np.complex128]
    """s(z) of the law."""
    height: float
    """Im z, the law's standard deviation."""

    @classmethod
    def of(cls, law: Any) -> StatedResolvent:
        """From a law with ``moment`` and ``stieltjes`` (:mod:`rmtsim.laws`).

        >>> from rmtsim.laws._semicircle import Semicircle
        >>> StatedResolvent.of(Semicircle(1.0)).height
        1.0
        """
        mean = float(law.moment(1))
        deviation = float(np.sqrt(law.moment(2) - mean**2))
        points = np.asarray(mean + deviation * _PLACES, dtype=np.complex128)
        return cls(points, np.asarray(law.stieltjes(points)), deviation)

    def distance(self, eigenvalues: NDArray[np.float64]) -> float:
        """Mean of (Im z)²|s_H(z) - s(z)|², s_H(z) = (1/d) Σ 1/(λ - z) of these d eigenvalues."""
        gap = (1 / (eigenvalues[:, None] - self.points)).mean(axis=0) - self.values
        return float(self.height**2 * np.mean(np.abs(gap) ** 2))
