"""A spectrum without a fitted bulk: its density, masses and far eigenvalues, with the reason."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from rmtsim.spectra._fitted import Outlier, Spectrum
from rmtsim.spectra._masses import coinciding, far_out
from rmtsim.spectra._reading import Given


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
