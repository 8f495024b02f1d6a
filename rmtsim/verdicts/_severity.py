"""Severity of a confirmed statement: the nearest wrong statement of the same form that the same evidence refutes.

The interval and the decision rule are those of the verdict; nothing is simulated. With the interval [l, h], a limit q
is refuted if h < q - t(q) or l > q + t(q), where t(q) is the declared tolerance at q: the nearest refuted values above
and below follow. The rules of the grades are the constants of this module, the same for all claims; they are explained
in docs/what-a-verdict-means.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim, Tolerance
from rmtsim.claims._papers import PAPERS

if TYPE_CHECKING:
    from rmtsim.verdicts._results import PointResult

SHARP_SHARE = 0.25
"""A stated number is sharp if every number that differs by more than this share is refuted: less than a factor √2."""
SHARP_EXPONENT = 0.1
"""The same for an exponent, as a difference; exponents of common slips differ by 1/6 and more."""
SHARP_DISTANCE = 0.1
"""The same for the distance between two laws, and for the difference of two probabilities."""
SHARP_FACTOR = 10.0
"""A bound is sharp if a value comes within this factor of it."""
CLEAR_ERROR = 10.0
"""An identity is refuted by an error of this many tolerances (``rmtsim.verdicts._examinations.pointwise.CLEAR``)."""


class Grade(StrEnum):
    """Grade of a confirmed statement."""

    SHARP = "sharp"
    WEAK = "weak"


@frozen(kw_only=True)
class Severity:
    """What the evidence of a confirmed statement would have refuted."""

    measure: str
    """What differs: "shift", "exponent", "distance", "gap", "relative error", "factor" or "margin" (bounds of zero)."""
    above: float | None = None
    """Nearest refuted difference above the stated number; None if none is refuted."""
    below: float | None = None
    """The same below."""
    relative: float | None = None
    """The larger of both over the scale of the statement; None where it has none. Of a bound: the factor to spare,
    of a bound of zero the margin over the root mean square of the values."""
    passes: float | None = None
    """Of a bound: the tightest constant that these values do not violate."""
    unexcluded: float | None = None
    """Of a rate O(.): the slowest decay that counts as the stated one."""
    grade: Grade | None = None
    """None where the scale of a stated zero is unknown, and for an untested statement."""
    untested: str = ""
    """Why no admissible outcome could have refuted the statement; empty if one could."""

    def as_json(self) -> dict[str, Any]:
        """Plain data; infinite numbers are None."""
        found = {
            name: value if not isinstance(value, float) or math.isfinite(value) else None
            for name, value in vars(self).items()
        }
        return {**found, "grade": None if self.grade is None else str(self.grade)}


def first_refuted(end: float, tolerance: Tolerance, *, above: bool) -> float:
    """The nearest stated number that an interval with this end refutes; infinite if there is none.

    >>> first_refuted(2.0, Tolerance(absolute=0.1), above=True), first_refuted(1.8, Tolerance(relative=0.1), above=True)
    (2.1, 2.0)
    """
    sign = 1.0 if above else -1.0
    end *= sign
    share = tolerance.relative
    if not math.isfinite(end) or (share >= 1 and end >= 0):
        return sign * math.inf
    # q - a >= end and q - share·|q| >= end; both sides grow with q.
    by_share = end / (1 - share) if end > 0 else end / (1 + share)
    return sign * max(end + tolerance.absolute, by_share)


def severity(
    claim: Claim,
    parameters: Mapping[str, Any],
    interval: tuple[float, float],
    *,
    values: Sequence[float] = (),
    sizes: Sequence[int] = (),
    spread: float = 0.0,
) -> Severity:
    """The severity of a point of a claim that is confirmed by ``interval``.

    ``values`` at ``sizes`` are means, or extreme values of a bound; ``spread`` is the largest standard deviation (of
    a bound of zero, the largest root mean square).
    """
    if claim.vacuous:
        return Severity(measure="factor", untested=claim.vacuous)
    if claim.kind == "bound":
        return _of_bound(claim, parameters, interval, values, sizes, spread)
    if claim.kind == "identity":
        return _of_identity(claim, interval)
    if claim.kind == "rate" and claim.predict is None:
        return _of_exponent(claim, interval)
    if claim.kind == "law" or claim.mode in ("in probability", "almost surely"):
        return _of_distance(claim, parameters, interval)
    stated = claim.prediction(parameters)
    width = claim.tolerance.width(stated)
    possible = (0.0, 1.0) if claim.kind == "probability" else claim.support
    name = "gap" if claim.kind == "probability" else "shift"
    if possible is not None and stated - width <= possible[0] and possible[1] <= stated + width:
        return Severity(measure=name, untested="the tolerance covers every possible value")
    above, below = (
        abs(first_refuted(end, claim.tolerance, above=up) - stated)
        for end, up in ((interval[1], True), (interval[0], False))
    )
    if claim.kind == "probability":
        inside = [shift for shift, room in ((above, 1 - stated), (below, stated)) if room > width]
        reach = max(inside, default=math.inf)
        grade = _graded(reach, SHARP_DISTANCE)
        return Severity(measure=name, above=_told(above), below=_told(below), relative=reach, grade=grade)
    reach = max(above, below)
    scale = abs(stated)
    if scale == 0:
        finite = [abs(value) for value in values if math.isfinite(value)]
        ranged = 0.0 if possible is None else max(map(abs, possible))
        scale = ranged if 0 < ranged < math.inf else max([*finite, spread], default=0.0)
    relative = reach / scale if scale > 0 else None
    return Severity(
        measure=name,
        above=_told(above),
        below=_told(below),
        relative=relative,
        grade=None if relative is None else _graded(relative, SHARP_SHARE),
    )


def _told(shift: float) -> float | None:
    return shift if math.isfinite(shift) else None


def _graded(reach: float, limit: float) -> Grade:
    return Grade.SHARP if reach <= limit else Grade.WEAK


def _of_exponent(claim: Claim, interval: tuple[float, float]) -> Severity:
    assert claim.exponent is not None
    stated, width = claim.exponent, claim.tolerance.width(claim.exponent)
    above = first_refuted(interval[1], claim.tolerance, above=True) - stated
    if claim.relation != "O":
        below = stated - first_refuted(interval[0], claim.tolerance, above=False)
        reach = max(above, below)
        grade = _graded(reach, SHARP_EXPONENT)
        return Severity(
            measure="exponent", above=_told(above), below=_told(below), relative=reach, grade=grade
        )
    bounded = claim.support is not None and all(map(math.isfinite, claim.support))
    if bounded and stated - width <= 0:
        return Severity(measure="exponent", untested="a bounded quantity cannot grow")
    # Decays down to the tolerance below the stated one count as equal to it: these cannot be distinguished either.
    reach = max(above, width)
    return Severity(
        measure="exponent",
        above=_told(above),
        relative=reach,
        unexcluded=stated - width,
        grade=_graded(reach, SHARP_EXPONENT),
    )


def _of_distance(claim: Claim, parameters: Mapping[str, Any], interval: tuple[float, float]) -> Severity:
    """By the triangle inequality: a law (a limit) farther from the stated one than distance + tolerance is refuted."""
    stated = claim.prediction(parameters)
    width = claim.tolerance.width(stated)
    squared = claim.kind != "law" or claim.draws > 1
    high = max(0.0, interval[1])
    reach = (math.sqrt(high) if squared else high) + width
    if claim.kind == "law":
        if width >= 1:
            return Severity(measure="distance", untested="the tolerance covers every possible distance")
        grade = _graded(reach, SHARP_DISTANCE)
        return Severity(measure="distance", above=_told(reach), relative=reach, grade=grade)
    relative = reach / abs(stated) if stated else None
    return Severity(
        measure="shift",
        above=_told(reach),
        below=_told(reach),
        relative=relative,
        grade=None if relative is None else _graded(relative, SHARP_SHARE),
    )


def _of_identity(claim: Claim, interval: tuple[float, float]) -> Severity:
    error = CLEAR_ERROR * claim.tolerance.width(0.0) + max(0.0, interval[1])
    return Severity(measure="relative error", above=error, relative=error, grade=_graded(error, SHARP_SHARE))


def _of_bound(
    claim: Claim,
    parameters: Mapping[str, Any],
    interval: tuple[float, float],
    values: Sequence[float],
    sizes: Sequence[int],
    spread: float,
) -> Severity:
    """By the value nearest to its bound, as a quotient; of a probability near one, by its complement.

    A bound of zero has no quotients: the distance of the nearest value is compared with their root mean square.
    """
    upper = claim.sense == "<="
    if values and len(values) == len(sizes) and claim.of == "value":
        bounds = [claim.prediction(parameters, size) for size in sizes]
        pairs = list(zip(values, bounds, strict=True))
    elif claim.of == "value" and claim.sized:
        # The interval of a bound lies between the extreme value and the bound of its size.
        pairs = [interval if upper else (interval[1], interval[0])]
    else:
        bound = claim.prediction(parameters)
        far = max(interval, key=lambda end: abs(end - bound))
        refuting = interval[0] if upper else interval[1]
        pairs = [(far if claim.of == "value" else refuting, bound)]
    if claim.of == "probability":
        vacuous = all(bound >= 1 for _, bound in pairs) if upper else all(bound <= 0 for _, bound in pairs)
        if vacuous:
            return Severity(measure="factor", untested="every probability satisfies the bound")
        if not upper:
            pairs, upper = [(1 - value, 1 - bound) for value, bound in pairs], True
    if claim.support is not None:
        low, high = claim.support
        if all(bound >= high if upper else bound <= low for _, bound in pairs):
            return Severity(measure="factor", untested="every possible value satisfies the bound")
    finite = [(value, bound) for value, bound in pairs if math.isfinite(value) and math.isfinite(bound)]
    if not finite:
        return Severity(measure="factor")
    if all(value == 0 and bound != 0 for value, bound in finite):
        return Severity(measure="factor", untested="the quantity is zero in every draw")
    if not upper and all(bound < 0 <= value for value, bound in finite):
        return Severity(measure="factor", untested="the bound is negative, and no value is")
    if upper and all(value <= 0 < bound for value, bound in finite):
        # A difference that is negative throughout: it holds without any constant.
        return Severity(measure="factor", relative=math.inf, grade=Grade.WEAK)
    spare, (value, _) = min(
        ((_factor(value, bound, upper=upper), (value, bound)) for value, bound in finite),
        key=lambda each: each[0] if each[0] is not None else math.inf,
    )
    if spare is None:
        gap, passes, slack = min(
            (abs(bound - value), value, claim.tolerance.width(bound)) for value, bound in finite
        )
        if gap <= slack:
            return Severity(measure="factor", above=gap, passes=passes, relative=1.0, grade=Grade.SHARP)
        share = gap / spread if 0 < spread < math.inf else None
        grade = None if share is None else _graded(share, 1 / SHARP_FACTOR)
        return Severity(measure="margin", above=gap, passes=passes, relative=share, grade=grade)
    return Severity(measure="factor", relative=spare, passes=value, grade=_graded(spare, SHARP_FACTOR))


def _factor(value: float, bound: float, *, upper: bool) -> float | None:
    """How many times tighter the bound could be; None where the two have no quotient."""
    if bound == 0 or value * bound < 0:
        return None
    if value == 0:
        return math.inf
    quotient = bound / value if upper == (bound > 0) else value / bound
    return max(1.0, quotient)


def graded(claim: Claim, point: PointResult) -> PointResult:
    """A confirmed point with its severity; a statement that nothing could have refuted becomes UNTESTED."""
    from rmtsim.verdicts._results import Verdict

    if point.verdict is not Verdict.CONFIRMED:
        return point
    found = severity(
        claim.at(point.parameters),
        point.parameters,
        point.interval,
        values=point.values,
        sizes=point.sizes,
        spread=max(point.deviations, default=0.0),
    )
    if not found.untested:
        return replace(point, severity=found)
    reason = f"Untested: {found.untested}. {point.reason}"
    return replace(point, severity=found, verdict=Verdict.UNTESTED, reason=reason)


def recorded_severity(claim: Claim, entry: Mapping[str, Any]) -> Severity | None:
    """The severity of a recorded verdict; None unless it is confirmed or untested.

    It is that of the run, if the record has it, and follows from the interval otherwise.
    """
    interval = entry.get("interval")
    if entry.get("verdict") not in ("CONFIRMED", "UNTESTED"):
        return None
    try:
        if entry.get("severity") is not None and not claim.vacuous:
            return from_json(entry["severity"])
        if not interval or None in interval:
            return None
        return severity(claim.at(entry["parameters"]), entry["parameters"], tuple(interval))
    except (ValueError, TypeError, ArithmeticError):  # a record of another version of the statement
        return None


def from_json(found: Mapping[str, Any]) -> Severity:
    """Severity from plain data; raises TypeError or ValueError for anything else."""
    grade = found["grade"]
    # Infinite numbers are None in JSON; of a bound without a grade, there is no factor.
    any_factor = found["measure"] == "factor" and found["relative"] is None and grade == Grade.WEAK
    told = {**found, "grade": None if grade is None else Grade(grade)}
    return Severity(**told | ({"relative": math.inf} if any_factor else {}))


def record_words(claim: Claim) -> str:
    """Recorded verdict of a registered claim with its grade and severity; empty for a claim without a record.

    >>> from rmtsim.claims import find
    >>> record_words(find("dong.thm1.ratio-rate"))[:16]
    'CONFIRMED, sharp'
    """
    entry = {} if claim.origin is not None else PAPERS.records(claim.paper, "verdicts.json").get(claim.id, {})
    found = recorded_severity(claim, entry)
    if found is None:
        return str(entry.get("verdict", ""))
    parts = [
        str(entry["verdict"]),
        str(found.grade or ""),
        severity_words(found),
        why_weak(found, claim.weak),
    ]
    return ", ".join(part for part in parts if part)


_WHY_WEAK = {
    "factor": "no draw at the tested points comes within a factor 10 of the bound",
    "margin": "no draw comes nearer to the bound of zero than a tenth of the usual size of the values",
    "exponent": "interval and tolerance leave exponents that differ by more than 0.1",
    "distance": "interval and tolerance leave laws at a distance of more than 0.1",
    "gap": "interval and tolerance leave probabilities that differ by more than 0.1",
}
_ONE_SIDED = (
    "an order O(.) is one-sided: the run ends when it is confirmed, before larger exponents are refuted"
)


def why_weak(found: Severity | None, declared: str = "") -> str:
    """Reason of a weak confirmation: the declared one, or the rule that makes it weak; empty for any other.

    >>> why_weak(Severity(measure="gap", grade=Grade.WEAK))
    'interval and tolerance leave probabilities that differ by more than 0.1'
    """
    if found is None or found.grade is not Grade.WEAK:
        return ""
    if found.unexcluded is not None and not declared:
        return _ONE_SIDED
    return declared or _WHY_WEAK.get(
        found.measure, "interval and tolerance leave numbers that differ by more than a quarter"
    )


def severity_words(found: Severity) -> str:
    """What would have been refuted, in a few words; empty if nothing is known.

    >>> severity_words(Severity(measure="shift", above=0.02, below=0.03, relative=0.01))
    'refutes +0.02 and -0.03 (1 %)'
    """
    if found.untested:
        return found.untested
    if found.measure == "margin":
        share = "" if found.relative is None else f" ({100 * found.relative:.2g} % of the usual size)"
        return f"{found.above:.2g} to spare{share}"
    if found.measure == "factor":
        if found.relative is None:
            return ""
        if math.isinf(found.relative):
            return "with any factor to spare"
        return f"a factor {found.relative:.3g} to spare (holds down to {found.passes:.4g})"
    if found.measure == "exponent":
        above = "no larger exponent" if found.above is None else f"exponent +{found.above:.2g}"
        if found.unexcluded is not None:
            return f"refutes {above}; size^{-found.unexcluded:+.3g} counts as the stated one"
        return f"refutes {above}" + ("" if found.below is None else f" and -{found.below:.2g}")
    if found.measure in ("distance", "relative error"):
        return "" if found.above is None else f"refutes a {found.measure} of {found.above:.2g}"
    ends = [f"{sign}{end:.2g}" for sign, end in (("+", found.above), ("-", found.below)) if end is not None]
    share = (
        f" ({100 * found.relative:.2g} %)" if found.measure == "shift" and found.relative is not None else ""
    )
    return f"refutes {' and '.join(ends)}{share}" if ends else "refutes no other number"
