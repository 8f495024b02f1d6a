"""Neural networks with exact outputs, gradients, Hessians, Hessian products, tangent kernels and block norms.

Conventions: inputs have one sample per row; ``weights[l]`` has shape (out, in); parameters are ordered W₁, b₁, W₂,
b₂, …, each row-major; the loss is the mean over samples, and the square loss is ‖f − y‖² without the factor ½.

>>> import numpy as np
>>> from rmtsim.networks import fully_connected
>>> network = fully_connected((3, 4, 2), "tanh", loss="square").sample(np.random.default_rng(0))
>>> network.hessian(np.eye(3), np.zeros((3, 2))).shape
(20, 20)
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
