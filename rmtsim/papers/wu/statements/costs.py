"""Nominal seconds and bytes of measurements on random two-layer networks for the claims of `wu`."""

from __future__ import annotations

INPUTS = 96
"""Inputs of a network, half of them for each of the two independent estimates."""
NETWORKS = 4
"""Independent networks per replicate, on the same inputs; a replicate's value is their mean."""

BATCH = 32
"""Networks of a replicate where they are measured in arrays: a mean of that many is hardly skewed."""


def batch_cost(size: int, alpha: float, classes: int, rows: bool = True) -> float:
    """A replicate of :data:`BATCH` networks in arrays; with ``rows``, inner products of curvature rows too."""
    d, ranks = float(size) ** (1 + alpha), float(classes) - 1
    shared = 3e-3 + 1.25e-8 * INPUTS * d + (4.2e-5 + 1.5e-6 * ranks) * size
    products = 1.3e-8 * BATCH * (INPUTS / 2 * ranks) ** 2 + (6e-6 + 1e-6 * ranks) * ranks * size
    return float(shared + products) if rows else float(shared)


def response_cost(
    size: int, alpha: float, inputs: int = INPUTS, networks: int = NETWORKS, inner: bool = True
) -> float:
    """Drawing the responses of ``networks`` networks to ``inputs`` inputs."""
    d = float(size) ** (1 + alpha)
    shared = 2e-4 + 8e-9 * inputs * d + (3e-11 * inputs**2 * d if inner else 0.0)
    direct = d <= 2 * inputs or not inner
    each = (8e-9 + 4e-11 * inputs) * size * d if direct else 6e-11 * inputs**2 * size
    return float(shared + networks * (1.2e-4 + each + 2.2e-8 * inputs * size))


def output_cost(
    size: int, alpha: float, classes: int, inputs: int = INPUTS, networks: int = NETWORKS, inner: bool = True
) -> float:
    """The same with M, M* and their top eigenspaces."""
    c = float(classes)
    each = 6e-4 + 5e-9 * inputs * c * size + 7e-11 * inputs * (c + 1) * size**2 + 7e-10 * (c + 12) * size**2
    return response_cost(size, alpha, inputs, networks, inner) + networks * each


def projected_cost(
    size: int, alpha: float, classes: int, inputs: int = INPUTS, networks: int = NETWORKS
) -> float:
    """The same with W M Wᵀ and W M* Wᵀ alone, which need no n × n matrix."""
    c = float(classes)
    return response_cost(size, alpha, inputs, networks) + networks * (
        5e-4 + 2e-10 * inputs * c**2 * size + 1e-8 * inputs * c**2
    )


def energy_cost(
    size: int, alpha: float, classes: int, inputs: int = INPUTS, networks: int = NETWORKS
) -> float:
    """The same as :func:`output_cost` with norms of H^(1), from inner products of its Gram side."""
    rows = inputs / 2 * (float(classes) - 1)
    return output_cost(size, alpha, classes, inputs, networks) + networks * (
        4e-4 + 1.2e-10 * rows**2 * (size + 60)
    )


def layer_cost(
    size: int, alpha: float, classes: int, inputs: int = INPUTS, networks: int = NETWORKS
) -> float:
    """The same with top eigenvectors of H^(1) on both halves."""
    rows = inputs / 2 * (float(classes) - 1)
    return output_cost(size, alpha, classes, inputs, networks) + networks * (
        2.5e-3 + 1.2e-10 * rows**2 * (size + 150)
    )


def network_memory(size: int, classes: int, inputs: int = INPUTS) -> float:
    """Bytes: a few n × n and N × n matrices, two N × N ones, the curvature rows, and 64 MiB for inputs in slices."""
    return 8.0 * (6 * size**2 + (8 + 2 * float(classes)) * inputs * size + 2 * inputs**2) + 2**26
