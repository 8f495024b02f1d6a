"""What the user has, eigenvalues, a matrix or an operator, as eigenvalues with their shape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.spectra._weights import plain_array

__all__ = [
    "DENSE",
    "LEAST",
    "Given",
    "LivePart",
    "checked_level",
    "is_operator",
    "live_part",
    "ordered",
    "read",
]

FloatArray = NDArray[np.float64]

LEAST = 10
"""Non-zero eigenvalues without which there is no bulk to speak of."""
_HIGHEST_LEVEL = 0.1
_SINGULAR = 1e-7
"""Below this share of the largest one an eigenvalue of a Gram matrix has fewer digits than the fit needs."""
DENSE = 4000
"""Operators up to this size are formed and diagonalised."""


@dataclass(frozen=True, eq=False)
class Given:
    """Eigenvalues of (1/normaliser) XᵀX with their shape; ``samples`` None for a symmetric matrix."""

    values: FloatArray
    dimension: int
    samples: int | None
    normaliser: int = 1
    data: NDArray[Any] | None = None
    """The data matrix itself, columns centred if that was requested."""
    complex: bool = False


def is_operator(source: Any) -> bool:
    """Whether this is known by its products, as a ``LinearOperator`` is."""
    return hasattr(source, "matvec") and hasattr(source, "shape")


def read(source: Any, samples: int | None, dimension: int | None, kind: str, centre: bool) -> Given:
    """Eigenvalues and shape; the rules stand at :func:`rmtsim.spectrum`."""
    if (
        hasattr(source, "named_parameters")
        or isinstance(source, (str, bytes))
        or hasattr(source, "__fspath__")
    ):
        raise TypeError(
            f"source={type(source).__name__}: expected eigenvalues, a matrix or an operator; rmtsim.model_spectrum "
            "reads PyTorch modules, files and folders"
        )
    if is_operator(source):
        source = _dense(source)
    elif hasattr(source, "detach"):
        source = plain_array(source)
    array = _numbers(source)
    if array.ndim == 1:
        if centre:
            raise ValueError("centre=True: expected together with a data matrix, not with eigenvalues")
        if kind == "wigner":
            if samples is not None or dimension not in (None, array.size):
                raise ValueError(
                    "samples, dimension: not for a Wigner-like matrix, whose eigenvalues are all given"
                )
            return Given(array, array.size, None)
        if samples is None:
            raise ValueError(
                "samples=None: expected the number of samples N behind these eigenvalues, or kind='wigner' for those "
                "of a symmetric matrix"
            )
        return Given(array, dimension or array.size, samples, samples)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"source of shape {array.shape}: expected eigenvalues (one axis) or a matrix (two)")
    if dimension is not None:
        raise ValueError(
            f"dimension={dimension}: expected only with eigenvalues; a matrix says its shape itself"
        )
    rows, columns = array.shape
    symmetric = rows == columns and bool((array == array.conj().T).all())
    complex_ = np.iscomplexobj(array)
    if kind == "wigner" and not symmetric:
        raise ValueError(f"source of shape {array.shape}: expected a symmetric matrix for kind='wigner'")
    if symmetric and kind != "covariance" and not centre:
        values = _eigenvalues(array)
        if samples is None or kind == "wigner":
            return Given(values, rows, None, complex=complex_)
        return Given(values, rows, samples, samples, complex=complex_)
    if symmetric and samples is not None:
        return Given(_eigenvalues(array), rows, samples, samples, complex=complex_)
    if samples is not None and samples != rows:
        raise ValueError(
            f"samples={samples}: expected {rows}, the number of rows of the data matrix, or nothing"
        )
    if centre:
        array = array - array.mean(axis=0)
    largest = float(np.abs(array).max()) or 1.0
    squares = _squared_singular_values(array / largest)
    with np.errstate(over="ignore", under="ignore"):
        values = validate.computed(
            "squares of the singular values", (np.sqrt(squares) * (largest / math.sqrt(rows))) ** 2
        )
    return Given(values, columns, rows - centre, rows, array / largest, complex_)


def _numbers(source: Any) -> NDArray[Any]:
    """Real numbers, or those of a complex matrix."""
    meaning = "eigenvalues or a matrix"
    if not np.iscomplexobj(source):
        return validate.real_array("source", source, meaning=meaning)
    array = validate.complex_array("source", source, meaning=meaning)
    if not array.imag.any():
        return array.real.copy()
    if array.ndim == 1:
        raise ValueError("source: expected real eigenvalues, and some have an imaginary part")
    return array


def _squared_singular_values(matrix: NDArray[Any]) -> FloatArray:
    """From the Gram matrix of the shorter side, or, where it is too singular for that, by a decomposition."""
    rows, columns = matrix.shape
    gram = matrix.conj().T @ matrix if rows >= columns else matrix @ matrix.conj().T
    values = np.asarray(np.linalg.eigvalsh(gram), dtype=np.float64)
    if values[0] <= _SINGULAR * values[-1]:
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
    if not gap <= 1e-6 * float(np.abs(matrix).max()):
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
    """In decreasing order and in units of the largest modulus, which comes with them."""
    falling = np.sort(values)[::-1]
    unit = float(np.abs(falling).max())
    if unit == 0:
        raise ValueError("source: all eigenvalues are zero; expected a spectrum with a bulk")
    return falling / unit, unit


@dataclass(frozen=True, eq=False)
class LivePart:
    """Eigenvalues of XXᵀ in units of ``unit``, decreasing, without those that vanish, and the shape they live in."""

    values: FloatArray
    unit: float
    dimension: int
    samples: int
    live: int


def live_part(given: Given) -> LivePart:
    """What of a sample covariance can belong to a bulk; bad input is refused here."""
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
    if live < LEAST:
        raise ValueError(f"source: {live} eigenvalues are not zero; expected at least {LEAST} for a bulk")
    # Fewer than the shape allows: directions without any variance (dead features, or samples) belong to no bulk.
    dimension = live if given.dimension <= given.samples else given.dimension
    effective = given.samples if given.dimension <= given.samples else live
    values = falling[:live] * given.normaliser
    return LivePart(values, unit, dimension, effective, live)
