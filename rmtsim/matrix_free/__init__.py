"""Spectra and traces of symmetric operators that are known by their products alone, each with a standard error."""

from rmtsim.matrix_free._estimates import Estimate, GroupSpectrum
from rmtsim.matrix_free._lanczos import Extremes, extreme_eigenvalues, lanczos_quadrature
from rmtsim.matrix_free._operators import operator_extremes, operator_spectrum
from rmtsim.matrix_free._trace import operator_trace

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
