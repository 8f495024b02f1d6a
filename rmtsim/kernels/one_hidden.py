"""Many output matrices V for one set of pre-activations: draw V, softmax, curvatures, quadratic forms, in one call."""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel
from rmtsim.kernels.softmax import softmax_columns

__all__ = ["hidden_cross_entropy", "hidden_square", "output_cross_entropy"]


@kernel
def _probabilities(features, output, p):  # type: ignore[no-untyped-def]
    """p[c, n] = softmax(V f_n)_c."""
    classes, neurons = output.shape
    samples = features.shape[0]
    for c in range(classes):
        for n in range(samples):
            p[c, n] = 0.0
    for c in range(classes):
        for i in range(neurons):
            value = output[c, i]
            for n in range(samples):
                p[c, n] += value * features[n, i]
    softmax_columns(p)


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
    features = np.maximum(values, 0.0)
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

    κ_n = p_i(δ_ij - p_j); Σ_{i≠j} p_i p_j p'_i p'_j = (p·p')² - p²·p'², so pairs of classes are never listed.
    """
    samples, neurons = values.shape
    features = np.maximum(values, 0.0)
    output = np.empty((classes, neurons))
    p = np.empty((classes, samples))
    pair = np.empty(samples)
    both = np.empty(samples)
    own = np.empty(samples)
    scale = np.sqrt(neurons)
    diagonal = 0.0
    off = 0.0
    for _ in range(draws):
        _draw(rng, scale, output)
        _probabilities(features, output, p)
        for n in range(samples):
            for m in range(n + 1):
                pair[m] = 0.0
                both[m] = 0.0
                own[m] = 0.0
            for c in range(classes):
                first = p[c, n]
                rest = 1.0 - first
                for m in range(n + 1):
                    product = first * p[c, m]
                    pair[m] += product
                    both[m] += product * product
                    own[m] += product * rest * (1.0 - p[c, m])
            for m in range(n + 1):
                weight = form[n, m] if m == n else 2.0 * form[n, m]
                off += weight * (pair[m] * pair[m] - both[m])
                diagonal += weight * own[m]
    out[0] = diagonal
    out[1] = off
