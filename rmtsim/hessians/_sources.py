"""Operators from functions, matrices, SciPy and curvlinops operators, and networks of rmtsim."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.hessians._operator import HessianOperator, ParameterSlot, Source
from rmtsim.matrix_free._lanczos import Product, length
from rmtsim.networks import Network

_BATCHES = 10
_KEPT = 16
"""Sets of samples whose forward passes are kept."""
_ASYMMETRY = 1e3
"""Units of rounding by which yᵀHx and xᵀHy may differ."""


def hessian(
    source: Any,
    loss: Any = None,
    data: Any = None,
    *,
    objective: Callable[[Any, Any], Any] | None = None,
    matrix: Literal["hessian", "gauss-newton"] = "hessian",
    dtype: Literal["model", "float64"] = "model",
    batch_size: int | None = None,
    reduction: Literal["auto", "mean", "sum"] = "auto",
    size: int | None = None,
) -> HessianOperator:
    """Hessian of a model's loss as an operator, from PyTorch or from anything that multiplies vectors.

    Parameters
    ----------
    source : object
        A ``torch.nn.Module``; a function v ↦ Hv (``size`` is required), or a sequence of such functions, one per
        batch of data; a symmetric matrix, sparse matrix or SciPy ``LinearOperator``; a curvlinops operator; or a
        :class:`rmtsim.networks.Network`.
    loss : callable, optional
        For a torch model: ``loss(output, targets)``, a function or a loss of ``torch.nn``. Without it the model's
        own result is the loss (a scalar, or an object with an attribute ``loss``).
    data : object, optional
        For a torch model: a tuple (inputs, targets) or a dictionary of tensors, which is cut into batches; a
        ``DataLoader`` or ``Dataset``; or any iterable of batches. A batch is a tuple whose last entry is the target,
        or a dictionary whose key ``labels``, ``targets`` or ``y`` is. For a network of rmtsim: (inputs, targets).
    objective : callable, optional
        ``objective(model, batch)`` returns the loss of a batch; instead of ``loss``, for any other kind of batch.
    matrix : {"hessian", "gauss-newton"}, optional
        The Hessian, or its Gauss–Newton part Jᵀ L″ J.
    dtype : {"model", "float64"}, optional
        Arithmetic of the products: that of the model, or a copy of the model in double precision.
    batch_size : int, optional
        Samples per batch if tensors are cut; by default a tenth of the samples, at most 1024.
    reduction : {"auto", "mean", "sum"}, optional
        Whether the loss is the mean or the sum over the samples of a batch; by default as the loss object says, else
        the mean. The loss of the data is the mean of the batches' losses, weighted by their samples, or their sum. A
        loss that averages by other weights (class weights, ignored targets) is exact with ``reduction="sum"`` losses.
    size : int, optional
        Number of parameters; only for functions.

    Returns
    -------
    HessianOperator
        The operator, with methods ``blocks``, ``eigenvalues``, ``spectrum`` and ``trace``.

    Raises
    ------
    ValueError
        If the model has no parameters, its loss is not finite, detached or random (dropout in training mode), or an
        operator is not symmetric.
    TypeError
        If the source is none of those listed.
    ImportError
        If a torch model is given without PyTorch (extra ``torch``).

    Notes
    -----
    Parameters that do not require a gradient are held fixed; tied parameters count once. All batches are kept in
    memory, so that every product sees the same data. Attention is computed by the operations that PyTorch can
    differentiate twice.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import hessian
    >>> hessian(np.diag([1.0, 2.0, 3.0])).product([1.0, 1.0, 1.0])
    array([1., 2., 3.])

    With PyTorch:

    >>> from torch import nn, randn, arange  # doctest: +SKIP
    >>> model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))  # doctest: +SKIP
    >>> operator = hessian(model, nn.CrossEntropyLoss(), (randn(60, 5), arange(60) % 3))  # doctest: +SKIP
    >>> operator.blocks("layer").names  # doctest: +SKIP
    ('0', '2')
    """
    matrix = validate.choice("matrix", matrix, ("hessian", "gauss-newton"))  # type: ignore[assignment]
    dtype = validate.choice("dtype", dtype, ("model", "float64"))  # type: ignore[assignment]
    if batch_size is not None:
        batch_size = validate.integer("batch_size", batch_size, meaning="samples per batch")
    for name, given in (("source", source), ("loss", loss)):
        if isinstance(given, type):
            raise TypeError(
                f"{name}={given.__name__}: expected an instance, not the class: {given.__name__}(…)"
            )
    torch = sys.modules.get("torch")
    model = isinstance(source, Network) or (torch is not None and isinstance(source, torch.nn.Module))
    if model and size is not None:
        raise TypeError("size: only for a function v ↦ Hv; a model has its own number of parameters")
    if torch is not None and isinstance(source, torch.nn.Module):
        from rmtsim.hessians._torch_source import TorchSource

        if loss is not None and objective is not None:
            raise TypeError("loss and objective: expected one of them")
        if loss is not None and not callable(loss):
            raise TypeError(
                f"loss={loss!r}: expected loss(output, targets), a function or a loss of torch.nn"
            )
        if data is None:
            raise TypeError("data: a torch model needs it, for instance (inputs, targets)")
        if matrix == "gauss-newton" and loss is None:
            raise ValueError(
                "matrix='gauss-newton': needs loss(output, targets), which separates model and loss"
            )
        return HessianOperator(
            TorchSource(
                source,
                loss,
                data,
                objective=objective,
                gauss_newton=matrix == "gauss-newton",
                dtype=dtype,
                batch_size=batch_size,
                reduction=reduction,
            )
        )
    if loss is not None or objective is not None:
        raise TypeError(f"loss, objective: only for a torch model, not for {type(source).__name__}")
    if isinstance(source, Network):
        return HessianOperator(_NetworkSource(source, data, matrix == "gauss-newton", batch_size))
    if data is not None:
        raise TypeError(f"data: only for a torch model or a Network, not for {type(source).__name__}")
    plain = _plain_source(source, size)
    if size is not None and size != plain.size:
        raise ValueError(f"size={size}: expected {plain.size}, the size of source, or nothing")
    return HessianOperator(_checked(plain))


class _ProductSource:
    """Products given by functions, one per batch."""

    samples: tuple[int, ...] | None = None
    scale = 1.0
    numpy = True
    classes: int | None = None

    def __init__(self, functions: Sequence[Product], size: int, description: str, precision: float) -> None:
        self._functions = functions
        self.batches = len(functions)
        self.size = size
        self.slots: tuple[ParameterSlot, ...] = (ParameterSlot("parameters", (size,), 0),)
        self.description = description
        self.precision = precision

    def mean_product(self, batches: tuple[int, ...], vectors: Array) -> Array:
        total = self._functions[batches[0]](vectors)
        for index in batches[1:]:
            total = total + self._functions[index](vectors)
        return total / len(batches)


def _plain_source(source: Any, size: int | None) -> _ProductSource:
    if hasattr(source, "to_scipy"):  # curvlinops
        source = source.to_scipy()
    if isinstance(source, LinearOperator) or issparse(source):
        given: Any = source
        rows, columns = given.shape
        if rows != columns:
            raise ValueError(f"source of shape {given.shape}: expected a square operator")
        kind = np.dtype(given.dtype if given.dtype is not None else np.float64)
        if kind.kind == "c":
            raise TypeError(f"source of {kind}: expected a real symmetric operator")
        precision = float(np.finfo(kind).eps) if kind.kind == "f" else float(np.finfo(np.float64).eps)

        def operated(v: Array) -> Array:
            return np.asarray(given @ np.ascontiguousarray(v.T.astype(kind if kind.kind == "f" else float))).T

        return _ProductSource(
            [lambda v: operated(v).astype(np.float64)], rows, type(source).__name__, precision
        )
    functions = list(source) if isinstance(source, (list, tuple)) and all(map(callable, source)) else None
    if functions is None and callable(source):
        functions = [source]
    if functions:
        if size is None:
            raise TypeError("size: a function v ↦ Hv needs it, the number of parameters")
        size = validate.integer("size", size, meaning="number of parameters")
        return _ProductSource(
            [_rowwise(f, size) for f in functions], size, "function", float(np.finfo(np.float64).eps)
        )
    if isinstance(source, (np.ndarray, list, tuple)):
        dense = validate.matrix("source", source, meaning="a symmetric matrix")
        if dense.shape[0] != dense.shape[1]:
            raise ValueError(f"source of shape {dense.shape}: expected a square matrix")
        return _ProductSource([lambda v: v @ dense.T], len(dense), "matrix", float(np.finfo(np.float64).eps))
    if any(kind.__module__.partition(".")[0] == "torch" for kind in type(source).__mro__):
        raise TypeError(
            f"source={type(source).__name__}: expected a torch.nn.Module, not another object of torch"
        )
    raise TypeError(
        f"source={type(source).__name__}: expected a torch.nn.Module, a function v ↦ Hv, a symmetric matrix, a "
        "LinearOperator, a curvlinops operator or a Network"
    )


def _rowwise(function: Any, size: int) -> Product:
    def rows(vectors: Array) -> Array:
        result = np.empty(vectors.shape)
        for row, vector in enumerate(vectors):
            image = function(vector.copy())
            image = np.asarray(image.detach().cpu() if hasattr(image, "detach") else image)
            if image.shape != (size,):
                raise ValueError(f"source: the function returned shape {image.shape}; expected ({size},)")
            if image.dtype.kind not in "fiub":
                raise TypeError(f"source: the function returned {image.dtype}; expected real numbers")
            result[row] = image
        return result

    return rows


def _checked(source: _ProductSource) -> Source:
    """The source, if products with two random vectors agree with symmetry; float32 is recognised by its rounding."""
    x, y = np.random.default_rng(0).standard_normal((2, source.size))
    single = float(np.finfo(np.float32).eps)
    for index in range(source.batches):
        one, two = source.mean_product((index,), np.stack([x, y]))
        if not (np.isfinite(one).all() and np.isfinite(two).all()):
            raise ValueError("source: its product with a finite vector is not finite")
        largest = max(float(np.abs(one).max()), float(np.abs(two).max()))
        if largest < np.finfo(np.float64).tiny / single:  # zero, or too few digits to compare
            continue
        one, two = one / largest, two / largest
        gap = abs(float(y @ one - x @ two))
        scale = length(one) * length(y) + length(two) * length(x)
        if gap > _ASYMMETRY * single * scale:
            raise ValueError(
                f"source: yᵀHx and xᵀHy differ by {gap * largest:.3g}; expected a symmetric operator"
            )
        if gap > _ASYMMETRY * source.precision * scale:
            source.precision = single
    return source


class _NetworkSource:
    """A network of rmtsim: exact products in double precision, batches of its samples."""

    scale = 1.0
    numpy = True
    precision = float(np.finfo(np.float64).eps)

    def __init__(self, network: Network, data: Any, gauss_newton: bool, batch_size: int | None) -> None:
        pair = data if isinstance(data, tuple) and len(data) == 2 else (data, None)
        if pair[0] is None:
            raise TypeError("data: a Network needs (inputs, targets)")
        inputs = np.asarray(pair[0], dtype=np.float64)
        targets = None if pair[1] is None else np.asarray(pair[1])
        network.loss(inputs, targets)  # shapes and values, checked once
        count = len(inputs)
        step = batch_size or max(1, -(-count // _BATCHES))
        self._network, self._inputs, self._targets = network, inputs, targets
        self._parts = [slice(first, min(first + step, count)) for first in range(0, count, step)]
        self.samples: tuple[int, ...] | None = tuple(part.stop - part.start for part in self._parts)
        self.batches = len(self._parts)
        self._point = lru_cache(_KEPT)(self._linearised)
        self._gauss_newton = gauss_newton
        architecture = network.architecture
        layout = architecture.layout
        self.size = layout.size
        slots = []
        for k, layer in enumerate(layout.layers):
            weights, biases = layout.weights(k), layout.biases(k)
            slots.append(ParameterSlot(f"layer {k + 1}.weight", (layer.outputs, layer.fan_in), weights.start))
            if layer.bias:
                slots.append(ParameterSlot(f"layer {k + 1}.bias", (layer.outputs,), biases.start))
        self.slots = tuple(slots)
        self.classes: int | None = architecture.outputs
        self.network = network
        name = "Gauss–Newton matrix" if gauss_newton else "Hessian"
        self.description = f"{name} of a network of rmtsim, {architecture.loss} loss"

    def _linearised(self, batches: tuple[int, ...]) -> Any:
        places = np.concatenate([np.arange(self._inputs.shape[0])[self._parts[b]] for b in batches])
        targets = None if self._targets is None else self._targets[places]
        return self._network.linearise(self._inputs[places], targets)

    def data(self) -> tuple[Array, Any]:
        """Inputs and targets."""
        return self._inputs, self._targets

    def mean_product(self, batches: tuple[int, ...], vectors: Array) -> Array:
        from rmtsim.networks._products import gauss_newton_product, hessian_product

        multiply = gauss_newton_product if self._gauss_newton else hessian_product
        return np.asarray(multiply(self._point(batches), np.ascontiguousarray(vectors)))
