"""Self-energies S[R] = E[W R W]: covariances of centred random Hermitian matrices.

>>> import numpy as np
>>> Wigner(4, 1.0)(np.eye(4)).diagonal().tolist()
[1.0, 1.0, 1.0, 1.0]
"""

from rmtsim.laws.self_energy.base import SelfEnergy
from rmtsim.laws.self_energy.block import Block
from rmtsim.laws.self_energy.function import FromFunction
from rmtsim.laws.self_energy.gaussian import FromSamples, GaussianSum
from rmtsim.laws.self_energy.kronecker import Kronecker, Separable
from rmtsim.laws.self_energy.profile import VarianceProfile, Wigner

__all__ = [
    "Block",
    "FromFunction",
    "FromSamples",
    "GaussianSum",
    "Kronecker",
    "SelfEnergy",
    "Separable",
    "VarianceProfile",
    "Wigner",
]
