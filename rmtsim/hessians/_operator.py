"""One symmetric operator for Hessians from any source, with its parameters and its batches of data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import LinearOperator

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.threads import one_pool

if TYPE_CHECKING:
    from rmtsim.hessians._block_map import BlockMap
    from rmtsim.hessians._eigenvalues import Eigenvalues
    from rmtsim.hessians._groups import Group
    from rmtsim.hessians._spectrum import HessianSpectrum
    from rmtsim.hessians._trace import Trace

P = ParamSpec("P")
R = TypeVar("R")

_AT_ONCE = 2**27
"""Bytes of vectors that are multiplied together."""
_FOLDS = 10
"""Folds of batches that the error of the data is estimated from, at most."""
_FOLD_MEMORY = 2**30
"""Bytes that products of all folds with one vector may take."""
_DENSE = 1000
"""Parameters up to which the matrices of all folds are formed before an analysis."""


@frozen
class ParameterSlot:
    """A parameter tensor and its place in the parameter vector.

    Examples
    --------
    >>> slot = ParameterSlot("layers.0.weight", (3, 2), 10)
    >>> slot.size, slot.module
    (6, 'layers.0')
    """

    name: str
    """Name, as in ``model.named_parameters()``."""
    shape: tuple[int, ...]
    """Its shape; entries are row-major in the vector."""
    start: int
    """Index of the first entry."""
    heads: int = 0
    """Number of attention heads that divide it; zero if there are none."""
    transposed: int = 0
    """Number of groups of a transposed convolution, whose outputs are its second axis; zero otherwise."""

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @property
    def module(self) -> str:
        """Name of the module that owns the parameter; the parameter's own name if it lies at the top.

        Parts of a parametrised weight (``torch.nn.utils.parametrizations``) belong to the module that has the weight.
        """
        owner, found, _ = self.name.partition(".parametrizations.")
        return owner if found else self.name.rpartition(".")[0] or self.name


class Source(Protocol):
    """Where products come from: one symmetric matrix per batch of data, and the weights of their mean."""

    size: int
    slots: tuple[ParameterSlot, ...]
    samples: tuple[int, ...] | None
    """Samples of each batch; None if unknown."""
    batches: int
    scale: float
    """The operator is ``scale`` times the weighted mean of the batches' matrices."""
    precision: float
    """Machine epsilon of the arithmetic of a product."""
    classes: int | None
    """Number of outputs, if known."""
    description: str
    numpy: bool
    """Whether NumPy computes the products, so that its BLAS may use all threads."""

    def mean_product(self, batches: tuple[int, ...], vectors: Array) -> Array:
        """Product of the mean over some batches, weighted by their samples, with vectors, one per row."""
        ...


class HessianOperator(LinearOperator):
    """A Hessian or Gauss–Newton matrix known by its products, with named parameters and batches.

    Made by :func:`hessian`. It is a SciPy ``LinearOperator`` as well.

    Parameters
    ----------
    source : object
        Source of the products, one matrix per batch of data.

    Attributes
    ----------
    size : int
        Number P of parameters.
    slots : tuple of ParameterSlot
        Names, shapes and places of the parameters.
    source : object
        Source of the products.
    batches : int
        Number of batches; with one batch the error of the data is unknown.
    samples : int or None
        Number of samples in all batches, if known.
    weights : ndarray
        Weight of each batch in the mean, in proportion to its samples.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import hessian
    >>> operator = hessian(lambda v: np.array([1.0, 2.0, 4.0]) * v, size=3)
    >>> operator.product(np.ones(3))
    array([1., 2., 4.])
    >>> operator.trace(rng=np.random.default_rng(0)).value
    7.0
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.size = source.size
        self.slots = source.slots
        self.batches = source.batches
        self._matrices: Array | None = None
        self._mean: Array = np.empty((0, 0))
        super().__init__(np.dtype(np.float64), (self.size, self.size))  # type: ignore[call-arg]

    def __repr__(self) -> str:
        data = f"{self.batches} batches" if self.batches > 1 else "one batch"
        count = f" of {self.samples} samples" if self.samples is not None else ""
        return f"HessianOperator({self.source.description}; {self.size} parameters; {data}{count})"

    @property
    def samples(self) -> int | None:
        """Number of samples in all batches; None if unknown."""
        return None if self.source.samples is None else sum(self.source.samples)

    @property
    def precision(self) -> float:
        """Machine epsilon of the arithmetic of a product."""
        return self.source.precision

    @property
    def classes(self) -> int | None:
        """Number of outputs of the model; None if unknown."""
        return self.source.classes

    @property
    def description(self) -> str:
        """What the operator was made from."""
        return self.source.description

    @cached_property
    def weights(self) -> Array:
        """Weight of each batch in the mean; they sum to one."""
        counts = self.source.samples or (1,) * self.batches
        return np.asarray(counts, dtype=np.float64) / sum(counts)

    @cached_property
    def folds(self) -> tuple[NDArray[np.intp], ...]:
        """Groups of whole batches of about equal weight: the units that the error of the data is estimated from."""
        count = min(self.batches, _FOLDS, max(2, int(_FOLD_MEMORY // (8 * self.size))))
        return tuple(np.arange(first, self.batches, count) for first in range(count))

    @cached_property
    def fold_weights(self) -> Array:
        """Weight of each fold; they sum to one."""
        return np.array([self.weights[fold].sum() for fold in self.folds])

    def product(self, vectors: ArrayLike) -> Array:
        """Product with one vector or with several.

        Parameters
        ----------
        vectors : array_like
            One vector (P,), or several as rows (k, P).

        Returns
        -------
        ndarray
            Products, in the same shape.
        """
        rows, single = self._rows(vectors)
        result = self.product_on(np.arange(len(self.folds)), rows)
        return result[0] if single else result

    def product_on(self, folds: NDArray[np.intp], rows: Array) -> Array:
        """Products of the mean over some folds with vectors.

        Parameters
        ----------
        folds : ndarray of int
            Folds, as in ``folds``.
        rows : ndarray
            Vectors, one per row.

        Returns
        -------
        ndarray
            Products, one per row.
        """
        if self._matrices is not None:
            share = self.fold_weights[folds] / self.fold_weights[folds].sum()
            if len(folds) == len(self.folds):
                return np.asarray(rows @ self._mean)
            return np.asarray(rows @ np.tensordot(share, self._matrices[folds], axes=1))
        batches = tuple(sorted(int(b) for f in folds for b in self.folds[f]))
        parts = self._parts(len(rows))
        if len(parts) == 1:
            return self._finite(self.source.mean_product(batches, rows))
        result = np.empty(rows.shape)
        for part in parts:
            result[part] = self._finite(self.source.mean_product(batches, rows[part]))
        return result

    def prepared(self) -> HessianOperator:
        """Form the matrices of all folds if the operator is small: then products are cheap and results exact.

        Returns
        -------
        HessianOperator
            The operator itself.
        """
        if self._matrices is None and self.size <= _DENSE:
            found = self.fold_products(np.eye(self.size))
            self._matrices = 0.5 * (found + found.transpose(0, 2, 1))
            self._mean = np.tensordot(self.fold_weights, self._matrices, axes=1)
        return self

    def fold_products(self, vectors: ArrayLike) -> Array:
        """Products of the matrix of every fold of batches with vectors.

        Parameters
        ----------
        vectors : array_like
            One vector (P,), or several as rows (k, P).

        Returns
        -------
        ndarray
            Array (folds, P) or (folds, k, P); their mean with ``fold_weights`` is :meth:`product`.
        """
        rows, single = self._rows(vectors)
        result = np.empty((len(self.folds), *rows.shape))
        for fold in range(len(self.folds)):
            result[fold] = self.product_on(np.array([fold]), rows)
        return result[:, 0] if single else result

    @property
    def formed(self) -> bool:
        """Whether the matrices of all folds are in memory, so that nothing has to be estimated by probes."""
        return self._matrices is not None

    def _rows(self, vectors: ArrayLike) -> tuple[Array, bool]:
        rows = validate.real_array("vectors", vectors, copy=False)
        if rows.ndim not in (1, 2) or rows.shape[-1] != self.size:
            raise ValueError(f"vectors of shape {rows.shape}: expected ({self.size},) or (k, {self.size})")
        return np.atleast_2d(rows), rows.ndim == 1

    def _parts(self, count: int) -> list[slice]:
        step = max(1, _AT_ONCE // (8 * self.size))
        return [slice(first, min(first + step, count)) for first in range(0, count, step)]

    def _finite(self, result: Array) -> Array:
        if self.source.scale != 1.0:
            result *= self.source.scale
        if not validate.all_finite(result):
            raise ValueError(
                "a product of the Hessian with a finite vector is not finite (a loss, weight or input overflows)"
            )
        return result

    def _matvec(self, x: Any) -> Array:
        return self.product(np.ravel(x))

    def _matmat(self, X: Any) -> Array:
        return self.product(np.ascontiguousarray(np.asarray(X).T)).T

    def _adjoint(self) -> HessianOperator:
        return self

    def _transpose(self) -> HessianOperator:
        return self

    def indices(
        self, name: str, *, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None
    ) -> NDArray[np.intp]:
        """Indices of the entries of a parameter, for groups of your own.

        Parameters
        ----------
        name : str
            Name of a parameter.
        rows, columns : sequence of int, optional
            Entries of the first and of the second axis; all by default.

        Returns
        -------
        ndarray of int
            Places in the parameter vector.
        """
        found = {slot.name: slot for slot in self.slots}
        if name not in found:
            raise ValueError(f"name={name!r}: no such parameter (there are {', '.join(found)})")
        slot = found[name]
        table = np.arange(slot.start, slot.start + slot.size, dtype=np.intp).reshape(slot.shape)
        for axis, (label, chosen) in enumerate((("rows", rows), ("columns", columns))):
            if chosen is not None:
                if table.ndim <= axis:
                    raise ValueError(f"{label}: {name} has {table.ndim} axes")
                places = np.asarray(chosen)
                if places.ndim != 1 or not places.size or places.dtype.kind not in "iu":
                    raise TypeError(f"{label}={chosen!r:.60}: expected a non-empty sequence of integers")
                if places.min() < 0 or places.max() >= slot.shape[axis]:
                    raise ValueError(
                        f"{label}={chosen!r:.60}: expected integers in [0, {slot.shape[axis] - 1}] ({name} has shape "
                        f"{slot.shape})"
                    )
                table = np.take(table, places, axis=axis)
        return table.ravel()

    def groups(
        self,
        per: Literal["model", "parameter", "layer", "neuron", "head", "class"] = "layer",
        *,
        of: str | Sequence[str] | None = None,
    ) -> tuple[Group, ...]:
        """Groups of parameters.

        Parameters
        ----------
        per : {"model", "parameter", "layer", "neuron", "head", "class"}, optional
            One group for the model, per parameter tensor, per module, per neuron (a row of a weight with its bias),
            per attention head (its rows of queries, keys and values and its columns of the output projection), or per
            output class (a neuron of the last layer).
        of : str or sequence of str, optional
            Patterns such as ``"blocks.0.*"``; only parameters whose name matches one of them.

        Returns
        -------
        tuple of Group
        """
        from rmtsim.hessians._groups import make_groups

        return make_groups(self, per, of)

    def blocks(self, groups: Any = "layer", **options: Any) -> BlockMap:
        """Squared norms of all blocks between groups.

        Parameters
        ----------
        groups, **options
            As in :func:`block_energies`.

        Returns
        -------
        BlockMap
        """
        from rmtsim.hessians._blocks import block_energies

        return block_energies(self, groups, **options)

    def eigenvalues(self, count: int = 5, **options: Any) -> Eigenvalues:
        """Extreme eigenvalues with residuals and intervals.

        Parameters
        ----------
        count, **options
            As in :func:`extreme_eigenvalues`.

        Returns
        -------
        Eigenvalues
        """
        from rmtsim.hessians._eigenvalues import extreme_eigenvalues

        return extreme_eigenvalues(self, count, **options)

    def trace(self, **options: Any) -> Trace:
        """Trace with the errors of the probes and of the data.

        Parameters
        ----------
        **options
            As in :func:`trace`.

        Returns
        -------
        Trace
        """
        from rmtsim.hessians._trace import trace

        return trace(self, **options)

    def spectrum(self, groups: Any = "model", **options: Any) -> tuple[HessianSpectrum, ...]:
        """Spectral distributions, one per group.

        Parameters
        ----------
        groups, **options
            As in :func:`spectra`.

        Returns
        -------
        tuple of HessianSpectrum
        """
        from rmtsim.hessians._spectrum import spectra

        return spectra(self, groups, **options)


def in_one_pool(function: Callable[P, R]) -> Callable[P, R]:
    """An analysis of an operator, its first argument, in which only the library of the products uses threads."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        operator = args[0] if args else kwargs.get("operator")
        source = getattr(operator, "source", None)
        threads = getattr(source, "threads", None)
        with one_pool(numpy=getattr(source, "numpy", True)), threads.kept() if threads else nullcontext():
            return function(*args, **kwargs)

    return limited
