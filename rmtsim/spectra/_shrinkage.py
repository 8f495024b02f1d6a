"""Non-linear shrinkage of a sample covariance: Ledoit and Wolf's analytical formula (2020)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate

__all__ = ["Shrinkage", "shrink_covariance"]

Array = NDArray[np.float64]

_LARGEST = 1e150


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """A covariance with the sample's eigenvectors and shrunken eigenvalues, both in increasing order."""

    covariance: Array
    sample_eigenvalues: Array
    eigenvalues: Array
    samples: int
    """Degrees of freedom: rows, less one where means were taken away."""


def shrink_covariance(data: NDArray[np.floating], *, centre: bool = True) -> Shrinkage:
    """The covariance of the columns of ``data`` (rows the samples), its eigenvalues shrunken non-linearly.

    Each sample eigenvalue λ becomes λ/((πyλf)² + (1 - y - πyλHf)²), y = d/N: the limit of the best value for Frobenius
    loss (Ledoit and Péché 2011), with density f and Hilbert transform Hf of the spectrum from Epanechnikov kernels of
    bandwidth N^(-1/3)·λ (Ledoit and Wolf 2020). For d > N it is λ/(π²λ²(f² + Hf²)), and null eigenvalues get a common
    value. Nothing is fitted or iterated.

    Args:
        data: samples × features, at least 12 samples.
        centre: whether to take the columns' means away (one degree of freedom).

    >>> rng = np.random.default_rng(0)
    >>> found = shrink_covariance(rng.standard_normal((200, 100)), centre=False)
    >>> bool(np.ptp(found.eigenvalues) < 0.3 * np.ptp(found.sample_eigenvalues))
    True
    """
    x = validate.matrix("data", data, meaning="samples × features")
    centre = validate.flag("centre", centre, meaning="whether to take the columns' means away")
    rows, dimension = x.shape
    samples = rows - 1 if centre else rows
    if samples < 12:
        raise ValueError(f"data of {rows} rows: expected at least {13 if centre else 12} samples")
    validate.memory(8.0 * (3 * dimension**2 + rows * dimension), f"a {dimension}×{dimension} covariance")
    if np.abs(x).max() > _LARGEST:
        raise ValueError(f"data: expected entries of modulus up to {_LARGEST:g}, whose squares are doubles")
    if centre:
        x = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(x.T @ x / samples)
    values = np.maximum(values, 0.0)
    live = min(dimension, samples)
    nonzero = values[dimension - live :]
    if nonzero[0] <= 1e-12 * nonzero[-1] or nonzero[-1] == 0:
        raise ValueError(
            "data: fewer directions with variance than samples and features allow; expected columns of full rank"
        )
    shrunken = np.empty(dimension)
    density, hilbert = _kernel_estimates(nonzero, samples)
    ratio = dimension / samples
    if dimension <= samples:
        real = 1 - ratio - np.pi * ratio * nonzero * hilbert
        shrunken[:] = nonzero / ((np.pi * ratio * nonzero * density) ** 2 + real**2)
    else:
        width = samples ** (-1 / 3)
        root = math.sqrt(5) * width
        # Hilbert transform of the kernel estimate at zero.
        at_zero = (
            (1 / np.pi)
            * (
                3 / (10 * width**2)
                + 3
                / (4 * math.sqrt(5) * width)
                * (1 - 1 / (5 * width**2))
                * math.log((1 + root) / (1 - root))
            )
            * float((1 / nonzero).mean())
        )
        shrunken[: dimension - samples] = 1 / (np.pi * (dimension - samples) / samples * at_zero)
        shrunken[dimension - samples :] = nonzero / (np.pi**2 * nonzero**2 * (density**2 + hilbert**2))
    covariance = (vectors * shrunken) @ vectors.T
    return Shrinkage(0.5 * (covariance + covariance.T), values, shrunken, samples)


def _kernel_estimates(values: Array, samples: int) -> tuple[Array, Array]:
    """Density of the spectrum and its Hilbert transform at the eigenvalues themselves."""
    bandwidth = values * samples ** (-1 / 3)
    x = (values[:, None] - values[None, :]) / bandwidth[None, :]
    inside = np.maximum(1 - x**2 / 5, 0.0)
    density = (3 / (4 * math.sqrt(5)) * inside / bandwidth).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithm = np.log(np.abs((math.sqrt(5) - x) / (math.sqrt(5) + x)))
        transform = (-3 / (10 * np.pi)) * x + 3 / (4 * math.sqrt(5) * np.pi) * (1 - x**2 / 5) * logarithm
    # At |x| = √5 the factor 1 - x²/5 beats the logarithm.
    at_end = np.abs(x) == math.sqrt(5)
    transform[at_end] = (-3 / (10 * np.pi)) * x[at_end]
    return density, np.asarray((transform / bandwidth).mean(axis=1))
