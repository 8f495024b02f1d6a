"""Your own spectrum: a bulk fitted to measured eigenvalues, outliers with p-values, layers of a model."""

from rmtsim.spectra._fitted import Outlier, Spectrum
from rmtsim.spectra._make import spectrum
from rmtsim.spectra._model import LayerSpectrum, ModelSpectrum, model_spectrum
from rmtsim.spectra._operator_spectrum import OperatorSpectrum
from rmtsim.spectra._population import Interval, PopulationEstimate, deconvolve
from rmtsim.spectra._safetensors import read_safetensors
from rmtsim.spectra._shrinkage import Shrinkage, shrink_covariance
from rmtsim.spectra._tail import PowerTail, power_tail

__all__ = [
    "Interval",
    "LayerSpectrum",
    "ModelSpectrum",
    "OperatorSpectrum",
    "Outlier",
    "PopulationEstimate",
    "PowerTail",
    "Shrinkage",
    "Spectrum",
    "deconvolve",
    "model_spectrum",
    "power_tail",
    "read_safetensors",
    "shrink_covariance",
    "spectrum",
]
