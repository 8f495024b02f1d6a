"""Standard normal numbers of a PCG64DXSM generator: NumPy's numbers in NumPy's order, in less than a third of its time.

The generator's step and the ziggurat's test are in one loop, with the state in registers and the sign without a
branch; NumPy calls the step through a pointer for every number. ``words`` holds the generator's state, high and low
half, its increment, high and low half, whether half a word is left over, and that half.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic
from numba.np.random import _constants as ziggurat

from rmtsim._internal.jit import kernel

_MULTIPLIER = np.uint64(0xDA942042E4DD58B5)
_MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_LAYERS = np.uint64(0xFF)
_ONE, _EIGHT, _NINE, _ELEVEN = np.uint64(1), np.uint64(8), np.uint64(9), np.uint64(11)
_HALF, _THREE_QUARTERS = np.uint64(32), np.uint64(48)
_WIDTHS, _INSIDE, _HEIGHTS = ziggurat.wi_double, ziggurat.ki_double, ziggurat.fi_double
_WIDTHS_SINGLE, _INSIDE_SINGLE, _HEIGHTS_SINGLE = ziggurat.wi_float, ziggurat.ki_float, ziggurat.fi_float
_TAIL, _INVERSE_TAIL = float(ziggurat.ziggurat_nor_r), float(ziggurat.ziggurat_nor_inv_r)
_TAIL_SINGLE = np.float32(ziggurat.ziggurat_nor_r_f)
_INVERSE_TAIL_SINGLE = np.float32(ziggurat.ziggurat_nor_inv_r_f)
_UNIT = 1.0 / 9007199254740992.0
_UNIT_SINGLE = np.float32(1.0 / 16777216.0)


def _word_product(typing_context: Any, left: Any, right: Any) -> Any:
    """High and low half of the product of two words: one instruction, which numba has no name for."""
    signature = types.UniTuple(types.uint64, 2)(types.uint64, types.uint64)  # type: ignore[no-untyped-call]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        double, single = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(arguments[0], double), builder.zext(arguments[1], double))
        high = builder.trunc(builder.lshr(product, ir.Constant(double, 64)), single)
        return context.make_tuple(builder, signature.return_type, (high, builder.trunc(product, single)))

    return signature, generate


_product: Any = intrinsic(_word_product)


@kernel
def _word(high, low, increment_high, increment_low):  # type: ignore[no-untyped-def]
    """A random word (xorshift and two products of the state), and the state after it."""
    mixed = high ^ (high >> _HALF)
    mixed *= _MULTIPLIER
    mixed ^= mixed >> _THREE_QUARTERS
    mixed *= low | _ONE
    carried, following = _product(low, _MULTIPLIER)
    new_low = following + increment_low
    carry = np.uint64(1) if new_low < following else np.uint64(0)
    return mixed, high * _MULTIPLIER + carried + increment_high + carry, new_low


@kernel
def fill_double(words, out):  # type: ignore[no-untyped-def]
    """``out`` in double precision, as ``Generator.standard_normal(out=out)`` fills it; ``words`` move on."""
    high, low, up, down = words[0], words[1], words[2], words[3]
    k = 0
    while k < out.size:
        word, high, low = _word(high, low, up, down)
        layer = word & _LAYERS
        word >>= _EIGHT
        size = (word >> _ONE) & _MANTISSA
        x = np.float64(size) * _WIDTHS[layer]
        x = -x if word & _ONE else x
        if size < _INSIDE[layer]:
            out[k] = x
            k += 1
        elif layer == 0:
            while True:
                word, high, low = _word(high, low, up, down)
                beyond = -_INVERSE_TAIL * np.log1p(-(np.float64(word >> _ELEVEN) * _UNIT))
                word, high, low = _word(high, low, up, down)
                y = -np.log1p(-(np.float64(word >> _ELEVEN) * _UNIT))
                if y + y > beyond * beyond:
                    break
            out[k] = -(_TAIL + beyond) if (size >> _EIGHT) & _ONE else _TAIL + beyond
            k += 1
        else:
            word, high, low = _word(high, low, up, down)
            height = (_HEIGHTS[layer - _ONE] - _HEIGHTS[layer]) * (np.float64(word >> _ELEVEN) * _UNIT)
            if height + _HEIGHTS[layer] < np.exp(-0.5 * x * x):
                out[k] = x
                k += 1
    words[0], words[1] = high, low


@kernel
def _half_word(high, low, up, down, has_half, half):  # type: ignore[no-untyped-def]
    """The lower half of a new word, then its upper half."""
    if has_half:
        return half, high, low, False, half
    word, high, low = _word(high, low, up, down)
    return word & _LOW_HALF, high, low, True, word >> _HALF


@kernel
def fill_single(words, out):  # type: ignore[no-untyped-def]
    """``out`` in single precision, as ``Generator.standard_normal(out=out, dtype=np.float32)`` fills it."""
    high, low, up, down = words[0], words[1], words[2], words[3]
    has_half, half = words[4] != 0, words[5]
    k = 0
    while k < out.size:
        word, high, low, has_half, half = _half_word(high, low, up, down, has_half, half)
        layer = word & _LAYERS
        size = word >> _NINE
        x = np.float32(np.int32(size)) * _WIDTHS_SINGLE[layer]
        x = -x if (word >> _EIGHT) & _ONE else x
        if size < _INSIDE_SINGLE[layer]:
            out[k] = x
            k += 1
        elif layer == 0:
            while True:
                word, high, low, has_half, half = _half_word(high, low, up, down, has_half, half)
                uniform = np.float32(np.int32(word >> _EIGHT)) * _UNIT_SINGLE
                beyond = -_INVERSE_TAIL_SINGLE * np.log1p(-uniform)
                word, high, low, has_half, half = _half_word(high, low, up, down, has_half, half)
                y = -np.log1p(-(np.float32(np.int32(word >> _EIGHT)) * _UNIT_SINGLE))
                if y + y > beyond * beyond:
                    break
            out[k] = -(_TAIL_SINGLE + beyond) if (size >> _EIGHT) & _ONE else _TAIL_SINGLE + beyond
            k += 1
        else:
            word, high, low, has_half, half = _half_word(high, low, up, down, has_half, half)
            uniform = np.float32(np.int32(word >> _EIGHT)) * _UNIT_SINGLE
            height = (_HEIGHTS_SINGLE[layer - _ONE] - _HEIGHTS_SINGLE[layer]) * uniform
            # NumPy takes this one exponential in double precision.
            if height + _HEIGHTS_SINGLE[layer] < np.exp(-0.5 * np.float64(x) * np.float64(x)):
                out[k] = x
                k += 1
    words[0], words[1], words[4], words[5] = high, low, np.uint64(1) if has_half else np.uint64(0), half
