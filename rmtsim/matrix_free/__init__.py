"""Spectra and traces of symmetric operators that are known by their products alone, each with a standard error."""

from rmtsim.matrix_free.estimates import Estimate, GroupSpectrum
from rmtsim.matrix_free.lanczos import Extremes, extreme_eigenvalues, lanczos_quadrature
from rmtsim.matrix_free.operators import operator_extremes, operator_spectrum
from rmtsim.matrix_free.trace import operator_trace

__all__ = [
    "Estimate",
    "Extremes",
    "GroupSpectrum",
    "extreme_eigenvalues",
    "lanczos_quadrature",
    "operator_extremes",
    "operator_spectrum",
    "operator_trace",
]
