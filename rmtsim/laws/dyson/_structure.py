"""Structure of a law on the real axis: edges, atoms, singularities, masses and tables of the cdf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.errors import ConvergenceError
from rmtsim.laws.dyson._axis import Axis
from rmtsim.laws.dyson._continuation import BULK, EDGE, FAILED
from rmtsim.laws.dyson._edge import BandEdge
from rmtsim.laws.dyson._problem import Problem, Real
from rmtsim.laws.dyson._quadrature import BandQuadrature, Break
from rmtsim.laws.dyson._support import Interval, Scan, scan_support

MASS_ERROR = 1e-7
"""How far the masses of all bands by quadrature may be from their exact masses."""
BLURRED = 1e-4
"""The same, if the difference is within what edges hold that are known to the spacing of doubles only."""


@dataclass
class Structure:
    """Ends of the bands in pairs, atoms, singular points inside, and tables of mass, each with its weight."""

    edges: list[BandEdge]
    atoms: list[tuple[float, float]]
    breaks: list[Break]
    tables: list[tuple[float, BandQuadrature]]
    unaccounted: float

    @property
    def bands(self) -> list[Interval]:
        """Pairs (lower, upper)."""
        ends = [edge.location for edge in self.edges]
        return list(zip(ends[::2], ends[1::2], strict=True))

    @property
    def masses(self) -> list[float]:
        """Mass of the continuous part on each band."""
        return [
            sum(weight * table.mass for weight, table in self.tables if lower <= table.lower <= upper)
            for lower, upper in self.bands
        ]

    def cumulative(self, x: Real) -> Real:
        """Mass of the continuous part up to x."""
        values = np.zeros(x.shape)
        for weight, table in self.tables:
            values += weight * table.cumulative(x)
        return values


def survey(problem: Problem, bounds: list[Interval] | None, center: float, places: Real) -> Structure:
    """Bands, atoms and tables of one irreducible problem; every table has to agree with the band's exact mass."""
    axis = Axis(problem)
    scan = scan_support(problem, bounds, center, places, axis)

    def density(x: Real) -> Real:
        values, kind = axis.at(x)
        _continue_powers(axis, scan, x, values, kind)
        if np.any(kind == FAILED):
            worst = float(x[np.argmax(kind == FAILED)])
            raise ConvergenceError(
                f"x={worst:.17g}: no certified boundary value; solve(z) with Im z > 0 near it may still answer",
                residual=np.inf,
                iterations=0,
            )
        return values

    tables: list[tuple[float, BandQuadrature]] = []
    unaccounted, blurred = abs(scan.unaccounted), 0.0
    for lower, upper, mass in zip(scan.edges[::2], scan.edges[1::2], scan.masses, strict=True):
        inner = [item for item in scan.breaks if lower.location < item.location < upper.location]
        ends = [Break(edge.location, edge.exponent) for edge in (lower, upper)]
        table = BandQuadrature(
            density, [ends[0], *inner, ends[1]], tolerance=1e-11 * min(max(mass, 1e-20), 1.0)
        )
        unaccounted += abs(mass - table.integral)
        blurred += mass * sum(
            _blurred_share(edge, upper.location - lower.location) for edge in (lower, upper)
        )
        table.mass = mass
        tables.append((1.0, table))
    if unaccounted > MASS_ERROR + min(blurred, BLURRED):
        raise ConvergenceError(
            f"mass {unaccounted:.3g} is unaccounted for: the density does not integrate to the mass that the solution "
            "has between gaps, so an atom or a gap inside a band was missed; density(x) and solve(z) remain valid "
            "where they answer",
            residual=unaccounted,
            iterations=len(axis.x),
            status="mass",
        )
    return Structure(scan.edges, scan.atoms, scan.breaks, tables, unaccounted)


def _blurred_share(edge: BandEdge, width: float) -> float:
    """Bound of the share of a band's mass that an edge holds within a few doubles of its location.

    The mass within a distance d of an edge with density d^exponent is of order (d/width)^(1 + exponent): at a hard edge
    of a band of width 1e-6 far from zero, the spacing of doubles holds 1e-5 of it.
    """
    distance = 4 * max(float(np.spacing(abs(edge.location))), edge.error)
    return float(min(distance / width, 1.0) ** (1 + edge.exponent)) if width > 0 else 0.0


def _continue_powers(axis: Axis, scan: Scan, x: Real, values: Real, kind: NDArray[np.intp]) -> None:
    """Within 1e-9 lengths of a known singularity rounding may hide M: there the density follows its power."""
    ends = [*scan.breaks, *(Break(edge.location, edge.exponent) for edge in scan.edges)]
    if not ends:
        return
    for i in np.flatnonzero((kind == FAILED) | (kind == EDGE)):
        end = min(ends, key=lambda item: abs(item.location - x[i]))
        distance = abs(x[i] - end.location)
        side = np.sign(x[i] - end.location)
        if not 0 < distance <= 1e-9 * axis.problem.scale:
            continue
        known = axis.x[(axis.kind == BULK) & (side * (axis.x - end.location) > distance)]
        if len(known):
            nearest = known[np.argmin(np.abs(known - x[i]))]
            rho = axis.density[np.searchsorted(axis.x, nearest)]
            values[i] = rho * (distance / abs(nearest - end.location)) ** end.exponent
            kind[i] = BULK


def mixture(parts: list[tuple[float, Structure]]) -> Structure:
    """The structure of Σ share·law: bands that overlap or touch become one, with edges of parts inside it."""
    if len(parts) == 1:
        return parts[0][1]
    bands = sorted(
        (
            (lower, upper)
            for _, part in parts
            for lower, upper in zip(part.edges[::2], part.edges[1::2], strict=True)
        ),
        key=lambda pair: pair[0].location,
    )
    edges: list[BandEdge] = []
    breaks = [item for _, part in parts for item in part.breaks]
    for lower, upper in bands:
        if edges and lower.location <= edges[-1].location:
            hidden = [lower]
            if upper.location > edges[-1].location:
                hidden.append(edges[-1])
                edges[-1] = upper
            else:
                hidden.append(upper)
            outer = {edges[-1].location, edges[-2].location}
            breaks += [Break(edge.location, edge.exponent) for edge in hidden if edge.location not in outer]
        else:
            edges += [lower, upper]
    atoms: dict[float, float] = {}
    for share, part in parts:
        for place, mass in part.atoms:
            atoms[place] = atoms.get(place, 0.0) + share * mass
    tables = [(share * weight, table) for share, part in parts for weight, table in part.tables]
    unaccounted = sum(share * part.unaccounted for share, part in parts)
    return Structure(
        edges, sorted(atoms.items()), sorted(breaks, key=lambda item: item.location), tables, unaccounted
    )
