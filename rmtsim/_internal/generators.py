"""A NumPy generator that draws many normal numbers by a compiled loop, with the same values and state as NumPy."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator
from typing import Any

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
        count = _count(size) if out is None else out.size
        if count < _WORTH or (dtype is not np.float64 and dtype is not np.float32):
            return super().standard_normal(size, dtype, out)
        if out is not None and (size is not None or out.dtype != dtype or not out.flags.c_contiguous):
            return super().standard_normal(size, dtype, out)
        if not _as_numpy():
            return super().standard_normal(size, dtype, out)
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
