"""How far a spectrum is from its own mirror image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]


def mirror_error(spectrum: Array, other: Array | None = None) -> float:
    """Σ|λ_i + λ'_{N+1−i}|/Σ|λ_i|: the mean distance between λ and the mirror image of λ', over the mean |λ|.

    Parameters
    ----------
    spectrum : ndarray
        Eigenvalues in increasing order.
    other : ndarray, optional
        The eigenvalues λ' whose mirror image is compared; ``spectrum`` itself if left out.

    Returns
    -------
    float
        Zero, up to rounding, if one spectrum is the mirror image of the other.

    Examples
    --------
    >>> mirror_error(np.array([-2.0, 2.0])), mirror_error(np.array([1.0, 2.0]))
    (0.0, 2.0)
    """
    mirrored = spectrum if other is None else other
    return float(np.abs(spectrum + mirrored[::-1]).sum() / np.abs(spectrum).sum())


def asymmetry(spectrum: Array) -> float:
    """sup |F_H − F_{−H}|: the Kolmogorov distance between a spectrum and its mirror image.

    Eigenvalues within 1e-10 of the largest are taken to be zero.

    >>> asymmetry(np.array([-1.0, 1e-17, 1.0])), asymmetry(np.array([0.5, 1.0]))
    (0.0, 1.0)
    """
    spectrum = np.where(np.abs(spectrum) < 1e-10 * np.abs(spectrum).max(), 0.0, spectrum)
    mirrored = -spectrum[::-1]
    places = np.concatenate([spectrum, mirrored])
    here = np.searchsorted(spectrum, places, side="right") - np.searchsorted(mirrored, places, side="right")
    return float(np.abs(here).max() / len(spectrum))
