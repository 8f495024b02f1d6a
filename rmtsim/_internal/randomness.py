"""Sources of randomness that public functions accept (SPEC 7 of the Scientific Python project)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

RandomSource: TypeAlias = (
    int | Sequence[int] | np.random.Generator | np.random.BitGenerator | np.random.SeedSequence | None
)
"""What ``rng=`` accepts: None, an integer or several, a NumPy Generator, BitGenerator or SeedSequence."""

_EXPECTED = (
    "expected None, an integer >= 0, a numpy.random.Generator, a SeedSequence or a BitGenerator "
    "(for instance numpy.random.default_rng(0))"
)


def generator(name: str, value: Any) -> np.random.Generator:
    """Generator for an argument ``rng``: a Generator itself, otherwise ``numpy.random.default_rng(value)``.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    value : RandomSource
        None takes entropy from the operating system. Equal integers give equal streams. A Generator is returned as
        it is, so that its state advances.

    Returns
    -------
    numpy.random.Generator
        The source.

    Raises
    ------
    TypeError
        If the value is of another kind; booleans, numbers with a fraction and text are refused.
    ValueError
        If an integer is negative.

    Examples
    --------
    >>> generator("rng", 3).random() == np.random.default_rng(3).random()
    True
    >>> generator("rng", True)
    Traceback (most recent call last):
        ...
    TypeError: rng=True: expected None, an integer >= 0, a numpy.random.Generator, a SeedSequence or a BitGenerator ...
    """
    from rmtsim._internal.validate import shown

    if isinstance(value, np.random.Generator):
        return value
    refused = TypeError(f"{name}={shown(value)}: {_EXPECTED}")
    integers = np.asarray(value) if isinstance(value, (list, tuple, np.ndarray)) else None
    if isinstance(value, (bool, np.bool_)) or (
        integers is not None and (integers.dtype.kind not in "iu" or not integers.size)
    ):
        raise refused
    try:
        return np.random.default_rng(value)
    except TypeError:
        raise refused from None
    except ValueError:
        raise ValueError(f"{name}={shown(value)}: {_EXPECTED}") from None


def root_seed(name: str, value: Any) -> int:
    """Integer that names a family of streams: the integer itself, or one drawn from the source.

    >>> root_seed("seed", 7), root_seed("seed", np.random.default_rng(1)) == root_seed("seed", np.random.default_rng(1))
    (7, True)
    """
    from rmtsim._internal.validate import integer

    other = (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence, list, tuple, np.ndarray)
    if value is None or isinstance(value, other):
        return int(generator(name, value).integers(2**63))
    return integer(name, value, minimum=0, maximum=2**128, meaning="root seed")


def one_source(random_state: Any, rng: Any) -> np.random.Generator:
    """Generator for a function that has both of SciPy's names of the argument.

    A ``numpy.random.RandomState`` is accepted under either name: its bit generator is used, and its state advances.
    """
    if random_state is not None and rng is not None:
        raise TypeError("random_state and rng are two names of one argument; expected one of them")
    return generator("rng", rng) if random_state is None else generator("random_state", random_state)
