"""One claim at one parameter point, as a generator: asks for batches, is sent their values, ends in a result.

It never measures time: what it asks next depends on values and on the declared cost alone, so the same seed
gives the same result with any runner. Sent ``None`` (allowance spent, or an interrupt), it ends with what it
has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Claim
from rmtsim.runs.work import BatchKey
from rmtsim.verify.allocation import next_batches
from rmtsim.verify.analysis import Analysis, analyse_limit, analyse_rate, analyse_sequence, decide
from rmtsim.verify.curves import Curve
from rmtsim.verify.design import Design, make_design
from rmtsim.verify.evalues import evidence_values
from rmtsim.verify.evidence import Evidence, MeanSet
from rmtsim.verify.outlook import outlook_of
from rmtsim.verify.results import PointResult, Verdict

__all__ = ["Examination", "Request", "Setting", "examine"]

GROWTH = 0.5
"""Each round adds this share of what was spent: looking is free, so looks may be frequent."""


SMALLEST_ROUND = 0.05
"""A last round worth less than this share of what was spent would change nothing."""


@dataclass(frozen=True)
class Request:
    """Batches wanted, their nominal cost, and the nominal seconds until a verdict is expected."""

    keys: tuple[BatchKey, ...]
    cost: float
    outlook: float = 0.0


@dataclass(frozen=True)
class Setting:
    """What an examination is told: point, seed, level, allowance, shift of the prediction."""

    parameters: dict[str, Any]
    seed: int
    level: float
    allowance: float
    control: float = 0.0
    drawn: bool = False
    left: Callable[[], float] = lambda: math.inf
    """Nominal seconds that are still to be had: the last round takes what is left rather than nothing."""


Examination = Generator[Request, "list[NDArray[np.float64]] | None", PointResult]


def examine(claim: Claim, setting: Setting) -> Examination:
    """The examination of ``claim`` at a point, by its kind."""
    if claim.kind == "identity":
        from rmtsim.verify.pointwise import examine_identity

        return examine_identity(claim, setting)
    if claim.kind == "bound":
        from rmtsim.verify.pointwise import examine_bound

        return examine_bound(claim, setting)
    if claim.outer is not None:
        from rmtsim.verify.iterated import examine_iterated

        return examine_iterated(claim, setting)
    if claim.exact is not None:
        return _examine_exact(claim, setting)
    return _examine_random(claim, setting)


@dataclass(frozen=True)
class Question:
    """What the interval is compared with."""

    quantity: str
    predicted: float
    tolerance: float
    at_least: bool = False
    scale: Callable[[int], float] = lambda size: 1.0
    possible: tuple[float, float] = (-math.inf, math.inf)
    rate: bool = False

    def verdict(self, interval: tuple[float, float]) -> Verdict:
        """By equivalence."""
        return decide(interval, self.predicted, self.tolerance, at_least=self.at_least)


def shifted(predicted: float, control: float) -> float:
    """A prediction moved by the share ``control`` of itself; a prediction of zero moves by ``control``."""
    return predicted + control * (abs(predicted) if predicted != 0 else 1.0)


def question(claim: Claim, setting: Setting) -> Question:
    """What is asked of this claim at this point, after any control shift."""
    if claim.kind == "rate":
        if claim.exponent is None:
            raise ValueError(f"{claim.id}: a rate must declare its exponent")
        exponent = claim.exponent
        if claim.predict is None or claim.relation == "O":
            return Question(
                "exponent",
                shifted(exponent, setting.control),
                claim.tolerance.width(exponent),
                at_least=claim.relation == "O",
                rate=True,
            )
        predicted = claim.prediction(setting.parameters)
        return Question(
            "amplitude",
            shifted(predicted, setting.control),
            claim.tolerance.width(predicted),
            scale=lambda size: float(size) ** exponent,
        )
    predicted = claim.prediction(setting.parameters)
    possible = (-math.inf, math.inf)
    if claim.kind == "law":
        possible = (0.0, math.inf)
    if claim.kind == "probability":
        possible = (0.0, 1.0)
    if claim.support is not None:
        possible = (max(possible[0], claim.support[0]), min(possible[1], claim.support[1]))
    # A probability of one can only be shifted downwards.
    control = -abs(setting.control) if claim.kind == "probability" else setting.control
    quantity = {"law": "distance", "probability": "probability"}.get(claim.kind, "limit")
    return Question(
        quantity, shifted(predicted, control), claim.tolerance.width(predicted), possible=possible
    )


def keys_for(
    claim: Claim, setting: Setting, size: int, start: int, number: int, length: int
) -> list[BatchKey]:
    """Names of ``number`` batches from number ``start`` on."""
    point = tuple(sorted(setting.parameters.items()))
    return [BatchKey(claim, point, size, start + step, length, setting.seed) for step in range(number)]


def _analyse(claim: Claim, asked: Question, means: MeanSet, *, refine: bool = True) -> Analysis:
    if asked.rate:
        return analyse_rate(means, claim.exponents, refine=refine)
    return analyse_limit(means, claim.exponents, refine=refine).within(*asked.possible)


def _foresee(
    claim: Claim,
    setting: Setting,
    asked: Question,
    evidence: Evidence,
    means: MeanSet,
    counts: NDArray[np.float64],
) -> Analysis:
    # Coarse grids do for planning; they are only used to compare splits.
    return _analyse(claim, asked, evidence.foreseen(setting.level, counts, means), refine=False)


def _examine_random(claim: Claim, setting: Setting) -> Examination:
    asked = question(claim, setting)
    design = make_design(claim, setting.parameters, setting.allowance)
    support = (0.0, 1.0) if claim.kind == "probability" else claim.support
    evidence = Evidence(
        design.sizes, tuple(asked.scale(size) for size in design.sizes), design.widths, support
    )
    taken = np.zeros(len(design.sizes), dtype=np.int_)
    wanted = np.array(design.first)
    analysis = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
    spent, looks, outlook = 0.0, 0, 0.0
    while True:
        keys: list[BatchKey] = []
        owners: list[int] = []
        # Large sizes first: they are the longest jobs, and workers should not wait for one at the end.
        for index in reversed(range(len(design.sizes))):
            batch = keys_for(
                claim,
                setting,
                design.sizes[index],
                int(taken[index]),
                int(wanted[index]),
                design.batches[index],
            )
            keys += batch
            owners += [index] * len(batch)
        cost = design.cost(wanted)
        values = yield Request(tuple(keys), cost, outlook)
        if values is None:
            break
        for index in np.flatnonzero(wanted).tolist():
            mine = [batch for owner, batch in zip(owners, values, strict=True) if owner == index]
            evidence.add(index, np.concatenate(mine))
        taken += wanted
        spent += cost
        looks += 1
        means = evidence.mean_set(setting.level)
        analysis = _analyse(claim, asked, means)
        if asked.verdict(analysis.interval) is not Verdict.INCONCLUSIVE:
            break
        outlook = outlook_of(asked.predicted, asked.tolerance, analysis, spent)
        if not any(moments.second > 0 for moments in evidence.moments) and looks > 3:
            break  # no noise left to reduce
        more = min(GROWTH * spent, setting.left())
        if more < SMALLEST_ROUND * spent:
            break
        wanted = next_batches(
            design,
            np.array(evidence.counts),
            means,
            partial(_foresee, claim, setting, asked, evidence, means),
            more,
        )
    return _result(claim, setting, asked, design, evidence, analysis, spent, looks)


def _result(
    claim: Claim,
    setting: Setting,
    asked: Question,
    design: Design,
    evidence: Evidence,
    analysis: Analysis,
    spent: float,
    looks: int,
) -> PointResult:
    from rmtsim.verify.reasons import explain_limit, what_would_decide

    verdict = asked.verdict(analysis.interval)
    half = (analysis.interval[1] - analysis.interval[0]) / 2

    def verdict_at(level: float) -> Verdict:
        found = _analyse(claim, asked, evidence.mean_set(level), refine=False)
        return asked.verdict(found.interval)

    curve: Curve = ()
    if looks and not asked.rate:
        curve = analyse_limit(evidence.mean_set(setting.level), claim.exponents, band=True).curve
    against, in_favour = evidence_values(verdict_at, setting.level) if looks else (1.0, 1.0)
    return PointResult(
        parameters=setting.parameters,
        verdict=verdict,
        predicted=asked.predicted,
        estimate=analysis.estimate if math.isfinite(analysis.estimate) else None,
        interval=analysis.interval,
        level=setting.level,
        tolerance=asked.tolerance,
        sizes=design.sizes,
        replicates=evidence.counts,
        values=tuple(evidence.means.tolist()),
        errors=evidence.standard_errors,
        quantity=asked.quantity,
        statistical=analysis.statistical,
        model=analysis.model,
        models=analysis.rows,
        reason=explain_limit(asked.quantity, verdict, analysis, asked.predicted, asked.tolerance),
        needs=what_would_decide(verdict, asked.predicted, asked.tolerance, analysis, spent, design.dropped),
        e_value=against,
        e_value_for=in_favour,
        # The interval at the end of the whole allowance would be narrower by the square root of the time.
        detectable=asked.tolerance + half * math.sqrt(min(1.0, spent / setting.allowance))
        if math.isfinite(half)
        else None,
        nominal=spent,
        looks=looks,
        curve=curve,
        drawn=setting.drawn,
    )


def _examine_exact(claim: Claim, setting: Setting) -> Examination:
    """A sampler without chance: one evaluation per size, then Richardson tables."""
    from rmtsim.verify.reasons import explain_limit, what_would_decide

    asked = question(claim, setting)
    assert claim.exact is not None
    sizes = claim.sizes
    keys = [keys_for(claim, setting, size, 0, 1, 1)[0] for size in sizes]
    cost = sum(float(claim.cost(setting.parameters, size)) for size in sizes)
    values = yield Request(tuple(keys), cost)
    analysis = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
    numbers: list[float] = []
    errors: list[float] = []
    if values is not None:
        numbers = [float(value[0]) * asked.scale(size) for value, size in zip(values, sizes, strict=True)]
        rounding = max(claim.exact, 4 * float(np.finfo(float).eps))
        errors = [rounding * abs(number) for number in numbers]
        if asked.rate:
            logs = np.log(np.abs(numbers))
            steps = np.diff(np.log(sizes))
            slopes = (-np.diff(logs) / steps).tolist()
            middles = np.sqrt(np.array(sizes[1:]) * np.array(sizes[:-1])).tolist()
            slope_errors = (2 * rounding / steps).tolist()
            analysis = analyse_sequence(middles, slopes, slope_errors, claim.exponents)
        else:
            analysis = analyse_sequence(sizes, numbers, errors, claim.exponents).within(*asked.possible)
    verdict = asked.verdict(analysis.interval)
    half = (analysis.interval[1] - analysis.interval[0]) / 2
    return PointResult(
        parameters=setting.parameters,
        verdict=verdict,
        predicted=asked.predicted,
        estimate=analysis.estimate if math.isfinite(analysis.estimate) else None,
        interval=analysis.interval,
        level=setting.level,
        tolerance=asked.tolerance,
        sizes=sizes,
        replicates=(1,) * len(sizes) if numbers else (0,) * len(sizes),
        values=tuple(numbers),
        errors=tuple(errors),
        quantity=asked.quantity,
        statistical=analysis.statistical,
        model=analysis.model,
        models=analysis.rows,
        reason=explain_limit(asked.quantity, verdict, analysis, asked.predicted, asked.tolerance),
        needs=what_would_decide(verdict, asked.predicted, asked.tolerance, analysis, math.inf, ()),
        detectable=asked.tolerance + half if math.isfinite(half) else None,
        nominal=cost if numbers else 0.0,
        looks=1 if numbers else 0,
        curve=analysis.curve,
        drawn=setting.drawn,
    )
