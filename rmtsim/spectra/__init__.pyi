from rmtsim.spectra._empirical import (
    EmpiricalSpectrum as EmpiricalSpectrum,
    empirical as empirical,
)
from rmtsim.spectra._fitted import Spectrum as Spectrum
from rmtsim.spectra._gaussian_matrix import gaussian_matrix as gaussian_matrix
from rmtsim.spectra._masses import Mass as Mass
from rmtsim.spectra._make import spectrum as spectrum
from rmtsim.spectra._model import (
    ModelSpectrum as ModelSpectrum,
    model_spectrum as model_spectrum,
)
from rmtsim.spectra._operator_spectrum import OperatorSpectrum as OperatorSpectrum
from rmtsim.spectra._population import (
    PopulationEstimate as PopulationEstimate,
    deconvolve as deconvolve,
)
from rmtsim.spectra._random_matrix import random_matrix as random_matrix
from rmtsim.spectra._shrinkage import shrink_covariance as shrink_covariance
from rmtsim.spectra._tail import power_tail as power_tail
