"""Comparison of the Hessian of a dense layer with the Kronecker product E[M] ⊗ E[xxᵀ]: overlap of leading eigenspaces.

With z = Wx the output of the layer, M the Hessian of a sample's loss in z and x what the layer reads, the Hessian in W
(row-major) is E[M ⊗ xxᵀ]. Its approximation by E[M] ⊗ E[xxᵀ] has eigenvectors u ⊗ a with products of eigenvalues.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen, returns_figure
from rmtsim._internal.randomness import RandomSource
from rmtsim.hessians._groups import Group
from rmtsim.hessians._left_out import PARTS, vectors_on
from rmtsim.hessians._measured import Measured, interval
from rmtsim.hessians._operator import HessianOperator, in_one_pool
from rmtsim.hessians._restricted import restricted
from rmtsim.matrix_free import _lanczos

_LARGEST = 2048
"""Outputs or inputs of a layer at most: the factors are formed."""


@frozen(eq=False)
class Decoupling:
    """Leading eigenspaces of a layer's Hessian and of its Kronecker approximation.

    See Also
    --------
    kronecker_decoupling : Measures it for one layer of a model.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.ones(1)
    >>> print(Decoupling("fc", (2, 3), Measured(0.9, 0.1, 0.7, 1.0), 1 / 6, one, one, np.eye(2), np.eye(3)))
    fc (2 × 3): overlap of the leading 1 eigenvectors with those of E[M] ⊗ E[xxᵀ] 0.9 [0.7, 1] ...
    """

    layer: str
    """Name of the layer."""
    shape: tuple[int, int]
    """Outputs and inputs of the layer."""
    overlap: Measured
    """``‖VᵀU‖²_F/k`` of the two leading eigenspaces of dimension k: 1 if they agree, ``chance`` on average if one
    of them is random. The interval is for the finite data."""
    chance: float
    """``k`` over the number of weights."""
    values: Array
    approximate: Array
    """The k largest eigenvalues of the layer's Hessian and of the Kronecker product."""
    curvature: Array
    inputs: Array
    """The factors E[M] and E[xxᵀ]."""

    def __str__(self) -> str:
        return (
            f"{self.layer or 'the model'} ({self.shape[0]} × {self.shape[1]}): overlap of the leading "
            f"{len(self.values)} eigenvectors with those of E[M] ⊗ E[xxᵀ] {self.overlap} "
            f"({self.chance:.3g} by chance); largest eigenvalue "
            f"{self.values[0]:.4g}, approximation {self.approximate[0]:.4g}"
        )

    @returns_figure
    def plot(self) -> Any:
        """Draw both lists of eigenvalues."""
        from rmtsim.plots._hessian import decoupling_figure

        return decoupling_figure(self)


@in_one_pool
def kronecker_decoupling(
    operator: HessianOperator, layer: str, *, count: int | None = None, rng: RandomSource = 0
) -> Decoupling:
    """Compare a dense layer's Hessian with the Kronecker product of E[M] and E[xxᵀ].

    Parameters
    ----------
    operator : HessianOperator
        Hessian of a torch model with a mean loss.
    layer : str
        Name of a ``torch.nn.Linear`` in the model that reads one row per sample.
    count : int, optional
        Dimension k of the leading eigenspaces; by default the number of outputs of the model less one.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of random starts; the default is a fixed stream, None a new one at every call.

    Returns
    -------
    Decoupling
        Overlap with an interval, eigenvalues and factors.

    Raises
    ------
    ValueError
        If there is no such layer, it is used several times, or it reads several positions per sample: there the
        Hessian has terms between positions, and the decoupling does not apply.

    Examples
    --------
    With one output and a quadratic loss, M is constant and the decoupling is exact:

    >>> from rmtsim.hessians import hessian, kronecker_decoupling
    >>> from torch import nn, randn  # doctest: +SKIP
    >>> model = nn.Sequential(nn.Linear(5, 1, bias=False))  # doctest: +SKIP
    >>> operator = hessian(model, nn.MSELoss(), (randn(60, 5), randn(60, 1)), dtype="float64")  # doctest: +SKIP
    >>> found = kronecker_decoupling(operator, "0")  # doctest: +SKIP
    >>> bool(abs(found.overlap.value - 1) < 1e-6)  # doctest: +SKIP
    True
    """
    operator = validate.instance("operator", operator, HessianOperator)
    rng = validate.generator("rng", rng)
    source: Any = operator.source
    if not hasattr(source, "layer_factors"):
        raise ValueError(f"operator ({operator.description}): expected the Hessian of a torch model")
    slot = next((s for s in operator.slots if s.name == (f"{layer}.weight" if layer else "weight")), None)
    if slot is None or len(slot.shape) != 2:
        raise ValueError(
            f"layer={layer!r}: no dense layer of that name with a weight that requires a gradient"
        )
    if max(slot.shape) > _LARGEST:
        raise ValueError(
            f"layer={layer!r} of shape {slot.shape}: expected at most {_LARGEST} outputs and inputs"
        )
    group = Group(layer, operator.indices(slot.name))
    count = max((operator.classes or 2) - 1, 1) if count is None else validate.integer("count", count)
    count = min(count, group.size - 1, slot.shape[0] * slot.shape[1])
    factors = [source.layer_factors(layer, tuple(int(b) for b in fold)) for fold in operator.folds]
    curvatures, inputs = (np.stack([f[k] for f in factors]) for k in (0, 1))
    weights = operator.fold_weights

    def leading(chosen: NDArray[np.intp]) -> tuple[Array, Array]:
        share = weights[chosen] / weights[chosen].sum()
        return _leading(
            np.tensordot(share, curvatures[chosen], 1), np.tensordot(share, inputs[chosen], 1), count
        )

    found = _lanczos.extreme_eigenvalues(
        restricted(operator, group),
        group.size,
        rng,
        count=count,
        which="top",
        tolerance=max(1e-6, 500 * operator.precision),
    )
    every = np.arange(len(operator.folds))
    approximate, basis = leading(every)
    value = _overlap(found.vectors, basis)
    measured = Measured(value, 0.0, 0.0, 1.0)
    if len(every) >= PARTS:
        left = []
        for first in range(PARTS):
            rest = np.setdiff1d(every, np.arange(first, len(every), PARTS))
            vectors = vectors_on(operator, group, rest, found.vectors, "top", 1e-4)
            left.append(_overlap(vectors, leading(rest)[1]))
        error = float(np.sqrt((PARTS - 1) / PARTS * np.square(np.array(left) - np.mean(left)).sum()))
        wide = interval(value, error, PARTS - 1)
        measured = Measured(value, error, max(wide.low, 0.0), min(wide.high, 1.0))
    return Decoupling(
        layer,
        (slot.shape[0], slot.shape[1]),
        measured,
        count / group.size,
        found.values,
        approximate,
        np.tensordot(weights, curvatures, 1),
        np.tensordot(weights, inputs, 1),
    )


def _leading(curvature: Array, inputs: Array, count: int) -> tuple[Array, Array]:
    """Largest eigenvalues of the Kronecker product of two symmetric matrices, and their vectors."""
    one, u = np.linalg.eigh(0.5 * (curvature + curvature.T))
    two, a = np.linalg.eigh(0.5 * (inputs + inputs.T))
    products = np.outer(one, two)
    chosen = np.argsort(products, axis=None)[::-1][:count]
    rows, columns = np.unravel_index(chosen, products.shape)
    vectors = np.einsum("ik,jk->ijk", u[:, rows], a[:, columns]).reshape(-1, count)
    return products[rows, columns], vectors


def _overlap(one: Array, two: Array) -> float:
    return float(np.square(one.T @ two).sum() / one.shape[1])
