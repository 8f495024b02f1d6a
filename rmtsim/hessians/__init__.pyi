from rmtsim.hessians._block_map import BlockMap as BlockMap
from rmtsim.hessians._blocks import block_energies as block_energies
from rmtsim.hessians._decoupling import Decoupling as Decoupling, kronecker_decoupling as kronecker_decoupling
from rmtsim.hessians._eigenvalues import (
    Eigenvalues as Eigenvalues,
    extreme_eigenvalues as extreme_eigenvalues,
)
from rmtsim.hessians._examine import Examination as Examination, examine as examine
from rmtsim.hessians._groups import Group as Group
from rmtsim.hessians._measured import Measured as Measured
from rmtsim.hessians._operator import HessianOperator as HessianOperator, ParameterSlot as ParameterSlot
from rmtsim.hessians._sources import hessian as hessian
from rmtsim.hessians._spectrum import HessianSpectrum as HessianSpectrum, spectra as spectra
from rmtsim.hessians._trace import Trace as Trace, trace as trace
from rmtsim.hessians._widths import WidthScaling as WidthScaling, norm_against_width as norm_against_width
