"""Sums of rows of normal numbers, drawn and added up while they are in the first cache."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim._kernels.normals import fill_double


@kernel
def normal_row_sums(words, width, out):  # type: ignore[no-untyped-def]
    """``out[k]`` = sum of the k-th ``width`` numbers of the generator with the state ``words``."""
    row = np.empty(width)
    whole = width - width % 4
    for k in range(out.size):
        fill_double(words, row)
        # Four independent partial sums, which the processor can add in parallel.
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(0, whole, 4):
            a += row[i]
            b += row[i + 1]
            c += row[i + 2]
            d += row[i + 3]
        for i in range(whole, width):
            a += row[i]
        out[k] = (a + b) + (c + d)
