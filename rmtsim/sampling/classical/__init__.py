"""The classical ensembles, β = 1, 2, 4 dense and any β > 0 tridiagonal, and Haar matrices; generators are arguments."""

from rmtsim.sampling.classical.circular import circular
from rmtsim.sampling.classical.gaussian import gaussian, gaussian_tridiagonal
from rmtsim.sampling.classical.haar import haar
from rmtsim.sampling.classical.jacobi import jacobi, jacobi_tridiagonal
from rmtsim.sampling.classical.tridiagonal import Tridiagonal
from rmtsim.sampling.classical.wishart import wishart, wishart_tridiagonal

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
