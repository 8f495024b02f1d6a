"""A spectrum without a fitted bulk: its density, masses and far eigenvalues, with the reason."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.spectra._fitted import Outlier, Spectrum
from rmtsim.spectra._masses import Mass, coinciding, far_out
from rmtsim.spectra._reading import LEAST, Given

_TIED = 3
"""Eigenvalues other than zero that coincide with another, from which no noise is supposed."""


def no_bulk(masses: tuple[Mass, ...], rest: NDArray[np.float64], dimension: int) -> str:
    """Why these eigenvalues have no bulk that could be fitted, or nothing."""
    tied = [mass for mass in masses if mass.value != 0 and mass.count > 1]
    if not rest.size and all(mass.value == 0 for mass in masses):
        return "all eigenvalues are zero"
    count = sum(mass.count for mass in tied)
    if count >= _TIED:
        places = ", ".join(f"{mass.value:.4g}" for mass in tied[:3]) + (", …" if len(tied) > 3 else "")
        return f"{count} of {dimension} eigenvalues coincide with others (at {places}), which noise has not"
    if rest.size + sum(mass.count for mass in masses if mass.value != 0) < LEAST:
        return f"fewer than {LEAST} eigenvalues are not zero, which is too few for a bulk"
    return ""


def unfitted(
    given: Given, kind: Literal["covariance", "wigner"], level: float, name: str, why: str
) -> Spectrum:
    """The spectrum with density, masses and the eigenvalues beyond Tukey's outer fences."""
    values = np.sort(given.values)[::-1]
    if kind == "covariance":
        values = values.clip(min=0.0)
    masses, rest = coinciding(values, given.dimension)
    far = far_out(rest)
    zeros = sum(mass.count for mass in masses if mass.value == 0)
    for array in (values, rest):
        array.flags.writeable = False
    bulk = rest[~far]
    bulk.flags.writeable = False
    return Spectrum(
        name=name,
        kind=kind,
        eigenvalues=values,
        dimension=given.dimension,
        samples=given.samples,
        zeros=zeros,
        level=level,
        sigma=None,
        sigma_error=None,
        method="none",
        law=None,
        outliers=tuple(Outlier(value) for value in rest[far].tolist()),
        next_log10_p=0.0,
        goodness=None,
        bulk=bulk,
        reason=why,
        masses=masses,
        scale=math.ldexp(1.0, given.exponent),
    )
