"""The classical ensembles, β = 1, 2, 4 dense and any β > 0 tridiagonal, and Haar matrices; generators are arguments."""

from rmtsim.ensembles._circular import circular
from rmtsim.ensembles._gaussian import gaussian, gaussian_tridiagonal
from rmtsim.ensembles._haar import haar
from rmtsim.ensembles._jacobi import jacobi, jacobi_tridiagonal
from rmtsim.ensembles._tridiagonal import Tridiagonal
from rmtsim.ensembles._wishart import wishart, wishart_tridiagonal

__all__ = [
    "Tridiagonal",
    "circular",
    "gaussian",
    "gaussian_tridiagonal",
    "haar",
    "jacobi",
    "jacobi_tridiagonal",
    "wishart",
    "wishart_tridiagonal",
]
