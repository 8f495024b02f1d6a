"""Checks at the border: each message names the parameter, its value, the accepted range and the meaning.

>>> positive_number("ratio", -0.5, meaning="ratio = d/N")
Traceback (most recent call last):
    ...
ValueError: ratio=-0.5: expected a finite number > 0 (ratio = d/N)
>>> integer("classes", 10, minimum=2)
10
"""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MAXIMUM_SIZE",
    "complex_array",
    "finite_number",
    "generator",
    "integer",
    "memory",
    "positive_number",
    "real_array",
]

_SMALL = 2**24
MAXIMUM_SIZE = 10**9
"""No dimension, sample or class count above this is meant seriously on one machine."""


def _meaning(meaning: str) -> str:
    return f" ({meaning})" if meaning else ""


def integer(
    name: str, value: Any, *, minimum: int = 1, maximum: int = MAXIMUM_SIZE, meaning: str = ""
) -> int:
    """``value`` as an ``int`` in [minimum, maximum]; booleans, floats and text are refused."""
    expected = f"expected an integer in [{minimum}, {maximum}]{_meaning(meaning)}"
    # bool is an int to Python, but True classes is a slip of the pen.
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={value!r}: {expected}, not a boolean")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: {expected}, not {type(value).__name__}") from None
    if not minimum <= number <= maximum:
        raise ValueError(f"{name}={number}: {expected}")
    return number


def finite_number(name: str, value: Any, *, meaning: str = "") -> float:
    """``value`` as a finite ``float``; booleans, text and complex numbers are refused."""
    expected = f"expected a finite number{_meaning(meaning)}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating, np.integer)):
        raise TypeError(f"{name}={value!r}: {expected}, not {type(value).__name__}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name}={number}: {expected}")
    return number


def positive_number(name: str, value: Any, *, meaning: str = "") -> float:
    """``value`` as a finite ``float`` above zero."""
    number = finite_number(name, value, meaning=meaning)
    if number <= 0:
        raise ValueError(f"{name}={number}: expected a finite number > 0{_meaning(meaning)}")
    return number


def real_array(name: str, value: Any, *, infinite: bool = False, meaning: str = "") -> NDArray[np.float64]:
    """``value`` as an array of floats of its own shape: no NaN, infinities only where they mean something."""
    expected = f"expected {'' if infinite else 'finite '}real numbers{_meaning(meaning)}"
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}={_shown(value)}: {expected}, not {array.dtype}")
    array = array.astype(np.float64)
    wrong = np.isnan(array) if infinite else ~np.isfinite(array)
    if wrong.any():
        raise ValueError(f"{name}={_culprit(array, wrong)}: {expected}")
    return array


def complex_array(name: str, value: Any, *, meaning: str = "") -> NDArray[np.complex128]:
    """``value`` as an array of finite complex numbers of its own shape."""
    expected = f"expected finite complex numbers{_meaning(meaning)}"
    array = np.asarray(value)
    if array.dtype.kind not in "iufc":
        raise TypeError(f"{name}={_shown(value)}: {expected}, not {array.dtype}")
    array = array.astype(np.complex128)
    wrong = ~np.isfinite(array)
    if wrong.any():
        raise ValueError(f"{name}={_culprit(array, wrong)}: {expected}")
    return array


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _culprit(array: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    first = array[wrong][0]
    place = f" at index {', '.join(str(i) for i in np.argwhere(wrong)[0])}" if array.ndim else ""
    return f"{first}{place}"


def generator(name: str, value: Any) -> np.random.Generator:
    """``value`` if it is a NumPy ``Generator``: randomness is always an explicit argument."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(
            f"{name}={value!r}: expected a numpy.random.Generator (for instance numpy.random.default_rng(0))"
        )
    return value


def memory(need: float, what: str, *, limit: float | None = None) -> None:
    """Refuse ``what`` before any work if its estimated ``need`` in bytes exceeds what the machine has left."""
    from rmtsim.errors import MemoryLimitError

    # Asking the kernel costs more than many a small model; a machine without so little could not have started Python.
    if limit is None and need <= _SMALL:
        return
    available = _available_memory() if limit is None else limit
    if need > available:
        raise MemoryLimitError(
            f"{what} would need about {need / 2**30:.3g} GiB of memory, and {available / 2**30:.3g} GiB are available"
        )


def _available_memory() -> float:
    """Bytes this process may still take, from the kernel's own estimate; infinite where it is not told."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
    except OSError:
        pass
    return math.inf
