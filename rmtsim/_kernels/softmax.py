"""Softmax and exponential inside compiled loops; outside of them, see :func:`rmtsim.networks._softmax.softmax`.

The exponential makes no call, so that the compiler turns a loop over it into vector code:
exp(x) = 2^k exp(r) with k the integer nearest to x/log 2 and |r| <= log(2)/2, where thirteen terms of the series are
exact to rounding. Adding 1.5·2⁵² to x/log 2 rounds it and leaves k in the lowest bits, from where it moves into the
exponent of a double.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from rmtsim._internal.jit import kernel

_ROUNDING = 1.5 * 2.0**52
_PER_LOG_TWO = 1.0 / math.log(2.0)
_LOG_TWO_HIGH = float.fromhex("0x1.62e42fee00000p-1")
"""log 2 to 33 bits, so that its product with k is exact."""
_LOG_TWO_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_LEAST = -708.0
_C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12, _C13 = (1.0 / math.factorial(k) for k in range(3, 14))


def _as_bits(typing_context: Any, number: Any) -> Any:
    """The word that a double is stored in."""
    signature = types.int64(types.float64)
    return signature, lambda context, builder, sign, given: builder.bitcast(given[0], ir.IntType(64))


def _as_double(typing_context: Any, word: Any) -> Any:
    """The double stored in a word."""
    signature = types.float64(types.int64)
    return signature, lambda context, builder, sign, given: builder.bitcast(given[0], ir.DoubleType())


_bits: Any = intrinsic(_as_bits)
_double: Any = intrinsic(_as_double)


@kernel
def exponential(x):  # type: ignore[no-untyped-def]
    """exp(x) for x <= 700 within two units in the last place; 0 below -708 (before doubles lose digits)."""
    shifted = x * _PER_LOG_TWO + _ROUNDING
    k = shifted - _ROUNDING
    r = (x - k * _LOG_TWO_HIGH) - k * _LOG_TWO_LOW
    square = r * r
    fourth = square * square
    low = (0.5 + r * _C3) + square * (_C4 + r * _C5)
    middle = (_C6 + r * _C7) + square * (_C8 + r * _C9)
    high = (_C10 + r * _C11) + square * (_C12 + r * _C13)
    value = 1.0 + (r + square * (low + fourth * (middle + fourth * high)))
    # Written so that NaN stays NaN.
    return 0.0 if x < _LEAST else value * _double((_bits(shifted) + 1023) << 52)


@kernel
def softmax_columns(logits):  # type: ignore[no-untyped-def]
    """Each column in place: classes are rows, so that every loop runs along samples.

    Such loops the compiler turns into vector code without changing the order of any sum.
    """
    classes, samples = logits.shape
    top = np.empty(samples)
    total = np.zeros(samples)
    for n in range(samples):
        top[n] = logits[0, n]
    for c in range(1, classes):
        for n in range(samples):
            top[n] = logits[c, n] if logits[c, n] > top[n] else top[n]
    for c in range(classes):
        for n in range(samples):
            value = exponential(logits[c, n] - top[n])
            logits[c, n] = value
            total[n] += value
    for n in range(samples):
        total[n] = 1.0 / total[n]
    for c in range(classes):
        for n in range(samples):
            logits[c, n] *= total[n]
