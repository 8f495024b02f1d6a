"""From whatever the user has, eigenvalues, a matrix or an operator, to a fitted :class:`Spectrum`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.text import plain
from rmtsim.laws import MarchenkoPastur, Semicircle, SpectralLaw, SpikedCovariance
from rmtsim.spectra._bulk import Beta, Frame, Goodness, WignerBulk, WishartBulk
from rmtsim.spectra._chebyshev import outer_root
from rmtsim.spectra._fitted import DOUBT, Outlier, Spectrum
from rmtsim.spectra._null import Null, choose_null
from rmtsim.spectra._outliers import Separation, separate
from rmtsim.spectra._populated import PopulatedBulk
from rmtsim.spectra._reading import DENSE, LEAST, Given, checked_level, is_operator, live_part, ordered, read

if TYPE_CHECKING:
    from rmtsim.spectra._operator_spectrum import OperatorSpectrum
    from rmtsim.spectra._population import PopulationEstimate

__all__ = ["spectrum"]

FloatArray = NDArray[np.float64]


@overload
def spectrum(
    source: Any,
    *,
    samples: int | None = None,
    dimension: int | None = None,
    kind: Literal["auto", "covariance", "wigner"] = "auto",
    centre: bool = False,
    population: ArrayLike | Literal["estimate"] | None = None,
    beta: Literal[1, 2] | None = None,
    test: Literal["auto", "tracy-widom", "signs"] = "auto",
    level: float = 0.05,
    name: str = "",
    rng: None = None,
) -> Spectrum: ...


@overload
def spectrum(
    source: Any,
    *,
    samples: int | None = None,
    dimension: int | None = None,
    kind: Literal["auto", "covariance", "wigner"] = "auto",
    centre: bool = False,
    population: ArrayLike | Literal["estimate"] | None = None,
    beta: Literal[1, 2] | None = None,
    test: Literal["auto", "tracy-widom", "signs"] = "auto",
    level: float = 0.05,
    name: str = "",
    rng: np.random.Generator,
) -> Spectrum | OperatorSpectrum: ...


def spectrum(
    source: Any,
    *,
    samples: int | None = None,
    dimension: int | None = None,
    kind: Literal["auto", "covariance", "wigner"] = "auto",
    centre: bool = False,
    population: ArrayLike | Literal["estimate"] | None = None,
    beta: Literal[1, 2] | None = None,
    test: Literal["auto", "tracy-widom", "signs"] = "auto",
    level: float = 0.05,
    name: str = "",
    rng: np.random.Generator | None = None,
) -> Spectrum | OperatorSpectrum:
    """Fit the bulk of a spectrum and find the eigenvalues outside it.

    Parameters
    ----------
    source : array_like or LinearOperator
        One of

        - eigenvalues of a sample covariance (1/N) XᵀX, in any order, together with ``samples``; with
          ``kind="wigner"`` eigenvalues of a symmetric matrix;
        - a data or weight matrix X, samples in rows, features in columns;
        - a symmetric matrix: a covariance if ``samples`` is given, otherwise Wigner-like, such as a Hessian;
        - a symmetric ``scipy.sparse.linalg.LinearOperator``; above size 4000 it is not diagonalised but probed,
          which requires ``rng``.
    samples : int, optional
        Number N of samples of given eigenvalues or of a given covariance.
    dimension : int, optional
        Number d of features, if zero eigenvalues were left out.
    kind : {"auto", "covariance", "wigner"}, optional
        Sample covariance or symmetric matrix, for given eigenvalues.
    centre : bool, optional
        Whether to subtract the means of the columns of a data matrix (this uses one sample).
    population : array_like or "estimate", optional
        Relative variances of the features, which makes the bulk a generalised Marchenko–Pastur law; "estimate"
        estimates them by :func:`deconvolve`. By default all variances are equal.
    beta : {1, 2}, optional
        Real or complex entries; by default those of the source, and real ones for given eigenvalues.
    test : {"auto", "tracy-widom", "signs"}, optional
        Null for the outliers: the Tracy–Widom law, or random changes of the signs of the entries of a data matrix.
        By default the former where entries and bulk look Gaussian and of one variance, otherwise the latter.
    level : float, optional
        Probability of any false outlier, in (0, 0.1].
    name : str, optional
        Name of the result.
    rng : numpy.random.Generator, optional
        Source of probes for a large operator, and of sign flips (by default of a fixed seed, so that equal data
        give equal results).

    Returns
    -------
    Spectrum or OperatorSpectrum
        Bulk, goodness of fit and outliers; an :class:`OperatorSpectrum` for a large operator.

    Raises
    ------
    ValueError
        If the source has no bulk (fewer than ten non-zero eigenvalues, or coinciding ones) or options contradict
        each other.
    TypeError
        If the source is a file name or a PyTorch module; see :func:`model_spectrum`.

    See Also
    --------
    model_spectrum : Spectra of all weight matrices of a model.
    deconvolve : Population behind a sample covariance.

    Notes
    -----
    The bulk is a Marchenko–Pastur law of unknown variance, or a semicircle of unknown centre and variance. Outliers
    are tested one after another, so that ``level`` bounds the probability of any false one. The Tracy–Widom test is
    for independent entries of one variance with light tails. The test by sign flips [1]_ is for independent entries
    that are symmetric about zero, whatever their variances and tails; a component that lives in a single column or
    row is noise to it. If neither null fits, ``rank`` is None and ``reason`` says why.

    References
    ----------
    .. [1] D. Hong, Y. Sheng and E. Dobriban, "Selecting the number of components in PCA via random signflips"
       (2020), arXiv:2012.02985.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import spectrum
    >>> rng = np.random.default_rng(0)
    >>> data = rng.standard_normal((900, 300))
    >>> data[:, 0] *= 3                                # one feature of variance 9
    >>> found = spectrum(data)
    >>> found.rank, round(found.sigma, 2), round(found.outliers[0].spike, 1), found.fits
    (1, 1.0, 9.0, True)
    >>> spectrum(np.linalg.eigvalsh(data.T @ data / 900), samples=900).rank
    1
    """
    level = checked_level(level)
    validate.choice("kind", kind, ("auto", "covariance", "wigner"))
    centre = validate.flag("centre", centre, meaning="whether to take the columns' means away")
    validate.choice("test", test, ("auto", "tracy-widom", "signs"))
    if beta is not None:
        beta = validate.integer("beta", beta, minimum=1, maximum=2, meaning="1 real, 2 complex entries")  # type: ignore[assignment]
    if not isinstance(name, str):
        raise TypeError(f"name={name!r}: expected text")
    name = plain(name)  # it is shown in terminals, figures and pages
    counts = {
        key: None if value is None else validate.integer(key, value, minimum=2)
        for key, value in (("samples", samples), ("dimension", dimension))
    }
    if is_operator(source) and max(source.shape) > DENSE:
        if samples is not None or dimension is not None or kind == "covariance" or centre or beta == 2:
            raise ValueError(
                f"source of shape {tuple(source.shape)}: expected no samples, dimension, kind, centre or beta with a "
                f"symmetric operator beyond size {DENSE}"
            )
        if population is not None:
            raise ValueError("population: expected together with a sample covariance, not with an operator")
        if rng is None:
            raise ValueError(
                f"rng=None: expected a generator, since an operator of size {source.shape[0]} > {DENSE} is not "
                "diagonalised but probed"
            )
        from rmtsim.spectra._operator_spectrum import operator_outliers

        return operator_outliers(source, rng, level, name)
    if test == "signs" and population is not None:
        raise ValueError("test='signs': expected without population, whose variances sign flips keep anyway")
    given = read(source, counts["samples"], counts["dimension"], kind, centre)
    if beta == 1 and given.complex:
        raise ValueError("beta=1: expected 2 or None for complex data")
    beta = beta or (2 if given.complex else 1)
    if test == "signs" and given.data is None:
        raise ValueError("test='signs': expected a data matrix, since eigenvalues have no entries to flip")
    if given.samples is None:
        if population is not None:
            raise ValueError(
                "population: expected together with a sample covariance, not with a Wigner-like matrix"
            )
        return _wigner(given, beta, level, name)
    return _covariance(given, beta, level, name, population, test, rng)


def _covariance(
    given: Given,
    beta: Beta,
    level: float,
    name: str,
    population: ArrayLike | Literal["estimate"] | None,
    test: Literal["auto", "tracy-widom", "signs"],
    rng: np.random.Generator | None,
) -> Spectrum:
    assert given.samples is not None
    part = live_part(given)
    values, unit, dimension, effective = part.values, part.unit, part.dimension, part.samples
    bulk: WishartBulk | PopulatedBulk
    estimate: PopulationEstimate | None = None
    if isinstance(population, str):
        if population != "estimate":
            raise ValueError(f"population={population!r}: expected numbers or 'estimate'")
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
        split, frame, method, goodness = _fitted(values, bulk, level)
    null = Null("tracy-widom", "", _misfit(goodness, level))
    if population is None and given.data is not None and test != "tracy-widom":
        null, flipped = choose_null(given.data, values, split, null, level, test == "signs", rng)
        if flipped is not None:
            split = flipped
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
        eigenvalues=_frozen(np.sort(given.values)[::-1].clip(min=0.0)),
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
        bulk=_frozen(values[~split.outliers] * to_user),
        population=estimate,
        test=null.test,
        choice=null.choice,
        reason=null.reason,
    )


def _misfit(goodness: Goodness | None, level: float) -> str:
    """Why there is no rank with a level, or nothing."""
    if goodness is None or goodness.p_value >= min(level, DOUBT):
        return ""
    return f"the law of the bulk is rejected (p = {goodness.p_value:.2g})"


def _fitted(
    values: FloatArray, bulk: Any, level: float, *, both: bool = False
) -> tuple[Separation, Frame, Any, Any]:
    """Outliers, frame, how it was found, and the fit's quality (always that of the whole bulk)."""
    split = separate(values, bulk, level, both=both)
    frame = bulk.fit(values, split.outliers)
    goodness = bulk.goodness(values, split.outliers, frame)
    if goodness is None or goodness.p_value >= DOUBT:
        return split, frame, "trace", goodness
    split = separate(values, bulk, level, trimmed=True, both=both)
    return split, bulk.trimmed(values, split.outliers), "trimmed", goodness


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
    """The spike behind an outlier; the other outliers have no part in the bulk that it meets."""
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


def _wigner(given: Given, beta: Beta, level: float, name: str) -> Spectrum:
    values, unit = ordered(given.values)
    if values.size < LEAST:
        raise ValueError(f"source: {values.size} eigenvalues; expected at least {LEAST} for a bulk")
    if np.ptp(np.quantile(values, [0.25, 0.75])) <= 1e-12:
        raise ValueError("source: half of the eigenvalues coincide; expected a spectrum with a bulk")
    bulk = WignerBulk(values.size, beta)
    split, frame, method, goodness = _fitted(values, bulk, level, both=True)
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
        eigenvalues=_frozen(np.sort(given.values)[::-1]),
        dimension=values.size,
        samples=None,
        zeros=0,
        level=level,
        sigma=frame.scale * unit,
        sigma_error=frame.scale * unit / (math.sqrt(beta) * (bulk.size - removed)),
        method=method,
        law=law,
        outliers=tuple(outliers),
        next_log10_p=split.next_log_tail / math.log(10),
        goodness=goodness,
        bulk=_frozen(values[~split.outliers] * unit),
        reason=_misfit(goodness, level),
    )


def _by_place(split: Separation) -> FloatArray:
    """Log tails in the order of the eigenvalues: those from the bottom were tested from the lowest on."""
    top = int(np.argmin(split.outliers)) if not split.outliers.all() else split.outliers.size
    return np.concatenate([split.log_tails[:top], split.log_tails[top:][::-1]])


def _frozen(values: FloatArray) -> FloatArray:
    values = np.array(values)
    values.flags.writeable = False
    return values
