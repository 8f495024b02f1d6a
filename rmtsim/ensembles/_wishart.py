"""The Wishart (Laguerre) ensembles, dense and tridiagonal, with spiked populations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim.ensembles._entries import any_beta, dyson_index, gaussian_entries, spike_values
from rmtsim.ensembles._tridiagonal import Tridiagonal

__all__ = ["wishart", "wishart_tridiagonal"]


def wishart(
    dimension: int,
    samples: int,
    rng: np.random.Generator,
    *,
    beta: int = 1,
    variance: float = 1.0,
    spikes: ArrayLike = (),
) -> NDArray[Any]:
    """(1/N) X X*, X of shape dimension × samples with E|x|² = ``variance``; β = 4 doubles the size.

    The first features have the population variances ``spikes``·variance in place of variance; a spike above
    1 + √(d/N) leaves the bulk.

    >>> bool(np.linalg.eigvalsh(wishart(100, 400, np.random.default_rng(0), spikes=[5.0]))[-1] > 4.0)
    True
    """
    dimension = validate.integer("dimension", dimension, meaning="features d")
    samples = validate.integer("samples", samples, meaning="samples N")
    beta = dyson_index(beta)
    variance = validate.positive_number("variance", variance, meaning="variance of an entry")
    scales = np.ones(dimension)
    given = spike_values(spikes, dimension, positive=True)
    scales[: len(given)] = np.sqrt(given)
    entries = gaussian_entries(dimension, samples, beta, rng)
    entries *= np.tile(scales, 2 if beta == 4 else 1)[:, None]
    matrix = entries @ entries.conj().T * (variance / samples)
    return np.asarray(0.5 * (matrix + matrix.conj().T))


def wishart_tridiagonal(
    dimension: int,
    samples: int,
    rng: np.random.Generator,
    *,
    beta: float = 1.0,
    variance: float = 1.0,
    spike: float = 1.0,
) -> Tridiagonal:
    """A tridiagonal matrix with the non-zero eigenvalues of :func:`wishart`, any β > 0 (Dumitriu and Edelman 2002).

    BBᵀ v/(βN), B bidiagonal with χ_{βN}, χ_{β(N-1)}, … on the diagonal and χ_{β(d-1)}, … below it. For d > N the
    N×N form (d - N zero eigenvalues are left out). ``spike`` is the first feature's population variance over the
    others'.

    >>> t = wishart_tridiagonal(10**4, 4 * 10**4, np.random.default_rng(0))
    >>> bool(abs(t.largest(1)[0] - 2.25) < 0.02)
    True
    """
    dimension = validate.integer("dimension", dimension, meaning="features d")
    samples = validate.integer("samples", samples, meaning="samples N")
    rng = validate.generator("rng", rng)
    beta = any_beta(beta)
    variance = validate.positive_number("variance", variance, meaning="variance of an entry")
    spike = validate.positive_number("spike", spike, meaning="population variance of the first feature")
    least = min(dimension, samples)
    validate.memory(64.0 * least, f"a tridiagonal matrix of {least} rows")
    upper = rng.chisquare(beta * np.arange(samples, samples - least, -1.0))
    upper[0] *= spike
    # A column below the last sample is still there when d > N: B is (N+1)×N, and BᵀB has the N eigenvalues.
    wide = dimension > samples
    lower = rng.chisquare(beta * (dimension - np.arange(1.0, least + (1 if wide else 0))))
    unit = variance / (beta * samples)
    if wide:
        return Tridiagonal((upper + lower) * unit, np.sqrt(upper[1:] * lower[:-1]) * unit)
    return Tridiagonal((upper + np.concatenate([[0.0], lower])) * unit, np.sqrt(upper[:-1] * lower) * unit)
