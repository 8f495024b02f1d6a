"""Gram matrices in bands: what every block norm without blocks is made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHUNK", "squared_gram_rows"]

CHUNK = 2**22
"""Numbers in a temporary array: 32 MiB, large enough for BLAS, small beside the matrices it works on."""


def squared_gram_rows(inputs: NDArray[np.float64]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Bands of rows of G∘G, G = X Xᵀ with one sample a row of X, so that N = 10⁵ never needs N² numbers at once.

    >>> [(rows, band.shape) for rows, band in squared_gram_rows(np.ones((3, 2)))]
    [(slice(0, 3, None), (3, 3))]
    """
    samples = inputs.shape[0]
    height = max(1, min(samples, max(CHUNK // samples, 256)))
    for start in range(0, samples, height):
        rows = slice(start, min(start + height, samples))
        gram = inputs[rows] @ inputs.T
        np.square(gram, out=gram)
        yield rows, gram
