"""A random generator that reads its numbers from a vector, so that a search can choose what a sampler draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from rmtsim._internal.arrays import Array

MOST_CALLS = 20_000
"""Calls after which a sampler that rejects draws is given up."""


class Tape(np.random.Generator):
    """Draws of a sampler as functions of a vector: normal numbers are its entries, uniform ones their ranks.

    Parameters
    ----------
    values : array_like
        Entries, read one after another; standard normal ones give the usual draws.
    scale : float, optional
        Factor of all normal numbers.
    seed : int, optional
        Seed of the draws after the last entry, and of the distributions that are not read from the vector.
    """

    def __init__(self, values: Array, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(np.random.PCG64(seed))
        self.values = np.asarray(values, dtype=float)
        self.scale = scale
        self.calls = 0
        self.used = 0
        """Number of entries requested, whether or not the vector has them."""

    def _entries(self, size: Any) -> Array:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise RuntimeError(f"more than {MOST_CALLS} draws: no draw that the sampler accepts follows")
        shape = () if size is None else (size,) if np.ndim(size) == 0 else tuple(size)
        count = int(np.prod(shape, dtype=np.int_))
        found = self.values[self.used : self.used + count]
        self.used += count
        if len(found) < count:
            found = np.concatenate([found, super().standard_normal(count - len(found))])
        return found.reshape(shape)

    def _shaped(self, values: Any, size: Any) -> Any:
        return float(values) if size is None and np.ndim(values) == 0 else np.asarray(values)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Entries times the scale."""
        wanted = out.shape if out is not None else size
        found = self.scale * self._entries(wanted)
        if out is not None:
            out[...] = found
            return out
        return self._shaped(found.astype(dtype), size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Shifted and scaled entries."""
        if size is None:
            size = np.broadcast_shapes(np.shape(loc), np.shape(scale)) or None
        return self._shaped(loc + scale * self.scale * self._entries(size), size)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Ranks of the entries, below one."""
        if out is not None:
            out[...] = self.random(out.shape)
            return out
        return self._shaped(np.minimum(ndtr(self._entries(size)), 1 - 2.0**-53).astype(dtype), size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Ranks between two ends."""
        if size is None:
            size = np.broadcast_shapes(np.shape(low), np.shape(high)) or None
        return self._shaped(low + (np.asarray(high) - low) * self.random(size), size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Quantiles of the ranks."""
        if size is None:
            size = np.shape(scale) or None
        return self._shaped(-scale * np.log1p(-np.asarray(self.random(size))), size)

    def choice(  # type: ignore[override]
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, **other: Any
    ) -> Any:
        """One member, or several with repetition, by rank; anything else is drawn by the seed."""
        if not replace or p is not None or other:
            return super().choice(a, size, replace, p, **other)
        members = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        return members[self.integers(len(members), size=size)]

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Integers by rank."""
        first, last = (0, low) if high is None else (low, high)
        last = np.asarray(last) + endpoint
        if size is None:
            size = np.broadcast_shapes(np.shape(first), np.shape(last)) or None
        ranks = np.asarray(self.random(size))
        found = np.minimum(np.floor(first + (last - first) * ranks), last - 1).astype(dtype)
        return found.item() if size is None and found.ndim == 0 else found
