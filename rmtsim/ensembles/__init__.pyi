from rmtsim.ensembles._circular import circular as circular
from rmtsim.ensembles._elliptic import elliptic as elliptic, ginibre as ginibre
from rmtsim.ensembles._gaussian import gaussian as gaussian, gaussian_tridiagonal as gaussian_tridiagonal
from rmtsim.ensembles._graphs import regular_graph as regular_graph
from rmtsim.ensembles._haar import haar as haar
from rmtsim.ensembles._jacobi import jacobi as jacobi, jacobi_tridiagonal as jacobi_tridiagonal
from rmtsim.ensembles._tridiagonal import Tridiagonal as Tridiagonal, tridiagonal_form as tridiagonal_form
from rmtsim.ensembles._wishart import (
    weighted_wishart as weighted_wishart,
    wishart as wishart,
    wishart_tridiagonal as wishart_tridiagonal,
)
