"""Search for a counterexample of a bound: over the draws of its sampler, its parameters and its sizes.

A sampler that obtains its random numbers from a :class:`~rmtsim.verdicts._tape.Tape` is a function of a vector. The
search maximises the violation of the bound over this vector: random and special vectors (zeros, equal, aligned and
alternating entries, a single one, tiny and huge scales), then SciPy's differential evolution, then a simplex from the
best point. A violation must exceed the declared tolerance and ten times the rounding noise, persist at neighbouring
vectors, and be found in other arithmetic too; the vector is then made simple. A bound that is stated with high
probability (``likely``) is searched over parameters and sizes alone, and must fail for most draws there.
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
from rmtsim.verdicts._counterexample import Place, noise, recheck, simple, violates

LONGEST = 400
"""Entries of a vector; later draws of a sampler are fixed by the seed."""
_SEARCHED = 24
"""Entries that the optimisers move; the others keep the values of the start."""
_SCALES = (1.0, 1e-3, 1e3, 1e-8, 1e8)
_ENOUGH = 10.0
"""Relative violation that ends a search: larger ones are found at numbers of extreme size."""
_CANDIDATES = 8
_SHARE = 0.4
"""Share of the time for random and special vectors."""


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
    rechecked: str
    """Arithmetic in which a violation was found again, or in which it disappeared; empty if there was none."""
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
        spent = f"{self.evaluations} evaluations, seed {self.seed}"
        if self.rechecked:
            spent += (
                f"; {'found again' if self.violated else 'a violation disappeared'} with {self.rechecked}"
            )
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


class _Searcher:
    def __init__(self, claim: Claim, seconds: float) -> None:
        self.claim, self.started, self.seconds = claim, time.monotonic(), seconds
        self.scales = (1.0,) if claim.likely else _SCALES
        self.sign = 1.0 if claim.sense == "<=" else -1.0
        self.evaluations = 0
        self.candidates: list[tuple[float, Place]] = []
        """Violations to be checked, in case rounding explains the largest one."""
        self.best: tuple[float, Place] = (-math.inf, Place(claim.sizes[0], np.zeros(0)))
        self.used = 1

    def evaluate(self, place: Place) -> tuple[float, float, dict[str, Any]]:
        """Value, bound and parameters; the value is NaN where the sampler fails or overflows."""
        tape = place.tape()
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

    def excess(self, place: Place) -> float:
        """Violation over the size of the bound; minus infinity where there is no value."""
        value, bound, _ = self.evaluate(place)
        if not (math.isfinite(value) and math.isfinite(bound)):
            return -math.inf
        found = min(self.sign * (value - bound) / (abs(bound) if bound else 1.0), _ENOUGH)
        if found > self.best[0]:
            self.best = (found, place)
            if found > 0:
                self.candidates = [*self.candidates[1 - _CANDIDATES :], self.best]
        return found

    def late(self, share: float = 1.0) -> bool:
        """Whether this share of the time is spent."""
        return self.best[0] >= _ENOUGH or time.monotonic() > self.started + share * self.seconds


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
            searcher.excess(Place(size, rng.standard_normal(LONGEST), 1.0, number))
            if searcher.late(_SHARE):
                return
    length = searcher.used
    for scale in () if claim.likely else searcher.scales:
        for size in claim.sizes:
            for entries in _special(length):
                searcher.excess(Place(size, entries, scale, fixed[-1]))
                if searcher.late(_SHARE / 2):
                    break
    while not searcher.late(1.0 if claim.likely else _SHARE):
        size = int(rng.choice(claim.sizes))
        scale = float(rng.choice(searcher.scales)) if rng.random() < 0.3 else 1.0
        number = fixed[int(rng.integers(len(fixed)))]
        entries = rng.standard_normal(searcher.used)
        searcher.excess(Place(size, entries, scale, number, int(rng.integers(2**31))))


def _optimise(searcher: _Searcher, rng: np.random.Generator) -> None:
    """Differential evolution over the leading entries and the scale, then a simplex, from the best point so far."""
    from scipy.optimize import Bounds, differential_evolution, minimize

    start = searcher.best[1]
    entries = np.resize(start.entries, searcher.used) if len(start.entries) else np.zeros(searcher.used)
    moved = (
        rng.permutation(searcher.used)[:_SEARCHED] if searcher.used > _SEARCHED else np.arange(searcher.used)
    )

    def place(vector: Array) -> Place:
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


def _checked(searcher: _Searcher, rng: np.random.Generator) -> tuple[Place, bool, str]:
    """The first violation that passes all checks, made simple, and the arithmetic of the last one; else the best."""
    rechecked = ""
    for _, place in reversed(searcher.candidates):
        if not violates(searcher, place, rng):
            continue
        if searcher.claim.likely:
            return place, True, ""
        holds, rechecked = recheck(searcher, place)
        if holds:
            found = simple(searcher, place, rng)
            return found if recheck(searcher, found)[0] else place, True, rechecked
    return searcher.best[1], False, rechecked


def search(claim: str | Claim, *, seconds: float = 10.0, seed: int = 0) -> SearchResult:
    """Search for a counterexample of a bound over the draws of its sampler, its parameters and its declared sizes.

    Parameters
    ----------
    claim : str or Claim
        A claim that bounds every value.
    seconds : float, optional
        Time of the clock for the search.
    seed : int, optional
        Root seed.

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
    searcher = _Searcher(chosen, seconds)
    _explore(searcher, rng)
    if chosen.accuracy is None and not chosen.likely:
        while not searcher.late():
            _optimise(searcher, rng)
    place, violated, rechecked = _checked(searcher, rng)
    value, bound, point = searcher.evaluate(place)
    return SearchResult(
        claim=chosen.id,
        parameters=point,
        size=place.size,
        value=value,
        bound=bound,
        violated=violated,
        noise=noise(searcher, place, rng),
        rechecked=rechecked,
        entries=tuple(place.entries[: searcher.used].tolist()),
        scale=place.scale,
        seed=place.seed,
        evaluations=searcher.evaluations,
    )
