"""The set that holds the true means at all sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class MeanSet:
    """A set that holds the true means at all sizes, at every look, with the promised probability.

    Either an ellipsoid around ``values``, or (for quantities with known bounds) a box. The ellipsoid reaches
    ``axes`` from its centre in each coordinate; its axes are those of the coordinates unless sizes share
    randomness, when ``correlation`` turns them: dᵀ(A·correlation·A)⁻¹d ≤ 1 with A = diag(axes).
    """

    sizes: tuple[int, ...]
    values: NDArray[np.float64]
    axes: NDArray[np.float64] | None = None
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    correlation: NDArray[np.float64] | None = None
    sigmas: float = 4.5
    """Half-axes in standard errors: the least of any size."""

    def since(self, first: int) -> MeanSet:
        """The same without the ``first`` smallest sizes."""
        cut = slice(first, None)
        return MeanSet(
            self.sizes[cut],
            self.values[cut],
            None if self.axes is None else self.axes[cut],
            None if self.low is None else self.low[cut],
            None if self.high is None else self.high[cut],
            # The shadow of an ellipsoid on fewer coordinates is the ellipsoid of the matrix's block.
            None if self.correlation is None else self.correlation[cut, cut],
            self.sigmas,
        )

    def moved_to(self, values: NDArray[np.float64]) -> MeanSet:
        """The same set around other values."""
        if self.axes is not None:
            return replace(self, values=values)
        low, high = self.ends
        return MeanSet(self.sizes, values, low=values - (high - low) / 2, high=values + (high - low) / 2)

    def sharpened(self, factors: NDArray[np.float64]) -> MeanSet:
        """What this set would become around the same values if each size's noise shrank by its factor."""
        if self.axes is not None:
            return replace(self, axes=self.axes * factors)
        low, high = self.ends
        return MeanSet(
            self.sizes,
            self.values,
            low=self.values - (self.values - low) * factors,
            high=self.values + (high - self.values) * factors,
        )

    @property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The box around the set."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        assert self.axes is not None
        return self.values - self.axes, self.values + self.axes
