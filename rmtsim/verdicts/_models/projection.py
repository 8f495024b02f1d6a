"""From a set that contains the true means of all sizes to an interval for the limit (or rate) under each model.

A model is admissible when it passes through the set; its interval is the set of targets with which it does.
So if the true correction is in the declared family, the union of the admissible intervals misses the truth
only when the set of means does: fit tests, choice of weights and choice of model cost no further level.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.verdicts._models.family import Family


@frozen
class Projection:
    """Per model: the target's interval (NaN where inadmissible), its best value and fit quality.

    ``quality`` is the squared distance of the model from the measured means in units of the set: at most one
    for an admissible model.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    centre: NDArray[np.float64]
    quality: NDArray[np.float64]

    @functools.cached_property
    def admissible(self) -> NDArray[np.bool_]:
        """Which models pass through the set of means."""
        return np.isfinite(self.centre) & (self.quality <= 1)

    @property
    def hull(self) -> tuple[float, float] | None:
        """From the least to the greatest target of any admissible model; None if there is none."""
        if self.outermost is None:
            return None
        least, greatest = self.outermost
        return float(self.low[least]), float(self.high[greatest])

    @functools.cached_property
    def outermost(self) -> tuple[int, int] | None:
        """The admissible models with the least and with the greatest target; None if there is none."""
        keep = self.admissible
        if not keep.any():
            return None
        least = np.where(keep, self.low, math.inf).argmin()
        return int(least), int(np.where(keep, self.high, -math.inf).argmax())

    @property
    def lows(self) -> NDArray[np.float64]:
        """Least target of each of several stacked projections; infinite where no model is admissible."""
        return np.asarray(np.where(self.admissible, self.low, math.inf).min(axis=-1))

    @property
    def highs(self) -> NDArray[np.float64]:
        """Greatest target of each."""
        return np.asarray(np.where(self.admissible, self.high, -math.inf).max(axis=-1))

    def within(self, low: float, high: float) -> Projection:
        """Only targets from ``low`` to ``high`` are possible: a model that allows none of them is inadmissible."""
        if low == -math.inf and high == math.inf:
            return self
        with np.errstate(invalid="ignore"):
            keep = (self.high >= low) & (self.low <= high)
        return Projection(
            np.where(keep, np.maximum(self.low, low), math.nan),
            np.where(keep, np.minimum(self.high, high), math.nan),
            np.where(keep | np.isnan(self.low), np.clip(self.centre, low, high), math.nan),
            np.where(keep | np.isnan(self.low), self.quality, math.inf),
        )

    def joined(self, *others: Projection) -> Projection:
        """The models of all."""
        if not others:
            return self
        return Projection(
            *(
                np.concatenate([getattr(each, name) for each in (self, *others)])
                for name in ("low", "high", "centre", "quality")
            )
        )

    @property
    def best(self) -> int:
        """The model closest to the measured means."""
        return self.best_of(np.ones(len(self.centre), dtype=bool))

    def best_of(self, members: NDArray[np.bool_]) -> int:
        """The closest among some models."""
        return int(self.best_of_each(members))

    def best_of_each(self, members: NDArray[np.bool_]) -> NDArray[np.int_]:
        """The closest among some models, for every row of ``members``."""
        possible = members & np.isfinite(self.centre)
        return np.asarray(np.where(possible, self.quality, math.inf).argmin(axis=-1))


def project_ellipsoid(
    values: NDArray[np.float64],
    axes: NDArray[np.float64],
    family: Family,
    correlation: NDArray[np.float64] | None = None,
) -> Projection:
    """Intervals of the target over the ellipsoid Σ((value_k - μ_k)/axis_k)² ≤ 1, in closed form.

    With a ``correlation`` matrix C the ellipsoid is dᵀ(ACA)⁻¹d ≤ 1, A = diag(axes). ``axes`` may be stacked,
    (…, sizes): every part of the result is then stacked in the same way.
    """
    return Ellipsoid(values, axes, correlation).projected(family)


class Ellipsoid:
    """The set of means as an ellipsoid, to be projected under one family after the other."""

    def __init__(
        self,
        values: NDArray[np.float64],
        axes: NDArray[np.float64],
        correlation: NDArray[np.float64] | None = None,
    ) -> None:
        self._values, self._axes, self._correlation = values, axes, correlation
        finite = np.isfinite(axes)
        self._bounded = int(finite.sum(axis=-1).min()) if correlation is None or finite.all() else 0

    @functools.cached_property
    def _whiten(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        return _whitening(self._values, self._axes, self._correlation)

    def projected(self, family: Family) -> Projection:
        """Intervals of the target under each model."""
        values = self._values
        terms = family.forms.shape[1] if len(values) > 1 else 0
        if self._bounded < 1 + terms:
            nan = np.full((*self._axes.shape[:-1], len(family)), math.nan)
            return Projection(nan, nan, nan, np.full(nan.shape, math.inf))
        whiten = self._whiten
        whole = whiten(family.leads)
        target = whiten(values - family.offsets)
        lead, regular, corrections = _without_corrections(
            whole, [whiten(family.forms[:, k]) for k in range(terms)]
        )
        for unit in corrections:
            target = target - _dot(target, unit)[..., None] * unit
        strength = _dot(lead, lead)
        regular &= strength > 1e-18 * _dot(whole, whole)
        safe = np.where(regular, strength, 1.0)
        centre = _dot(lead, target) / safe
        left = target - centre[..., None] * lead
        quality = _dot(left, left)
        spread = np.sqrt(np.maximum(0, 1 - quality) / safe)
        keep = regular & (quality <= 1)
        return Projection(
            np.where(keep, centre - spread, math.nan),
            np.where(keep, centre + spread, math.nan),
            np.where(regular, centre, math.nan),
            np.where(regular, quality, math.inf),
        )


def richardson_weights(
    values: NDArray[np.float64],
    axes: NDArray[np.float64],
    family: Family,
    member: int,
    correlation: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Weights w of the sizes in one model's best target: w·values, with w·lead = 1 and w·form = 0.

    These are the generalised-least-squares weights, so w·Y is the Richardson combination of a replicate Y with the
    least variance that this model's corrections allow.
    """
    terms = family.forms.shape[1] if len(values) > 1 else 0
    whiten = _whitening(values, axes, correlation)
    lead, _, _ = _without_corrections(
        whiten(family.leads[[member]]), [whiten(family.forms[[member], k]) for k in range(terms)]
    )
    # whiten is linear: its transpose, applied to the remaining lead, gives the weights of the raw values.
    transpose = whiten(np.eye(len(values)))
    return np.asarray(transpose @ lead[0] / _dot(lead, lead)[0])


def _whitening(
    values: NDArray[np.float64], axes: NDArray[np.float64], correlation: NDArray[np.float64] | None
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The map, on rows over sizes, that turns the ellipsoid into the unit ball."""
    # Axes of zero (no noise) are replaced by a width of the order of rounding, to avoid a division by zero.
    floor = 8 * np.finfo(float).eps * max(float(np.abs(values).max()), 1e-290)
    scale = np.where(np.isfinite(axes), 1 / np.maximum(axes, floor), 0.0)[..., None, :]
    if correlation is None:
        return lambda rows: np.asarray(rows * scale)
    inverse = np.linalg.inv(np.linalg.cholesky(correlation)).T
    return lambda rows: np.asarray((rows * scale) @ inverse)


def _without_corrections(
    lead: NDArray[np.float64], columns: list[NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], list[NDArray[np.float64]]]:
    """The lead after projection, whether it is well conditioned, and orthonormal corrections.

    By Gram–Schmidt, which is more accurate than normal equations; the remaining lead estimates the target alone.
    """
    regular = np.ones(lead.shape[:-1], dtype=bool)
    corrections: list[NDArray[np.float64]] = []
    for column in columns:
        before = length = np.sqrt(_dot(column, column))
        for unit in corrections:
            column = column - _dot(column, unit)[..., None] * unit
        if corrections:
            length = np.sqrt(_dot(column, column))
        regular &= length > 1e-9 * before
        unit = column / np.where(length > 0, length, 1.0)[..., None]
        corrections.append(unit)
        lead = lead - _dot(lead, unit)[..., None] * unit
    return lead, regular, corrections


def _dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.einsum("...k,...k->...", a, b))
