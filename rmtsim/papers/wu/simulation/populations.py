"""Autocorrelations of random populations and of normalised activations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ratio_after_normalisation(hidden: NDArray[np.floating]) -> float:
    """λ₂/λ₁ of E[xxᵀ] for x the hidden activations less their mean and over their deviation, unit by unit."""
    from rmtsim.papers.wu.simulation.eigenspaces import top_eigenvalues

    deviation = hidden.std(axis=0)
    # A unit that is never active stays at zero, as it does under batch normalisation.
    normalised = (hidden - hidden.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    values = top_eigenvalues((normalised.T @ normalised / len(hidden)).astype(np.float64), 2)
    return float(values[1] / values[0])


def random_population(size: int, rng: np.random.Generator) -> tuple[float, float]:
    """(‖E[x]E[x]ᵀ‖/‖Σ_x‖, λ₁/λ₂ of E[xxᵀ]) of a population of a few points, of any mean and any shape."""
    points = rng.standard_normal((2 * size, size)) * np.exp(rng.standard_normal(size))
    points += rng.standard_normal() * rng.standard_normal(size)
    mean = points.mean(axis=0)
    values = np.linalg.eigvalsh(points.T @ points / len(points))
    covariance = np.linalg.eigvalsh(np.cov(points.T, bias=True).reshape(size, size))
    return float(mean @ mean / covariance[-1]), float(values[-1] / values[-2])
