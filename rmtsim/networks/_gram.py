"""Squared Gram matrices in bands: what block norms without blocks are made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["GRAM_CHUNK", "squared_gram_rows"]

GRAM_CHUNK = 2**22
"""Numbers in a band: 32 MiB, large enough for BLAS, small beside the matrices it works on."""


def squared_gram_rows(
    reads: NDArray[np.float64], *, bias: bool = False
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Bands of rows of G∘G, G = R Rᵀ (+ 1 with ``bias``), one sample a row of R; N = 10⁵ never needs N² numbers.

    >>> [(rows, band.shape) for rows, band in squared_gram_rows(np.ones((3, 2)))]
    [(slice(0, 3, None), (3, 3))]
    """
    samples = reads.shape[0]
    height = max(1, min(samples, max(GRAM_CHUNK // samples, 256)))
    for start in range(0, samples, height):
        rows = slice(start, min(start + height, samples))
        gram = reads[rows] @ reads.T
        if bias:
            gram += 1.0
        np.square(gram, out=gram)
        yield rows, gram
