"""Input of the analysis (eigenvalues, a matrix or an operator) as eigenvalues with their shape."""

from __future__ import annotations

import math
import numbers
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.spectra._deflation import gram
from rmtsim.spectra._files import read_file
from rmtsim.spectra._masses import rounding
from rmtsim.spectra._weights import plain_array

_HIGHEST_LEVEL = 0.1
_SINGULAR = 1e-7
"""Below this share of the largest one an eigenvalue of a Gram matrix has fewer digits than the fit needs."""
_SMALL, _LARGE = 1e-100, 1e100
"""Sizes of the largest number between which squares and sums of squares are doubles without care."""
_HANDY = (1e-10, 1e10)
"""Sizes of the largest entry between which a data matrix is used as it is."""
_ASYMMETRY = 1e-6
"""Asymmetry, relative to the largest entry, that single precision may leave in a symmetric matrix."""
DENSE = 4000
"""Operators up to this size are formed and diagonalised."""


@frozen(eq=False)
class Given:
    """Eigenvalues of (1/normaliser) XᵀX with their shape; ``samples`` None for a symmetric matrix.

    The source was divided by 2**exponent.
    """

    values: FloatArray
    dimension: int
    samples: int | None
    normaliser: int = 1
    data: NDArray[Any] | None = None
    """The data matrix itself, columns centred if that was requested."""
    gram: NDArray[Any] | None = None
    """XᵀX or XXᵀ of the data, whichever is smaller."""
    complex: bool = False
    unknown: bool = False
    """Whether no eigenvalue is negative, and neither the number of samples nor the kind is given."""
    exponent: int = 0


def is_operator(source: Any) -> bool:
    """Whether this is known by its products, as a ``LinearOperator`` is."""
    return hasattr(source, "matvec") and hasattr(source, "shape")


def without_sparsity(source: Any) -> Any:
    """A sparse matrix as an array, or as an operator where it is square and too large to be formed."""
    if not (hasattr(source, "tocsr") and hasattr(source, "toarray")):
        return source
    rows, columns = source.shape
    if rows == columns > DENSE:
        from scipy.sparse.linalg import aslinearoperator

        return aslinearoperator(source)
    validate.memory(8.0 * rows * columns, f"a matrix of {rows} × {columns} numbers")
    return source.toarray()


def read(source: Any, samples: int | None, dimension: int | None, kind: str, centre: bool) -> Given:
    """Eigenvalues and shape by the rules of :func:`rmtsim.spectrum`."""
    if hasattr(source, "named_parameters"):
        raise TypeError(
            f"source={type(source).__name__}: expected eigenvalues, a matrix, an operator or a file; "
            "rmtsim.model_spectrum reads PyTorch modules"
        )
    if isinstance(source, bytes):
        raise TypeError("source=bytes: expected eigenvalues, a matrix, an operator or the name of a file")
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        source = read_file(Path(source))
    elif is_operator(source):
        source = _dense(source)
    elif hasattr(source, "detach"):
        source = plain_array(source)
    array, exponent = _usual_size(_numbers(source))
    if array.ndim == 1 and array.size:
        if centre:
            raise ValueError("centre=True: expected together with a data matrix, not with eigenvalues")
        return replace(_listed(array, samples, dimension, kind), exponent=exponent)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"source of shape {array.shape}: expected eigenvalues (one axis) or a matrix (two), not empty"
        )
    if dimension is not None:
        raise ValueError(
            f"dimension={dimension}: expected only with eigenvalues; a matrix says its shape itself"
        )
    rows, columns = array.shape
    symmetric = rows == columns and is_symmetric(array)
    if kind == "wigner" and not symmetric:
        raise ValueError(f"source of shape {array.shape}: expected a symmetric matrix for kind='wigner'")
    if symmetric and (samples is not None or (kind != "covariance" and not centre)):
        values = _eigenvalues(0.5 * (array + array.conj().T))
        found = _symmetric(values, None if kind == "wigner" else samples, kind)
        return replace(found, complex=np.iscomplexobj(array), exponent=exponent)
    if samples is not None and samples != rows:
        raise ValueError(
            f"samples={samples}: expected {rows}, the number of rows of the data matrix, or nothing"
        )
    return replace(_of_data(array, centre), exponent=exponent)


def _listed(values: FloatArray, samples: int | None, dimension: int | None, kind: str) -> Given:
    """Given eigenvalues."""
    if kind == "wigner":
        if samples is not None or dimension not in (None, values.size):
            raise ValueError(
                "samples, dimension: not for a Wigner-like matrix, whose eigenvalues are all given"
            )
        return Given(values, values.size, None)
    if samples is None:
        if kind == "covariance" or dimension is not None:
            raise ValueError(
                "samples=None: expected the number of samples N behind these eigenvalues, or kind='wigner' for those "
                "of a symmetric matrix"
            )
        return _symmetric(values, None, kind)
    return Given(values, dimension or values.size, samples, samples)


def _symmetric(values: FloatArray, samples: int | None, kind: str) -> Given:
    """Eigenvalues of a symmetric matrix; the kind may be ambiguous if none is negative."""
    if samples is not None:
        return Given(values, values.size, samples, samples)
    return Given(
        values, values.size, None, unknown=kind == "auto" and float(values.min()) >= -rounding(values)
    )


def _of_data(array: NDArray[Any], centre: bool) -> Given:
    rows, columns = array.shape
    if centre:
        array = _centred(array)
    largest = float(np.abs(array).max()) if np.iscomplexobj(array) else _modulus(array)
    unit = 1.0 if largest == 0 or _HANDY[0] <= largest <= _HANDY[1] else largest
    data = array if unit == 1 else array / unit
    inner = gram(data)
    values = _squared_singular_values(data, inner) * (unit**2 / rows)
    return Given(values, columns, max(rows - centre, 1), rows, data, inner, np.iscomplexobj(array))


def _centred(array: NDArray[Any]) -> NDArray[Any]:
    """Columns without their means; a column that is constant to rounding becomes zero."""
    means = array.mean(axis=0)
    rest = array - means
    spread, size = np.abs(rest).max(axis=0), np.abs(array).max(axis=0)
    rest[:, spread <= 8 * np.finfo(np.float64).eps * size] = 0.0
    return np.asarray(rest)


def _usual_size(array: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """The numbers divided by a power of two, where their squares would not be doubles, and its exponent."""
    parts = (array.real, array.imag) if np.iscomplexobj(array) else (array,)
    largest = max(_modulus(part) for part in parts)
    if largest == 0 or _SMALL <= largest <= _LARGE:
        return array, 0
    exponent = math.frexp(largest)[1] - 1
    if np.iscomplexobj(array):
        return np.ldexp(array.real, -exponent) + 1j * np.ldexp(array.imag, -exponent), exponent
    return np.ldexp(array, -exponent), exponent


def _modulus(array: FloatArray) -> float:
    """Largest modulus of real numbers, without an array of the moduli."""
    return max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))


def is_symmetric(array: NDArray[Any]) -> bool:
    """Whether a square matrix equals its conjugate transpose to the accuracy of single precision."""
    gap, size = float(np.abs(array - array.conj().T).max()), float(np.abs(array).max())
    return gap <= _ASYMMETRY * size


def _numbers(source: Any) -> NDArray[Any]:
    """Real numbers, or those of a complex matrix."""
    meaning = "eigenvalues or a matrix"
    if isinstance(source, np.ma.MaskedArray) and not np.ma.is_masked(source):
        source = source.data
    if hasattr(source, "dtypes") and hasattr(source, "columns") and hasattr(source, "to_numpy"):
        source = _of_table(source)
    elif not hasattr(source, "dtype"):
        try:
            source = np.asarray(source)
        except ValueError as error:
            raise ValueError(f"source: expected {meaning}, all rows of one length ({error})") from None
    if isinstance(source, np.ndarray) and source.dtype.kind == "b":
        source = np.asarray(source, dtype=np.float64)
    _refuse_missing(source)
    if not np.iscomplexobj(source):
        return validate.real_array("source", source, meaning=meaning, copy=False)
    array = validate.complex_array("source", source, meaning=meaning)
    if not array.imag.any():
        return array.real.copy()
    if array.ndim == 1:
        raise ValueError("source: expected real eigenvalues, and some have an imaginary part")
    return array


def _of_table(table: Any) -> NDArray[Any]:
    """The numbers of a data frame, NaN where they are missing; columns without numbers are named."""
    refused = []
    for place, (name, kind) in enumerate(zip(table.columns, table.dtypes, strict=True)):
        column = table.iloc[:, place] if hasattr(table, "iloc") else table[name]
        plain = getattr(kind, "kind", "O") in "biufc"
        if not plain and not all(isinstance(entry, numbers.Number) for entry in column):
            refused.append(str(name))
    if refused:
        more = f" and {len(refused) - 3} more" if len(refused) > 3 else ""
        raise TypeError(
            f"source: columns {', '.join(refused[:3])}{more} of the table hold no numbers; expected numbers in all. "
            "Leave these columns out, or encode them"
        )
    try:
        return np.asarray(table.to_numpy(dtype=np.float64, na_value=np.nan))
    except TypeError:  # complex numbers, or tables without an option for missing entries
        return np.asarray(table.to_numpy())


def _refuse_missing(source: Any) -> None:
    """Entries of a table that are NaN or masked are missing: say how many, and what can be done."""
    if type(source) is np.ndarray and source.dtype.kind == "f" and source.size and not np.isnan(source.min()):
        return  # a minimum of numbers of which one is NaN is NaN
    try:
        array = np.ma.asarray(source)
        missing = np.ma.getmaskarray(array) | np.isnan(array.data)
    except (TypeError, ValueError):
        return  # text or ragged lists, which are refused by their kind
    if array.ndim != 2 or not missing.any():
        return
    rows, columns = int((~missing.any(axis=1)).sum()), int((~missing.any(axis=0)).sum())
    raise ValueError(
        f"source: {int(missing.sum())} of {array.size} entries are missing (NaN); expected all. Leave out incomplete "
        f"rows ({rows} of {array.shape[0]} are complete) or columns ({columns} of {array.shape[1]}). Imputed values "
        "shrink the noise and create correlations, so that no test of the rank keeps its level"
    )


def _squared_singular_values(matrix: NDArray[Any], inner: NDArray[Any]) -> FloatArray:
    """From the Gram matrix of the shorter side, or, where it is too singular for that, by a decomposition."""
    values = np.asarray(np.linalg.eigvalsh(inner), dtype=np.float64)
    if values[0] <= _SINGULAR * values[-1] and values[-1] > 0:
        values = np.asarray(np.linalg.svd(matrix, compute_uv=False), dtype=np.float64)[::-1] ** 2
    return np.asarray(values[::-1])


def _dense(operator: Any) -> FloatArray:
    shape = tuple(operator.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"source of shape {shape}: expected a square, symmetric operator")
    size = validate.integer("size of the operator", shape[0], minimum=2, maximum=DENSE)
    matrix = np.empty((size, size))
    unit = np.zeros(size)
    for column in range(size):
        unit[column] = 1.0
        matrix[:, column] = np.ravel(operator.matvec(unit))
        unit[column] = 0.0
    gap = float(np.abs(matrix - matrix.T).max())
    if not gap <= _ASYMMETRY * float(np.abs(matrix).max()):
        raise ValueError(
            f"source: expected a symmetric operator, and its matrix differs from its transpose by {gap:g}"
        )
    return 0.5 * (matrix + matrix.T)


def _eigenvalues(matrix: NDArray[Any]) -> FloatArray:
    return np.asarray(np.linalg.eigvalsh(matrix), dtype=np.float64)


def checked_level(level: float) -> float:
    """A level in (0, 0.1]."""
    level = validate.positive_number("level", level, meaning="chance of any false outlier")
    if level > _HIGHEST_LEVEL:
        raise ValueError(
            f"level={level}: expected a number in (0, {_HIGHEST_LEVEL}] (chance of any false outlier)"
        )
    return level


def ordered(values: FloatArray) -> tuple[FloatArray, float]:
    """In decreasing order and in units of the largest modulus, which comes with them and is not zero."""
    falling = np.sort(values)[::-1]
    unit = float(np.abs(falling).max())
    return falling / unit, unit


@frozen(eq=False)
class LivePart:
    """Eigenvalues of XXᵀ in units of ``unit``, decreasing, without those that vanish, and the shape of X."""

    values: FloatArray
    unit: float
    dimension: int
    samples: int
    live: int


def live_part(given: Given) -> LivePart:
    """What of a sample covariance that is not zero can belong to a bulk; eigenvalues it cannot have are refused."""
    assert given.samples is not None
    falling, unit = ordered(given.values)
    rounding = max(given.dimension, given.samples) * np.finfo(np.float64).eps
    if falling[-1] < -10 * rounding:
        raise ValueError(
            f"source={falling[-1] * unit:g}: a covariance has no negative eigenvalue; expected numbers ≥ 0, or "
            "kind='wigner'"
        )
    if falling.size > given.dimension:
        raise ValueError(
            f"dimension={given.dimension}: expected at least the {falling.size} eigenvalues given"
        )
    falling = np.maximum(falling, 0.0)
    live = int((falling > 10 * rounding).sum())
    most = min(given.dimension, given.samples)
    if live > most:
        raise ValueError(
            f"samples={given.samples}: {live} eigenvalues are not zero, and a covariance of so many samples has at "
            f"most {most}"
        )
    # Fewer than the shape allows: directions without variance (constant features or samples) belong to no bulk.
    dimension = live if given.dimension <= given.samples else given.dimension
    effective = given.samples if given.dimension <= given.samples else live
    values = falling[:live] * given.normaliser
    return LivePart(values, unit, dimension, effective, live)
