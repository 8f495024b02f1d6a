"""Parts of the norms of Hessian blocks: their result type, and squared Gram matrices in bands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen

GRAM_CHUNK = 2**22
"""Numbers in a band: 32 MiB, large enough for BLAS, small beside the matrices it works on."""


def squared_gram_rows(
    reads: NDArray[np.float64], *, bias: bool = False
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Bands of rows of G∘G, G = R Rᵀ (+ 1 with ``bias``), one sample per row of R, so that N = 10⁵ does not need N²
    numbers.

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


@frozen(eq=False)
class BlockEnergies:
    """Squared Frobenius norms of the Hessian blocks between the neurons of one layer.

    Block (i, j) holds the second derivatives of the loss in the parameters of neuron i and of neuron j (incoming
    weights, then the bias if there is one). The neurons of a :class:`~rmtsim.curvature.LinearModel` are its classes.

    See Also
    --------
    rmtsim.curvature.block_energies : Computes them.

    Examples
    --------
    >>> import numpy as np
    >>> energies = BlockEnergies(diagonal=np.array([2.0, 4.0]), offdiagonal=3.0)
    >>> energies.mean_diagonal, energies.mean_offdiagonal, energies.ratio
    (3.0, 1.5, 0.5)
    """

    diagonal: NDArray[np.float64]
    """``‖H_ii‖²_F``, one number per neuron."""
    offdiagonal: float
    """Sum of ``‖H_ij‖²_F`` over all ordered pairs i ≠ j."""
    pairs: NDArray[np.float64] | None = None
    """Table of ``‖H_ij‖²_F`` for all pairs, or None if only sums were computed."""
    layer: int = 0
    """Index of the layer, counted from zero."""

    @property
    def neurons(self) -> int:
        """Number of neurons, that is, of diagonal blocks."""
        return self.diagonal.size

    @property
    def mean_diagonal(self) -> float:
        """Mean of ``‖H_ii‖²_F`` over neurons."""
        return float(self.diagonal.mean())

    @property
    def mean_offdiagonal(self) -> float:
        """Mean of ``‖H_ij‖²_F`` over pairs i ≠ j; raises ValueError for a layer of one neuron."""
        if self.neurons < 2:
            raise ValueError(f"layer {self.layer + 1} has one neuron, hence no off-diagonal block")
        return self.offdiagonal / (self.neurons * (self.neurons - 1))

    @property
    def ratio(self) -> float:
        """``mean_offdiagonal / mean_diagonal``: zero for a block-diagonal Hessian."""
        if self.mean_diagonal == 0:
            raise ValueError(f"layer {self.layer + 1}: its diagonal blocks are zero, hence no ratio")
        return self.mean_offdiagonal / self.mean_diagonal
