"""The Hessian of any model: block maps, eigenvalues, traces and densities, with intervals.

>>> import numpy as np
>>> from rmtsim.hessians import hessian
>>> operator = hessian(np.diag([3.0, 2.0, 1.0]))
>>> operator.blocks({"first": [0], "rest": [1, 2]}).energies
array([[9., 0.],
       [0., 5.]])
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
