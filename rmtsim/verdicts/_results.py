"""What a verification returns: frozen, JSON-able, with a digest over everything but time."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from rmtsim._internal.defaults import LEVEL
from rmtsim.claims._model import Evidence, Form, Standing
from rmtsim.verdicts._needs import Need

__all__ = ["SCHEMA", "ClaimResult", "ModelRow", "PointResult", "Verdict", "without_chance"]

SCHEMA = 2
"""Version of the JSON layout (docs/verdicts.md); raised when a field changes meaning or goes away."""


class Verdict(StrEnum):
    """The three answers."""

    CONFIRMED = "CONFIRMED"
    REFUTED = "REFUTED"
    INCONCLUSIVE = "INCONCLUSIVE"


def _number(value: float | None) -> float | None:
    """JSON has no infinity and no NaN: an open end is null."""
    return None if value is None or not math.isfinite(value) else float(value)


@dataclass(frozen=True)
class ModelRow:
    """What one finite-size model says."""

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


@dataclass(frozen=True, kw_only=True)
class PointResult:
    """The verdict at one parameter point, with everything it rests on."""

    parameters: dict[str, Any]
    verdict: Verdict
    predicted: float | None
    """What the interval is compared with: limit, amplitude, exponent of a rate, bound (after any control)."""
    estimate: float | None
    interval: tuple[float, float]
    level: float
    tolerance: float
    sizes: tuple[int, ...]
    replicates: tuple[int, ...]
    values: tuple[float, ...]
    """Mean of the quantity (scaled for a rate with an amplitude) at each size."""
    errors: tuple[float, ...]
    """Its standard error; of a computed quantity, its numerical error."""
    quantity: str = "limit"
    """What ``estimate`` estimates: limit, amplitude, exponent, bound, error, probability."""
    statistical: float = 0.0
    """Half-width due to chance; of a computed quantity, due to extrapolation in the best model."""
    model: float = 0.0
    """What the choice among admissible finite-size models adds to it."""
    models: tuple[ModelRow, ...] = ()
    best_model: str = ""
    """The finite-size model behind ``estimate``."""
    weights: tuple[float, ...] = ()
    """Its Richardson weights, one per size: estimate = Σ weight·value. Empty where the estimate is not linear."""
    reason: str = ""
    lacks: tuple[Need, ...] = ()
    """For INCONCLUSIVE: what would decide it; ``needs`` has it in words."""
    more: float | None = None
    """For INCONCLUSIVE: nominal seconds that would decide it, where more of the same would."""
    e_value: float | None = None
    """Evidence against the statement: expected value at most 1 if it is true."""
    e_value_for: float | None = None
    """Evidence for it: expected value at most 1 if the truth lies outside the zone."""
    breakdown: float | None = None
    """Exponent of the slowest finite-size correction under which the verdict still stands: every correction that
    decays at least like size^-breakdown leaves it as it is. None where that does not apply (an open verdict, an
    identity, a bound)."""
    excluded_rate: float | None = None
    """For a confirmed identity or bound: violations more frequent than this are excluded at the level."""
    detectable: float | None = None
    """Smallest shift of the prediction that this budget would have refuted."""
    nominal: float = 0.0
    """Seconds of the declared cost model that were spent."""
    looks: int = 0
    curve: tuple[tuple[float, float, float, float], ...] = ()
    """(size, low, best, high) of the admissible models: the band of the figure."""
    drawn: bool = False
    """Whether the point was drawn by ``--draw``."""

    @property
    def needs(self) -> str:
        """What would decide an open verdict, in words."""
        from rmtsim.verdicts._words.needs import needs_words

        return needs_words(self.lacks)

    def as_json(self, evidence: Evidence = "simulated") -> dict[str, Any]:
        """Plain data, no infinities; what only chance has is null for a computed quantity."""
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
            "more_seconds": _number(self.more),
            "e_value": _number(self.e_value),
            "e_value_for": _number(self.e_value_for),
            "breakdown": _number(self.breakdown),
            "excluded_rate": _number(self.excluded_rate),
            "detectable": _number(self.detectable),
            "nominal_seconds": self.nominal,
            "looks": self.looks,
            "drawn": self.drawn,
        }


def without_chance(declared: dict[str, Any]) -> dict[str, Any]:
    """What a computed quantity declares: it has values instead of replicates, and spends no error level.

    >>> without_chance({"sizes": [8], "seconds_per_replicate": [0.1], "detectable": {"shift": 0.2, "level": 0.05}})
    {'sizes': [8], 'seconds_per_value': [0.1], 'detectable': {'shift': 0.2, 'level': None}}
    """
    told = {name.replace("per_replicate", "per_value"): value for name, value in declared.items()}
    if told.get("detectable"):
        told["detectable"] = {**told["detectable"], "level": None}
    return told


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
    "detectable",
    "reason",
    "needs",
    "lacks",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class ClaimResult:
    """The verdict on a claim: that of its deciding parameter point, which is named.

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
    control: float = 0.0
    family_level: float = LEVEL
    family_size: int = 1
    note: str = ""
    standing: Standing = "equation"
    """What the statement is in its paper."""
    evidence: Evidence = "simulated"
    form: Form = "printed"
    qualifier: str = ""
    """The paper's own word for how far it means the statement."""
    declared_cause: str = ""
    """The slip that the claim declares."""
    credit: str = ""
    """Where the paper has it right."""
    citation: str = ""
    chain: tuple[str, ...] = ()
    """For a computed quantity: the simulated claims that join it to a real model."""
    same_as: str = ""
    """The claim that tests the same statement at another place of the paper: the two are counted once."""
    correction: str = ""
    """Name of the corrected statement, where the claim declares one."""
    interrupted: bool = False
    failed: str = ""
    """Why the claim could not be examined: the error of its sampler, in one line."""
    declared: dict[str, Any] = field(default_factory=dict)
    """Sizes, exponents, tolerance and cost as declared before the run."""
    seconds: float = 0.0
    """Spent on computing batches in this run (reused ones cost nothing); not part of the digest."""
    batches: int = 0
    """Batches that the verdict rests on; not part of the digest, as the two that follow."""
    reused: int = 0
    """How many of them were in the store already."""
    target: str = field(default="", compare=False)
    """What to type after ``rmtsim verify``: the claim's name, FILE.py::NAME, or empty if it exists in memory only."""
    draw: int = field(default=0, compare=False)
    """Points that ``--draw`` asked for; some may have been the same."""
    own_grid: bool = field(default=True, compare=False)
    """Whether the points that were not drawn are those that the claim declares."""

    @property
    def deciding(self) -> PointResult:
        """A refuted point if there is one, else an undecided one, else the confirmed one nearest its zone's edge."""

        def rank(point: PointResult) -> tuple[int, float]:
            order = (Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.CONFIRMED).index(point.verdict)
            low, high = point.interval
            centre = point.predicted or 0.0
            reach = max(abs(low - centre), abs(high - centre))
            return order, -(reach / point.tolerance if point.tolerance > 0 else 0.0)

        return min(self.points, key=rank)

    @property
    def verdict(self) -> Verdict:
        """One refuted point refutes the claim; all points confirmed confirm it."""
        return self.deciding.verdict

    @property
    def cause(self) -> str | None:
        """Why the printed statement fails, where this run refuted it; None otherwise, and for a moved statement."""
        refuted = self.verdict is Verdict.REFUTED and self.form == "printed" and not self.control
        return self.declared_cause or None if refuted else None

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
            "citation": self.citation or None,
            "chain": list(self.chain),
            "same_as": self.same_as or None,
            "correction": self.correction or None,
            **{name: deciding[name] for name in _TOP},
            "parameters": deciding["parameters"],
            "size_name": self.size_name,
            "family_level": self.family_level,
            "family_size": self.family_size,
            "control": self.control,
            "note": self.note,
            "interrupted": self.interrupted,
            "failed": self.failed or None,
            "declared": without_chance(self.declared) if self.evidence == "computed" else self.declared,
            "seed": self.seed,
            "version": self.version,
            "points": [point.as_json(self.evidence) for point in self.points],
        }

    def as_json(self) -> dict[str, Any]:
        """The object that ``rmtsim verify --json`` prints (docs/verdicts.md documents every field)."""
        return {
            **self._content(),
            "seconds": round(self.seconds, 3),
            "batches": {"computed": self.batches - self.reused, "reused": self.reused},
            "digest": self.digest,
        }

    # What shows a result is imported where it is used: it needs this module, and rich and matplotlib are heavy.

    def __repr__(self) -> str:
        from rmtsim.verdicts._words.numbers import estimate_words

        point = self.deciding
        return f"<ClaimResult {self.claim}: {self.verdict}, {point.quantity} {estimate_words(point)}>"

    def __str__(self) -> str:
        """One screen: statement, verdict, prediction, estimate at every parameter point, and what to do next."""
        from rmtsim.verdicts._words.next_step import next_step
        from rmtsim.verdicts._words.table import verdict_row

        few = len(self.points) <= _ONE_SCREEN
        return f"{verdict_row(self, 100, points=few).plain}\nnext: {next_step(self)}"

    def _repr_html_(self) -> str:
        from rmtsim.verdicts._words.html import result_html

        return result_html(self)

    def explain(self) -> str:
        """The whole reasoning, in words a referee could quote."""
        from rmtsim.verdicts._words.explain import explain

        return explain(self)

    def plot(self) -> Any:
        """The figure behind the verdict (a matplotlib Figure): values against size, models, prediction, interval."""
        from rmtsim.plots._verdict import verdict_figure

        return verdict_figure(self)

    def rows(self) -> list[dict[str, Any]]:
        """One plain row per parameter point, for tables."""
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
            }
            for point in self.points
        ]

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row per parameter point (pandas is not installed with rmtsim)."""
        from rmtsim.verdicts._collection import frame

        return frame(self.rows())

    @property
    def next_step(self) -> str:
        """What a reader would do next: a command, or what is lacking."""
        from rmtsim.verdicts._words.next_step import next_step

        return next_step(self)


_ONE_SCREEN = 6
"""Parameter points that one screen shows."""
