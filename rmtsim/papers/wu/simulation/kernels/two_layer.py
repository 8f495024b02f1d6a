"""Random two-layer ReLU networks on one batch of inputs, drawn and passed forward in one call."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim._kernels.normals import fill_double, fill_single
from rmtsim._kernels.softmax import softmax_columns

_ROWS = 32
"""Rows of the triangular factor in one product: a compromise between few multiplied zeros and the speed of BLAS."""


@kernel
def rectified_inputs(words, values, sums):  # type: ignore[no-untyped-def]
    """``values`` (inputs × columns, single precision) = max(normal numbers, 0); their sums are added to ``sums``."""
    flat = values.reshape(-1)
    fill_single(words, flat)
    zero = values.dtype.type(0)
    for k in range(flat.size):
        flat[k] = max(flat[k], zero)
    for x in range(values.shape[0]):
        row = values[x]
        # Eight independent partial sums, which the processor can add in parallel.
        a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        whole = row.size - row.size % 8
        for j in range(0, whole, 8):
            a += row[j]
            b += row[j + 1]
            c += row[j + 2]
            d += row[j + 3]
            e += row[j + 4]
            f += row[j + 5]
            g += row[j + 6]
            h += row[j + 7]
        for j in range(whole, row.size):
            a += row[j]
        sums[x] += ((a + b) + (c + d)) + ((e + f) + (g + h))


@kernel
def networks_on_inputs(words, gram, dimension, before):  # type: ignore[no-untyped-def]
    """``before[k]`` = L Z_k, LLᵀ = ``gram/dimension`` (inputs × inputs), Z_k standard normal (inputs × units)."""
    networks, inputs, units = before.shape
    root = np.linalg.cholesky(gram / dimension)
    # L is triangular: some rows of it at a time, without the zeros behind the last of them.
    packed = np.empty(inputs * inputs)
    for start in range(0, inputs, _ROWS):
        stop = min(start + _ROWS, inputs)
        rows = _rows(packed, start, stop)
        for i in range(start, stop):
            for j in range(stop):
                rows[i - start, j] = root[i, j]
    noise = np.empty((inputs, units))
    for k in range(networks):
        fill_double(words, noise.reshape(-1))
        out = before[k]
        for start in range(0, inputs, _ROWS):
            stop = min(start + _ROWS, inputs)
            np.dot(_rows(packed, start, stop), noise[:stop], out[start:stop])


@kernel
def _rows(packed, start, stop):  # type: ignore[no-untyped-def]
    """Where the rows from ``start`` to ``stop`` lie, each of length ``stop``."""
    rows = stop - start
    return packed[start * stop : start * stop + rows * stop].reshape((rows, stop))


@kernel
def last_layers(words, before, weights, active, hidden, logits, confidence):  # type: ignore[no-untyped-def]
    """Draw W_k (classes × units, N(0, 1/units), row-major) and pass ``before[k]`` (inputs × units) through network k.

    ``active`` is one where a pre-activation is >= 0, ``hidden`` the rectified ones, ``logits`` hidden times W_kᵀ and
    ``confidence`` their softmax.
    """
    networks, inputs, units = before.shape
    classes = weights.shape[1]
    columns = np.empty((classes, inputs))
    for k in range(networks):
        fill_double(words, weights[k].reshape(-1))
        scale = np.sqrt(units)
        for c in range(classes):
            for i in range(units):
                weights[k, c, i] /= scale
        for x in range(inputs):
            for i in range(units):
                z = before[k, x, i]
                active[k, x, i] = 1.0 if z >= 0.0 else 0.0
                hidden[k, x, i] = 0.0 if z < 0.0 else z
        np.dot(weights[k], hidden[k].T, columns)
        for x in range(inputs):
            for c in range(classes):
                logits[k, x, c] = columns[c, x]
        softmax_columns(columns)
        for x in range(inputs):
            for c in range(classes):
                confidence[k, x, c] = columns[c, x]


@kernel
def fill_from_products(words, inputs, noise, weights):  # type: ignore[no-untyped-def]
    """Standard normal numbers of many replicates, of each inputs (single precision), then noise, then last weights."""
    for k in range(inputs.shape[0]):
        fill_single(words, inputs[k].reshape(-1))
        fill_double(words, noise[k].reshape(-1))
        fill_double(words, weights[k].reshape(-1))


@kernel
def fill_from_weights(words, inputs, first, weights):  # type: ignore[no-untyped-def]
    """The same with first weights in single precision instead of noise."""
    for k in range(inputs.shape[0]):
        fill_single(words, inputs[k].reshape(-1))
        fill_single(words, first[k].reshape(-1))
        fill_double(words, weights[k].reshape(-1))
