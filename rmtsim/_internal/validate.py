"""Validation of arguments: each message names the parameter, its value, the accepted range and the meaning.

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
import re
from collections.abc import Iterator, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.randomness import generator as generator

Kind = TypeVar("Kind")
MAXIMUM_SIZE = 10**9
"""Largest accepted dimension, number of samples or number of classes."""


def _meaning(meaning: str) -> str:
    return f" ({meaning})" if meaning else ""


def integer(
    name: str, value: Any, *, minimum: int = 1, maximum: int = MAXIMUM_SIZE, meaning: str = ""
) -> int:
    """``value`` as an ``int`` in [minimum, maximum]; booleans, floats and text are refused."""
    expected = f"expected an integer in [{minimum}, {maximum}]{_meaning(meaning)}"
    # bool is a subclass of int, but a boolean is not a valid number here.
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={value}: {expected}, not a boolean")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={shown(value)}: {expected}, not {type(value).__name__}") from None
    if not minimum <= number <= maximum:
        raise ValueError(f"{name}={shown(number)}: {expected}")
    return number


def finite_number(name: str, value: Any, *, meaning: str = "") -> float:
    """``value`` as a finite ``float``; booleans, text and complex numbers are refused."""
    expected = f"expected a finite number{_meaning(meaning)}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating, np.integer)):
        raise TypeError(f"{name}={shown(value)}: {expected}, not {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name}={shown(value)}: {expected} within the range of doubles") from None
    if not math.isfinite(number):
        raise ValueError(f"{name}={number}: {expected}")
    return number


def positive_number(name: str, value: Any, *, meaning: str = "") -> float:
    """``value`` as a finite ``float`` above zero."""
    number = finite_number(name, value, meaning=meaning)
    if number <= 0:
        raise ValueError(f"{name}={number}: expected a finite number > 0{_meaning(meaning)}")
    return number


def all_finite(array: NDArray[Any]) -> bool:
    """Whether all numbers are finite.

    A sum with a NaN or an infinity is not finite; a sum of finite numbers is, unless it overflows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum())) or bool(np.isfinite(array).all())


def real_array(
    name: str, value: Any, *, infinite: bool = False, meaning: str = "", copy: bool = True
) -> NDArray[np.float64]:
    """``value`` as an array of floats of its own shape: no NaN, infinities only where they mean something.

    With ``copy=False`` an array of doubles is handed on as it is, for those who only read it.
    """
    expected = f"expected {'' if infinite else 'finite '}real numbers{_meaning(meaning)}"
    array = _plain_array(name, value, expected)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}={shown(value)}: {expected}, not {array.dtype}")
    array = array.astype(np.float64, copy=copy)
    if all_finite(array):
        return array
    wrong = np.isnan(array) if infinite else ~np.isfinite(array)
    if wrong.any():
        raise ValueError(f"{name}={_culprit(array, wrong)}: {expected}")
    return array


def matrix(
    name: str,
    value: Any,
    *,
    rows: int | None = None,
    columns: int | None = None,
    single: bool = False,
    meaning: str = "",
) -> NDArray[Any]:
    """``value`` as a non-empty matrix of finite doubles, of the given numbers of rows and columns where they are given.

    With ``single`` an array of single precision stays one. Other kinds of numbers are converted: in their own
    arithmetic small integers would wrap around and half precision overflow.

    >>> matrix("inputs", np.array([[1, 2]], dtype=np.int8), columns=2)
    array([[1., 2.]])
    """
    expected = f"expected {rows or 'rows'} × {columns or 'columns'} finite real numbers{_meaning(meaning)}"
    array = _plain_array(name, value, expected)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}={shown(value)}: {expected}, not {array.dtype}")
    fits = (
        array.ndim == 2
        and array.size
        and rows in (None, array.shape[0])
        and columns in (None, array.shape[1])
    )
    if not fits:
        raise ValueError(f"{name} of shape {array.shape}: {expected}")
    if not (single and array.dtype == np.float32):
        array = np.asarray(array, dtype=np.float64)
    wrong = ~np.isfinite(array)
    if wrong.any():
        raise ValueError(f"{name}={_culprit(array, wrong)}: {expected}")
    return array


def _plain_array(name: str, value: Any, expected: str) -> NDArray[Any]:
    """``value`` as NumPy sees it; ragged lists are refused, and masked arrays, whose mask would be lost silently."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: {expected}, not a masked array (fill it, or leave rows out)")
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}={shown(value)}: {expected} ({error})") from None


def flag(name: str, value: Any, *, meaning: str = "") -> bool:
    """``value`` if it is True or False; numbers and text are refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{name}={shown(value)}: expected True or False{_meaning(meaning)}, not {type(value).__name__}"
        )
    return bool(value)


def choice(name: str, value: Any, accepted: Sequence[str], *, meaning: str = "") -> str:
    """``value`` if it is one of the ``accepted`` words."""
    if not isinstance(value, str) or value not in accepted:
        raise ValueError(f"{name}={shown(value)}: expected one of {', '.join(accepted)}{_meaning(meaning)}")
    return value


def computed(what: str, result: NDArray[np.float64]) -> NDArray[np.float64]:
    """``result`` if it is finite; inputs of an extreme size, each finite, can leave the range of doubles together.

    >>> computed("model", np.array([1.0])).tolist()
    [1.0]
    """
    if not np.isfinite(result).all():
        raise OverflowError(
            f"{what}: the result leaves the range of doubles; expected numbers of a usual size"
        )
    return result


def complex_array(name: str, value: Any, *, meaning: str = "") -> NDArray[np.complex128]:
    """``value`` as an array of finite complex numbers of its own shape."""
    expected = f"expected finite complex numbers{_meaning(meaning)}"
    array = _plain_array(name, value, expected)
    if array.dtype.kind not in "iufc":
        raise TypeError(f"{name}={shown(value)}: {expected}, not {array.dtype}")
    array = array.astype(np.complex128)
    wrong = ~np.isfinite(array)
    if wrong.any():
        raise ValueError(f"{name}={_culprit(array, wrong)}: {expected}")
    return array


def shown(value: Any) -> str:
    """How a message writes a value: on one line, short, without addresses."""
    if isinstance(value, int) and abs(value) > 10**60:
        return f"{'-' if value < 0 else ''}10^{math.log10(abs(value)):.0f} or so"  # Python refuses to write it out
    try:
        # Addresses would make a message differ from run to run.
        text = re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(value).split()))
    except Exception:  # the repr of a third-party class may raise
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _culprit(array: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    first = array[wrong][0]
    place = f" at index {', '.join(str(i) for i in np.argwhere(wrong)[0])}" if array.ndim else ""
    return f"{first}{place}"


def instance(name: str, value: Any, kind: type[Kind], *, meaning: str = "") -> Kind:
    """``value`` if it is of that class.

    >>> instance("task", 3, dict)
    Traceback (most recent call last):
        ...
    TypeError: task=3: expected a dict, not int
    """
    if not isinstance(value, kind):
        raise TypeError(
            f"{name}={shown(value)}: expected a {kind.__name__}{_meaning(meaning)}, not {type(value).__name__}"
        )
    return value


def sequence(name: str, value: Any, *, meaning: str = "") -> list[Any]:
    """``value`` as a list, if it is a sequence or an array; text and single numbers are refused.

    >>> sequence("widths", (3, 4))
    [3, 4]
    """
    single = isinstance(value, np.ndarray) and value.ndim == 0
    if single or isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
        raise TypeError(
            f"{name}={shown(value)}: expected a sequence{_meaning(meaning)}, not {type(value).__name__}"
        )
    return list(value)


_SMALL = 2.0**24
"""Bytes below which the limits are not checked, because samplers call this in every replicate."""


def memory(need: float, what: str, *, limit: float | None = None) -> None:
    """Refuse ``what`` before any work if its estimated ``need`` in bytes exceeds what the machine has left."""
    from rmtsim.errors import MemoryLimitError

    if limit is None and need < _SMALL:
        return
    available = available_memory() if limit is None else limit
    if need > available:
        raise MemoryLimitError(
            f"{what} would need about {need / 2**30:.3g} GiB of memory, and {available / 2**30:.3g} GiB are available"
        )


def available_memory() -> float:
    """Memory that this process may still allocate, in bytes; ``inf`` if no limit is known.

    The least of what the machine has left (the kernel's own estimate), what the container's limit leaves, and what
    the process's own limit on address space (``ulimit -v``) leaves.
    """
    return min(_machine_memory(), _container_memory(), _address_space())


def _machine_memory() -> float:
    return _field("/proc/meminfo", "MemAvailable")


def _address_space() -> float:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return math.inf
    limits = (resource.getrlimit(each)[0] for each in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    least = min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=None)
    if least is None:
        return math.inf
    used = _field("/proc/self/status", "VmSize")
    return max(0.0, least - (used if math.isfinite(used) else 0.0))


def _container_memory() -> float:
    """What the limits of the control groups this process is in leave, those of all their parents included."""
    left = math.inf
    for limit, used in _group_files():
        try:
            most, now = (Path(file).read_text(encoding="ascii").strip() for file in (limit, used))
            left = min(left, max(0.0, float(most) - float(now))) if most != "max" else left
        except (OSError, ValueError):
            continue
    return left


def _group_files() -> Iterator[tuple[str, str]]:
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if controllers == "":
            root, names = "/sys/fs/cgroup", ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            root, names = "/sys/fs/cgroup/memory", ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        parts = [part for part in group.split("/") if part]
        for depth in range(len(parts), -1, -1):
            folder = "/".join([root, *parts[:depth]])
            yield f"{folder}/{names[0]}", f"{folder}/{names[1]}"


def _field(path: str, name: str) -> float:
    """A field in kilobytes of one of the kernel's tables, in bytes."""
    try:
        with open(path, encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith(name + ":"):
                    return float(line.split()[1]) * 1024
    except OSError:
        pass
    return math.inf
