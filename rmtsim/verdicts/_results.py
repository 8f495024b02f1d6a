"""What a verification returns: frozen, JSON-able, with a digest over everything but time."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import field
from enum import StrEnum
from typing import Any

from rmtsim._internal.docstrings import frozen, returns_figure, returns_text
from rmtsim.claims._model import LEVEL, Evidence, Form, Standing
from rmtsim.verdicts._needs import Lack, Need, Warned
from rmtsim.verdicts._severity import Grade, Severity, why_weak

SCHEMA = 3
"""Version of the JSON layout (docs/verdict-json.md); raised when a field changes meaning or goes away."""


class Verdict(StrEnum):
    """Verdict on a statement.

    Attributes
    ----------
    CONFIRMED
        The whole interval lies within the tolerance of the prediction.
    REFUTED
        Under every admissible finite-size model the interval excludes the prediction.
    INCONCLUSIVE
        Neither.
    UNTESTED
        No admissible outcome could have refuted the statement at the tested points.

    Examples
    --------
    >>> from rmtsim.verdicts import Verdict
    >>> Verdict("REFUTED") is Verdict.REFUTED, str(Verdict.REFUTED)
    (True, 'REFUTED')
    """

    CONFIRMED = "CONFIRMED"
    REFUTED = "REFUTED"
    INCONCLUSIVE = "INCONCLUSIVE"
    UNTESTED = "UNTESTED"


def _number(value: float | None) -> float | None:
    """The number, or None if it is not finite, because JSON has no infinity and no NaN."""
    return None if value is None or not math.isfinite(value) else float(value)


@frozen
class ModelRow:
    """Result under one finite-size model."""

    name: str
    interval: tuple[float, float] | None
    """None for a model that the data rule out."""
    quality: float
    """Squared distance from the data in units of the confidence set; at most 1 for an admissible model."""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "admissible": self.interval is not None,
            "interval": None if self.interval is None else [_number(end) for end in self.interval],
            "quality": _number(self.quality),
        }


@frozen(kw_only=True)
class PointResult:
    """Verdict at one parameter point, with all numbers it depends on.

    Examples
    --------
    >>> from rmtsim.verdicts import verify
    >>> point = verify("dong.thm1.diagonal-limit")[0].points[0]
    >>> str(point.verdict), point.quantity, abs(point.estimate - point.predicted) < point.tolerance
    ('CONFIRMED', 'limit', True)
    """

    parameters: dict[str, Any]
    """The parameter point."""
    verdict: Verdict
    """The verdict."""
    predicted: float | None
    """Stated value: limit, amplitude, exponent of a rate or bound."""
    estimate: float | None
    """Estimate of the quantity."""
    interval: tuple[float, float]
    """Confidence interval over all admissible finite-size models."""
    level: float
    """Error probability of the interval."""
    tolerance: float
    """Half-width of the zone around the prediction that counts as equal."""
    sizes: tuple[int, ...]
    replicates: tuple[int, ...]
    """Sizes and the number of replicates at each."""
    values: tuple[float, ...]
    errors: tuple[float, ...]
    """Mean of the quantity at each size (scaled for a rate with an amplitude) and its standard error; for a
    computed quantity its numerical error."""
    quantity: str = "limit"
    """What is estimated: "limit", "amplitude", "exponent", "bound", "error" or "probability"."""
    statistical: float = 0.0
    """Half-width due to chance; for a computed quantity, due to extrapolation in the best model."""
    model: float = 0.0
    """Additional half-width due to the choice of the finite-size model."""
    models: tuple[ModelRow, ...] = ()
    """Finite-size models with their intervals."""
    best_model: str = ""
    """Model of the estimate."""
    weights: tuple[float, ...] = ()
    """Richardson weights: estimate = Σ weight·value; empty if the estimate is not linear."""
    reason: str = ""
    """Reason of the verdict, in words."""
    lacks: tuple[Need, ...] = ()
    """What an inconclusive verdict lacks."""
    warnings: tuple[Warned, ...] = ()
    """What a reader is warned of in the first line of the verdict."""
    declared_sizes: tuple[int, ...] = ()
    """Sizes that the claim declares; ``sizes`` are those measured."""
    voting: tuple[int, ...] = ()
    """Sizes whose own interval would show a deviation that matters."""
    deviations: tuple[float, ...] = ()
    """Standard deviation of a replicate at each size; of a bound of zero, the root mean square."""
    more: float | None = None
    """Nominal seconds that would decide an inconclusive verdict, if more of the same would."""
    more_range: tuple[float, float] | None = None
    """The same as a range. Its ends are equal if ``more`` is predicted within a factor of two; its upper end may be
    infinite."""
    e_value: float | None = None
    e_value_for: float | None = None
    """Evidence against and for the statement; the expectation is at most 1 if the statement is true, or false."""
    breakdown: float | None = None
    """Exponent of the slowest finite-size correction under which the verdict remains valid; None if it does not
    apply."""
    excluded_rate: float | None = None
    """For a confirmed identity or bound: violations more frequent than this are excluded at the level."""
    severity: Severity | None = None
    """For a confirmed statement: the nearest wrong statement that this evidence refutes, and the grade."""
    nominal: float = 0.0
    """Nominal seconds spent."""
    looks: int = 0
    """Number of times the evidence was evaluated."""
    curve: tuple[tuple[float, float, float, float], ...] = ()
    """(size, low, best, high) of the admissible models."""
    drawn: bool = False
    """Whether the point was drawn from the domain."""

    @property
    def needs(self) -> str:
        """What would decide an INCONCLUSIVE verdict, in words."""
        if not self.lacks:
            return ""
        from rmtsim.verdicts._words.reasons import needs_words

        return needs_words(self.lacks)

    @property
    def warned(self) -> str:
        """What a reader is warned of, in words."""
        from rmtsim.verdicts._words.reasons import warnings_words

        return warnings_words(self.warnings)

    @property
    def spread(self) -> float | None:
        """Exponent with which the standard deviation decays between the smallest and the largest size."""
        if len(self.deviations) < 2 or not min(self.deviations[0], self.deviations[-1]) > 0:
            return None
        return math.log(self.deviations[0] / self.deviations[-1]) / math.log(self.sizes[-1] / self.sizes[0])

    def as_json(self, evidence: Evidence = "simulated") -> dict[str, Any]:
        """Result as plain data.

        Parameters
        ----------
        evidence : {"simulated", "computed"}, optional
            Kind of evidence; entries that only chance has are None for a computed quantity.

        Returns
        -------
        dict
            Numbers, text, lists and None; infinite numbers are None.
        """
        random = evidence == "simulated"
        return {
            "parameters": self.parameters,
            "verdict": str(self.verdict),
            "predicted": _number(self.predicted),
            "estimate": _number(self.estimate),
            "interval": [_number(end) for end in self.interval],
            "quantity": self.quantity,
            "level": self.level if random else None,
            "tolerance": _number(self.tolerance),
            "sizes": list(self.sizes),
            "replicates": list(self.replicates) if random else None,
            "values": [_number(value) for value in self.values],
            "standard_errors": [_number(error) for error in self.errors] if random else None,
            "error_budget": {
                "statistical" if random else "extrapolation": _number(self.statistical),
                "model": _number(self.model),
            },
            "models": [row.as_json() for row in self.models],
            "best_model": self.best_model,
            "richardson_weights": [_number(weight) for weight in self.weights],
            "reason": self.reason,
            "needs": self.needs,
            "lacks": [str(need.lack) for need in self.lacks],
            "warnings": self.warned or None,
            "evidence_base": {
                "sizes_declared": list(self.declared_sizes),
                "sizes_measured": [n for n, k in zip(self.sizes, self.replicates, strict=False) if k],
                "sizes_voting": list(self.voting),
                "replicates_at_the_two_largest": list(self.replicates[-2:]) if random else None,
                "standard_deviations": [_number(each) for each in self.deviations] if random else None,
                "spread_exponent": _number(self.spread) if random else None,
            },
            "more_seconds": _number(self.more),
            "more_seconds_range": None
            if self.more_range is None
            else [_number(end) for end in self.more_range],
            "e_value": _number(self.e_value),
            "e_value_for": _number(self.e_value_for),
            "breakdown": _number(self.breakdown),
            "excluded_rate": _number(self.excluded_rate),
            "severity": None if self.severity is None else self.severity.as_json(),
            "nominal_seconds": self.nominal,
            "looks": self.looks,
            "drawn": self.drawn,
        }


def without_chance(declared: dict[str, Any]) -> dict[str, Any]:
    """What a computed quantity declares: it has values instead of replicates, and spends no error level.

    >>> without_chance({"sizes": [8], "seconds_per_replicate": [0.1]})
    {'sizes': [8], 'seconds_per_value': [0.1]}
    """
    return {name.replace("per_replicate", "per_value"): value for name, value in declared.items()}


_TOP = (
    "verdict",
    "predicted",
    "estimate",
    "interval",
    "quantity",
    "level",
    "tolerance",
    "sizes",
    "replicates",
    "e_value",
    "e_value_for",
    "breakdown",
    "reason",
    "needs",
    "lacks",
    "warnings",
    "evidence_base",
)


@frozen(kw_only=True, repr=False)
class ClaimResult:
    """Verdict on a claim, which is that of its deciding parameter point.

    Parameters
    ----------
    claim, source, kind, statement, size_name : str
        Id, place in the paper, kind and text of the statement, and the symbol of the size.
    points : tuple of PointResult
        Results at the parameter points.
    seed : int
        Root seed.
    version : str
        Version of rmtsim.
    family_level : float, optional
        Error probability shared by all claims of the run.
    family_size : int, optional
        Number of claims of the run.
    note, standing, evidence, form, qualifier, declared_cause, credit, weak : str, optional
        What the claim declares; see :class:`rmtsim.claims.Claim`.
    citation, chain, same_as, correction : str or tuple of str, optional
        What the claim declares; see :class:`rmtsim.claims.Claim`.
    fdr : bool, optional
        Whether ``family_level`` is the false discovery rate of the run, instead of the family-wise error probability.
    interrupted : bool, optional
        Whether the run was interrupted.
    failed : str, optional
        Error of the sampler, if the claim could not be examined.
    declared : dict, optional
        Sizes, exponents, tolerance and cost as declared before the run.
    seconds : float, optional
        Seconds spent on computing batches in this run.
    batches, reused : int, optional
        Number of batches, and how many of them were in the store.
    target : str, optional
        Argument of ``rmtsim verify`` for this claim; empty if it exists in memory only.
    draw : int, optional
        Number of points requested by ``draw``.
    own_grid : bool, optional
        Whether the points that were not drawn are those that the claim declares.

    Attributes
    ----------
    deciding : PointResult
        A refuted point if there is one, otherwise the inconclusive one that is nearest to a verdict, otherwise the
        confirmed one closest to the edge of its zone.
    verdict : Verdict
        Verdict of the deciding point.
    cause : str or None
        Reason why the printed statement fails, if this run refuted it.
    severity : Severity or None
        Severity at the point that refutes the nearest wrong statement; None unless the claim is confirmed.
    grade : Grade or None
        Grade of a confirmed claim, "sharp" or "weak"; None where it has none.
    digest : str
        SHA-256 of everything except times and batch counts.
    next_step : str
        What to do next: a command, or what is missing.

    Examples
    --------
    >>> from rmtsim import verify
    >>> (result,) = verify("dong.thm1.diagonal-limit")
    >>> result
    <ClaimResult dong.thm1.diagonal-limit: CONFIRMED, limit 14.59140914 in [14.59140893, 14.59140936]>
    """

    claim: str
    source: str
    kind: str
    statement: str
    size_name: str
    points: tuple[PointResult, ...]
    seed: int
    version: str
    family_level: float = LEVEL
    family_size: int = 1
    note: str = ""
    standing: Standing = "equation"
    evidence: Evidence = "simulated"
    form: Form = "printed"
    qualifier: str = ""
    declared_cause: str = ""
    credit: str = ""
    weak: str = ""
    citation: str = ""
    chain: tuple[str, ...] = ()
    same_as: str = ""
    correction: str = ""
    fdr: bool = False
    interrupted: bool = False
    failed: str = ""
    declared: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    batches: int = 0
    reused: int = 0
    target: str = field(default="", compare=False)
    draw: int = field(default=0, compare=False)
    own_grid: bool = field(default=True, compare=False)

    @property
    def deciding(self) -> PointResult:
        """A refuted point if there is one, else an undecided one, else the confirmed one nearest its zone's edge."""

        def rank(point: PointResult) -> tuple[int, float]:
            order = _ORDER.index(point.verdict)
            low, high = point.interval
            if point.verdict is Verdict.INCONCLUSIVE:
                return order, _nearness(point)
            centre = point.predicted or 0.0
            reach = max(abs(low - centre), abs(high - centre))
            return order, -(reach / point.tolerance if point.tolerance > 0 else 0.0)

        return min(self.points, key=rank)

    @property
    def verdict(self) -> Verdict:
        """One refuted point refutes the claim; all points confirmed confirm it."""
        return self.deciding.verdict

    @property
    def severity(self) -> Severity | None:
        """Severity at the point that refutes the nearest wrong statement; None unless confirmed or untested."""
        if self.verdict not in (Verdict.CONFIRMED, Verdict.UNTESTED):
            return None
        found = [each.severity for each in self.points if each.severity is not None]
        tested = [each for each in found if not each.untested] or found

        def reach(each: Severity) -> float:
            return math.inf if each.relative is None else each.relative

        return min(tested, key=reach, default=None)

    @property
    def grade(self) -> Grade | None:
        """Sharp or weak, of a confirmed claim; None where the scale of the statement is unknown."""
        return None if self.severity is None else self.severity.grade

    @property
    def cause(self) -> str | None:
        """Why the printed statement fails, where this run refuted it; None otherwise."""
        refuted = self.verdict is Verdict.REFUTED and self.form == "printed"
        return self.declared_cause or None if refuted else None

    @property
    def why_weak(self) -> str:
        """Why a confirmation is weak, as declared or by the rule; empty for any other result."""
        return why_weak(self.severity, self.weak)

    @property
    def digest(self) -> str:
        """SHA-256 over everything but time."""
        content = self._content()
        return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode()).hexdigest()

    def _content(self) -> dict[str, Any]:
        deciding = self.deciding.as_json(self.evidence)
        return {
            "schema": SCHEMA,
            "claim": self.claim,
            "source": self.source,
            "kind": self.kind,
            "statement": self.statement,
            "standing": self.standing,
            "evidence": self.evidence,
            "form": self.form,
            "qualifier": self.qualifier.strip("“”") or None,
            "cause": self.cause,
            "credit": self.credit or None,
            "why_weak": self.why_weak or None,
            "citation": self.citation or None,
            "chain": list(self.chain),
            "same_as": self.same_as or None,
            "correction": self.correction or None,
            **{name: deciding[name] for name in _TOP},
            "grade": None if self.grade is None else str(self.grade),
            "severity": None if self.severity is None else self.severity.as_json(),
            "parameters": deciding["parameters"],
            "size_name": self.size_name,
            "family_level": self.family_level,
            "family_size": self.family_size,
            **({"error_rate": "false discovery"} if self.fdr else {}),
            "note": self.note,
            "interrupted": self.interrupted,
            "failed": self.failed or None,
            "declared": without_chance(self.declared) if self.evidence == "computed" else self.declared,
            "seed": self.seed,
            "version": self.version,
            "points": [point.as_json(self.evidence) for point in self.points],
        }

    def as_json(self) -> dict[str, Any]:
        """Result as plain data, the object that ``rmtsim verify --json`` prints.

        Returns
        -------
        dict
            Fields as documented on the page docs/verdict-json.md.
        """
        return {
            **self._content(),
            "seconds": round(self.seconds, 3),
            "batches": {"computed": self.batches - self.reused, "reused": self.reused},
            "digest": self.digest,
        }

    # Display code is imported where it is used: it needs this module, and rich and matplotlib are slow to import.

    def __repr__(self) -> str:
        from rmtsim.verdicts._words.numbers import estimate_words

        point = self.deciding
        return f"<ClaimResult {self.claim}: {self.verdict}, {point.quantity} {estimate_words(point)}>"

    def __str__(self) -> str:
        """One screen: statement, verdict, prediction, estimate at every parameter point, and what to do next."""
        from rmtsim.verdicts._words.summary import next_step
        from rmtsim.verdicts._words.table import verdict_row

        few = len(self.points) <= _ONE_SCREEN
        return f"{verdict_row(self, 100, points=few).plain}\nnext: {next_step(self)}"

    def _repr_html_(self) -> str:
        from rmtsim.verdicts._words.html import result_html

        return result_html(self)

    @returns_text
    def explain(self) -> str:
        """Full reasoning in words."""
        from rmtsim.verdicts._words.explain import explain

        return explain(self)

    @returns_figure
    def plot(self) -> Any:
        """Values against size, with finite-size models, prediction and interval."""
        from rmtsim.plots._verdict import verdict_figure

        return verdict_figure(self)

    def rows(self) -> list[dict[str, Any]]:
        """Table of the parameter points.

        Returns
        -------
        list of dict
            One row per parameter point.
        """
        return [
            {
                "claim": self.claim,
                "statement": self.statement,
                "standing": self.standing,
                "form": self.form,
                "evidence": self.evidence,
                **point.parameters,
                "verdict": str(point.verdict),
                "predicted": point.predicted,
                "tolerance": point.tolerance,
                "quantity": point.quantity,
                "estimate": point.estimate,
                "low": point.interval[0],
                "high": point.interval[1],
                "level": point.level if self.evidence == "simulated" else None,
                "breakdown": point.breakdown,
                "grade": None
                if point.severity is None or not point.severity.grade
                else str(point.severity.grade),
            }
            for point in self.points
        ]

    def to_frame(self) -> Any:
        """Table of the parameter points as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per parameter point.

        Raises
        ------
        ImportError
            If pandas is not installed (extra ``notebook``).
        """
        from rmtsim.verdicts._collection import frame

        return frame(self.rows())

    @property
    def next_step(self) -> str:
        """What a reader would do next: a command, or what is lacking."""
        from rmtsim.verdicts._words.summary import next_step

        return next_step(self)


def _nearness(point: PointResult) -> float:
    """Distance of an undecided point from a verdict: a declaration, some seconds, or unknown."""
    if any(need.lack is Lack.EXPONENTS and need.verdict for need in point.lacks):
        return -1.0
    return math.inf if point.more is None else point.more


_ORDER = (Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.CONFIRMED, Verdict.UNTESTED)
"""The first of these that a point of a claim has is the verdict of the claim."""

_ONE_SCREEN = 6
"""Parameter points that one screen shows."""
