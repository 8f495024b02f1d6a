"""Results of ``rmtsim.spectrum``: a fitted bulk, the outliers beyond it, and their population values."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen, returns_data, returns_figure, returns_text
from rmtsim.laws import SpectralLaw
from rmtsim.spectra import _words as words
from rmtsim.spectra._bulk import Goodness
from rmtsim.spectra._masses import Mass, coinciding, kernel_density

if TYPE_CHECKING:
    from rmtsim.spectra._population import PopulationEstimate
    from rmtsim.spectra._tail import PowerTail

Kind = Literal["covariance", "wigner"]

DOUBT = 0.01
"""Below this p-value the bulk does not fit, σ comes from its upper part, and Tracy–Widom p-values give no rank."""


@frozen
class Outlier:
    """An eigenvalue outside the bulk and the population eigenvalue (spike) that explains it.

    See Also
    --------
    Spectrum.outliers : Those of a measured spectrum.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import spectrum
    >>> data = np.random.default_rng(0).standard_normal((900, 300))
    >>> data[:, 0] *= 3  # one feature of variance 9
    >>> outlier, = spectrum(data).outliers
    >>> round(outlier.spike, 1), bool(outlier.p_value < 1e-6), round(outlier.alignment, 2)
    (9.0, True, 0.96)
    """

    eigenvalue: float
    """The eigenvalue."""
    log10_p: float | None = None
    """Decimal logarithm of its p-value, corrected for the eigenvalues tested before it; None, like the following, if
    there is no bulk to test against."""
    spike: float | None = None
    """Eigenvalue of the population: of the covariance of the features, or of the signal added to a Wigner matrix."""
    spike_error: float | None = None
    """Standard error of the spike for Gaussian entries; infinite at the threshold."""
    alignment: float | None = None
    """Limit of the squared cosine between the eigenvector of the outlier and that of the population."""
    sample_alignment: float | None = None
    """The same on the other side of the matrix (samples, or rows of a weight matrix); equal for a Wigner matrix."""

    @property
    def p_value(self) -> float | None:
        """``10**log10_p``; zero if it underflows."""
        if self.log10_p is None:
            return None
        return float(10.0**self.log10_p) if self.log10_p > -320 else 0.0


@frozen(eq=False)
class Spectrum:
    """A measured spectrum with its fitted bulk and its outliers.

    See Also
    --------
    spectrum : Makes one of data, of a matrix or of eigenvalues.
    model_spectrum : The same for all layers of a model.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import spectrum
    >>> found = spectrum(np.random.default_rng(0).standard_normal((400, 100)), name="noise")
    >>> found
    <Spectrum noise: 100 eigenvalues, 0 outliers>
    >>> found.fits, round(found.sigma, 2)
    (True, 1.0)
    """

    name: str
    """Name of the spectrum."""
    kind: Kind
    """Sample covariance or symmetric matrix."""
    eigenvalues: FloatArray
    """All given eigenvalues in decreasing order."""
    dimension: int
    """Number of features, or rows of a symmetric matrix."""
    samples: int | None
    """Number of samples; None for a symmetric matrix."""
    zeros: int
    """Number of zero eigenvalues: the null space of fewer samples than features, and features that do not vary."""
    level: float
    """Probability of any false outlier."""
    sigma: float | None
    sigma_error: float | None
    """Standard deviation of a matrix entry in the bulk, and its standard error; None if there is no bulk."""
    method: Literal["trace", "trimmed", "none"]
    """Whether sigma was fitted to the whole bulk, or, if that does not fit, without its lower quarter."""
    law: SpectralLaw | None
    """Fitted law of the bulk; None if none can be fitted (``reason`` says why)."""
    outliers: tuple[Outlier, ...]
    """Eigenvalues outside the bulk; without a law, those more than three quartile ranges beyond the quartiles."""
    next_log10_p: float
    """Decimal logarithm of the p-value of the most extreme eigenvalue that was left in the bulk."""
    goodness: Goodness | None
    """Chi-squared test of the bulk; None if it is too small."""
    bulk: FloatArray
    """Eigenvalues of the bulk in decreasing order."""
    population: PopulationEstimate | None = None
    """Estimated population, if it was requested."""
    test: Literal["tracy-widom", "permutations", "signs"] = "tracy-widom"
    """Null against which the outliers were tested."""
    choice: str = ""
    """Why this null was used; empty if the data are compatible with white noise."""
    reason: str = ""
    """Why there is no rank; empty if there is one."""
    masses: tuple[Mass, ...] = ()
    """Groups of eigenvalues that coincide to rounding, in decreasing order."""
    scale: float = 1.0
    """Power of two by which the source was divided, so that squares of its numbers are doubles; one unless they are
    above 1e100 or below 1e-100. Eigenvalues and all that follows from them refer to the divided source."""
    most: int | None = None
    """Largest number of components that the eigenvalues are compatible with at the level, if it was determined."""

    @property
    def edges(self) -> tuple[float, float] | None:
        """Lower and upper end of the fitted law."""
        if self.law is None:
            return None
        return self.law.support[0][0], self.law.support[-1][1]

    @property
    def rank(self) -> int | None:
        """Estimated rank of the signal: the number of outliers. None if no null fits the bulk; then ``reason`` says
        why, and the outliers are a guide without a level.
        """
        return None if self.reason else len(self.outliers)

    @property
    def rank_interval(self) -> tuple[int, int] | None:
        """Least and largest number of components, each at the level.

        The lower end counts eigenvalues that are not noise. A further component would have an eigenvalue above the
        largest one of the noise: the upper end counts the eigenvalues above the ``level`` quantile of the largest
        eigenvalue of the noise. Components below the threshold of detection are not counted.
        """
        if self.rank is None or self.most is None:
            return None
        return self.rank, max(self.rank, self.most)

    @property
    def fits(self) -> bool | None:
        """Whether the p-value of the fit is at least 0.01 (or ``level``, if smaller); None if the bulk is too small."""
        return None if self.goodness is None else self.goodness.p_value >= min(self.level, DOUBT)

    @property
    def p_value(self) -> float | None:
        """p-value of the fit."""
        return None if self.goodness is None else self.goodness.p_value

    @property
    def bulk_share(self) -> float:
        """Share of the variance in the bulk: of Σλ, or of Σλ² about the centre for a symmetric matrix."""
        bulk, values = self.bulk, self.eigenvalues
        if self.kind == "wigner":
            centre = float(np.median(values)) if self.edges is None else 0.5 * (self.edges[0] + self.edges[1])
            bulk, values = (bulk - centre) ** 2, (values - centre) ** 2
        total = math.fsum(values)
        if self.law is None:
            # Masses are no outliers.
            outside = math.fsum(values[np.isin(self.eigenvalues, [o.eigenvalue for o in self.outliers])])
            return 1 - outside / total if total else 1.0
        return math.fsum(bulk) / total

    @property
    def stable_rank(self) -> float:
        """Σλ/max λ for a covariance, Σλ²/max λ² for a symmetric matrix."""
        values = self.eigenvalues if self.kind == "covariance" else self.eigenvalues**2
        largest = float(values.max())
        return math.fsum(values) / largest if largest else 0.0

    @cached_property
    def tail(self) -> PowerTail | None:
        """Power law of the largest eigenvalues of a covariance, if the bulk does not fit."""
        if self.fits is not False or self.kind != "covariance":
            return None
        from rmtsim.spectra._tail import power_tail

        return power_tail(self.eigenvalues[self.eigenvalues > 0])

    def density(self, x: ArrayLike, width: float | None = None) -> Any:
        """Density of the eigenvalues, whether a bulk fits or not: Gaussian kernels on all that belong to no mass.

        Parameters
        ----------
        x : float or array_like
            Where to evaluate it.
        width : float, optional
            Standard deviation of a kernel; by default from the spread of the eigenvalues (Silverman's rule).

        Returns
        -------
        float or ndarray
            Density; its integral is one minus the shares of the masses.

        Examples
        --------
        >>> import numpy as np
        >>> from rmtsim.spectra import spectrum
        >>> found = spectrum(np.r_[np.zeros(60), np.arange(40.0)], kind="wigner")
        >>> x = np.linspace(-60, 100, 2001)
        >>> round(float(np.trapezoid(found.density(x), x)), 6), found.masses[0].share
        (0.39, 0.61)
        """
        _, rest = coinciding(self.eigenvalues, self.dimension)
        return kernel_density(rest, x, width, 1 - sum(mass.share for mass in self.masses))

    @returns_text
    def report(self) -> str:
        """Description of the result."""
        return words.report(self)

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """Result as plain data."""
        return words.as_dict(self)

    @returns_figure
    def plot(self) -> Any:
        """Histogram of the bulk with the fitted law, its edges and the outliers."""
        from rmtsim.plots._spectrum import spectrum_figure

        return spectrum_figure(self)

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return (
            f"<Spectrum {self.name or self.kind}: {self.eigenvalues.size} eigenvalues, "
            f"{'no rank' if self.reason else f'{self.rank} outliers'}>"
        )
