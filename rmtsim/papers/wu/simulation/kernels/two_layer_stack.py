"""Norms, projections and averages of several two-layer networks on the same inputs, in one call for all of them.

Arguments are those of :mod:`rmtsim.papers.wu.simulation.kernels.two_layer_norms` with networks along the first
axis: a network takes a few microseconds of each, about as much as a call.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim.papers.wu.simulation.kernels import two_layer_norms as norms

_mean_curvatures, _output_energy = norms.mean_curvatures, norms.output_energy
_independent_energy, _unit_averages = norms.independent_energy, norms.unit_averages
_sandwiches, _projections = norms.sandwiches, norms.projections


@kernel
def curvatures(confidence):  # type: ignore[no-untyped-def]
    """E[A], networks × 2 halves × classes × classes."""
    networks, _, classes = confidence.shape
    found = np.empty((networks, 2, classes, classes))
    for k in range(networks):
        _mean_curvatures(confidence[k], found[k])
    return found


@kernel
def output_energies(weights, active, confidence):  # type: ignore[no-untyped-def]
    """⟨M_a, M_b⟩_F of every network."""
    found = np.empty(len(weights))
    for k in range(len(weights)):
        found[k] = _output_energy(weights[k], active[k], confidence[k])
    return found


@kernel
def independent_energies(weights, active, curvature):  # type: ignore[no-untyped-def]
    """⟨M*_a, M*_b⟩_F of every network."""
    found = np.empty(len(weights))
    for k in range(len(weights)):
        found[k] = _independent_energy(weights[k], active[k], curvature[k])
    return found


@kernel
def projected(weights, active, confidence, curvature):  # type: ignore[no-untyped-def]
    """W M Wᵀ, or W M* Wᵀ where a ``curvature`` is given, networks × 2 halves × classes × classes."""
    networks, classes, _ = weights.shape
    found = np.empty((networks, 2, classes, classes))
    for k in range(networks):
        gates = _sandwiches(weights[k], active[k])
        if curvature is None:
            _projections(gates, confidence[k], None, found[k])
        else:
            _projections(gates, confidence[k], curvature[k], found[k])
    return found


@kernel
def averages(weights, active, logits):  # type: ignore[no-untyped-def]
    """(projected, energy, length, bias) of :mod:`rmtsim.papers.wu.simulation.known_averages`, networks × 4."""
    found = np.empty((len(weights), 4))
    for k in range(len(weights)):
        found[k, 0], found[k, 1], found[k, 2], found[k, 3] = _unit_averages(weights[k], active[k], logits[k])
    return found


@kernel
def formula_sums(weights, active, curvature):  # type: ignore[no-untyped-def]
    """(Σ_i s_i, Σ_i (π̂_i + π̂'_i) s_i), s_i the product of the halves' (WᵀE[A]W)_ii: networks × 2."""
    networks, classes, units = weights.shape
    middle = active.shape[1] // 2
    found = np.zeros((networks, 2))
    rates, diagonals = np.empty(units), np.empty((2, units))
    for k in range(networks):
        rates[:] = 0.0
        for x in range(2 * middle):
            for i in range(units):
                rates[i] += active[k, x, i]
        diagonals[:] = 0.0
        for half in range(2):
            for a in range(classes):
                for b in range(classes):
                    value = curvature[k, half, a, b]
                    for i in range(units):
                        diagonals[half, i] += value * weights[k, a, i] * weights[k, b, i]
        for i in range(units):
            both = diagonals[0, i] * diagonals[1, i]
            found[k, 0] += both
            found[k, 1] += both * rates[i] / middle
    return found
