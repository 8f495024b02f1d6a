"""Softmax, exponential and block energies of linear softmax models inside compiled loops.

Outside of compiled loops, see :func:`rmtsim.networks._softmax.softmax`.

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


@kernel
def curvature_vectors(logits, vectors, spreads):  # type: ignore[no-untyped-def]
    """p_c² and p_c - p_c² of each model, the former in the first rows; ``logits`` become p, classes × samples.

    ``spreads`` = the variance of the logits over classes, averaged over the samples.
    """
    _, classes, samples = logits.shape
    first = np.empty(samples)
    second = np.empty(samples)
    for replicate in range(logits.shape[0]):
        p = logits[replicate]
        first[:] = 0.0
        second[:] = 0.0
        for c in range(classes):
            for n in range(samples):
                first[n] += p[c, n]
                second[n] += p[c, n] * p[c, n]
        spread = 0.0
        for n in range(samples):
            spread += second[n] / classes - (first[n] / classes) ** 2
        spreads[replicate] = spread / samples
        softmax_columns(p)
        for c in range(classes):
            for n in range(samples):
                square = p[c, n] * p[c, n]
                vectors[replicate, c, n] = square
                vectors[replicate, classes + c, n] = p[c, n] - square


@kernel
def linear_energies(forms, products, vectors, applied, out):  # type: ignore[no-untyped-def]
    """A row of ``out`` a model: mean ‖H_ii‖², Σ_{i≠j}‖H_ij‖², ‖XᵀX/N‖².

    With K = ``forms``/N² = (x·x')²/N², Σ_{i≠j}‖H_ij‖² = Σ K_nm ((p_n·p_m)² - Σ_c p_cn² p_cm²): all but (p·p')² are
    forms of K in ``vectors`` over the samples. ``products`` = p·p' and ``applied``, the products of K with the vectors,
    are matrix products and come from NumPy's BLAS: BLAS inside of a compiled loop is SciPy's, whose idle threads
    disturb those of NumPy's.
    """
    samples = forms.shape[1]
    classes = vectors.shape[1] // 2
    first = np.empty(samples)
    second = np.empty(samples)
    third = np.empty(samples)
    fourth = np.empty(samples)
    for replicate in range(out.shape[0]):
        # Sums of K, of K(p·p')², and of the two forms, a part in every entry: such sums become vector code.
        first[:] = 0.0
        second[:] = 0.0
        third[:] = 0.0
        fourth[:] = 0.0
        for n in range(samples):
            for m in range(samples):
                weight = forms[replicate, n, m]
                product = products[replicate, n, m]
                first[m] += weight
                second[m] += weight * (product * product)
        for c in range(classes):
            for n in range(samples):
                third[n] += vectors[replicate, c, n] * applied[replicate, c, n]
                fourth[n] += vectors[replicate, classes + c, n] * applied[replicate, classes + c, n]
        data = 0.0
        off = 0.0
        diagonal = 0.0
        for n in range(samples):
            data += first[n]
            off += second[n] - third[n]
            diagonal += fourth[n]
        out[replicate, 0] = diagonal / classes / samples**2
        out[replicate, 1] = off / samples**2
        out[replicate, 2] = data / samples**2
