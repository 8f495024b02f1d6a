"""One engine for every network: exact outputs, gradients, Hessians and their products, tangent kernels, block norms.

Conventions: inputs have one sample a row; ``weights[l]`` is (out, in); parameters are ordered W₁, b₁, W₂, b₂, …, each
row-major; the loss is the mean over samples, the square loss ‖f - y‖² without ½. See docs/networks.md.
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
