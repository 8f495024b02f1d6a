from rmtsim.curvature._differentiation import (
    SecondDifferences as SecondDifferences,
    hessian_by_differences as hessian_by_differences,
)
from rmtsim.curvature._linear_energies import (
    block as block,
    block_eigenvalues as block_eigenvalues,
    block_energies as block_energies,
    block_norms as block_norms,
    pair_norms as pair_norms,
)
from rmtsim.curvature._linear_model import LinearModel as LinearModel, sample_linear as sample_linear
