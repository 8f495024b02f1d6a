"""From eigenvalues, a matrix or an operator to a fitted :class:`Spectrum`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import plain, validate
from rmtsim._internal.randomness import RandomSource
from rmtsim.errors import ConvergenceError
from rmtsim.laws import SpikedCovariance
from rmtsim.spectra._fitted import Spectrum
from rmtsim.spectra._masses import coinciding, no_bulk
from rmtsim.spectra._reading import DENSE, checked_level, is_operator, live_part, read, without_sparsity
from rmtsim.spectra._sample_covariance import sample_covariance
from rmtsim.spectra._separated import NoBulkError

if TYPE_CHECKING:
    from rmtsim.spectra._operator_spectrum import OperatorSpectrum


class _Options(TypedDict, total=False):
    """Keywords of :func:`spectrum` but for ``rng``."""

    samples: int | None
    dimension: int | None
    kind: Literal["auto", "covariance", "wigner"]
    centre: bool
    population: ArrayLike | Literal["estimate"] | None
    beta: Literal[1, 2] | None
    test: Literal["auto", "tracy-widom", "permutations", "signs"]
    level: float
    name: str


@overload
def spectrum(source: Any, *, rng: None = None, **options: Unpack[_Options]) -> Spectrum: ...


@overload
def spectrum(
    source: Any, *, rng: RandomSource, **options: Unpack[_Options]
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
    test: Literal["auto", "tracy-widom", "permutations", "signs"] = "auto",
    level: float = 0.05,
    name: str = "",
    rng: RandomSource = None,
) -> Spectrum | OperatorSpectrum:
    """Fit the bulk of a spectrum and find the eigenvalues outside it.

    Parameters
    ----------
    source : array_like or LinearOperator
        One of

        - eigenvalues of a sample covariance (1/N) XᵀX, in any order, together with ``samples``; with
          ``kind="wigner"`` eigenvalues of a symmetric matrix;
        - a data or weight matrix X, samples in rows, features in columns;
        - a symmetric matrix: a covariance if ``samples`` is given, otherwise Wigner-like, such as a Hessian (without
          a negative eigenvalue it could be either: then ``samples`` or ``kind`` is needed for a rank);
        - the name of an .npy, .npz, .csv, .txt, .pt or .safetensors file with one such array;
        - a sparse matrix or a symmetric ``scipy.sparse.linalg.LinearOperator``; above size 4000 it is not
          diagonalised but probed, which requires ``rng``.
    samples : int, optional
        Number N of samples of given eigenvalues or of a given covariance. Without it, eigenvalues of which one is
        negative are those of a symmetric matrix, and others get no rank.
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
    test : {"auto", "tracy-widom", "permutations", "signs"}, optional
        Null for the outliers: the Tracy–Widom law, random permutations of all entries of a data matrix, or random
        changes of their signs. By default the first where entries and bulk look like Gaussian white noise, the second
        where the tails do not, the third where variances of rows or columns are unequal.
    level : float, optional
        Probability of any false outlier, in (0, 0.1].
    name : str, optional
        Name of the result.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of probes for a large operator, and of resampled data (by default of a fixed seed, so that equal data
        give equal results).

    Returns
    -------
    Spectrum or OperatorSpectrum
        Bulk, goodness of fit and outliers; an :class:`OperatorSpectrum` for a large operator. If there is no bulk
        (few, coinciding or zero eigenvalues, or a law that cannot be fitted), density, masses and far eigenvalues,
        with ``law`` and ``rank`` None and the ``reason``.

    Raises
    ------
    ValueError
        If the source is empty or has missing entries, or options contradict it or each other.
    TypeError
        If the source has no numbers, or is a PyTorch module; see :func:`model_spectrum`.

    See Also
    --------
    model_spectrum : Spectra of all weight matrices of a model.
    deconvolve : Population behind a sample covariance.

    Notes
    -----
    The bulk is a Marchenko–Pastur law of unknown variance, or a semicircle of unknown centre and variance. Outliers
    are tested one after another, so that ``level`` bounds the probability of any false one. The Tracy–Widom test is
    for independent entries of one variance with light tails, the test by permutations for independent entries of one
    law, whatever its tails. The test by sign flips [1]_ is for independent entries that are symmetric about zero,
    whatever their variances and tails; it treats a component in a single column or row as noise, so that by default a
    fifth of the level is used for such components, whose variance must exceed what the spread of the other variances
    predicts. Lag-one correlations of rows or columns are removed by an autoregressive filter before the latter two.
    Below about 50 × 30 entries unequal variances may remain undetected; there a component found by one of the first
    two tests has to pass a second test, by sign flips or, if it lies in a single column or row, against the spread of
    the other variances. If no null fits, ``rank`` is None and ``reason`` says why.

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
    centre = validate.flag("centre", centre, meaning="whether to subtract the means of the columns")
    validate.choice("test", test, ("auto", "tracy-widom", "permutations", "signs"))
    if rng is not None:
        rng = validate.generator("rng", rng)
    if beta is not None:
        beta = validate.integer("beta", beta, minimum=1, maximum=2, meaning="1 real, 2 complex entries")  # type: ignore[assignment]
    if not isinstance(name, str):
        raise TypeError(f"name={name!r}: expected text")
    name = plain(name)  # it is shown in terminals, figures and pages
    counts = {
        key: None if value is None else validate.integer(key, value, minimum=2)
        for key, value in (("samples", samples), ("dimension", dimension))
    }
    source = without_sparsity(source)
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
        from rmtsim.spectra._operator_spectrum import is_zero, operator_outliers

        if not is_zero(source, rng):
            return operator_outliers(source, rng, level, name)
        source, kind = np.zeros(source.shape[0]), "wigner"
    if test in ("permutations", "signs") and population is not None:
        raise ValueError(f"test={test!r}: expected without population, since the entries are resampled")
    given = read(source, counts["samples"], counts["dimension"], kind, centre)
    if beta == 1 and given.complex:
        raise ValueError("beta=1: expected 2 or None for complex data")
    beta = beta or (2 if given.complex else 1)
    if test in ("permutations", "signs") and given.data is None:
        raise ValueError(
            f"test={test!r}: expected a data matrix, since eigenvalues have no entries to resample"
        )
    if population is not None:
        if given.samples is None:
            raise ValueError("population: expected together with a sample covariance and its samples")
        _check_population(population)
    kind_found: Literal["covariance", "wigner"] = (
        "covariance" if given.samples is not None or given.unknown else "wigner"
    )
    if given.samples is not None and given.values.any():
        live_part(given)  # refuses eigenvalues that contradict the number of samples
    why = no_bulk(*coinciding(given.values, given.dimension), given.dimension)
    if given.unknown:
        question = (
            "no eigenvalue is negative, as in a covariance, and the number of samples is not given: say samples=N, or "
            "kind='wigner' for a symmetric matrix such as a Hessian"
        )
        why = why or question
    try:
        if why:
            raise NoBulkError(why)
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            if given.samples is None:
                from rmtsim.spectra._symmetric import symmetric_matrix

                return symmetric_matrix(given, beta, level, name)
            return sample_covariance(given, beta, level, name, population, test, rng)
    except NoBulkError as error:
        why = str(error)
    except (ConvergenceError, ArithmeticError, ValueError):
        # Width and centre have no solution, or leave the range of doubles.
        why = "the fit of a law does not converge, as it happens with sharply peaked spectra"
    from rmtsim.spectra._unfitted import unfitted

    return unfitted(given, kind_found, level, name, why)


def _check_population(population: Any) -> None:
    if isinstance(population, str):
        if population != "estimate":
            raise ValueError(f"population={population!r}: expected numbers or 'estimate'")
        return
    SpikedCovariance(1.0, population=population)
