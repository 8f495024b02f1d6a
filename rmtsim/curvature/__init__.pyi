from rmtsim.curvature._block_energies import block_energies as block_energies
from rmtsim.curvature._differentiation import hessian_by_differences as hessian_by_differences
from rmtsim.curvature._linear_energies import (
    block as block,
    block_eigenvalues as block_eigenvalues,
    block_norms as block_norms,
)
from rmtsim.curvature._linear_model import LinearModel as LinearModel, sample_linear as sample_linear
from rmtsim.networks._block_norms import BlockEnergies as BlockEnergies
