"""Projection of the set of means under all models of a family: admissible models, and the targets they allow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.family import Family
from rmtsim.verdicts._models.projection import Ellipsoid, Projection, richardson_weights
from rmtsim.verdicts._results import ModelRow

Ends = tuple[float, float]
"""Of an interval."""

ANYTHING: Ends = (-math.inf, math.inf)
"""Values that a quantity without bounds can take."""

REFINEMENTS = 4
"""Passes of refinement, each four times finer: τ is then known to 10⁻³ …"""

MORE_REFINEMENTS = 7
"""… and to 10⁻⁵ where the means are known to a thousandth of their differences."""

PLAINER = 0.1
"""A simpler model is preferred unless a further term fits better by this share of the set."""


Candidate = tuple[Family, Projection, int]
"""One model: its family, the family's projection, its number there."""

_PAIRS = 24
"""Number of pairs of terms that are kept; those of the unrefined grid come first."""


@frozen
class Fit:
    """Families with their projections."""

    means: MeanSet
    parts: tuple[tuple[Family, Projection], ...]

    @property
    def hull(self) -> tuple[float, float] | None:
        """From the least to the greatest target of any admissible model; None if there is none."""
        return _joint_hull([(family, projection.hull) for family, projection in self.parts])

    @property
    def best(self) -> Candidate:
        """The model closest to the measured means; simpler models are preferred."""

        def distance(part: tuple[Family, Projection]) -> float:
            family, projection = part
            penalty = PLAINER * float(family.forms.shape[1] - 1)
            return float(projection.quality[projection.best]) + penalty

        family, projection = min(self.parts, key=distance)
        return family, projection, projection.best

    @property
    def needed(self) -> tuple[tuple[NDArray[np.float64], ...], ...]:
        """Terms of the best model with one amplitude, if one passes; else of every admissible pair of a coarse grid."""
        for family, projection in self.parts:
            members = np.flatnonzero(projection.admissible)
            if family.form in ("rate", "tied terms", "long tail") or len(members) == 0:
                continue
            chosen = [projection.best] if family.form == "one amplitude" else members[:_PAIRS].tolist()
            return tuple(tuple(family.forms[member]) for member in chosen)
        return ()

    @property
    def weight(self) -> NDArray[np.float64]:
        """How much each mean counts in a least-squares fit, relative to the sharpest."""
        low, high = self.means.ends
        # Exact values have zero width, whose reciprocal would overflow; unbounded ones have weight zero.
        width = np.maximum(
            high - low, np.finfo(float).eps * max(float(np.abs(self.means.values).max()), 1e-290)
        )
        return np.asarray(width.min() / width)

    @property
    def plausible(self) -> list[tuple[float, Candidate]]:
        """The closest admissible model of every branch, with its quality."""
        found = []
        for family, projection in self.parts:
            for number in range(len(family.branches)):
                member = projection.best_of(family.branch == number)
                if projection.admissible[member]:
                    found.append((float(projection.quality[member]), (family, projection, member)))
        return found

    def smooth(self, sizes: tuple[int, ...], candidate: Candidate | None = None) -> NDArray[np.float64]:
        """Values of a model (by default the best one) at any sizes."""
        family, projection, member = self.best if candidate is None else candidate
        chosen = np.array([member])
        fine = family.corrections(chosen, np.asarray(sizes, dtype=float))
        limits = projection.centre[[member]][None]
        curves = curves_of(self.means.values, self.weight, limits, family.forms[chosen], fine)
        return np.asarray(curves[0, 0])

    @property
    def best_name(self) -> str:
        """Name of the closest model."""
        family, _, member = self.best
        return family.branches[int(family.branch[member])].name(family.form, float(family.taus[member]))

    @property
    def weights(self) -> tuple[float, ...]:
        """Its Richardson weights, where the estimate is linear in the means."""
        family, _, member = self.best
        if self.means.axes is None or family.form == "rate":
            return ()
        found = richardson_weights(self.means.values, self.means.axes, family, member, self.means.correlation)
        return tuple(found.tolist())

    @property
    def rows(self) -> tuple[ModelRow, ...]:
        """One row per name: models that differ only in unnamed parameters are joined."""
        return tuple(row for family, projection in self.parts for row in _rows(family, projection))


def curves_of(
    values: NDArray[np.float64],
    weight: NDArray[np.float64],
    limits: NDArray[np.float64],
    forms: NDArray[np.float64],
    fine: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Models with given limits, (rows, models), at finer sizes: amplitudes by least squares."""
    solve = np.linalg.pinv((forms * weight).transpose(0, 2, 1))
    amplitudes = np.einsum("mtk,lmk->lmt", solve, (values - limits[..., None]) * weight)
    return np.asarray(limits[..., None] + np.einsum("lmt,mts->lms", amplitudes, fine))


def _rows(family: Family, projection: Projection) -> list[ModelRow]:
    names = family.names
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    which = np.array([numbers[name] for name in names])
    quality = np.where(np.isnan(projection.quality), math.inf, projection.quality)
    rows = []
    for name, number in numbers.items():
        members = which == number
        keep = members & projection.admissible
        ends = (float(projection.low[keep].min()), float(projection.high[keep].max())) if keep.any() else None
        rows.append(ModelRow(name, ends, float(quality[members].min())))
    return rows


def project(means: MeanSet, family: Family, possible: tuple[float, float] = ANYTHING) -> Projection:
    """The targets that each model allows, of those that are possible: a model that allows none is inadmissible."""
    return _projecting(means)(family).within(*possible)


def _projecting(means: MeanSet) -> Callable[[Family], Projection]:
    if means.axes is not None:
        return Ellipsoid(means.values, means.axes, means.correlation).projected
    from rmtsim.verdicts._models.box import project_box

    return partial(project_box, *means.ends)


def fitted(
    means: MeanSet,
    families: tuple[Family, ...],
    possible: Ends = ANYTHING,
    *,
    refine: bool = True,
    settled: Callable[[Ends], bool] | None = None,
) -> Fit:
    """Projections over all families, their grids refined where the interval's ends and the best fits lie.

    Refinement adds models, so the hull only grows. It stops once ``settled`` says that a wider hull would not change
    the answer.
    """
    projecting = _projecting(means)
    grids = [_Grid(family, lambda family: projecting(family).within(*possible)) for family in families]

    def open_still() -> bool:
        hull = None if settled is None else _joint_hull([(grid.local, grid.hull) for grid in grids])
        return settled is None or hull is None or not settled(hull)

    passes = _passes(means) if refine and len(means.sizes) > 1 else 0
    for grid, _ in itertools.product(grids, range(passes)):
        if not open_still():
            break
        grid.refine()
    return Fit(means, tuple(grid.joined for grid in grids))


def _joint_hull(parts: Sequence[tuple[Family, Ends | None]]) -> Ends | None:
    """From the least to the greatest target over all families, given the hull of each; None if none is admissible."""
    hulls = [hull for _, hull in parts if hull is not None]
    return (min(low for low, _ in hulls), max(high for _, high in hulls)) if hulls else None


def _passes(means: MeanSet) -> int:
    low, high = means.ends
    with np.errstate(invalid="ignore"):
        precise = bool((high - low).max() < 1e-3 * np.ptp(means.values))
    return MORE_REFINEMENTS if precise else REFINEMENTS


class _Grid:
    """The models of one family evaluated so far, with finer grids around the extreme and the best ones."""

    def __init__(self, family: Family, project: Callable[[Family], Projection]) -> None:
        self._project = project
        self._families: list[Family] = []
        self._projections: list[Projection] = []
        self.hull: Ends | None = None
        """From the least to the greatest target of any admissible model so far."""
        self._try(family)

    @property
    def local(self) -> Family:
        """The models tried last."""
        return self._families[-1]

    @property
    def joined(self) -> tuple[Family, Projection]:
        """All models, in the order tried."""
        first, found = self._families[0], self._projections[0]
        return first.joined(*self._families[1:]), found.joined(*self._projections[1:])

    def _try(self, family: Family) -> None:
        found = self._project(family)
        self._families.append(family)
        self._projections.append(found)
        hulls = [hull for hull in (self.hull, found.hull) if hull is not None]
        self.hull = (min(low for low, _ in hulls), max(high for _, high in hulls)) if hulls else None

    def refine(self) -> None:
        """A finer grid around the best of every branch and the ends of the hull, among those tried last."""
        found = self._projections[-1]
        # Each branch separately: while the grid is coarse, the best model of all may have a wrong exponent.
        branches = np.arange(len(self.local.branches))
        members: list[int] = found.best_of_each(self.local.branch == branches[:, None]).tolist()
        self._try(self.local.around([*members, *(found.outermost or ())]))


Curve = tuple[tuple[float, float, float, float], ...]
"""Rows (size, lowest, best, highest)."""

_POINTS = 40
_REACH = 8.0
"""The band is drawn to this multiple of the largest size."""


def model_band(fit: Fit) -> Curve:
    """Lowest, best and highest admissible model at sizes from the smallest to eight times the largest.

    Each admissible model enters with the least, best and greatest limit it allows and the amplitudes that then
    fit best.
    """
    means = fit.means
    if fit.hull is None or len(means.sizes) < 2:
        return ()
    grid = np.geomspace(means.sizes[0], _REACH * means.sizes[-1], _POINTS)
    lowest, highest = band_at(fit, grid)
    family, projection, member = fit.best
    centre = projection.centre[[member]][None]
    chosen = np.array([member])
    best = curves_of(means.values, fit.weight, centre, family.forms[chosen], family.corrections(chosen, grid))
    return tuple(
        (float(size), float(a), float(b), float(c))
        for size, a, b, c in zip(grid, lowest, best[0, 0], highest, strict=True)
    )


def band_at(fit: Fit, sizes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest admissible model at ``sizes``."""
    low, high = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    for family, projection in fit.parts:
        members = np.flatnonzero(projection.admissible)
        if len(members) == 0:
            continue
        # Rows: the least, best and greatest limit of each admissible model.
        limits = np.stack([part[members] for part in (projection.low, projection.centre, projection.high)])
        fine = family.corrections(members, sizes)
        curves = curves_of(fit.means.values, fit.weight, limits, family.forms[members], fine)
        low, high = np.minimum(low, curves.min(axis=(0, 1))), np.maximum(high, curves.max(axis=(0, 1)))
    return low, high
