"""Samplers in 50 digits: draws are mpmath numbers in arrays of objects, and NumPy's linear algebra is mpmath's.

A sampler that works with float64 arrays cannot be evaluated so; :func:`precise_value` then returns None. Up to four
conversions of single numbers are allowed, as of norms whose quotient is returned.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np

from rmtsim.verdicts._tape import Tape

DIGITS = 50


class Precise:
    """A real number of 50 digits with the operators and methods that NumPy calls on objects."""

    __slots__ = ("value",)
    value: Any
    converted: list[Precise] = []  # noqa: RUF012 (shared on purpose: emptied by precise_value)

    def __init__(self, value: Any) -> None:
        self.value = value.value if isinstance(value, Precise) else mpmath.mpf(_plain(value))

    def __float__(self) -> float:
        Precise.converted.append(self)
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __abs__(self) -> Precise:
        return Precise(abs(self.value))

    def __neg__(self) -> Precise:
        return Precise(-self.value)

    def __pos__(self) -> Precise:
        return self

    def __hash__(self) -> int:
        return hash(self.value)

    def __round__(self, digits: int | None = None) -> int:
        return round(float(self.value))

    def conjugate(self) -> Precise:
        """The number itself."""
        return self

    def __repr__(self) -> str:
        return f"Precise({mpmath.nstr(self.value, 20)})"


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _binary(name: str) -> None:
    work = getattr(operator, name)

    def forward(self: Precise, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Precise(work(self.value, Precise(other).value))

    def backward(self: Precise, other: Any) -> Any:
        return Precise(work(Precise(other).value, self.value))

    setattr(Precise, f"__{name}__", forward)
    setattr(Precise, f"__r{name}__", backward)


def _comparison(name: str) -> None:
    work = getattr(operator, name)

    def compared(self: Precise, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return bool(work(self.value, Precise(other).value))

    setattr(Precise, f"__{name}__", compared)


_METHODS = {
    "arccos": mpmath.acos, "arcsin": mpmath.asin, "arctan": mpmath.atan, "cos": mpmath.cos, "cosh": mpmath.cosh,
    "exp": mpmath.exp, "expm1": mpmath.expm1, "log": mpmath.log, "log1p": lambda x: mpmath.log(1 + x),
    "log10": mpmath.log10, "log2": lambda x: mpmath.log(x, 2), "sin": mpmath.sin, "sinh": mpmath.sinh,
    "sqrt": mpmath.sqrt, "tan": mpmath.tan, "tanh": mpmath.tanh, "ceil": mpmath.ceil, "floor": mpmath.floor,
}  # fmt: skip


def _method(name: str, function: Callable[[Any], Any]) -> None:
    setattr(Precise, name, lambda self: Precise(function(self.value)))


for _name in ("add", "sub", "mul", "truediv", "pow", "floordiv", "mod"):
    _binary(_name)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _comparison(_name)
for _name, _function in _METHODS.items():
    _method(_name, _function)


class PreciseTape(Tape):
    """The draws of a :class:`Tape` as mpmath numbers of the same value."""

    def _shaped(self, values: Any, size: Any) -> Any:
        lifted = _lifted(values)
        return lifted.item() if size is None and lifted.ndim == 0 else lifted


def _lifted(values: Any) -> Any:
    """Numbers as an array of mpmath numbers."""
    given = np.asarray(values)
    found = np.empty(given.shape, dtype=object)
    for place, value in np.ndenumerate(given):
        found[place] = Precise(value)
    return found


def _matrix(array: Any) -> Any:
    return mpmath.matrix([[Precise(value).value for value in row] for row in np.atleast_2d(array)])


def _array(matrix: Any) -> Any:
    found = np.empty((matrix.rows, matrix.cols), dtype=object)
    for place in np.ndindex(found.shape):
        found[place] = Precise(matrix[place])
    return found


def _singular_values(array: Any) -> Any:
    values = mpmath.svd_r(_matrix(array), compute_uv=False)
    return np.array([Precise(each) for each in values], dtype=object)


def _norm(array: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    array = np.asarray(array, dtype=object)
    if isinstance(axis, tuple) and ord in (2, -2):
        moved = np.moveaxis(array, axis, (-2, -1))
        found = np.empty(moved.shape[:-2], dtype=object)
        for place in np.ndindex(found.shape):
            found[place] = _norm(moved[place], ord)
        return found
    if ord in (None, "fro") or (ord == 2 and (axis is not None or array.ndim == 1)):
        if axis is None:
            array, axis = array.ravel(), 0
        return np.sqrt((array * array).sum(axis=axis, keepdims=keepdims))
    if axis is None and array.ndim == 1:
        reduced: Any = {np.inf: max, -np.inf: min, 1: sum}.get(ord)
        if reduced is not None:
            return reduced(np.abs(array))
    if axis is None and array.ndim == 2 and ord in (2, -2):
        return _singular_values(array)[0 if ord == 2 else -1]
    raise TypeError(f"norm of order {ord!r} in 50 digits")


def _eigvalsh(array: Any, *_: Any) -> Any:
    return np.array([Precise(each) for each in mpmath.eigsy(_matrix(array), eigvals_only=True)], dtype=object)


def _eigh(array: Any, *_: Any) -> Any:
    values, vectors = mpmath.eigsy(_matrix(array))
    return np.array([Precise(each) for each in values], dtype=object), _array(vectors)


def _svd(array: Any, full_matrices: bool = True, compute_uv: bool = True, **_: Any) -> Any:
    if not compute_uv:
        return _singular_values(array)
    raise TypeError("singular vectors in 50 digits")


def _solve(array: Any, right: Any) -> Any:
    columns = np.asarray(right, dtype=object)
    found = _array(mpmath.inverse(_matrix(array)))
    return found @ columns


_LINEAR_ALGEBRA: dict[str, Callable[..., Any]] = {
    "norm": _norm, "eigvalsh": _eigvalsh, "eigh": _eigh, "svd": _svd, "solve": _solve,
    "inv": lambda array: _array(mpmath.inverse(_matrix(array))),
    "det": lambda array: Precise(mpmath.det(_matrix(array))),
    "qr": lambda array, *_: tuple(map(_array, mpmath.qr(_matrix(array), mode="skinny"))),
}  # fmt: skip


@contextlib.contextmanager
def _precise_linear_algebra() -> Iterator[None]:
    """Functions of ``numpy.linalg`` that pass arrays of objects to mpmath, for the time of the block."""
    usual = {name: getattr(np.linalg, name) for name in _LINEAR_ALGEBRA}

    def chosen(name: str) -> Callable[..., Any]:
        def function(array: Any, *rest: Any, **options: Any) -> Any:
            objects = any(np.asarray(each).dtype == object for each in (array, *rest) if np.ndim(each))
            return (_LINEAR_ALGEBRA if objects else usual)[name](array, *rest, **options)

        return function

    try:
        for name in usual:
            setattr(np.linalg, name, chosen(name))
        yield
    finally:
        for name, function in usual.items():
            setattr(np.linalg, name, function)


def precise_value(sampled: Callable[[Any], Any], tape: Callable[[type[Tape]], Tape]) -> mpmath.mpf | None:
    """The value of a sampler in 50 digits, or None if it cannot be evaluated so.

    Parameters
    ----------
    sampled : callable
        ``sampled(generator)`` draws one value.
    tape : callable
        ``tape(kind)`` returns the generator, of the class ``kind``.

    Examples
    --------
    >>> import numpy as np
    >>> entries = np.array([1.0, 1e-20])
    >>> precise_value(lambda rng: float(sum(rng.standard_normal(2)) - 1.0), lambda kind: kind(entries))
    mpf('9.99999...e-21')
    """
    Precise.converted.clear()
    with mpmath.workdps(DIGITS), _precise_linear_algebra(), contextlib.suppress(*_FAILURES):
        value = sampled(tape(PreciseTape))
        if 0 < len(Precise.converted) <= _CONVERSIONS:
            last = Precise.converted[-1].value
            found = np.ravel(value)[0]
            return +last if float(last) == float(found) else mpmath.mpf(float(found))
    return None


_CONVERSIONS = 4
_FAILURES = (
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    IndexError,
    RuntimeError,
    NotImplementedError,
)
"""What a sampler that needs float64 raises."""

_MODES = {
    "x86_64": (0x400, 0x800, 0xC00),
    "AMD64": (0x400, 0x800, 0xC00),
    "aarch64": (0x800000, 0x400000, 0xC00000),
}
"""Values of FE_DOWNWARD, FE_UPWARD and FE_TOWARDZERO by machine."""


def rounded_values(evaluate: Callable[[], float]) -> list[float]:
    """Values of a computation that rounds down, up and towards zero; empty where the modes cannot be set.

    Parameters
    ----------
    evaluate : callable
        The computation, on this thread.

    Examples
    --------
    >>> len(rounded_values(lambda: 0.5)) in (0, 3)
    True
    """
    import ctypes
    import platform

    modes = _MODES.get(platform.machine(), ())
    try:
        change = ctypes.CDLL(None).fesetround
    except (OSError, AttributeError, TypeError):
        return []
    found = []
    for mode in modes:
        try:
            if change(mode) == 0:
                found.append(evaluate())
        finally:
            change(0)
    return found
