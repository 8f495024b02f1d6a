"""From the eigenvalues of a symmetric matrix, such as a Hessian, to a fitted :class:`Spectrum`."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim.laws import Semicircle
from rmtsim.spectra._bulk import Beta, WignerBulk
from rmtsim.spectra._chebyshev import outer_root
from rmtsim.spectra._fitted import Outlier, Spectrum
from rmtsim.spectra._masses import coinciding, rounding
from rmtsim.spectra._outliers import Separation
from rmtsim.spectra._reading import Given, ordered
from rmtsim.spectra._separated import fitted, misfit, read_only, too_many


def symmetric_matrix(given: Given, beta: Beta, level: float, name: str) -> Spectrum:
    """Semicircle and outliers; eigenvalues that are zero to rounding (rows without entries) belong to no bulk."""
    masses, _ = coinciding(given.values, given.dimension)
    values, unit = ordered(given.values)
    zeros = next((mass.count for mass in masses if mass.value == 0), 0)
    if zeros > 1:
        values = values[np.abs(values) * unit > rounding(given.values)]
    else:
        zeros = 0
    bulk = WignerBulk(values.size, beta)
    split, frame, method, goodness = fitted(values, bulk, level, both=True, refuse=True)
    removed = int(split.outliers.sum())
    law = Semicircle((0.5 * frame.half * unit) ** 2).shifted(frame.centre * unit)
    outliers = []
    for value, log_tail in zip(values[split.outliers].tolist(), _by_place(split).tolist(), strict=True):
        root = float(outer_root(frame.points(np.array([value])))[0])
        slope = 1 - root**-2
        error = math.sqrt(2 / (beta * bulk.size * slope)) * 0.5 * frame.half if slope > 0 else math.inf
        spike = frame.centre + 0.5 * frame.half * root
        outliers.append(
            Outlier(value * unit, log_tail / math.log(10), spike * unit, error * unit, slope, slope)
        )
    return Spectrum(
        name=name,
        kind="wigner",
        eigenvalues=read_only(np.sort(given.values)[::-1]),
        dimension=given.dimension,
        samples=None,
        zeros=zeros,
        level=level,
        sigma=frame.scale * unit,
        sigma_error=frame.scale * unit / (math.sqrt(beta) * (bulk.size - removed)),
        method=method,
        law=law,
        outliers=tuple(outliers),
        next_log10_p=split.next_log_tail / math.log(10),
        goodness=goodness,
        bulk=read_only(values[~split.outliers] * unit),
        reason=misfit(goodness, level) or too_many(split),
        masses=masses,
        scale=math.ldexp(1.0, given.exponent),
    )


def _by_place(split: Separation) -> FloatArray:
    """Log tails in the order of the eigenvalues: those from the bottom were tested from the lowest on."""
    top = int(np.argmin(split.outliers)) if not split.outliers.all() else split.outliers.size
    return np.concatenate([split.log_tails[:top], split.log_tails[top:][::-1]])
