"""Structured noise X = R^½ Z T^½ as a law: constructors, outliers of a signal, singular values."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._noise.estimate import separable_variances
from rmtsim.laws._noise.gaps import Pair, Side
from rmtsim.laws._noise.law import SeparableLaw, side
from rmtsim.laws._noise.outliers import SignalOutlier, SignalSide, Transform
from rmtsim.laws._population import Population, of_distribution

_SUM = 1e-9


class StructuredNoise(SeparableLaw):
    """Limit spectrum of XXᵀ for noise X = R^½ Z T^½ with correlated or unequal rows and columns, and its outliers.

    X has shape (p, n) with p/n → ratio, Z has independent centred entries of variance 1/n (real or complex), and R
    (p × p) and T (n × n) are covariances of the rows and of the columns. The law depends on their eigenvalues
    alone; for diagonal R and T, the entry (i, j) has variance r_i t_j/n.

    Parameters
    ----------
    ratio : float
        Limit of p/n, positive.
    rows : array_like, optional
        Eigenvalues of R, non-negative; all one by default.
    columns : array_like, optional
        Eigenvalues of T, non-negative; all one by default.
    row_weights, column_weights : array_like, optional
        Their shares, summing to one; equal by default.

    Attributes
    ----------
    threshold : float
        Smallest singular value of a signal that separates from the noise.

    Raises
    ------
    ValueError
        If ``ratio`` is not positive, or variances are negative or all zero.

    See Also
    --------
    MarchenkoPastur, SpikedCovariance : The cases of equal rows and columns, and of equal columns.
    stationary_spectrum : Eigenvalues for autocorrelated rows or columns.

    Notes
    -----
    Two scalar unknowns determine the law at a point z [1]_ [2]_:

    ``u = −(1/z) ratio ∫ r dρ(r)/(1 + v r)``,  ``v = −(1/z) ∫ t dτ(t)/(1 + u t)``,

    with ρ and τ the laws of the eigenvalues of R and T; the Stieltjes transform is ``−(1/z) ∫ dρ(r)/(1 + v r)``.
    Every value is certified by its residual and an identity of imaginary parts (docs/structured-noise.md); a value
    that is not raises ConvergenceError. A signal Σ θ_k a_k b_kᵀ of finite rank with vectors in general position has
    an outlier at each y above the support with ``y² m(y²) m̃(y²) = 1/θ_k²`` [3]_, where m and m̃ are the Stieltjes
    transforms of XXᵀ and XᵀX.

    References
    ----------
    .. [1] V. L. Girko, "Theory of Random Determinants", Kluwer (1990).
    .. [2] W. Hachem, P. Loubaton and J. Najim, "Deterministic equivalents for certain functionals of large random
       matrices", Ann. Appl. Probab. 17 (2007).
    .. [3] F. Benaych-Georges and R. R. Nadakuditi, "The singular values and vectors of low rank perturbations of large
       rectangular random matrices", J. Multivariate Anal. 111 (2012).

    Examples
    --------
    >>> from rmtsim.laws import StructuredNoise
    >>> law = StructuredNoise(0.5, rows=[1.0, 4.0], columns=[0.5, 1.5])
    >>> [f"{low:.4f} to {high:.4f}" for low, high in law.support]
    ['0.0999 to 10.3072']
    >>> round(law.moment(1), 12), round(law.threshold, 4)
    (2.5, 1.9087)
    >>> found = law.outlier(4.0)
    >>> round(found.singular_value, 4), round(found.left_squared_cosine, 4), round(found.right_squared_cosine, 4)
    (4.5025, 0.8897, 0.8255)
    """

    def __init__(
        self,
        ratio: float,
        rows: ArrayLike = (1.0,),
        columns: ArrayLike = (1.0,),
        *,
        row_weights: ArrayLike | None = None,
        column_weights: ArrayLike | None = None,
    ) -> None:
        self.ratio = validate.positive_number("ratio", ratio, meaning="ratio = p/n")
        self.row_population = side(rows, row_weights, "rows")
        self.column_population = side(columns, column_weights, "columns")
        self._given = {"left": _given(rows), "right": _given(columns)}

    @classmethod
    def from_matrices(
        cls, rows: ArrayLike | None = None, columns: ArrayLike | None = None, *, ratio: float | None = None
    ) -> StructuredNoise:
        """Law for given covariance matrices.

        Parameters
        ----------
        rows, columns : array_like, optional
            R (p × p) and T (n × n), symmetric or Hermitian, positive semi-definite. One may be left out: identity.
        ratio : float, optional
            p/n; needed if one matrix is left out.

        Returns
        -------
        StructuredNoise
            The law of their eigenvalues.

        Raises
        ------
        ValueError
            If a matrix is not Hermitian and positive semi-definite to rounding, or the ratio is unknown or contradicts
            the shapes.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.linalg import toeplitz
        >>> law = StructuredNoise.from_matrices(np.diag([1.0, 2.0]), toeplitz(0.5 ** np.arange(4)))
        >>> law.ratio, round(law.moment(1), 12)
        (0.5, 1.5)
        """
        found = {
            name: _eigenvalues(name, matrix)
            for name, matrix in (("rows", rows), ("columns", columns))
            if matrix is not None
        }
        if len(found) == 2:
            shape = found["rows"].size / found["columns"].size
            if ratio is not None and ratio != shape:
                raise ValueError(f"ratio={ratio!r}: the matrices have p/n = {shape!r}; leave ratio out")
            ratio = shape
        if ratio is None:
            raise ValueError("ratio=None: expected p/n, because one of rows= and columns= is left out")
        return cls(ratio, **found)

    @classmethod
    def from_profile(cls, rows: ArrayLike, columns: ArrayLike) -> StructuredNoise:
        """Law for noise whose entry (i, j) has variance rows[i]·columns[j]/n.

        Parameters
        ----------
        rows, columns : array_like
            Variances of the p rows and n columns; the ratio is p/n.

        Returns
        -------
        StructuredNoise
            The law.

        Examples
        --------
        >>> StructuredNoise.from_profile([1.0, 2.0], [1.0, 1.0, 1.0, 3.0]).ratio
        0.5
        """
        first = validate.real_array("rows", rows, meaning="variances of the rows").ravel()
        second = validate.real_array("columns", columns, meaning="variances of the columns").ravel()
        if not first.size or not second.size:
            raise ValueError("rows, columns: expected at least one variance each")
        return cls(first.size / second.size, first, second)

    @classmethod
    def elliptical(
        cls, ratio: float, scales: Any, rows: ArrayLike = (1.0,), *, nodes: int = 400
    ) -> StructuredNoise:
        """Law for elliptical data: column j is s_j R^½ z_j with independent random scales s_j.

        Parameters
        ----------
        ratio : float
            Limit of p/n: features over samples.
        scales : scipy.stats frozen distribution or array_like
            Law of the **squared** scales s², or a sample of them.
        rows : array_like, optional
            Eigenvalues of R.
        nodes : int, optional
            Atoms of the quadrature rule that replaces a continuous distribution.

        Returns
        -------
        StructuredNoise
            The law.

        Examples
        --------
        Samples from a multivariate t distribution with 10 degrees of freedom:

        >>> from scipy import stats
        >>> law = StructuredNoise.elliptical(0.5, stats.invgamma(5, scale=5))
        >>> round(law.moment(1), 4)
        1.25
        """
        if hasattr(scales, "ppf"):
            atoms, weights = of_distribution(scales, nodes)
            return cls(ratio, rows, atoms, column_weights=weights)
        return cls(ratio, rows, scales)

    @classmethod
    def from_data(
        cls, data: ArrayLike, *, rows: str = "profile", columns: str = "profile"
    ) -> StructuredNoise:
        """Law for a matrix of pure noise whose covariances are estimated from it.

        Parameters
        ----------
        data : array_like
            The p × n matrix √n·X, that is entries of variance r_i t_j, real or complex.
        rows, columns : {"profile", "equal"}, optional
            Estimate a variance for each row (column), or take them as equal.

        Returns
        -------
        StructuredNoise
            The law of (1/n) × data × dataᴴ.

        Raises
        ------
        ValueError
            If the data are not a matrix or are all zero.

        Notes
        -----
        Profiles are the maximum-likelihood estimates for independent Gaussian entries of variance r_i t_j, found by
        alternating r_i = mean_j |x_ij|²/t_j and t_j = mean_i |x_ij|²/r_i; each variance has a relative error of
        about √(2/n) or √(2/p). A row or column of zeros has variance zero. Signals of low rank inflate the
        estimates of the rows and columns that they load on.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> noise = rng.standard_normal((200, 400)) * np.repeat([1.0, 2.0], 100)[:, None]
        >>> law = StructuredNoise.from_data(noise)
        >>> round(law.ratio, 2), round(law.support[-1][1], 1)
        (0.5, 9.4)
        """
        matrix = validate.complex_array("data", data, meaning="a matrix of noise")
        if matrix.ndim != 2 or min(matrix.shape) < 2:
            raise ValueError(
                f"data: shape {matrix.shape}; expected a matrix with at least two rows and columns"
            )
        kinds = [
            validate.choice(name, kind, ("profile", "equal"))
            for name, kind in (("rows", rows), ("columns", columns))
        ]
        first, second = separable_variances(np.abs(matrix) ** 2, kinds[0] == "profile", kinds[1] == "profile")
        return cls.from_profile(first, second)

    def __repr__(self) -> str:
        sizes = [p.poles.size + (p.share < 1) for p in (self.row_population, self.column_population)]
        return f"StructuredNoise(ratio={self.ratio!r}, <rows of {sizes[0]} values>, <columns of {sizes[1]} values>)"

    def _key(self) -> tuple[Any, ...]:
        parts: list[Any] = [self.ratio]
        for p in (self.row_population, self.column_population):
            parts += [p.share, p.exponent, p.poles.tobytes(), p.weights.tobytes()]
        return tuple(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StructuredNoise) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    @property
    def companion(self) -> StructuredNoise:
        """Law of XᵀX·(n/p) in its own normalisation: rows and columns exchanged, ratio n/p.

        The non-zero eigenvalues of XᵀX are those of XXᵀ; ``companion`` describes Xᵀ with entries of variance 1/p,
        so its eigenvalues are n/p times as large.
        """
        return _from_populations(1 / self.ratio, self.column_population, self.row_population)

    @cached_property
    def threshold(self) -> float:
        """Smallest singular value θ of a signal in general position that separates from the noise."""
        return self._unscaled(1 / math.sqrt(self._transform(None, None).at_edge()))

    def _unscaled(self, singular_value: float) -> float:
        half, odd = divmod(self._exponent, 2)
        return math.ldexp(singular_value * math.sqrt(1 + odd), half)

    def _transform(self, left: ArrayLike | None, right: ArrayLike | None) -> Transform:
        edge = self._ends[-1][1]
        rows = Side(self.row_population.poles, self.ratio * self.row_population.weights)
        columns = Side(self.column_population.poles, self.column_population.weights.copy())
        pair = Pair(rows, columns, (edge.row, math.inf), (edge.column, math.inf))
        return Transform(pair, edge, self._signal("left", left), self._signal("right", right))

    def _signal(self, name: str, shares: ArrayLike | None) -> SignalSide:
        nu = self.row_population if name == "left" else self.column_population
        if shares is None:
            return SignalSide(nu.poles, nu.weights.copy(), 1 - nu.share)
        given = self._given[name]
        values = validate.real_array(name, shares, meaning=f"shares of the {name} vector").ravel()
        if values.shape != given.shape or (values < 0).any() or abs(math.fsum(values) - 1) > _SUM:
            raise ValueError(
                f"{name}: expected {given.size} numbers >= 0 with sum 1 (squared components of the signal's {name} "
                f"vector, one for each value of {'rows' if name == 'left' else 'columns'})"
            )
        scaled = np.ldexp(given, -nu.exponent)
        return SignalSide(scaled, values, 0.0)

    def outlier(
        self, spike: float, *, left: ArrayLike | None = None, right: ArrayLike | None = None
    ) -> SignalOutlier | None:
        """Outlier that a signal of rank one produces.

        Parameters
        ----------
        spike : float
            Singular value θ > 0 of the signal θ a bᵀ with unit vectors a and b.
        left, right : array_like, optional
            Squared components of a in the eigenbasis of R (of b in that of T), one for each given value of ``rows``
            (``columns``), summing to one. By default the vectors are in general position.

        Returns
        -------
        SignalOutlier or None
            Location and squared cosines of the singular vectors; None if the signal does not separate.

        Notes
        -----
        With ``q(z) = −(1/z) Σ a_i²/(1 + v r_i)``, q̃ the same of b, and ``g(z) = z q(z) q̃(z)``, the outlier y
        satisfies ``g(y²) = 1/θ²`` and the squared cosines are ``q/(θ² g')`` and ``q̃/(θ² g')`` at y².

        Examples
        --------
        White noise, θ = 2, ratio 1: y² = (1 + θ²)(ratio + θ²)/θ².

        >>> found = StructuredNoise(1.0).outlier(2.0)
        >>> round(found.singular_value, 12), round(found.left_squared_cosine, 12)
        (2.5, 0.75)
        >>> StructuredNoise(1.0).outlier(0.9) is None
        True
        """
        theta = validate.positive_number("spike", spike, meaning="singular value of the signal")
        transform = self._transform(left, right)
        scaled = theta / self._unscaled(1.0)
        if not transform.at_edge() * scaled**2 > 1:
            return None
        z, first, second = transform.outlier(transform.parameter_of_spike(scaled), scaled)
        return SignalOutlier(theta, self._unscaled(math.sqrt(z)), min(first, 1.0), min(second, 1.0))

    def spike_of(
        self, singular_value: float, *, left: ArrayLike | None = None, right: ArrayLike | None = None
    ) -> SignalOutlier:
        """Signal that produces an outlier at a given place: the inverse of :meth:`outlier`.

        Parameters
        ----------
        singular_value : float
            Location y of the outlier, above the noise.
        left, right : array_like, optional
            As for :meth:`outlier`.

        Returns
        -------
        SignalOutlier
            ``spike`` is the singular value θ of the signal.

        Raises
        ------
        ValueError
            If y does not exceed the upper edge of the noise.

        Examples
        --------
        >>> law = StructuredNoise(0.5, rows=[1.0, 4.0], columns=[0.5, 1.5])
        >>> round(law.spike_of(law.outlier(4.0).singular_value).spike, 12)
        4.0
        """
        y = validate.positive_number("singular_value", singular_value, meaning="location of an outlier")
        transform = self._transform(left, right)
        z = (y / self._unscaled(1.0)) ** 2
        if not z > transform.edge.location:
            edge = math.sqrt(self.support[-1][1])
            raise ValueError(
                f"singular_value={y!r}: expected a number above the noise, which ends at {edge:.9g}"
            )
        psi = transform.parameter_of_location(z)
        scaled = 1 / math.sqrt(transform.value(psi))
        _, first, second = transform.outlier(psi, scaled)
        return SignalOutlier(self._unscaled(scaled), y, min(first, 1.0), min(second, 1.0))

    def mutual_information(self, snr: float) -> float:
        """Limit of (1/p) log det(I + snr·XXᵀ), in nats: the mutual information of a linear channel per output.

        Parameters
        ----------
        snr : float
            Signal-to-noise ratio, positive.

        Returns
        -------
        float
            ``∫ log(1 + snr·x) dμ(x)``, elementary in the two unknowns at z = −1/snr:
            ``∫ log(1 + v r) dρ + (1/c) ∫ log(1 + u t) dτ − u v/(c·snr)``.

        Examples
        --------
        >>> round(StructuredNoise(1.0).mutual_information(1.0), 12)
        0.580457638869
        """
        z, u, v = self._negative_point(snr)
        system = self._system
        rows = float(system.row_weights @ np.log1p(v * system.rows[:, 0]))
        columns = float(system.column_weights @ np.log1p(u * system.columns[:, 0]))
        return (rows + columns + z * u * v) / self.ratio

    def mutual_information_variance(self, snr: float, *, beta: int = 1, kurtosis: float = 0.0) -> float:
        """Limit of the variance of log det(I + snr·XXᵀ), which is asymptotically normal.

        Parameters
        ----------
        snr : float
            Signal-to-noise ratio, positive.
        beta : {1, 2}, optional
            Real (default) or complex entries.
        kurtosis : float, optional
            Excess kurtosis of the entries of Z (E|z|⁴ − 2 in units of the squared variance for complex entries); it
            enters for diagonal R and T.

        Returns
        -------
        float
            ``−(2/beta) log(1 − w) + kurtosis·w`` with ``w = AB·snr²``, A = c ∫ r² dρ/(1 + v r)² and B the same of
            the columns [1]_.

        References
        ----------
        .. [1] W. Hachem, P. Loubaton and J. Najim, "A CLT for information-theoretic statistics of Gram random matrices
           with a given variance profile", Ann. Appl. Probab. 18 (2008).

        Examples
        --------
        >>> round(StructuredNoise(1.0).mutual_information_variance(1.0, beta=2), 12)
        0.157704693902
        """
        beta = validate.integer("beta", beta, minimum=1, maximum=2, meaning="1 or 2: real or complex entries")
        excess = validate.finite_number("kurtosis", kurtosis, meaning="excess kurtosis of the entries")
        z, u, v = self._negative_point(snr)
        system = self._system
        rows = float(system.row_weights @ (system.rows[:, 0] / (1 + v * system.rows[:, 0])) ** 2)
        columns = float(system.column_weights @ (system.columns[:, 0] / (1 + u * system.columns[:, 0])) ** 2)
        share = rows * columns / z**2
        return -(2 / beta) * math.log1p(-share) + excess * share

    def _negative_point(self, snr: float) -> tuple[float, float, float]:
        """z = −1/snr and the two unknowns there, in scaled units."""
        ratio = validate.positive_number("snr", snr, meaning="signal-to-noise ratio")
        z = math.ldexp(-1 / ratio, -self._exponent)
        found = self._system.follow(np.array([complex(z)]))
        return z, float(found.u[0, 0].real), float(found.v[0, 0].real)

    def singular_values(self) -> SpectralLaw:
        """Law of the p singular values of X, √ of the eigenvalues of XXᵀ.

        Returns
        -------
        SpectralLaw
            The law; with p > n the zeros of the p × p matrix count as an atom.

        Examples
        --------
        >>> law = StructuredNoise(0.25).singular_values()
        >>> [round(end, 12) for end in law.support[0]], round(law.moment(2), 12)
        ([0.5, 1.5], 1.0)
        """
        from rmtsim.laws._square_root import SquareRootLaw

        return SquareRootLaw(self)


def _given(values: ArrayLike) -> FloatArray:
    return np.array(values, dtype=np.float64).ravel()


def _from_populations(ratio: float, rows: Population, columns: Population) -> StructuredNoise:
    def parts(p: Population) -> tuple[FloatArray, FloatArray]:
        atoms, weights = np.ldexp(p.poles, p.exponent), p.weights
        if p.share < 1:
            atoms, weights = np.append(atoms, 0.0), np.append(weights, 1 - p.share)
        return atoms, weights

    (first, mine), (second, other) = parts(rows), parts(columns)
    return StructuredNoise(ratio, first, second, row_weights=mine, column_weights=other)


def _eigenvalues(name: str, matrix: ArrayLike) -> FloatArray:
    """Eigenvalues of a Hermitian matrix that is positive semi-definite to rounding."""
    values = validate.complex_array(name, matrix, meaning="a covariance matrix")
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
        raise ValueError(f"{name}: shape {values.shape}; expected a square matrix (covariance of the {name})")
    size = float(np.abs(values).max())
    if not np.abs(values - values.conj().T).max() <= 1e-10 * size:
        raise ValueError(f"{name}: not Hermitian; expected a covariance matrix")
    found = np.linalg.eigvalsh(values if np.any(values.imag) else values.real)
    lowest = -1e-10 * max(size, float(found[-1]))
    if found[0] < lowest:
        raise ValueError(
            f"{name}: smallest eigenvalue {found[0]:.6g}; expected a positive semi-definite matrix"
        )
    # Rounding of zero eigenvalues.
    noise = found.size * np.finfo(float).eps * found[-1]
    return np.where(found <= noise, 0.0, found)
