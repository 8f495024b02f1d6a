"""Many output matrices V for one set of pre-activations: draw V, softmax, curvatures, quadratic forms, in one call."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim._kernels.softmax import softmax_columns


@kernel
def _probabilities(features, output, p):  # type: ignore[no-untyped-def]
    """p[c, n] = softmax(V f_n)_c; ``features`` neurons × samples."""
    classes, neurons = output.shape
    samples = features.shape[1]
    for c in range(classes):
        for n in range(samples):
            p[c, n] = 0.0
        for i in range(neurons):
            value = output[c, i]
            for n in range(samples):
                p[c, n] += value * features[i, n]
    softmax_columns(p)


@kernel
def _rectified(values):  # type: ignore[no-untyped-def]
    """Features, neurons × samples, of pre-activations, samples × neurons."""
    samples, neurons = values.shape
    features = np.empty((neurons, samples))
    for i in range(neurons):
        for n in range(samples):
            features[i, n] = max(values[n, i], 0.0)
    return features


@kernel
def _draw(rng, scale, output):  # type: ignore[no-untyped-def]
    """V_ci = standard normal / scale, row-major: the order of NumPy's ``standard_normal``."""
    classes, neurons = output.shape
    for c in range(classes):
        for i in range(neurons):
            output[c, i] = rng.standard_normal() / scale


@kernel
def hidden_cross_entropy(rng, values, form, draws, classes, energies):  # type: ignore[no-untyped-def]
    """``energies[i, j]`` = mean over ``draws`` matrices V of Σ_nn' λ_n λ_n' K_nn', i <= j, K = ``form`` symmetric.

    λ_n = g_ni g_nj v_:iᵀ(diag p - ppᵀ)v_:j. Both gates are open on a quarter of the inputs: only those are visited.
    """
    samples, neurons = values.shape
    features = _rectified(values)
    output = np.empty((classes, neurons))
    p = np.empty((classes, samples))
    means = np.empty((neurons, samples))
    seconds = np.empty(samples)
    chosen = np.empty(samples, dtype=np.int64)
    scale = np.sqrt(neurons)
    energies[:] = 0.0
    for _ in range(draws):
        _draw(rng, scale, output)
        _probabilities(features, output, p)
        for i in range(neurons):
            for n in range(samples):
                means[i, n] = 0.0
            for c in range(classes):
                value = output[c, i]
                for n in range(samples):
                    means[i, n] += value * p[c, n]
        for i in range(neurons):
            for j in range(i, neurons):
                for n in range(samples):
                    seconds[n] = 0.0
                for c in range(classes):
                    value = output[c, i] * output[c, j]
                    for n in range(samples):
                        seconds[n] += value * p[c, n]
                count = 0
                for n in range(samples):
                    if values[n, i] > 0.0 and values[n, j] > 0.0:
                        chosen[count] = n
                        seconds[count] = seconds[n] - means[i, n] * means[j, n]
                        count += 1
                total = 0.0
                for a in range(count):
                    row = form[chosen[a]]
                    part = 0.0
                    for b in range(a):
                        part += row[chosen[b]] * seconds[b]
                    total += seconds[a] * (2.0 * part + row[chosen[a]] * seconds[a])
                energies[i, j] += total
    for i in range(neurons):
        for j in range(i, neurons):
            energies[i, j] /= draws


@kernel
def hidden_square(rng, values, form, draws, classes, energies):  # type: ignore[no-untyped-def]
    """The same for the square loss: λ_n = 2 g_ni g_nj v_:i·v_:j, so that the form is summed once a pair."""
    samples, neurons = values.shape
    output = np.empty((classes, neurons))
    scale = np.sqrt(neurons)
    energies[:] = 0.0
    for _ in range(draws):
        _draw(rng, scale, output)
        for i in range(neurons):
            for j in range(i, neurons):
                product = 0.0
                for c in range(classes):
                    product += output[c, i] * output[c, j]
                energies[i, j] += (2.0 * product) ** 2
    chosen = np.empty(samples, dtype=np.int64)
    for i in range(neurons):
        for j in range(i, neurons):
            count = 0
            for n in range(samples):
                if values[n, i] > 0.0 and values[n, j] > 0.0:
                    chosen[count] = n
                    count += 1
            total = 0.0
            for a in range(count):
                for b in range(count):
                    total += form[chosen[a], chosen[b]]
            energies[i, j] *= total / draws


@kernel
def output_cross_entropy(rng, values, form, draws, classes, out):  # type: ignore[no-untyped-def]
    """``out`` = (Σ over blocks (i, i), Σ over blocks i ≠ j) of Σ_nn' κ_n κ_n' K_nn', summed over ``draws`` matrices V.

    κ_n = p_i(δ_ij - p_j); Σ_{i≠j} p_i p_j p'_i p'_j = (p·p')² - p²·p'², so pairs of classes are never listed. All but
    (p·p')² are forms of K in vectors over the inputs, and a product with K is one of BLAS for all classes.
    """
    samples, neurons = values.shape
    features = _rectified(values)
    output = np.empty((classes, neurons))
    p = np.empty((classes, samples))
    # p_c² in the first rows, p_c - p_c² in the others.
    vectors = np.empty((2 * classes, samples))
    pairs = np.empty(samples)
    squares = np.empty(samples)
    own = np.empty(samples)
    pairs[:] = 0.0
    squares[:] = 0.0
    own[:] = 0.0
    scale = np.sqrt(neurons)
    for _ in range(draws):
        _draw(rng, scale, output)
        _probabilities(features, output, p)
        for c in range(classes):
            for n in range(samples):
                square = p[c, n] * p[c, n]
                vectors[c, n] = square
                vectors[classes + c, n] = p[c, n] - square
        products = np.dot(p.T, p)
        for n in range(samples):
            for m in range(samples):
                pairs[m] += form[n, m] * (products[n, m] * products[n, m])
        applied = np.dot(vectors, form)
        for c in range(classes):
            for n in range(samples):
                squares[n] += vectors[c, n] * applied[c, n]
                own[n] += vectors[classes + c, n] * applied[classes + c, n]
    diagonal = 0.0
    off = 0.0
    for n in range(samples):
        diagonal += own[n]
        off += pairs[n] - squares[n]
    out[0] = diagonal
    out[1] = off
