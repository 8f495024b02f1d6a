"""Self-energies S[R] = E[W R W]: covariances of centred random Hermitian matrices.

>>> import numpy as np
>>> Wigner(4, 1.0)(np.eye(4)).diagonal().tolist()
[1.0, 1.0, 1.0, 1.0]
"""

from rmtsim.laws.self_energy._base import SelfEnergy
from rmtsim.laws.self_energy._block import Block
from rmtsim.laws.self_energy._function import FromFunction
from rmtsim.laws.self_energy._gaussian import FromSamples, GaussianSum
from rmtsim.laws.self_energy._kronecker import Kronecker, Separable
from rmtsim.laws.self_energy._profile import VarianceProfile, Wigner

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
