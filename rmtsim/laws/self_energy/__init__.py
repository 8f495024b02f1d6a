"""Self-energies S[R] = E[W R W]: covariances of centred random Hermitian matrices W.

>>> import numpy as np
>>> from rmtsim.laws.self_energy import Wigner
>>> Wigner(4, 1.0)(np.eye(4)).diagonal().tolist()
[1.0, 1.0, 1.0, 1.0]
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
