"""Search for a counterexample of a bound: over the draws of its sampler, its parameters and its sizes.

A sampler that obtains its random numbers from a :class:`~rmtsim.verdicts._tape.Tape` is a function of a vector. The
search maximises the violation of the bound over this vector: random and special vectors (zeros, equal, aligned and
alternating entries, a single one, tiny and huge scales), then SciPy's differential evolution, then a simplex from the
best point. A violation must exceed the declared tolerance and ten times the rounding noise, and persist at neighbouring
vectors; the vector is then made simple.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import stream
from rmtsim.claims._model import Claim, value_words
from rmtsim.claims._registry import find
from rmtsim.verdicts._tape import Tape

LONGEST = 400
"""Entries of a vector; later draws of a sampler are fixed by the seed."""
_SEARCHED = 24
"""Entries that the optimisers move; the others keep the values of the start."""
_SCALES = (1.0, 1e-3, 1e3, 1e-8, 1e8)
_SHARE = 0.4
"""Share of the time for random and special vectors."""
_NEIGHBOURS = 8
_NEAR = 1e-6
"""Distance of neighbouring vectors; a quotient of two rounding errors differs there."""


@frozen(kw_only=True)
class SearchResult:
    """Nearest approach to a bound that a search found.

    Examples
    --------
    >>> from rmtsim.verdicts import search
    >>> found = search("liu.thm3.1.count", seconds=1.0)
    >>> found.violated, found.bound
    (True, 1.0)
    """

    claim: str
    """Id of the claim."""
    parameters: dict[str, Any]
    """Parameter point."""
    size: int
    """Size."""
    value: float
    bound: float
    """Value of the quantity, and the bound there."""
    violated: bool
    """Whether the value violates the bound by more than the tolerance and the rounding noise."""
    noise: float
    """Spread of the value under relative changes of 1e-14 of the draws."""
    typical: bool
    """Whether the draws have the size of usual ones. If not, the value says nothing about a statement that holds with
    high probability."""
    entries: tuple[float, ...]
    """The draws, as entries of the vector; those after the last one are fixed by the seed."""
    scale: float
    """Factor of normal draws."""
    seed: int
    """Seed of the draws that the vector does not contain."""
    evaluations: int
    """Number of evaluations of the sampler."""

    def __str__(self) -> str:
        point = ", ".join(f"{name} = {value_words(value)}" for name, value in self.parameters.items())
        head = "counterexample" if self.violated else "no counterexample; nearest value"
        where = "" if self.typical else "; draws that do not occur in practice"
        spent = f"{self.evaluations} evaluations, seed {self.seed}{where}"
        lines = [
            f"{self.claim}: {head} {self.value:.17g}, bound {self.bound:.17g} (rounding noise {self.noise:.2g})",
            f"  at size {self.size}{', ' if point else ''}{point}; {spent}",
        ]
        if self.violated:
            shown = ", ".join(f"{place}: {entry:.17g}" for place, entry in enumerate(self.entries) if entry)
            lines.append(
                f"  draws, times {self.scale:.17g} if normal, those left out are 0: {shown or 'all 0'}"
            )
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Result as plain data.

        Returns
        -------
        dict
            Numbers, text, lists and None; numbers that are not finite are None.
        """
        found = {**vars(self), "entries": list(self.entries)}
        return {
            name: None if isinstance(each, float) and not math.isfinite(each) else each
            for name, each in found.items()
        }


@frozen
class _Place:
    """Input of the sampler."""

    size: int
    entries: Array
    scale: float = 1.0
    fixed: int | None = None
    """Number of the point of the claim's grid; None if parameters are read from the vector."""
    seed: int = 0
    """Seed of what is not read from the vector."""

    def at(self, entries: Array) -> _Place:
        """The same with other entries."""
        return replace(self, entries=entries)


class _Searcher:
    def __init__(self, claim: Claim, seconds: float, *, any_scale: bool) -> None:
        self.claim, self.started, self.seconds = claim, time.monotonic(), seconds
        self.scales = _SCALES if any_scale else (1.0,)
        self.sign = 1.0 if claim.sense == "<=" else -1.0
        self.evaluations = 0
        self.best: tuple[float, _Place] = (-math.inf, _Place(claim.sizes[0], np.zeros(0)))
        self.used = 1

    def evaluate(self, place: _Place) -> tuple[float, float, dict[str, Any]]:
        """Value, bound and parameters; the value is NaN where the sampler fails or overflows."""
        tape = Tape(place.entries, place.scale, place.seed)
        self.evaluations += 1
        claim = self.claim
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                if place.fixed is None and claim.parameters:
                    drawn = {each.name: each.draw(tape) for each in claim.parameters}
                else:
                    drawn = dict(claim.grid[place.fixed or 0])
                point = claim.point(drawn)
                here = claim.at(point)
                value = float(np.ravel(here.sample(point, place.size, tape, 1))[0])
                bound = here.prediction(point, place.size)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError, IndexError, RuntimeError):
            return math.nan, math.nan, {}
        self.used = max(self.used, min(tape.used, LONGEST))
        return value, bound, point

    def excess(self, place: _Place) -> float:
        """Violation over the size of the bound; minus infinity where there is no value."""
        value, bound, _ = self.evaluate(place)
        if not (math.isfinite(value) and math.isfinite(bound)):
            return -math.inf
        found = self.sign * (value - bound) / (abs(bound) if bound else 1.0)
        if found > self.best[0]:
            self.best = (found, place)
        return found

    def late(self, share: float = 1.0) -> bool:
        """Whether this share of the time is spent."""
        return time.monotonic() > self.started + share * self.seconds


def _special(length: int) -> Iterator[Array]:
    yield np.zeros(length)
    for value in (1.0, -1.0, 3.0):
        yield np.full(length, value)
    yield np.where(np.arange(length) % 2, 1.0, -1.0)
    for position in range(min(length, 6)):
        yield np.eye(length)[position]
        yield np.eye(length)[position] + 1e-6


def _explore(searcher: _Searcher, rng: np.random.Generator) -> None:
    """Random and special vectors at every size and scale."""
    claim = searcher.claim
    fixed = [None, *range(len(claim.grid))] if claim.parameters else [None]
    for size in claim.sizes:
        for number in fixed:
            searcher.excess(_Place(size, rng.standard_normal(LONGEST), 1.0, number))
            if searcher.late(_SHARE):
                return
    length = searcher.used
    for scale in searcher.scales:
        for size in claim.sizes:
            for entries in _special(length):
                searcher.excess(_Place(size, entries, scale, fixed[-1]))
                if searcher.late(_SHARE / 2):
                    break
    while not searcher.late(_SHARE):
        size = int(rng.choice(claim.sizes))
        scale = float(rng.choice(searcher.scales)) if rng.random() < 0.3 else 1.0
        number = fixed[int(rng.integers(len(fixed)))]
        entries = rng.standard_normal(searcher.used)
        searcher.excess(_Place(size, entries, scale, number, int(rng.integers(2**31))))


def _optimise(searcher: _Searcher, rng: np.random.Generator) -> None:
    """Differential evolution over the leading entries and the scale, then a simplex, from the best point so far."""
    from scipy.optimize import Bounds, differential_evolution, minimize

    start = searcher.best[1]
    entries = np.resize(start.entries, searcher.used) if len(start.entries) else np.zeros(searcher.used)
    moved = (
        rng.permutation(searcher.used)[:_SEARCHED] if searcher.used > _SEARCHED else np.arange(searcher.used)
    )

    def place(vector: Array) -> _Place:
        changed = entries.copy()
        changed[moved] = vector[:-1]
        power = float(vector[-1]) if len(searcher.scales) > 1 else 0.0
        return replace(start, entries=changed, scale=start.scale * 10**power)

    def objective(vector: Array) -> float:
        found = -searcher.excess(place(vector))
        return found if math.isfinite(found) else 1e300

    centre = np.append(entries[moved], 0.0)
    width = np.append(np.maximum(4.0, 2 * np.abs(entries[moved])), 2.0)
    differential_evolution(
        objective,
        Bounds(-width, width),
        x0=np.clip(centre, -width, width),
        popsize=4,
        maxiter=10**6,
        tol=0,
        polish=False,
        rng=rng,
        callback=lambda x, convergence=0.0: searcher.late((1 + _SHARE) / 2),  # type: ignore[arg-type]
    )
    best = searcher.best[1]
    if len(best.entries) == searcher.used and (best.size, best.seed) == (start.size, start.seed):
        centre = np.append(best.entries[moved], math.log10(best.scale / start.scale))
        entries = best.entries

    def stop(x: Array) -> None:
        if searcher.late():
            raise StopIteration

    minimize(objective, centre, method="Nelder-Mead", callback=stop, options={"maxfev": 10**6})  # type: ignore[call-overload]


def _noise(searcher: _Searcher, place: _Place, rng: np.random.Generator) -> float:
    """Spread of the value under relative changes of 1e-14 of the entries."""
    values = [searcher.evaluate(place)[0]]
    for _ in range(_NEIGHBOURS):
        near = place.entries * (1 + 1e-14 * rng.standard_normal(len(place.entries)))
        values.append(searcher.evaluate(place.at(near))[0])
    return float(np.ptp(values)) if np.all(np.isfinite(values)) else math.inf


def _violates(searcher: _Searcher, place: _Place, rng: np.random.Generator) -> bool:
    value, bound, _ = searcher.evaluate(place)
    excess = searcher.sign * (value - bound)
    if not excess > searcher.claim.tolerance.width(bound):
        return False
    return excess > 10 * _noise(searcher, place, rng) and _persists(searcher, place, rng)


def _persists(searcher: _Searcher, place: _Place, rng: np.random.Generator) -> bool:
    """Whether neighbouring vectors violate the bound too."""
    for _ in range(_NEIGHBOURS):
        shift = _NEAR * (1 + np.abs(place.entries)) * rng.standard_normal(len(place.entries))
        value, bound, _ = searcher.evaluate(place.at(place.entries + shift))
        if not searcher.sign * (value - bound) > searcher.claim.tolerance.width(bound):
            return False
    return True


def _typical(place: _Place, used: int) -> bool:
    """Whether the entries are of the size of standard normal ones."""
    entries = place.scale * place.entries[:used]
    if not len(entries):
        return True
    return bool(np.abs(entries).max() <= 6.0 and 0.5 <= place.scale <= 2.0 and np.mean(entries**2) <= 4.0)


def _simple(searcher: _Searcher, place: _Place, rng: np.random.Generator) -> _Place:
    """A counterexample with as many zeros and short numbers as greedy steps reach."""
    until = time.monotonic() + 5.0
    used = min(searcher.used, len(place.entries))
    found = place.at(place.entries[:used].copy())
    if not _violates(searcher, found, rng):
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
            if _violates(searcher, changed, rng):
                found = changed
                break
    return found


def search(
    claim: str | Claim, *, seconds: float = 10.0, seed: int = 0, any_scale: bool = True
) -> SearchResult:
    """Search for a counterexample of a bound over the draws of its sampler, its parameters and its declared sizes.

    Parameters
    ----------
    claim : str or Claim
        A claim that bounds every value.
    seconds : float, optional
        Time of the clock for the search.
    seed : int, optional
        Root seed.
    any_scale : bool, optional
        Whether normal numbers may be of any size. A statement that holds with high probability is searched without.

    Returns
    -------
    SearchResult
        The counterexample, or the nearest approach to the bound.

    Raises
    ------
    ValueError
        If the claim bounds no values: a mean or a probability cannot be refuted by one draw.

    Examples
    --------
    >>> from rmtsim.claims import Bound, Plan, claim
    >>> from rmtsim.verdicts import search
    >>> @claim("demo.square", states=Bound(2.0), plan=Plan(sizes=(1, 2), cost=1e-6))
    ... def square(size, rng):
    ...     return 2.0 * rng.uniform(0, 1) * rng.uniform(0, 1.05)
    >>> search(square, seconds=0.5).violated
    True
    """
    chosen = find(claim) if isinstance(claim, str) else claim
    if chosen.kind != "bound" or chosen.of != "value" or chosen.coupled:
        raise ValueError(f"{chosen.id} is no bound of values: a search can refute only these")
    seconds = validate.positive_number("seconds", seconds, meaning="time of the search")
    rng = stream(seed, f"{chosen.id}#search", {}, 0, 0)
    searcher = _Searcher(chosen, seconds, any_scale=any_scale)
    _explore(searcher, rng)
    if chosen.accuracy is None:
        while not searcher.late():
            _optimise(searcher, rng)
    place = searcher.best[1]
    violated = math.isfinite(searcher.best[0]) and _violates(searcher, place, rng)
    if violated:
        place = _simple(searcher, place, rng)
    value, bound, point = searcher.evaluate(place)
    return SearchResult(
        claim=chosen.id,
        parameters=point,
        size=place.size,
        value=value,
        bound=bound,
        violated=violated,
        noise=_noise(searcher, place, rng),
        typical=_typical(place, searcher.used),
        entries=tuple(place.entries[: searcher.used].tolist()),
        scale=place.scale,
        seed=place.seed,
        evaluations=searcher.evaluations,
    )
