from rmtsim.matrix_free._estimates import GroupSpectrum as GroupSpectrum
from rmtsim.matrix_free._operators import (
    operator_extremes as operator_extremes,
    operator_spectrum as operator_spectrum,
)
from rmtsim.matrix_free._trace import operator_trace as operator_trace
