"""Norms of Hessian blocks without forming the blocks, and Hessians by differences in high precision.

The linear softmax model with inputs x_n, weights v_c and cross-entropy loss has the Hessian blocks
``H_ij = (1/N) Σ_n (p_ni δ_ij − p_ni p_nj) x_n x_nᵀ``; their Frobenius norms follow from Gram matrices.

>>> import numpy as np
>>> from rmtsim.curvature import block_energies, sample_linear
>>> model = sample_linear(dimension=4, samples=6, classes=3, rng=np.random.default_rng(0))
>>> block_energies(model).diagonal.shape
(3,)
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
