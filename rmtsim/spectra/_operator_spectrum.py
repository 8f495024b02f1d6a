"""The spectrum of an operator too large to diagonalise: eigenvalues at its ends, density of its bulk with errors.

The largest and smallest eigenvalues are those that Lanczos iterations determine, with residuals. The bulk is
estimated by stochastic Lanczos quadrature on the complement of their eigenvectors, so that outliers add no noise to
it. Its centre and width have standard errors from the probes, and p-values say no more than these allow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen, returns_figure, returns_text
from rmtsim.laws import Semicircle, TracyWidom, wigner_edge
from rmtsim.laws._base import SpectralLaw
from rmtsim.matrix_free import GroupSpectrum
from rmtsim.matrix_free._estimates import estimated_spectrum
from rmtsim.matrix_free._lanczos import Extremes, Product, converged_ends
from rmtsim.matrix_free._operators import read_operator
from rmtsim.spectra._bulk import Goodness
from rmtsim.spectra._chebyshev import outer_root
from rmtsim.spectra._fitted import Outlier
from rmtsim.spectra._words import probability

_ENDS = 8
"""Eigenvalues computed at either end."""
_SETTLING = 200
"""Lanczos steps for the ends of the spectrum: enough for gaps of a thousandth of it."""
_PROBES, _STEPS = 24, 60
_ORDER = 8
_SIZES = 1e-140, 1e140
"""Sizes of products between which their squares are doubles."""
_ROUNDING = 1e-12
"""Error of an average of a polynomial."""
_CAUTION = 2.0
"""Standard errors of the bulk's ends by which an eigenvalue must lie further out than Tracy–Widom asks."""


@frozen(eq=False)
class OperatorSpectrum:
    """Ends and bulk of a symmetric operator that is too large to be diagonalised.

    See Also
    --------
    spectrum : Makes one of a symmetric operator that is given by its products.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import diags
    >>> from scipy.sparse.linalg import aslinearoperator
    >>> from rmtsim.laws import Semicircle
    >>> from rmtsim.spectra import spectrum
    >>> values = Semicircle().ppf((np.arange(5000) + 0.5) / 5000)
    >>> values[-1] = 5.0
    >>> found = spectrum(aslinearoperator(diags(values)), rng=np.random.default_rng(1))
    >>> found.rank, round(found.outliers[0].eigenvalue, 6), found.fits
    (1, 5.0, True)
    """

    name: str
    """Name of the operator."""
    dimension: int
    """Number of rows."""
    level: float
    """Probability of any false outlier."""
    top: FloatArray
    bottom: FloatArray
    """Largest eigenvalues in decreasing and smallest in increasing order, as far as Lanczos iterations converged."""
    residuals: tuple[FloatArray, FloatArray]
    """``‖Hv − λv‖`` of both; an eigenvalue lies within it of each value."""
    density: GroupSpectrum
    """Distribution of all other eigenvalues, with errors (see :class:`rmtsim.matrix_free.GroupSpectrum`)."""
    centre: float
    centre_error: float
    """Centre of the fitted semicircle and its standard error."""
    sigma: float
    sigma_error: float
    """Standard deviation of an entry off the diagonal, if the bulk is a semicircle, and its standard error."""
    outliers: tuple[Outlier, ...]
    """Eigenvalues outside the bulk."""
    next_log10_p: float
    """Decimal logarithm of the p-value of the most extreme eigenvalue that was left in the bulk."""
    goodness: Goodness
    """Test of the semicircle: Hotelling's T² of Chebyshev averages from degree 3 on."""
    complete: tuple[bool, bool]
    """Whether all outliers at the top and at the bottom were found."""
    scale: float = 1.0
    """Power of two by which the operator was divided, so that squares of its products are doubles; one unless they
    are above 1e140 or below 1e-140. Eigenvalues and all that follows from them refer to the divided operator."""

    @property
    def law(self) -> SpectralLaw:
        """The fitted semicircle."""
        return Semicircle(self.dimension * self.sigma**2).shifted(self.centre)

    @property
    def edges(self) -> tuple[float, float]:
        """Its ends."""
        half = 2 * self.sigma * math.sqrt(self.dimension)
        return self.centre - half, self.centre + half

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest known eigenvalue or node: inner bounds of the ends of the spectrum."""
        low, high = self.density.range
        return min([low, *self.bottom]), max([high, *self.top])

    @property
    def rank(self) -> int:
        """Number of outliers."""
        return len(self.outliers)

    @property
    def fits(self) -> bool:
        """Whether a semicircle fits within the errors of the probes."""
        return self.goodness.p_value >= self.level

    @property
    def p_value(self) -> float:
        """p-value of the fit."""
        return self.goodness.p_value

    @returns_text
    def report(self) -> str:
        """Description of the result."""
        low, high = self.edges
        probes = len(self.density.nodes)
        lines = [
            f"{self.name + ': ' if self.name else ''}symmetric operator of size {self.dimension}, not diagonalised: "
            f"{self.top.size} eigenvalues at the top, {self.bottom.size} at the bottom, the rest from {probes} probes",
            "convention: eigenvalues of the operator itself; σ is the deviation of an off-diagonal entry",
            f"ends       {self.range[0]:.6g} to {self.range[1]:.6g}; an eigenvalue within "
            f"{max([0.0, *self.residuals[0], *self.residuals[1]]):.2g} of each that converged",
            f"bulk       semicircle, centre {self.centre:.6g} ± {self.centre_error:.2g}, σ = {self.sigma:.6g} ± "
            f"{self.sigma_error:.2g}, edges {low:.6g} to {high:.6g}",
            f"fit        {'fits' if self.fits else 'DOES NOT FIT'}: p = {self.p_value:.3g} that the density is a "
            f"semicircle, estimated from {probes} probes",
        ]
        if self.scale != 1:
            lines.insert(
                2,
                f"units      the operator was divided by {self.scale:.6g}, so that squares of its products are doubles",
            )
        if not self.fits:
            lines.append(
                "           edges and outliers below are indicative only; the density does not depend on the fit"
            )
        if not self.outliers:
            lines.append(
                f"outliers   none at level {self.level:g} (the most suspicious that converged has p ≤ "
                f"{probability(self.next_log10_p)})"
            )
        else:
            words = ["" if done else f", and there may be more at the {end}" for end, done in
                     zip(("top", "bottom"), self.complete, strict=True)]  # fmt: skip
            lines.append(
                f"outliers   {self.rank} at level {self.level:g} for any false one, the bulk's ends taken "
                f"{_CAUTION:g} standard errors further out{''.join(words)}"
            )
            lines += [
                f"           {o.eigenvalue:<12.6g}  p ≤ {probability(o.log10_p or 0.0):<7}  signal {o.spike:.5g}  cos² "
                f"{o.alignment:.4f}"
                for o in self.outliers
            ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Result as plain data.

        Returns
        -------
        dict
            Finite numbers and text, ready for JSON.
        """
        return {
            "name": self.name,
            "kind": "operator",
            "dimension": self.dimension,
            "level": self.level,
            "scale": self.scale,
            "top": self.top.tolist(),
            "bottom": self.bottom.tolist(),
            "residuals": [r.tolist() for r in self.residuals],
            "centre": [self.centre, self.centre_error],
            "sigma": self.sigma,
            "sigma_error": self.sigma_error,
            "edges": list(self.edges),
            "fit": {"p_value": self.p_value, "fits": self.fits},
            "rank": self.rank,
            "complete": list(self.complete),
            "outliers": [
                {"eigenvalue": o.eigenvalue, "log10_p": o.log10_p, "spike": o.spike, "alignment": o.alignment}
                for o in self.outliers
            ],
            "next_log10_p": self.next_log10_p,
        }

    @returns_figure
    def plot(self) -> Any:
        """Density with two standard errors, the fitted semicircle, and the ends."""
        from rmtsim.plots._operator import operator_figure

        return operator_figure(self)

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return f"<OperatorSpectrum of size {self.dimension}: {self.rank} outliers>"


def is_zero(operator: Any, rng: np.random.Generator) -> bool:
    """Whether an operator maps a random vector to zero."""
    product, size = read_operator(operator, rng)
    return not product(rng.standard_normal(size)).any()


def operator_outliers(operator: Any, rng: np.random.Generator, level: float, name: str) -> OperatorSpectrum:
    """Ends, bulk and outliers of a symmetric operator known by its products."""
    rng = validate.generator("rng", rng)
    product, size = read_operator(operator, rng)
    product, scale = _usual_size(product, float(np.abs(product(rng.standard_normal(size))).max()))
    validate.memory(8.0 * size * (_SETTLING + 4), f"{_SETTLING} Lanczos vectors of {size} numbers")
    ends = converged_ends(product, size, rng.standard_normal(size), _SETTLING, _ENDS)
    bulk = _complement(product, size, ends, rng)
    moments = np.array([[w @ t, w @ t**2] for t, w in zip(bulk.nodes, bulk.weights, strict=True)])
    # All but the outliers belong to the bulk: the ends that are none are put back, exactly.
    kept = [np.zeros(end.values.size, dtype=bool) for end in ends]
    tails: list[list[float]] = []
    for end, flip in enumerate((1.0, -1.0)):
        walked: list[float] = []
        for place in range(kept[end].size):
            centre, sigma, errors = _frame(moments, ends, kept, size)
            value = centre + flip * (float(ends[end].values[place]) - centre)
            most = _log_tail(value, centre, sigma, errors, size - int(kept[0].sum() + kept[1].sum()))
            walked.append(max([most, *walked[-1:]]))
            if walked[-1] > math.log(level):
                break
            kept[end][place] = True
        tails.append(walked)
    centre, sigma, errors = _frame(moments, ends, kept, size)
    rest = [walked[int(kept[end].sum()) :] for end, walked in enumerate(tails)]
    return OperatorSpectrum(
        name=name,
        dimension=size,
        level=level,
        top=ends[0].values,
        bottom=ends[1].values,
        residuals=(ends[0].residuals, ends[1].residuals),
        density=bulk,
        centre=centre,
        centre_error=errors[0],
        sigma=sigma,
        sigma_error=errors[1],
        outliers=_outliers(ends, kept, tails, centre, sigma, size),
        next_log10_p=min([0.0, *(w[0] for w in rest if w)]) / math.log(10),
        goodness=_goodness(bulk, _put_back(ends, kept), size, centre, 2 * sigma * math.sqrt(size)),
        complete=(kept[0].size < _ENDS or bool(rest[0]), kept[1].size < _ENDS or bool(rest[1])),
        scale=scale,
    )


def _usual_size(product: Product, largest: float) -> tuple[Product, float]:
    """The product divided by a power of two, where squares of its numbers would not be doubles, and that power."""
    if _SIZES[0] < largest < _SIZES[1]:
        return product, 1.0
    exponent = math.frexp(largest)[1] - 1
    return lambda v: np.ldexp(product(v), -exponent), math.ldexp(1.0, exponent)


def _complement(
    product: Product, size: int, ends: tuple[Extremes, Extremes], rng: np.random.Generator
) -> GroupSpectrum:
    """Quadrature of the operator on the vectors orthogonal to the found eigenvectors."""
    vectors = np.linalg.qr(np.concatenate([end.vectors for end in ends], axis=1))[0]
    validate.memory(8.0 * size * (_STEPS + 2 * _ENDS + 4), f"{_STEPS} Lanczos vectors of {size} numbers")

    def projected(v: FloatArray) -> FloatArray:
        return np.asarray(v - (v @ vectors) @ vectors.T)

    class _Starts:
        """The only random draw of the quadrature, on the complement."""

        def standard_normal(self, count: int) -> FloatArray:
            return projected(rng.standard_normal(count))

    starts: Any = _Starts()
    return estimated_spectrum("bulk", lambda v: projected(product(v)), size, starts, _PROBES, _STEPS)


def _put_back(ends: tuple[Extremes, Extremes], outliers: list[NDArray[np.bool_]]) -> FloatArray:
    """Settled eigenvalues that belong to the bulk."""
    return np.concatenate([end.values[~mask] for end, mask in zip(ends, outliers, strict=True)])


def _frame(
    moments: FloatArray, ends: tuple[Extremes, Extremes], kept: list[NDArray[np.bool_]], size: int
) -> tuple[float, float, tuple[float, float]]:
    """Centre and σ of the bulk, and their standard errors from the probes."""
    back = _put_back(ends, kept)
    inner = size - sum(end.values.size for end in ends)
    count = inner + back.size
    first, second = moments.mean(axis=0)
    centre = float((inner * first + back.sum()) / count)
    square = float((inner * (second - 2 * centre * first + centre**2) + ((back - centre) ** 2).sum()) / count)
    # All eigenvalues of the bulk may be equal: then rounding is its width.
    square = max(
        square,
        (np.finfo(np.float64).eps * max(abs(centre), float(np.abs(back).max(initial=0.0)), _SIZES[0])) ** 2,
    )
    sigma = math.sqrt(square / size)
    probes = len(moments)
    each = moments[:, 1] - 2 * centre * moments[:, 0] + centre**2
    return (
        centre,
        sigma,
        (
            float(moments[:, 0].std(ddof=1) / math.sqrt(probes)),
            float(each.std(ddof=1) / math.sqrt(probes) / (2 * math.sqrt(square) * math.sqrt(size))),
        ),
    )


def _log_tail(value: float, centre: float, sigma: float, errors: tuple[float, float], size: int) -> float:
    """log P(largest of the bulk > value), an upper bound where the frame is within its caution."""
    edge = wigner_edge(size, 1, variance=size * sigma**2)
    spread = _CAUTION * math.hypot(errors[0], 2 * math.sqrt(size) * errors[1])
    return float(TracyWidom(1).logsf((value - spread - centre - edge.centre) / edge.scale))


def _outliers(
    ends: tuple[Extremes, Extremes],
    kept: list[NDArray[np.bool_]],
    tails: list[list[float]],
    centre: float,
    sigma: float,
    size: int,
) -> tuple[Outlier, ...]:
    half = 2 * sigma * math.sqrt(size)
    found = []
    for end, mask, walked in zip(ends, kept, tails, strict=True):
        for value, tail in zip(end.values[mask], walked, strict=False):
            root = float(outer_root(np.array([(value - centre) / half]))[0])
            slope = 1 - root**-2
            error = math.sqrt(2 / (size * slope)) * 0.5 * half if slope > 0 else math.inf
            # Bonferroni over the two ends.
            log10 = min(0.0, tail + math.log(2)) / math.log(10)
            found.append(Outlier(float(value), log10, centre + 0.5 * half * root, error, slope, slope))
    return tuple(sorted(found, key=lambda o: -o.eigenvalue))


def _goodness(bulk: GroupSpectrum, back: FloatArray, size: int, centre: float, half: float) -> Goodness:
    """T² over probes of the averages of T_k, which for a semicircle vanish from degree 3 on.

    There they do not move with centre and width to first order either, so that these may come from the same probes.
    """
    degrees = np.arange(3, _ORDER + 1)[:, None]

    def polynomials(points: FloatArray) -> FloatArray:
        return np.asarray(np.cos(degrees * np.arccos(np.clip((points - centre) / half, -1.0, 1.0))))

    known = polynomials(back).sum(axis=1) / size
    share = 1 - back.size / size
    values = np.array(
        [share * (polynomials(t) @ w) + known for t, w in zip(bulk.nodes, bulk.weights, strict=True)]
    )
    probes, freedom = values.shape
    mean = values.mean(axis=0)
    # The averages of a degenerate bulk are the same for all probes; rounding is added to their spread.
    spread = np.cov(values.T) + _ROUNDING**2 * np.eye(freedom)
    statistic = float(probes * mean @ np.linalg.solve(spread, mean))
    # T²(P - k)/(k(P - 1)) has Fisher's law with k and P - k degrees; its tail is an incomplete beta function.
    tail = float(betainc(0.5 * (probes - freedom), 0.5 * freedom, (probes - 1) / (statistic + probes - 1)))
    return Goodness(statistic, freedom, tail, _ORDER)
