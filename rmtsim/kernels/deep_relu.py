"""Many deep ReLU networks under the hinge loss in one call: draw, pass forward and back, reduce to energies."""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel

__all__ = ["hinge_gradients"]


@kernel
def hinge_gradients(rng, widths, gain, samples, out):  # type: ignore[no-untyped-def]
    """A row of ``out`` a replicate: the mean hinge loss, then ‖∂ℓ/∂W_l‖²_F of every layer.

    Each replicate draws W_1 … W_L (entries N(0, gain/fan-in), row-major), then inputs (samples × widths[0], standard
    normal), then labels ±1 as NumPy's ``integers`` of 0 and 1 would.
    """
    layers = len(widths) - 1
    total_weights = 0
    total_units = widths[0]
    for k in range(layers):
        total_weights += widths[k] * widths[k + 1]
        total_units += widths[k + 1]
    weights = np.empty(total_weights)
    # Activations of all layers and cotangents of all layers, one sample a row.
    activations = np.empty((samples, total_units))
    deltas = np.empty((samples, total_units))
    for replicate in range(out.shape[0]):
        start = 0
        for k in range(layers):
            deviation = np.sqrt(gain / widths[k])
            for _ in range(widths[k] * widths[k + 1]):
                weights[start] = rng.standard_normal() * deviation
                start += 1
        for n in range(samples):
            for j in range(widths[0]):
                activations[n, j] = rng.standard_normal()
        labels = rng.integers(0, 2, samples)
        loss = 0.0
        for n in range(samples):
            weight_start = 0
            unit_start = 0
            for k in range(layers):
                fan, width = widths[k], widths[k + 1]
                for i in range(width):
                    value = 0.0
                    for j in range(fan):
                        value += weights[weight_start + i * fan + j] * activations[n, unit_start + j]
                    if k < layers - 1 and value <= 0.0:
                        value = 0.0
                    activations[n, unit_start + fan + i] = value
                weight_start += fan * width
                unit_start += fan
            label = 2.0 * labels[n] - 1.0
            for i in range(widths[layers]):
                margin = 1.0 - label * activations[n, unit_start + i]
                deltas[n, unit_start + i] = -label / samples if margin > 0.0 else 0.0
                loss += max(0.0, margin) / samples
            for k in range(layers - 1, 0, -1):
                fan, width = widths[k], widths[k + 1]
                weight_start -= fan * width
                for j in range(fan):
                    deltas[n, unit_start - fan + j] = 0.0
                for i in range(width):
                    delta = deltas[n, unit_start + i]
                    if delta != 0.0:
                        for j in range(fan):
                            deltas[n, unit_start - fan + j] += delta * weights[weight_start + i * fan + j]
                unit_start -= fan
                for j in range(fan):
                    if activations[n, unit_start + j] <= 0.0:
                        deltas[n, unit_start + j] = 0.0
        out[replicate, 0] = loss
        unit_start = 0
        for k in range(layers):
            fan, width = widths[k], widths[k + 1]
            # ‖Σ_n δ_n ⊗ a_n‖² = Σ_nm (δ_n·δ_m)(a_n·a_m): no matrix of the size of W.
            energy = 0.0
            for n in range(samples):
                for m in range(n + 1):
                    left = 0.0
                    for i in range(width):
                        left += deltas[n, unit_start + fan + i] * deltas[m, unit_start + fan + i]
                    right = 0.0
                    for j in range(fan):
                        right += activations[n, unit_start + j] * activations[m, unit_start + j]
                    energy += left * right if m == n else 2.0 * left * right
            out[replicate, 1 + k] = energy
            unit_start += fan
