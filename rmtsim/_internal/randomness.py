"""Randomness: sources that public functions accept, fast normal numbers, and streams of batches.

Public functions accept what SPEC 7 of the Scientific Python project lists. A stream is keyed by root seed, claim,
parameters, size and batch, so that results depend neither on the number of workers nor on the order in which they
finish. Its generator draws many normal numbers by a compiled loop, with the same values and state as NumPy.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_WORTH = 1024
"""Number of values from which the loop is faster, reading and writing the state (5 µs) included."""
_WORD = (1 << 64) - 1


class FastNormals(np.random.Generator):
    """A ``numpy.random.Generator`` on PCG64DXSM with a compiled ``standard_normal``.

    The values are those that NumPy draws. If a trial of some thousand values shows that the installed NumPy draws
    others, NumPy's own method is used.

    >>> ours, numpy = (kind(np.random.PCG64DXSM(1)) for kind in (FastNormals, np.random.Generator))
    >>> bool((ours.standard_normal((40, 50)) == numpy.standard_normal((40, 50))).all()), ours.random() == numpy.random()
    (True, True)
    """

    def standard_normal(
        self, size: Any = None, dtype: Any = np.float64, out: NDArray[Any] | None = None
    ) -> Any:
        """As ``numpy.random.Generator.standard_normal``."""
        parent: Any = super()  # for type checkers: the overloads of NumPy do not cover a union
        count = _count(size) if out is None else out.size
        if count < _WORTH or (dtype is not np.float64 and dtype is not np.float32):
            return parent.standard_normal(size, dtype, out)
        if out is not None and (size is not None or out.dtype != dtype or not out.flags.c_contiguous):
            return parent.standard_normal(size, dtype, out)
        if not _as_numpy():
            return parent.standard_normal(size, dtype, out)
        filled = np.empty(size, dtype) if out is None else out
        with self.bit_generator.lock:
            _fill(self.bit_generator, filled.reshape(-1))
        return filled


def _count(size: Any) -> int:
    if isinstance(size, tuple):
        return math.prod(size)
    return size if isinstance(size, int) else 0


@contextlib.contextmanager
def state_words(rng: np.random.Generator) -> Iterator[NDArray[np.uint64] | None]:
    """State of a :class:`FastNormals` for compiled loops (:mod:`rmtsim._kernels.normals`), written back afterwards.

    None for any other generator; the caller then draws with NumPy.
    """
    if not isinstance(rng, FastNormals) or not _as_numpy():
        yield None
        return
    with rng.bit_generator.lock:
        described: Any = rng.bit_generator.state
        words = _words(described)
        yield words
        _put_back(rng.bit_generator, described, words)


def _words(described: Any) -> NDArray[np.uint64]:
    state, increment = described["state"]["state"], described["state"]["inc"]
    halves = (state >> 64, state & _WORD, increment >> 64, increment & _WORD)
    return np.array([*halves, described["has_uint32"], described["uinteger"]], dtype=np.uint64)


def _put_back(source: np.random.BitGenerator, described: Any, words: NDArray[np.uint64]) -> None:
    high, low, _, _, has_half, half = words.tolist()
    described["state"]["state"] = high << 64 | low
    described["has_uint32"], described["uinteger"] = has_half, half
    source.state = described


def _fill(source: np.random.BitGenerator, out: NDArray[Any]) -> None:
    from rmtsim._kernels.normals import (  # imported here because numba is slow to import
        fill_double,
        fill_single,
    )

    described: Any = source.state
    words = _words(described)
    (fill_double if out.dtype == np.float64 else fill_single)(words, out)
    _put_back(source, described, words)


@functools.cache
def _as_numpy() -> bool:
    """Whether the compiled loop draws the same values as the installed NumPy, whose streams may change in a release."""
    try:
        for dtype in (np.float64, np.float32):
            ours, theirs = (np.random.PCG64DXSM(2024) for _ in range(2))
            out = np.empty(5001, dtype)
            _fill(ours, out)
            expected = np.random.Generator(theirs).standard_normal(out.size, dtype)
            if not np.array_equal(out, expected) or ours.state != theirs.state:
                return False
    except ImportError:  # numba keeps the tables of the ziggurat in a module of its own
        return False
    return True


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


def canonical(parameters: Mapping[str, Any]) -> str:
    """One text per parameter point: sorted keys, shortest exact decimal of every number.

    >>> canonical({"gamma": 0.5, "classes": 10})
    '{"classes":10,"gamma":0.5}'
    """
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), allow_nan=False)


def stream(
    seed: int, claim: str, parameters: Mapping[str, Any], size: int, batch: int
) -> np.random.Generator:
    """Generator for one batch of one claim at one parameter point and size.

    The key is hashed with SHA-256 into the entropy of a ``numpy.random.SeedSequence``, so different keys
    give independent streams and the same key gives the same stream everywhere.

    >>> a, b = (stream(0, "demo", {"gamma": 0.5}, 100, 3).standard_normal() for _ in range(2))
    >>> a == b
    True
    """
    from rmtsim._internal import validate  # which imports this module

    seed = validate.integer("seed", seed, minimum=0, maximum=2**128, meaning="root seed")
    key = json.dumps([claim, canonical(parameters), int(size), int(batch)])
    words = np.frombuffer(hashlib.sha256(key.encode()).digest(), dtype="<u4")
    return FastNormals(np.random.PCG64DXSM(np.random.SeedSequence([seed, *(int(word) for word in words)])))
