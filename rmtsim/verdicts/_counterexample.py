"""Whether a violation that a search found is a counterexample: rounding, neighbours, other arithmetic, simplicity."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim
from rmtsim.verdicts._precise import precise_value, rounded_values
from rmtsim.verdicts._tape import Tape

_NEIGHBOURS = 8
_NEAR = 1e-6
"""Distance of neighbouring vectors; a quotient of two rounding errors differs there."""


@frozen
class Place:
    """Input of the sampler."""

    size: int
    entries: Array
    scale: float = 1.0
    fixed: int | None = None
    """Number of the point of the claim's grid; None if parameters are read from the vector."""
    seed: int = 0
    """Seed of what is not read from the vector."""

    def tape(self, kind: type[Tape] = Tape) -> Tape:
        """The generator that reads the vector."""
        return kind(self.entries, self.scale, self.seed)

    def at(self, entries: Array) -> Place:
        """The same with other entries."""
        return replace(self, entries=entries)


class Evaluated(Protocol):
    """What the checks need of a search."""

    claim: Claim
    sign: float
    used: int

    def evaluate(self, place: Place) -> tuple[float, float, dict[str, Any]]:
        """Value, bound and parameters."""


def noise(searcher: Evaluated, place: Place, rng: np.random.Generator) -> float:
    """Spread of the value under relative changes of 1e-14 of the entries."""
    values = [searcher.evaluate(place)[0]]
    for _ in range(_NEIGHBOURS):
        near = place.entries * (1 + 1e-14 * rng.standard_normal(len(place.entries)))
        values.append(searcher.evaluate(place.at(near))[0])
    return float(np.ptp(values)) if np.all(np.isfinite(values)) else math.inf


def violates(searcher: Evaluated, place: Place, rng: np.random.Generator) -> bool:
    value, bound, _ = searcher.evaluate(place)
    excess = searcher.sign * (value - bound)
    if not excess > searcher.claim.tolerance.width(bound):
        return False
    if searcher.claim.likely:
        return _usual(searcher, place, rng)
    return excess > 10 * noise(searcher, place, rng) and _persists(searcher, place, rng)


def _persists(searcher: Evaluated, place: Place, rng: np.random.Generator) -> bool:
    """Whether neighbouring vectors violate the bound too."""
    for _ in range(_NEIGHBOURS):
        shift = _NEAR * (1 + np.abs(place.entries)) * rng.standard_normal(len(place.entries))
        value, bound, _ = searcher.evaluate(place.at(place.entries + shift))
        if not searcher.sign * (value - bound) > searcher.claim.tolerance.width(bound):
            return False
    return True


def simple(searcher: Evaluated, place: Place, rng: np.random.Generator) -> Place:
    """A counterexample with as many zeros and short numbers as greedy steps reach."""
    until = time.monotonic() + 5.0
    used = min(searcher.used, len(place.entries))
    found = place.at(place.entries[:used].copy())
    if not violates(searcher, found, rng):
        return place
    for position in range(used):
        for value in (
            0.0,
            1.0,
            -1.0,
            *(float(f"{found.entries[position]:.{digits}g}") for digits in (1, 2, 4)),
        ):
            if time.monotonic() > until:
                return found
            trial = found.entries.copy()
            trial[position] = value
            changed = found.at(trial)
            if violates(searcher, changed, rng):
                found = changed
                break
    return found


def _usual(searcher: Evaluated, place: Place, rng: np.random.Generator) -> bool:
    """Whether most draws of the declared law violate the bound at the same parameters and size."""
    known = len(searcher.claim.parameters) if place.fixed is None else 0
    count = 0
    for _ in range(2 * _NEIGHBOURS):
        entries = rng.standard_normal(max(len(place.entries), 1))
        entries[:known] = place.entries[:known]
        value, bound, _ = searcher.evaluate(replace(place, entries=entries, seed=int(rng.integers(2**31))))
        count += searcher.sign * (value - bound) > searcher.claim.tolerance.width(bound)
    return count > _NEIGHBOURS


def recheck(searcher: Evaluated, place: Place) -> tuple[bool, str]:
    """Whether other arithmetic finds the violation too, and which: 50 digits, or float64 with other rounding.

    A sampler that mpmath's numbers can pass is evaluated in 50 digits. The others are evaluated with all operations
    rounded down, up and towards zero: a quotient of rounding errors differs from one mode to the next.
    """
    value, bound, point = searcher.evaluate(place)
    claim = searcher.claim.at(point)
    width = claim.tolerance.width(bound)
    drawn = (
        (lambda kind: _after_parameters(searcher.claim, place, kind)) if place.fixed is None else place.tape
    )
    precise = precise_value(lambda rng: claim.sample(point, place.size, rng, 1), drawn)
    if precise is not None:
        return bool(searcher.sign * (float(precise) - bound) > width), "mpmath, 50 digits"
    found = rounded_values(lambda: searcher.evaluate(place)[0])
    if not found:
        return True, "float64 alone"
    excess = [searcher.sign * (each - bound) for each in found]
    steady = float(np.ptp([*found, value])) < 0.1 * min(excess)
    return all(math.isfinite(each) for each in found) and min(
        excess
    ) > width and steady, "three rounding modes"


def _after_parameters(claim: Claim, place: Place, kind: type[Tape]) -> Tape:
    """The generator as it is once the parameters are drawn."""
    tape = place.tape(kind)
    usual = place.tape()
    for each in claim.parameters:
        each.draw(usual)
    tape.used, tape.calls = usual.used, usual.calls
    return tape
