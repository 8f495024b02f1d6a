from rmtsim.laws.free._compression import Compression as Compression, free_compression as free_compression
from rmtsim.laws.free._convolution import (
    FreeConvolution as FreeConvolution,
    free_product as free_product,
    free_sum as free_sum,
)
from rmtsim.laws.free._transforms import r_transform as r_transform, s_transform as s_transform
