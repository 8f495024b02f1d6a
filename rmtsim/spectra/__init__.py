"""Your own spectrum: a bulk fitted to measured eigenvalues, outliers with p-values, layers of a model."""

from rmtsim.spectra.make import spectrum
from rmtsim.spectra.spectrum import Outlier, Spectrum
from rmtsim.spectra.tail import PowerTail, power_tail

__all__ = ["Outlier", "PowerTail", "Spectrum", "power_tail", "spectrum"]
