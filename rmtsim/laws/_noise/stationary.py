"""Eigenvalues of the covariance of a stationary series, from its autocovariances or its ARMA coefficients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray


def stationary_spectrum(
    autocovariance: ArrayLike | None = None,
    *,
    ar: ArrayLike = (),
    ma: ArrayLike = (),
    variance: float = 1.0,
    nodes: int = 400,
) -> FloatArray:
    """Eigenvalues of the covariance of a long stationary series: its spectral density at equispaced frequencies.

    Parameters
    ----------
    autocovariance : array_like, optional
        Autocovariances γ₀, γ₁, …, real or complex (γ_k = E x_{t+k} x̄_t); zero beyond the last.
    ar, ma : array_like, optional
        Coefficients of an ARMA series instead: x_t = Σ ar_k x_{t−k} + e_t + Σ ma_k e_{t−k}.
    variance : float, optional
        Variance of x_t for an ARMA series.
    nodes : int, optional
        Number of frequencies. For a smooth spectral density averages over them converge geometrically.

    Returns
    -------
    ndarray
        ``nodes`` positive numbers whose law tends to that of the eigenvalues (Szegő's theorem).

    Raises
    ------
    ValueError
        If the autocovariances have a negative spectral density, or the AR part is not stationary.

    Examples
    --------
    AR(1) with coefficient φ has eigenvalues between (1 − φ)/(1 + φ) and (1 + φ)/(1 − φ), with mean one:

    >>> from rmtsim.laws import StructuredNoise, stationary_spectrum
    >>> values = stationary_spectrum(ar=[0.5])
    >>> [round(float(v), 4) for v in (values.min(), values.max(), values.mean())]
    [0.3333, 2.9996, 1.0]
    >>> round(StructuredNoise(0.5, columns=values).support[0][1], 4)
    4.043
    """
    nodes = validate.integer("nodes", nodes, minimum=2, maximum=10**6, meaning="number of frequencies")
    frequency = 2 * np.pi * (np.arange(nodes) + 0.5) / nodes
    if autocovariance is not None:
        gamma = validate.complex_array("autocovariance", autocovariance, meaning="γ₀, γ₁, …").ravel()
        if np.size(ar) or np.size(ma):
            raise ValueError(
                "autocovariance, ar, ma: expected either autocovariances or coefficients, not both"
            )
        if not gamma.size or gamma[0].imag != 0 or not gamma[0].real > 0:
            raise ValueError("autocovariance: expected γ₀, γ₁, … with γ₀ > 0")
        phases = np.exp(-1j * np.outer(frequency, np.arange(1, gamma.size)))
        density = gamma[0].real + 2 * (phases @ gamma[1:]).real
        if (density < -1e-12 * gamma[0].real).any():
            raise ValueError(
                f"autocovariance: the spectral density falls to {density.min():.6g}; expected autocovariances of a "
                "stationary series (density >= 0 at every frequency)"
            )
        return np.asarray(np.maximum(density, 0.0))
    factor = {}
    for name, given, sign in (("ar", ar, -1), ("ma", ma, 1)):
        coefficients = validate.complex_array(name, given, meaning="coefficients of the series").ravel()
        factor[name] = np.concatenate([[1.0], sign * coefficients])
    if np.abs(np.roots(factor["ar"])).max(initial=0.0) >= 1:
        raise ValueError(
            f"ar={validate.shown(ar)}: expected a stationary series (roots inside the unit circle)"
        )
    variance = validate.positive_number("variance", variance, meaning="variance of the series")
    powers = {
        name: np.abs(np.exp(-1j * np.outer(frequency, np.arange(c.size))) @ c) ** 2
        for name, c in factor.items()
    }
    density = powers["ma"] / powers["ar"]
    # The rule itself is used for the variance, so that the mean of the eigenvalues is exact.
    return np.asarray(variance * density / density.mean())
