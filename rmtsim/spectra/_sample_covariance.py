"""From the eigenvalues of a sample covariance, or its data, to a fitted :class:`Spectrum`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from rmtsim.laws import MarchenkoPastur, SpectralLaw, SpikedCovariance
from rmtsim.spectra._bulk import Beta, Frame, Goodness, WishartBulk
from rmtsim.spectra._fitted import DOUBT, Outlier, Spectrum
from rmtsim.spectra._masses import coinciding
from rmtsim.spectra._populated import PopulatedBulk
from rmtsim.spectra._reading import Given, live_part
from rmtsim.spectra._separated import Null, fitted, misfit, most_components, read_only, too_many

if TYPE_CHECKING:
    from rmtsim.spectra._population import PopulationEstimate


def sample_covariance(
    given: Given,
    beta: Beta,
    level: float,
    name: str,
    population: ArrayLike | Literal["estimate"] | None,
    test: Literal["auto", "tracy-widom", "permutations", "signs"],
    rng: np.random.Generator | None,
) -> Spectrum:
    """Marchenko–Pastur law, or that of a population, and outliers."""
    assert given.samples is not None
    part = live_part(given)
    values, unit, dimension, effective = part.values, part.unit, part.dimension, part.samples
    bulk: WishartBulk | PopulatedBulk
    estimate: PopulationEstimate | None = None
    if isinstance(population, str):
        from rmtsim.spectra._estimated import estimated_bulk
        from rmtsim.spectra._population import made

        found = estimated_bulk(part, beta, level)
        estimate = made(found.fit, dimension, effective, unit, level, name)
        bulk, split = found.bulk, found.split
        goodness: Goodness | None = found.goodness
        method: Literal["trace", "trimmed"] = "trace"
        frame = bulk.fit(values, split.outliers)
    else:
        bulk = (
            WishartBulk(dimension, effective, beta)
            if population is None
            else PopulatedBulk.of(population, dimension, effective, beta)
        )
        split, frame, method, goodness = fitted(values, bulk, level, refuse=given.data is None)
    most = most_components(values, bulk, frame, int(split.outliers.sum()), level)
    null = Null("tracy-widom", "", misfit(goodness, level) or too_many(split), split, most)
    if population is None and given.data is not None and test != "tracy-widom":
        from rmtsim.spectra._null import choose_null

        centred = given.samples < len(given.data)
        null = choose_null(given.data, null, level, test, rng, centred, given.gram)
        if null.split is not split:
            split = null.split
            frame = bulk.fit(values, split.outliers)
            goodness = bulk.goodness(values, split.outliers, frame)
            method = "trace"
            if goodness is not None and goodness.p_value < DOUBT:
                frame, method = bulk.trimmed(values, split.outliers), "trimmed"
    removed = int(split.outliers.sum())
    to_user = unit / given.normaliser
    law = _bulk_law(bulk, frame, removed, to_user)
    return Spectrum(
        name=name,
        kind="covariance",
        eigenvalues=read_only(np.sort(given.values)[::-1].clip(min=0.0)),
        dimension=given.dimension,
        samples=given.samples,
        zeros=given.dimension - values.size,
        level=level,
        sigma=frame.scale * math.sqrt(unit),
        sigma_error=frame.scale
        * math.sqrt(unit / (2 * beta * (dimension - removed) * (effective - removed))),
        method=method,
        law=law,
        outliers=tuple(
            _implied(value, log_tail, bulk, frame, removed, to_user)
            for value, log_tail in zip(values[split.outliers].tolist(), split.log_tails.tolist(), strict=True)
        ),
        next_log10_p=split.next_log_tail / math.log(10),
        goodness=goodness,
        bulk=read_only(values[~split.outliers] * to_user),
        population=estimate,
        test=null.test,
        choice=null.choice,
        reason=null.reason,
        most=null.most,
        masses=coinciding(given.values, given.dimension)[0],
        scale=math.ldexp(1.0, given.exponent),
    )


def _bulk_law(bulk: WishartBulk | PopulatedBulk, frame: Frame, removed: int, to_user: float) -> SpectralLaw:
    d, n = bulk.dimension - removed, bulk.samples - removed
    variance = frame.scale**2 * n * to_user
    if isinstance(bulk, WishartBulk):
        return MarchenkoPastur(d / n, variance)
    return SpikedCovariance(d / n, (), variance, bulk.places, bulk.shares)


def _implied(
    value: float,
    log_tail: float,
    bulk: WishartBulk | PopulatedBulk,
    frame: Frame,
    removed: int,
    to_user: float,
) -> Outlier:
    """The spike of an outlier; the other outliers are not part of the bulk against which it is computed."""
    samples = bulk.samples
    places, shares = (
        (bulk.places, bulk.shares) if isinstance(bulk, PopulatedBulk) else (np.ones(1), np.ones(1))
    )
    law = SpikedCovariance((bulk.dimension - removed) / samples, (), 1.0, places, shares)
    unit = frame.scale**2
    # Just beyond the edge of the bulk at the level, the limit may still count it in: then the threshold itself.
    location = max(value / (samples * unit), law.location(law.threshold))
    spike = law.spike_of(location)
    slope = max(law.slope(spike), 0.0)
    error = math.sqrt(2 / (bulk.beta * samples)) * spike / math.sqrt(slope) if slope > 0 else math.inf
    signal = 1 - float(shares @ places) / spike
    factor = unit * samples * to_user
    return Outlier(
        eigenvalue=value * to_user,
        log10_p=log_tail / math.log(10),
        spike=spike * factor,
        spike_error=error * factor,
        alignment=spike * slope / location,
        sample_alignment=slope * signal,
    )
