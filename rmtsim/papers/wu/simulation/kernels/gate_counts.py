"""How often two units are active together, from their gates as bits: a word holds a unit's gates at 64 inputs.

A number of joint activations is then a count of bits, where a product of gate matrices multiplies zeros and ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from rmtsim._internal.jit import kernel

_WORD = 64


def _ones_of(typing_context: Any, word: Any) -> Any:
    """How many bits of a word are one: an instruction that numba has no name for."""
    signature = types.int64(types.uint64)
    return signature, lambda context, builder, sign, given: builder.ctpop(given[0])


_ones: Any = intrinsic(_ones_of)


@kernel
def packed_gates(active):  # type: ignore[no-untyped-def]
    """Gates (inputs × units, 1 or 0) as bits: words × units."""
    inputs, units = active.shape
    packed = np.zeros(((inputs + _WORD - 1) // _WORD, units), dtype=np.uint64)
    for x in range(inputs):
        bit = np.uint64(1) << np.uint64(x % _WORD)
        word = packed[x // _WORD]
        for i in range(units):
            word[i] |= bit if active[x, i] != 0.0 else np.uint64(0)
    return packed


@kernel
def add_counts(packed, unit, counts):  # type: ignore[no-untyped-def]
    """``counts[k]`` += inputs at which ``unit`` and unit k are both active, for as many units as ``counts`` has."""
    for w in range(packed.shape[0]):
        word, own = packed[w], packed[w, unit]
        for k in range(counts.size):
            counts[k] += _ones(own & word[k])
