"""What ``rmtsim.spectrum`` returns: a fitted bulk, the outliers beyond it, and what they say of the population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws import SpectralLaw
from rmtsim.spectra import _words as words
from rmtsim.spectra._bulk import Goodness
from rmtsim.spectra._tail import PowerTail, power_tail

if TYPE_CHECKING:
    from rmtsim.spectra._population import PopulationEstimate

__all__ = ["Outlier", "Spectrum"]

FloatArray = NDArray[np.float64]
Kind = Literal["covariance", "wigner"]


@dataclass(frozen=True)
class Outlier:
    """An eigenvalue beyond the bulk, and the population eigenvalue ("spike") that puts it there (BBP)."""

    eigenvalue: float
    log10_p: float
    """Of the Tracy–Widom p-value, corrected for the eigenvalues tested before it; finite where p itself is not."""
    spike: float
    """Eigenvalue of the population: of the features' covariance, or of the signal added to a Wigner matrix."""
    spike_error: float
    """Its standard error for Gaussian entries (infinite at the threshold)."""
    alignment: float
    """Squared cosine between the outlier's eigenvector and the population's, in the limit."""
    sample_alignment: float
    """The same on the other side of the matrix (samples, or rows of a weight matrix); equal for Wigner."""

    @property
    def p_value(self) -> float:
        """10^log10_p, zero below the smallest double."""
        return float(10.0**self.log10_p) if self.log10_p > -320 else 0.0


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A measured spectrum with its bulk and its outliers; made by :func:`rmtsim.spectrum`."""

    name: str
    kind: Kind
    eigenvalues: FloatArray
    """All that were given, in decreasing order."""
    dimension: int
    samples: int | None
    zeros: int
    """Eigenvalues that vanish: the null space of fewer samples than features, and dead features."""
    level: float
    sigma: float
    """Deviation of one entry of the matrix whose bulk this is."""
    sigma_error: float
    method: Literal["trace", "trimmed"]
    """How σ was found: from the whole bulk, or, where that does not fit, without its lower quarter."""
    law: SpectralLaw
    """The fitted law of the bulk, the outliers' share taken out of its shape."""
    outliers: tuple[Outlier, ...]
    next_log10_p: float
    """Of the most suspicious eigenvalue that stayed in the bulk."""
    goodness: Goodness | None
    bulk: FloatArray
    """The eigenvalues of the bulk: not zero, not outliers; decreasing."""
    population: PopulationEstimate | None = None
    """The features' population where it was estimated, with its bands."""

    @property
    def edges(self) -> tuple[float, float]:
        """Where the bulk ends in the limit: first and last point of the law's support."""
        return self.law.support[0][0], self.law.support[-1][1]

    @property
    def rank(self) -> int:
        """Estimated rank of the signal: the number of outliers."""
        return len(self.outliers)

    @property
    def fits(self) -> bool | None:
        """Whether the bulk fits its law at the level; None where it is too small to say."""
        return None if self.goodness is None else self.goodness.p_value >= self.level

    @property
    def p_value(self) -> float | None:
        """Chance of a bulk that fits worse than this one, if its law is true (χ², not simulated)."""
        return None if self.goodness is None else self.goodness.p_value

    @property
    def bulk_share(self) -> float:
        """Share of the variance, Σλ (Wigner: Σλ² about the centre), that lies in the bulk."""
        if self.kind == "covariance":
            return math.fsum(self.bulk) / math.fsum(self.eigenvalues)
        centre = 0.5 * (self.edges[0] + self.edges[1])
        return math.fsum((self.bulk - centre) ** 2) / math.fsum((self.eigenvalues - centre) ** 2)

    @property
    def stable_rank(self) -> float:
        """Σλ/λ₁ for a covariance (‖W‖²_F/‖W‖² of its matrix), Σλ²/max λ² for a symmetric matrix."""
        values = self.eigenvalues if self.kind == "covariance" else self.eigenvalues**2
        return math.fsum(values) / float(values.max())

    @cached_property
    def tail(self) -> PowerTail | None:
        """A power law fitted to the largest eigenvalues, where the bulk does not fit its law."""
        if self.fits is not False or self.kind != "covariance":
            return None
        return power_tail(self.eigenvalues[self.eigenvalues > 0])

    def report(self) -> str:
        """Everything that was found, in words."""
        return words.report(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything that was found, for JSON."""
        return words.as_dict(self)

    def plot(self) -> Any:
        """Histogram of the bulk, the law, its edges, and the outliers: a matplotlib ``Figure``."""
        from rmtsim.plots._spectrum import spectrum_figure

        return spectrum_figure(self)

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return (
            f"<Spectrum {self.name or self.kind}: {self.eigenvalues.size} eigenvalues, {self.rank} outliers>"
        )
