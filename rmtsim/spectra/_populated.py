"""The generalised bulk: features with a known population of variances, up to one unknown scale.

Means and covariances of its Chebyshev sums come from contour integrals of the companion Stieltjes transform
(Bai and Silverstein 2004), the edge's centre and scale from El Karoui (2007).
"""

from __future__ import annotations

import math
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal.arrays import ComplexArray, FloatArray, Mask
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws import SpikedCovariance, TracyWidom, wishart_edge
from rmtsim.spectra._bulk import Beta, Frame, Goodness
from rmtsim.spectra._chebyshev import bulk_order, chebyshev_sums, chi_square_tail, outer_root

_NODES = 256
_ELLIPSES = (1.25, 1.6)
_GRID = (np.arange(400) + 0.5) / 400
_TRIM = 0.25
_STEPS = 100


@frozen(eq=False)
class PopulatedBulk:
    """Eigenvalues of XXᵀ, X = σ T^½ Z of ``dimension`` × ``samples``, T of mean one with the given law."""

    dimension: int
    samples: int
    places: FloatArray
    shares: FloatArray
    beta: Beta = 1
    _remembered: dict[int, _Shape] = field(default_factory=dict)

    @classmethod
    def of(cls, population: ArrayLike, dimension: int, samples: int, beta: Beta) -> PopulatedBulk:
        """From relative population values, scaled to mean one."""
        law = SpikedCovariance(dimension / samples, population=population)
        mean = float(law._shares @ law._places)
        return cls(dimension, samples, law._places / mean, law._shares, beta)

    @property
    def count(self) -> int:
        """Eigenvalues that need not vanish."""
        return min(self.dimension, self.samples)

    def _shape(self, removed: int) -> _Shape:
        if removed not in self._remembered:
            self._remembered[removed] = _Shape(
                self.dimension - removed, self.samples - removed, self.places, self.shares, self.beta
            )
        return self._remembered[removed]

    def frame(self, variance: float, removed: int) -> Frame:
        """Where the bulk of this σ² lies after ``removed`` outliers."""
        shape = self._shape(removed)
        unit = variance * shape.samples
        return Frame(unit * shape.centre, unit * shape.half, math.sqrt(variance))

    def spikes(self, values: FloatArray, variance: float, removed: int) -> FloatArray:
        """Population eigenvalues behind some outliers, in units of σ²; the threshold for values inside the bulk."""
        law = SpikedCovariance((self.dimension - removed) / self.samples, (), 1.0, self.places, self.shares)
        edge = law.location(law.threshold)
        return np.array([law.spike_of(max(value / (variance * self.samples), edge)) for value in values])

    def fit(self, values: FloatArray, outliers: Mask) -> Frame:
        """σ² from the trace: Σ_bulk = σ²(dN - d Σ_j ∫ t²/(ℓ_j - t) dH) for what remains of d and N."""
        removed = int(outliers.sum())
        shape = self._shape(removed)
        total, whole = math.fsum(values[~outliers]), float(shape.dimension * shape.samples)
        variance = total / whole
        for _ in range(_STEPS if removed else 0):
            spikes = self.spikes(values[outliers], variance, removed)
            lost = sum(float(self.shares @ (self.places**2 / (spike - self.places))) for spike in spikes)
            new = total / max(whole - shape.dimension * lost, 0.5 * whole)
            step, variance = abs(new - variance), new
            if step <= 1e-12 * variance:
                break
        else:
            if removed:
                raise ConvergenceError(
                    f"the variance of the bulk still moved by {step:g}", residual=step, iterations=_STEPS
                )
        return self.frame(variance, removed)

    def robust(self, values: FloatArray, outliers: Mask) -> Frame:
        """σ² from the median of the bulk."""
        removed = int(outliers.sum())
        shape = self._shape(removed)
        return self.frame(float(np.median(values[~outliers])) / (shape.samples * shape.median), removed)

    def trimmed(self, values: FloatArray, outliers: Mask) -> Frame:
        """σ² from the sum of the upper three quarters of the bulk."""
        removed = int(outliers.sum())
        shape = self._shape(removed)
        kept = np.sort(values[~outliers])
        kept = kept[math.floor(_TRIM * kept.size) :]
        return self.frame(float(kept.mean()) / (shape.samples * shape.upper_mean), removed)

    def log_tail(self, value: float, frame: Frame, removed: int, *, known: bool = False) -> float:
        """log P(largest of the bulk > value); the spread of σ̂ is not removed, so the test is conservative."""
        shape = self._shape(removed)
        unit = frame.scale**2 * shape.samples
        standard = (value / unit - shape.edge) / shape.edge_scale
        return float(TracyWidom(self.beta).logsf(standard))

    def goodness(self, values: FloatArray, outliers: Mask, frame: Frame) -> Goodness | None:
        """χ² of the sums, the direction in which σ² moves them taken out."""
        removed = int(outliers.sum())
        shape = self._shape(removed)
        order = bulk_order(int((~outliers).sum()))
        if order <= 1:
            return None
        spikes = self.spikes(values[outliers], frame.scale**2, removed)
        sums = chebyshev_sums(frame.points(values[~outliers]), order)
        means, covariance, moved = shape.normal_limit(order)
        excess = sums - means - sum((shape.lost(spike, order) for spike in spikes), np.zeros(order))
        weighted = np.linalg.solve(covariance, np.stack([excess, moved], axis=1))
        statistic = float(excess @ weighted[:, 0] - (moved @ weighted[:, 0]) ** 2 / (moved @ weighted[:, 1]))
        statistic = max(statistic, 0.0)
        return Goodness(statistic, order - 1, chi_square_tail(statistic, order - 1), order)


@frozen(eq=False)
class _Shape:
    """The law of a bulk of unit variance, and what its Chebyshev sums do; eigenvalues of (1/N) XXᵀ."""

    dimension: int
    samples: int
    places: FloatArray
    shares: FloatArray
    beta: Beta

    @cached_property
    def law(self) -> SpikedCovariance:
        return SpikedCovariance(self.dimension / self.samples, (), 1.0, self.places, self.shares)

    @property
    def centre(self) -> float:
        return 0.5 * (self.law.support[0][0] + self.law.support[-1][1])

    @property
    def half(self) -> float:
        return 0.5 * (self.law.support[-1][1] - self.law.support[0][0])

    @cached_property
    def _null(self) -> float:
        return sum(mass for _, mass in self.law.atoms)

    @cached_property
    def median(self) -> float:
        return float(self.law.ppf(self._null + 0.5 * (1 - self._null)))

    @cached_property
    def upper_mean(self) -> float:
        level = self._null + _TRIM * (1 - self._null)
        return float(np.mean(self.law.ppf(level + (1 - level) * _GRID)))

    @cached_property
    def _second_order(self) -> tuple[float, float]:
        """Ma's centre and scale over the first-order ones, for the identity: the best guess for other populations."""
        d, n = self.dimension, self.samples
        refined = wishart_edge(n, d, self.beta)
        a, b = math.sqrt(n), math.sqrt(d)
        return refined.centre * n / (a + b) ** 2, refined.scale * n / ((a + b) * (1 / a + 1 / b) ** (1 / 3))

    @cached_property
    def edge(self) -> float:
        return self.law.location(self.law.threshold) * self._second_order[0]

    @cached_property
    def edge_scale(self) -> float:
        top = self.law.threshold
        cubes = math.fsum(self.shares * (self.places / (top - self.places)) ** 3)
        scale = top * (1 + self.law.ratio * cubes) ** (1 / 3)
        return float(scale * self.samples ** (-2 / 3) * self._second_order[1])

    def _transform(self, z: ComplexArray) -> ComplexArray:
        """Companion transform: (1 - ratio)(-1/z) + ratio·s(z)."""
        ratio = self.law.ratio
        return np.asarray(ratio * np.asarray(self.law.stieltjes(z)) - (1 - ratio) / z)

    def _contour(self, radius: float) -> tuple[ComplexArray, ComplexArray, ComplexArray, ComplexArray]:
        """w on a circle, its point z on an ellipse about the bulk, the transform there, and dz/dφ."""
        angle = 2 * np.pi * (np.arange(_NODES) + 0.5) / _NODES
        w = np.asarray(radius * np.exp(1j * angle), dtype=np.complex128)
        z = self.centre + 0.5 * self.half * (w + 1 / w)
        return w, z, self._transform(z), 0.5j * self.half * (w - 1 / w)

    def normal_limit(self, order: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means and covariances of the sums without outliers, and their derivatives in log σ²."""
        k = np.arange(1, order + 1)[:, None]
        x, weights = _support_rule(self.law)
        angle = np.arccos(np.clip((x - self.centre) / self.half, -1, 1))
        means = self.dimension * (np.cos(k * angle) @ weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.where(np.sin(angle) > 0, k * np.sin(k * angle) / np.sin(angle), k**2.0)
        moved = self.dimension * (slopes @ (weights * x / self.half))
        step = 2 * np.pi / _NODES
        functions, differentials, transforms = [], [], []
        for radius in _ELLIPSES:
            w, _, m, _ = self._contour(radius)
            functions.append(0.5 * (w**k + w**-k))
            differentials.append(_derivative(m) * step)
            transforms.append(m)
        kernel = (differentials[0][:, None] * differentials[1][None, :]) / (
            transforms[0][:, None] - transforms[1][None, :]
        ) ** 2
        covariance = (-(2 / self.beta) / (4 * np.pi**2) * (functions[0] @ kernel @ functions[1].T)).real
        if self.beta == 1:
            means = means + self._bias(order)
        return means, 0.5 * (covariance + covariance.T), moved

    def _bias(self, order: int) -> FloatArray:
        k = np.arange(1, order + 1)[:, None]
        w, _, m, speed = self._contour(_ELLIPSES[0])
        terms = self.places[:, None] * m / (1 + self.places[:, None] * m)
        ratio = self.law.ratio
        squares = ratio * (self.shares @ terms**2)
        inner = ratio * (self.shares @ (m * terms**2 / (1 + self.places[:, None] * m)))
        integrand = 0.5 * (w**k + w**-k) * (inner / (1 - squares) ** 2) * speed
        return np.asarray((-integrand.mean(axis=1) / 1j).real)

    def lost(self, spike: float, order: int) -> FloatArray:
        """What an outlier changes in the sums over the rest: the integral of T_k d log(1 + 1/(ℓm)) about the bulk."""
        k = np.arange(1, order + 1)[:, None]
        location = self.law.location(max(spike, self.law.threshold))
        root = float(outer_root(np.array([(location - self.centre) / self.half]))[0])
        radius = _ELLIPSES[0] if abs(root / _ELLIPSES[0] - 1) > 0.1 else _ELLIPSES[1]
        w, _, m, _ = self._contour(radius)
        slope = -_derivative(m) / (m * (spike * m + 1))
        change = (0.5 * (w**k + w**-k) * slope).mean(axis=1) / 1j
        degrees = k[:, 0]
        inside = 0.5 * (root**degrees + root ** (-degrees)) if root < radius else 0.0
        return np.asarray(change.real - inside)


def _derivative(values: ComplexArray) -> ComplexArray:
    """d/dφ of a function on equidistant points of a circle."""
    frequencies = np.fft.fftfreq(values.size, 1 / values.size)
    return np.asarray(np.fft.ifft(1j * frequencies * np.fft.fft(values)))


def _support_rule(law: Any) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights with Σ w f(x) = ∫ f dμ over the continuous part, for smooth f."""
    nodes, weights = [], []
    for lower, upper in law.support:
        angle = np.pi * _GRID
        x = 0.5 * (lower + upper) + 0.5 * (upper - lower) * np.cos(angle)
        nodes.append(x)
        weights.append(
            np.asarray(law.density(x)) * 0.5 * (upper - lower) * np.sin(angle) * np.pi / _GRID.size
        )
    return np.concatenate(nodes), np.concatenate(weights)
