"""Free probability: sums and products of free elements, as laws."""

from rmtsim.laws.free.convolution import FreeConvolution, free_product, free_sum

__all__ = ["FreeConvolution", "free_product", "free_sum"]
