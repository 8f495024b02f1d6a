"""Free probability: sums, products and corners of free elements, as laws; the transforms that linearise them."""

from rmtsim.laws.free._compression import Compression, free_compression
from rmtsim.laws.free._convolution import FreeConvolution, free_product, free_sum
from rmtsim.laws.free._transforms import r_transform, s_transform

__all__ = [
    "Compression",
    "FreeConvolution",
    "free_compression",
    "free_product",
    "free_sum",
    "r_transform",
    "s_transform",
]
