"""The generalised Marchenko–Pastur law: any population, of either sign, solved on the real axis itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import describes, frozen
from rmtsim.laws import _population as populations
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._inverse_map import Anchors, Expansion, InverseMap, Roots
from rmtsim.laws._roots import increasing_root

if TYPE_CHECKING:
    from rmtsim.laws._spikes import Outlier

_described = describes(
    ratio="float\n    Limit of d/N.",
    tolerance="float, optional\n    Largest accepted ``population_error``.",
    Returns="GeneralizedMarchenkoPastur\n    The law.",
)

_TIE = 8 * np.finfo(np.float64).eps
"""A non-zero share this close to the ratio equals it: the difference is rounding of the weights."""


_FEWEST, _MOST = 400, 1700
"""Nodes of a rule for a continuous population that chooses them itself."""


@frozen(eq=False)
class BoundaryValue:
    """Boundary values of the Stieltjes transform on the real axis, with residuals."""

    stieltjes: ComplexArray
    """``lim s(x + iη)`` as η ↓ 0."""
    residual: FloatArray
    """Error of the defining equation, relative to the size of its terms."""
    identity: FloatArray
    """Error of the imaginary part of the equation, divided by Im v. The root with positive imaginary part is
    unique, and small values of both errors identify it."""
    iterations: NDArray[np.intp]
    """Iterations used."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class GeneralizedMarchenkoPastur(SpectralLaw):
    """Limit spectrum of (1/N) X Λ Xᵀ with a discrete or discretised limit law of Λ.

    X has shape (d, N) and independent standard entries, d/N → ratio, and Λ is an N×N diagonal matrix of weights of
    the **samples** with limit law ν = Σ w_k δ_{t_k}. For a population of the d features, the convention of
    statistics, use :class:`SpikedCovariance`.

    Parameters
    ----------
    ratio : float
        Limit of d/N, positive.
    atoms : array_like
        Values t_k, of either sign or zero.
    weights : array_like, optional
        Weights w_k, summing to one; equal by default.

    Attributes
    ----------
    population : Population
        The law ν.
    population_error : float
        Estimated relative error of the density due to the discretisation of a continuous population; 0 otherwise.

    Raises
    ------
    ValueError
        If the ratio is not positive, or atoms and weights are not accepted.

    See Also
    --------
    SpikedCovariance : Population on the features, with outliers.
    MarchenkoPastur : The case Λ = variance · 1.

    Notes
    -----
    The Stieltjes transform solves ``s = 1/(∫ t dν(t)/(1 + ratio·s·t) − z)`` [1]_. It is solved on the real axis
    itself; every value has a residual (:meth:`boundary_value`), and a value without certificate raises
    ConvergenceError.

    References
    ----------
    .. [1] V. A. Marchenko and L. A. Pastur, "Distribution of eigenvalues for some sets of random matrices", Math.
       USSR Sb. 1 (1967).

    Examples
    --------
    >>> from rmtsim.laws import GeneralizedMarchenkoPastur
    >>> law = GeneralizedMarchenkoPastur(ratio=10, atoms=[1, 3, 7])
    >>> [f"{lower:.3f} to {upper:.3f}" for lower, upper in law.support]
    ['6.004 to 12.850', '19.363 to 39.990', '49.285 to 99.841']
    >>> law.atoms
    ((0.0, 0.9),)
    >>> signed = GeneralizedMarchenkoPastur(0.5, [-1, 1])
    >>> round(signed.moment(2), 12), round(signed.cdf(0.0), 12)
    (0.5, 0.5)
    """

    ratio: float
    population: populations.Population
    population_error: float

    _broadcast = ("ratio",)

    def __init__(self, ratio: float, atoms: ArrayLike, weights: ArrayLike | None = None) -> None:
        object.__setattr__(self, "ratio", validate.positive_number("ratio", ratio, meaning="ratio = d/N"))
        object.__setattr__(self, "population", populations.population(atoms, weights))
        object.__setattr__(self, "population_error", 0.0)

    @classmethod
    @_described
    def from_sample(cls, ratio: float, sample: ArrayLike) -> GeneralizedMarchenkoPastur:
        """Law for a population given by a sample, with equal weights.

        Parameters
        ----------
        sample : array_like
            Values of the population.

        Examples
        --------
        >>> GeneralizedMarchenkoPastur.from_sample(0.5, [1.0, 2.0, 2.0, 3.0]).moment(1)
        2.0
        """
        values = validate.real_array("sample", sample, meaning="values of the population").ravel()
        if not values.size:
            raise ValueError("sample=[]: expected at least one value (values of the population)")
        return cls(ratio, values)

    @classmethod
    @_described
    def from_distribution(
        cls, ratio: float, distribution: Any, nodes: int | None = None, tolerance: float = 1e-4
    ) -> GeneralizedMarchenkoPastur:
        """Law for a continuous population, discretised by a quadrature rule.

        Parameters
        ----------
        distribution : scipy.stats frozen distribution
            The population.
        nodes : int, optional
            Number of atoms of the rule. By default it is doubled from 400 to about 1600 until the tolerance holds.

        Returns
        -------
        GeneralizedMarchenkoPastur
            The law. Its ``population_error`` is the largest relative change of the density, over the middle 96 % of
            the mass, when the number of nodes is doubled.

        Raises
        ------
        ValueError
            If the tolerance does not hold.

        Examples
        --------
        >>> from scipy import stats
        >>> law = GeneralizedMarchenkoPastur.from_distribution(0.5, stats.expon())
        >>> round(law.moment(1), 9), round(law.moment(2), 9), law.population_error < 1e-6
        (1.0, 2.0, True)
        """
        return cls._by_rule(
            ratio, nodes, tolerance, lambda count: populations.of_distribution(distribution, count)
        )

    @classmethod
    @_described
    def from_density(
        cls,
        ratio: float,
        density: Callable[[FloatArray], ArrayLike],
        lower: float,
        upper: float,
        nodes: int | None = None,
        tolerance: float = 1e-4,
    ) -> GeneralizedMarchenkoPastur:
        """Law for a population density on an interval, discretised by a quadrature rule.

        Parameters
        ----------
        density : callable
            Maps an array of points to the density.
        lower, upper : float
            Ends of the interval.
        nodes : int, optional
            Number of atoms of the rule, as in :meth:`from_distribution`.

        Raises
        ------
        ValueError
            If the tolerance does not hold.

        Examples
        --------
        >>> law = GeneralizedMarchenkoPastur.from_density(0.5, lambda t: 2 * t, 0.0, 1.0)
        >>> round(law.moment(1), 10)
        0.6666666667
        """
        return cls._by_rule(
            ratio, nodes, tolerance, lambda count: populations.of_density(density, lower, upper, count)
        )

    @classmethod
    def _by_rule(
        cls,
        ratio: float,
        nodes: int | None,
        tolerance: float,
        rule: Callable[[int], tuple[FloatArray, FloatArray]],
    ) -> GeneralizedMarchenkoPastur:
        """The law of a rule, beside the law of the rule with twice as many nodes."""
        tolerance = validate.positive_number("tolerance", tolerance, meaning="relative error of the density")
        count = _FEWEST if nodes is None else nodes
        law = cls(ratio, *rule(count))
        while True:
            finer = cls(ratio, *rule(2 * count + 1))
            error = law._distance(finer)
            if error <= tolerance:
                object.__setattr__(law, "population_error", error)
                return law
            if nodes is not None or count > _MOST // 2:
                raise ValueError(
                    f"nodes={count}: the density changes by {error:.2g} when they are doubled; expected at most "
                    f"tolerance={tolerance:g} (more nodes, or atoms= and weights= for a discrete population)"
                )
            law, count = finer, 2 * count + 1

    def _distance(self, finer: GeneralizedMarchenkoPastur) -> float:
        """Largest relative difference of the densities at 49 quantiles of the other law's continuous part."""
        null = sum(mass for _, mass in finer.atoms)
        start = finer.cdf(np.nextafter(0.0, -1.0)) if null else 0.0
        levels = np.linspace(0.02, 0.98, 49) * (1 - null)
        x = np.asarray(finer.ppf(np.where(levels > start, levels + null, levels)))
        exact = np.asarray(finer.density(x))
        usable = np.isfinite(exact) & (exact > 0)
        change = np.abs(np.asarray(self.density(x))[usable] / exact[usable] - 1)
        return float(change.max(initial=0.0))

    def __repr__(self) -> str:
        size = self.population.poles.size + (self.population.share < 1)
        return f"GeneralizedMarchenkoPastur(ratio={self.ratio!r}, <population of {size} atoms>)"

    def _key(self) -> tuple[Any, ...]:
        nu = self.population
        return self.ratio, nu.share, nu.exponent, nu.poles.tobytes(), nu.weights.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeneralizedMarchenkoPastur) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    _sharp_tails = True

    @cached_property
    def _share(self) -> float:
        """Mass of the non-zero population, made equal to the ratio where it differs by rounding only."""
        share = self.population.share
        return self.ratio if abs(share - self.ratio) <= _TIE * self.ratio else share

    @cached_property
    def _map(self) -> InverseMap:
        nu = self.population
        if self._share == self.ratio:
            spare = (0.0, 0.0)
        elif nu.share == 1.0:
            rest = Fraction(self.ratio) - 1
            spare = (float(rest), float(rest - Fraction(float(rest))))
        else:
            total = math.fsum([self.ratio, *(-nu.weights), *(-nu.weights_low)])
            spare = (total, math.fsum([self.ratio, *(-nu.weights), *(-nu.weights_low), -total]))
        return InverseMap(self.ratio, nu.poles, nu.weights, nu.weights_low, spare)

    @cached_property
    def _turns(self) -> tuple[Anchors, Anchors]:
        from rmtsim.laws._critical import critical_points

        return critical_points(self._map)

    @property
    def _edges(self) -> Anchors:
        return self._turns[0]

    @cached_property
    def _anchors(self) -> Anchors:
        anchors = self._edges.joined(self._turns[1])
        # For small ratios no root comes near v = 0, and around it the terms would cancel.
        if self.ratio < 0.5 * self._share:
            return anchors
        from rmtsim.laws._critical import origin

        return anchors.joined(origin(self._map))

    @cached_property
    def _intervals(self) -> tuple[Interval, ...]:
        """Images of the critical points of the inverse map, pair by pair."""
        if not self.population.poles.size:
            return ()
        with np.errstate(over="ignore"):
            ends = np.ldexp(self._edges.value, self.population.exponent).tolist()
        if math.isinf(ends[-1]) or math.isinf(ends[0]):
            raise OverflowError("atoms: the support exceeds the largest double; rescale the population")
        return tuple(zip(ends[::2], ends[1::2], strict=True))

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """The null space: min(d, rank Λ) of d dimensions are used, so 1 - ν(ℝ∖0)/ratio is left if positive.

        There is no other atom: the law is a free sum of Marchenko–Pastur laws, one for each tₖ.
        """
        return ((0.0, (self.ratio - self._share) / self.ratio),) if self._share < self.ratio else ()

    @property
    def _hard_points(self) -> tuple[float, ...]:
        return (0.0,) if self._share == self.ratio else ()

    @cached_property
    def _masses(self) -> tuple[float, ...]:
        # Each interval holds the poles between its critical points, w/ratio each (docs/laws-methods.md); the one
        # around v = 0 makes up for the rest, because there Σ w/ratio exceeds one.
        if not self.population.poles.size:
            return ()
        location = self._edges.location
        place = np.searchsorted(self._map.poles, location)
        # Separate sums, not differences of running sums, so that tiny masses keep their accuracy.
        inside = itertools.pairwise(place.tolist())
        masses = np.array([math.fsum(self._map.weights[i:j]) for i, j in inside][::2]) / self.ratio
        if self._share >= self.ratio:
            crossing = (location[::2] <= 0) & (location[1::2] >= 0)
            masses[crossing] = 1 - masses[~crossing].sum()
        return tuple(masses.tolist())

    def _inner_roots(self, x: FloatArray) -> tuple[FloatArray, Roots, NDArray[np.bool_]]:
        """Scaled points, roots v(x + i0) and a mask of points that are themselves edges (root unused there)."""
        points = np.ldexp(x, -self.population.exponent)
        location, value = self._edges.location, self._edges.value
        place = 2 * np.clip((np.searchsorted(value, points, side="right") - 1) // 2, 0, value.size // 2 - 1)
        lower, upper = value[place], value[place + 1]
        # The rounded edge may lie on either side of the edge; the second double decides.
        below, above = self._edges.value_low[place], self._edges.value_low[place + 1]
        at_edge = ((points == lower) & (below >= 0)) | ((points == upper) & (above <= 0))
        at_edge |= (points == 0) & (self._share == self.ratio)
        safe = np.where(at_edge, 0.5 * (lower + upper), points)
        with np.errstate(divide="ignore", invalid="ignore"):
            rise, rest = (safe - lower) - below, (upper - safe) + above
            angle = 2 * np.arctan2(np.sqrt(np.maximum(rise, 0)), np.sqrt(np.maximum(rest, 0)))
        # For one pole the curve v(x) is a half circle between the critical points; use it as the starting value.
        radius = 0.5 * (location[place + 1] - location[place])
        guess = location[place] + radius * (1 - np.cos(angle)) + 1j * radius * np.sin(angle)
        open_ = ~at_edge & (upper > lower)
        roots = self._map.solve(safe[open_].astype(np.complex128), self._anchors, guess[open_])
        full = Roots(
            np.zeros(x.shape),
            np.zeros(x.shape, complex),
            np.zeros(x.shape),
            np.zeros(x.shape),
            np.zeros(x.shape, dtype=np.intp),
        )
        for name in ("base", "y", "residual", "identity", "iterations"):
            getattr(full, name)[open_] = getattr(roots, name)
        return points, full, ~open_

    def _edge_distance(self, x: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        edges, exponent = self._edges, self.population.exponent
        points = np.ldexp(x, -exponent)
        end = 2 * place + upper
        distance = (points - edges.value[end]) - edges.value_low[end]
        return np.asarray(np.ldexp(np.maximum(np.where(upper, -distance, distance), 0.0), exponent))

    def _smooth_reach(self, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        """Half the distance to the nearest pinch."""
        reach = np.full(place.shape, np.inf)
        pinches = self._turns[1].value
        if pinches.size:
            ends = self._edges.value[2 * place + upper]
            nearest = np.abs(np.subtract.outer(ends, pinches)).min(axis=1)
            reach = np.ldexp(0.5 * nearest, self.population.exponent)
        return np.asarray(reach)

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        edges, exponent = self._edges, self.population.exponent
        scaled = np.ldexp(distance, -exponent)
        end = 2 * place + upper
        values = np.zeros(distance.shape)
        open_ = scaled > 0
        target = np.where(upper, -scaled, scaled)[open_].astype(np.complex128)
        end = end[open_]
        width = (edges.value[1::2] - edges.value[::2])[place[open_]]
        radius = 0.5 * (edges.location[1::2] - edges.location[::2])[place[open_]]
        share = np.clip(scaled[open_] / width, 0.0, 1.0)
        angle = 2 * np.arctan2(np.sqrt(share), np.sqrt(1 - share))
        lift = radius * (1 - np.cos(angle))
        guess = edges.location[end] + np.where(upper[open_], -lift, lift) + 1j * radius * np.sin(angle)
        roots = self._map.solve_around(edges, end, target, guess)
        values[open_] = self._density_of(scaled[open_], roots, np.zeros(target.shape, dtype=bool))
        return values

    def boundary_value(self, x: ArrayLike) -> BoundaryValue:
        """Boundary values of the Stieltjes transform inside the support, with residuals.

        Parameters
        ----------
        x : array_like
            Points inside the support.

        Returns
        -------
        BoundaryValue
            Attributes ``stieltjes``, ``residual``, ``identity`` and ``iterations``.

        Raises
        ------
        ValueError
            If a point is not inside the support.
        ConvergenceError
            If a value cannot be certified.

        Examples
        --------
        >>> law = GeneralizedMarchenkoPastur(0.5, [1.0])
        >>> value = law.boundary_value([1.0])
        >>> bool(value.residual[0] < 1e-14), bool(value.stieltjes[0].imag > 0)
        (True, True)
        """
        points = validate.real_array("x", x, meaning="a point inside the support")
        flat = points.ravel()
        outside = self._interval_of(flat) < 0
        if not outside.any():
            _, roots, edge = self._inner_roots(flat)
            outside = edge
        if outside.any():
            raise ValueError(f"x={flat[outside][0]}: expected a point inside the support of the law")
        with np.errstate(over="ignore"):
            s = np.ldexp(1.0, -self.population.exponent) * (-1 / (self.ratio * roots.v))
        shape = points.shape
        return BoundaryValue(
            s.reshape(shape),
            roots.residual.reshape(shape),
            roots.identity.reshape(shape),
            roots.iterations.reshape(shape),
        )

    def _density_inside(self, x: FloatArray) -> FloatArray:
        points, roots, edge = self._inner_roots(x)
        return self._density_of(points, roots, edge)

    def _density_of(self, points: FloatArray, roots: Roots, edge: NDArray[np.bool_]) -> FloatArray:
        v = roots.v
        hard = self._share == self.ratio
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = v.imag / (np.pi * self.ratio * np.abs(v) ** 2)
            values = np.ldexp(values, -self.population.exponent)
        return np.where(edge, np.where(hard & (points == 0), np.inf, 0.0), values)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        return self._cdf_of(x, *self._inner_roots(x)[1:])

    def _cdf_and_density_inside(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        points, roots, edge = self._inner_roots(x)
        return self._cdf_of(x, roots, edge), self._density_of(points, roots, edge)

    def _cdf_of(self, x: FloatArray, roots: Roots, edge: NDArray[np.bool_]) -> FloatArray:
        """1 - (1/π)(arg v + (1/ratio) Σ wₖ(arg(1 - tₖ/v) - tₖ Im v/|v - tₖ|²)): ∫ s dz in the variable v."""
        poles, weights = self._map.poles, self._map.weights
        v = roots.v
        angle = np.angle(v)
        turn = np.zeros(x.shape)
        step = self._map.rows()
        for first in range(0, x.size, step):
            rows = slice(first, first + step)
            distance = roots.y.real[rows, None] - (poles[None, :] - roots.base[rows, None])
            height = v.imag[rows, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                twist = np.arctan2(poles * height, v.real[rows, None] * distance + height * height)
                twist -= poles * height / (distance * distance + height * height)
            turn[rows] = twist @ weights
        values = 1 - (angle + turn / self.ratio) / np.pi
        if edge.any():
            values[edge] = self._cdf_at_edges(x[edge])
        return np.asarray(values)

    def _cdf_at_edges(self, x: FloatArray) -> FloatArray:
        low, high = self._interval_levels
        ends = np.array(self._intervals)
        place = self._interval_of(x)
        values = np.where((x == ends[place, 0]) & (x < ends[place, 1]), low[place], high[place])
        inner = (x != ends[place, 0]) & (x != ends[place, 1])
        if inner.any():
            # A pole |x|^(-1/3) of the density at zero inside the support: the cdf is continuous there.
            values[inner] = self._cdf_inside(np.array([math.ldexp(1e-90, self.population.exponent)]))
        return values

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        if not self.population.poles.size:
            return -1 / z
        exponent = self.population.exponent
        points = np.ldexp(z.real, -exponent) + 1j * np.ldexp(z.imag, -exponent)
        v = np.empty(points.shape, dtype=np.complex128)
        flat = points.imag == 0
        if flat.any():
            v[flat] = self._real_roots(points.real[flat])
        if not flat.all():
            v[~flat] = self._map.solve(points[~flat], self._anchors, self._one_pole_guess(points[~flat])).v
        s = -1 / (self.ratio * v)
        return np.asarray(np.ldexp(s.real, -exponent) + 1j * np.ldexp(s.imag, -exponent))

    def _one_pole_guess(self, z: ComplexArray) -> ComplexArray:
        """The root for the one-pole population of the same first three moments: right at infinity."""
        nu = self.population
        first, second, third = (nu.moment(k) for k in (1, 2, 3))
        centre = third / second
        # z - first = ratio·v + second/(v - centre).
        target = (z - first) - self.ratio * centre
        root = np.sqrt(target * target - 4 * self.ratio * second + 0j)
        root = np.where((root / target).real < 0, -root, root)
        offset = (target + root) / (2 * self.ratio)
        height = np.maximum(np.abs(offset.imag), z.imag / self.ratio)
        return np.asarray(centre + offset.real + 1j * height)

    def _real_roots(self, x: FloatArray) -> FloatArray:
        """v for real points off the support: z(v) increases between the two critical points around them."""
        edges, anchors = self._edges, self._anchors
        count = edges.value.size
        # Component k of the complement lies between edges 2k - 1 and 2k.
        component = (np.searchsorted(edges.value, x) + 1) // 2
        left, right = 2 * component - 1, 2 * component
        first = self.population.moment(1)
        reach = (x - first) / self.ratio
        location = edges.location
        low = np.where(left >= 0, location[np.maximum(left, 0)], np.minimum(reach, location[0]) - 1)
        high = np.where(
            right < count, location[np.minimum(right, count - 1)], np.maximum(reach, location[-1]) + 1
        )
        near = anchors.nearest(x)
        base, offset, slope = anchors.base[near], anchors.offset[near], anchors.slope[near]
        delta = (x - anchors.value[near]) - anchors.value_low[near]
        v = np.empty(x.shape)
        step = self._map.rows()
        for begin in range(0, x.size, step):
            rows = slice(begin, begin + step)
            expansion = Expansion(self._map.poles, self._map.weights, base[rows], offset[rows])
            target, tilt = delta[rows], slope[rows]

            def excess(
                w: FloatArray,
                k: NDArray[np.intp],
                expansion: Expansion = expansion,
                target: FloatArray = target,
                tilt: FloatArray = tilt,
            ) -> tuple[FloatArray, FloatArray]:
                q, q_slope = expansion.take(k).real(w)
                return w * (tilt[k] + w * q) - target[k], tilt[k] + w * (2 * q + w * q_slope)

            centre = base[rows] + offset[rows]
            w = increasing_root(
                excess,
                low[rows] - centre,
                high[rows] - centre,
                noise=2 * np.finfo(float).eps * np.abs(target),
            )
            v[rows] = base[rows] + (offset[rows] + w)
        return v

    def moment(self, order: int) -> float:
        """Moment from the free cumulants κ_j = ratio^(j−1) ∫ t^j dν."""
        k = validate.integer("order", order, minimum=0, maximum=1000, meaning="order of the moment")
        if k == 0 or not self.population.poles.size:
            return float(k == 0)
        from rmtsim.laws._free_cumulants import moments_from_cumulants

        with finite_moment(k):
            cumulants = [self.ratio ** (j - 1) * self.population.moment(j) for j in range(1, k + 1)]
            return math.ldexp(moments_from_cumulants(cumulants)[k], k * self.population.exponent)

    def _affine_moment(self, scale: float, shift: float, k: int) -> float:
        from rmtsim.laws._free_cumulants import exact_moment

        nu = self.population

        def cumulants() -> list[Any]:
            from mpmath import fdot, ldexp, mpf

            factor = ldexp(mpf(scale), nu.exponent)
            atoms = [factor * mpf(t) for t in nu.poles.tolist()]
            terms = [
                mpf(w) + mpf(u) for w, u in zip(nu.weights.tolist(), nu.weights_low.tolist(), strict=True)
            ]
            values = []
            for j in range(1, k + 1):
                terms = [term * t for term, t in zip(terms, atoms, strict=True)]
                values.append(mpf(self.ratio) ** (j - 1) * fdot((term, 1) for term in terms))
            values[0] += mpf(shift)
            return values

        return exact_moment(k, cumulants)

    def outlier(self, t: float) -> Outlier | None:
        """Outlier that one further eigenvalue of Λ produces.

        Parameters
        ----------
        t : float
            Eigenvalue of Λ (a weight of one sample) outside its limit law.

        Returns
        -------
        Outlier or None
            Attributes ``location``, ``squared_cosine`` and ``column_squared_cosine``; None if the eigenvalue stays
            in the bulk.

        Notes
        -----
        With z the inverse of the map v(z) = −1/(ratio·s(z)), the outlier lies at z(t) and exists if z'(t) > 0. For
        ν = δ₁ this is the transition of Baik, Ben Arous and Péché with aspect ratio 1/ratio. ``squared_cosine`` is
        that between the direction of the spike and |Λ|^½ Xᵀu, u the outlier's eigenvector;
        ``column_squared_cosine`` that between u and the column of X that belongs to the spike.

        Examples
        --------
        >>> law = GeneralizedMarchenkoPastur(4.0, [1.0])
        >>> law.outlier(1.4) is None
        True
        >>> law.outlier(3.0)
        Outlier(location=13.5, squared_cosine=0.8333333333333334, column_squared_cosine=0.9375)
        """
        spike = validate.finite_number("t", t, meaning="eigenvalue of Λ outside its limit law")
        from rmtsim.laws._spikes import spiked

        return spiked(self.ratio, self.population, spike)
