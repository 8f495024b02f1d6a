"""The full reasoning of a verdict in words."""

from __future__ import annotations

import math

from rmtsim.claims._model import value_words
from rmtsim.verdicts._results import ClaimResult, PointResult
from rmtsim.verdicts._severity import severity_words
from rmtsim.verdicts._words.numbers import OWN_CLAIM, ends_words, quoted
from rmtsim.verdicts._words.reasons import evidence_base

_AT_EVERY_SIZE = ("identity", "bound")
"""Kinds that state something of every size: nothing is extrapolated."""


def explain(result: ClaimResult) -> str:
    """Statement, plan, evidence, models, error budget and verdict of every parameter point, as plain text."""
    declared = result.declared
    lines = [
        f"{result.claim}  ({result.source}, {result.kind})",
        *([f"Paper: {result.citation}"] if result.citation else []),
        f"Standing: {_standing(result)}",
        f"Statement: {result.statement}",
        f"Verdict: {result.verdict}{f' (cause: {result.cause})' if result.cause else ''}"
        f"{f' (warning: {result.deciding.warned})' if result.deciding.warned else ''}",
        f"Evidence: {_evidence(result)}",
        *([f"The same statement as {result.same_as}; the two are counted once."] if result.same_as else []),
        "",
        "Declared before the run:",
        f"  sizes ({declared.get('size_name', result.size_name)}): {', '.join(map(str, declared['sizes']))}",
        *_outer(result),
        *_corrections(result),
        f"  tolerance: absolute {declared['tolerance']['absolute']:g}, relative {declared['tolerance']['relative']:g} "
        "(the larger counts)",
        f"  nominal seconds per {'replicate' if result.evidence == 'simulated' else 'value'}: "
        + ", ".join(f"{cost:.2g}" for cost in declared["seconds_per_replicate"]),
        *_known(result),
        _level(result),
    ]
    for point in result.points:
        lines += ["", *_point(result, point)]
    if result.note:
        lines += ["", f"Note: {result.note}"]
    if result.why_weak:
        lines += ["", f"Weak because: {result.why_weak}"]
    if result.credit:
        lines += ["", f"In the paper's favour: {result.credit}"]
    if result.interrupted:
        lines += ["", "The run was interrupted; these are the verdicts so far."]
    return "\n".join(lines)


def _outer(result: ClaimResult) -> list[str]:
    """The values of the parameter that grows after the size, for an iterated limit."""
    values = result.declared.get("outer")
    return [f"  then {result.size_name} grows: {', '.join(map(str, values))}"] if values else []


def _corrections(result: ClaimResult) -> list[str]:
    """The finite-size corrections that are admitted; an identity or a bound is not extrapolated."""
    if result.kind in _AT_EVERY_SIZE:
        return []
    exponents = result.declared["exponents"]
    return [
        f"  finite-size corrections: exponents {', '.join(f'{p:.3g}' for p in exponents)} and a free one between "
        f"{min(exponents):.3g} and 3, with one term more than the values need"
    ]


_FORMS = {
    "printed": "as printed",
    "corrected": "in corrected form",
    "ours": "ours: the paper does not make the statement",
}


def _standing(result: ClaimResult) -> str:
    if not result.citation:
        return f"{OWN_CLAIM}{', corrected' if result.form == 'corrected' else ''}"
    form = _FORMS[result.form]
    if result.standing == "heuristic":
        return f"a heuristic, {form}; the paper says {quoted(result.qualifier)}, so it is counted apart from theorems"
    return f"{result.standing}, {form}{f' ({quoted(result.qualifier)})' if result.qualifier else ''}"


def _evidence(result: ClaimResult) -> str:
    if result.evidence == "simulated":
        return "simulated: random draws, independent of each other"
    accuracy = result.declared.get("accuracy")
    chain = f"; compared with simulation by {', '.join(result.chain)}" if result.chain else ""
    then = "" if result.kind in _AT_EVERY_SIZE else ", extrapolated in the size"
    return f"computed: no random numbers; values to a relative error of {accuracy:g}{then}{chain}"


def _level(result: ClaimResult) -> str:
    if result.evidence == "computed":
        return "Error level: none is spent, since nothing here is random."
    if result.fdr:
        return (
            f"Error level: at most {result.family_level:g} of the decided claims of this run are expected to be wrong "
            f"(false discovery rate, e-BH over {result.family_size} claims); each point was examined at level "
            f"{result.points[0].level:.3g}."
        )
    return (
        f"Error level: the family of {result.family_size} claim{'s' if result.family_size > 1 else ''} has "
        f"{result.family_level:g}; each of the {len(result.points)} parameter point"
        f"{'s' if len(result.points) > 1 else ''} of this claim received {result.points[0].level:.3g} "
        "(Bonferroni; computed claims spend none)."
    )


def _values(result: ClaimResult, point: PointResult) -> list[str]:
    """The value at each size, with its error and count where it was drawn."""
    if result.evidence == "computed":
        return [
            "  computed:",
            *(
                f"    {result.size_name} = {size}: {value:.10g}"
                for size, value in zip(point.sizes, point.values, strict=False)
            ),
        ]
    lines = [
        f"  measured (evaluated {point.looks} time{'s' if point.looks != 1 else ''}, which the level allows for):"
    ]
    for size, count, value, error in zip(
        point.sizes, point.replicates, point.values, point.errors, strict=False
    ):
        noise = f" ± {error:.2g}" if math.isfinite(error) and error > 0 else ""
        lines.append(
            f"    {result.size_name} = {size}: {value:.7g}{noise}  ({count} replicate{'s' if count != 1 else ''})"
        )
    return lines


def _known(result: ClaimResult) -> list[str]:
    """The recorded verdict of the claim, and whether its sizes share randomness."""
    lines, declared = [], result.declared
    if declared.get("coupled"):
        lines.append("  all sizes are measured on the same draw; their covariance enters the interval")
    if declared.get("recorded"):
        lines.append(f"  recorded verdict: {declared['recorded']}")
    return lines


def _point(result: ClaimResult, point: PointResult) -> list[str]:
    name = ", ".join(f"{key} = {value_words(value)}" for key, value in point.parameters.items())
    lines = [f"{f'At {name}' if name else 'Result'}{' (drawn)' if point.drawn else ''}: {point.verdict}"]
    if point.warned:
        lines.append(f"  Warning: {point.warned}")
    base = evidence_base(result, point)
    if base:
        lines.append(f"  evidence base: {'; '.join(base)}")
    if point.predicted is not None:
        lines.append(f"  predicted {point.quantity}: {point.predicted:.8g} ± {point.tolerance:.3g}")
    lines += _values(result, point)
    if point.models:
        lines.append("  finite-size models and the interval each gives:")
        for row in point.models:
            verdict = ends_words(row.interval) if row.interval else "ruled out by the values"
            lines.append(f"    correction {row.name}: {verdict}  (fit {row.quality:.2g}, admissible up to 1)")
        if point.weights:
            weights = ", ".join(f"{weight:+.3f}" for weight in point.weights)
            lines.append(f"  Richardson weights of the best model ({point.best_model}): {weights}")
        lines.append(
            f"  error budget: {'chance' if result.evidence == 'simulated' else 'extrapolation'} ± "
            f"{point.statistical:.3g}, choice of model ± {point.model:.3g}, "
            f"together {ends_words(point.interval)}"
        )
    lines.append(f"  {point.reason}")
    if point.severity is not None and severity_words(point.severity):
        grade = f"{point.severity.grade}; " if point.severity.grade else ""
        lines.append(f"  severity: {grade}{severity_words(point.severity)}")
    if point.needs:
        lines.append(f"  What would decide it: {point.needs}.")
    if point.e_value is not None and point.e_value_for is not None:
        lines.append(
            f"  e-values: {point.e_value:.3g} against the statement, {point.e_value_for:.3g} for it "
            "(20 is strong evidence, 1 is none)"
        )
    return lines
