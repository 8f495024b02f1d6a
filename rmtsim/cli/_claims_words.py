"""Claims as text: a list under the citations of the papers, or single claims in full."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rmtsim._internal import plain
from rmtsim.claims._model import Claim, value_words
from rmtsim.claims._recipes import provisional, recipe
from rmtsim.cli._common import wide_console
from rmtsim.verdicts._severity import record_words
from rmtsim.verdicts._words.numbers import standing_and_evidence
from rmtsim.verdicts._words.summary import counts


def print_lines(claims: list[Claim]) -> None:
    """One line per claim for other programs: name, kind, standing and evidence, place, statement, separated by tabs."""
    for claim in claims:
        parts = (claim.id, claim.kind, _standing(claim), claim.source, claim.statement)
        print("\t".join(plain(" ".join(part.split())) for part in parts))


def print_list(claims: list[Claim], console: Console) -> None:
    """Claims by paper under its citation, heuristics after the rest; then how many there are of each standing."""
    for paper in dict.fromkeys(claim.paper for claim in claims):
        mine = [claim for claim in claims if claim.paper == paper]
        heuristics = [claim for claim in mine if claim.standing == "heuristic"]
        console.print(Text(f"{paper}: {mine[0].citation or 'no citation'}", style="bold underline"))
        for claim in mine:
            if claim.standing != "heuristic":
                _print_claim(console, claim)
        if heuristics:
            words = f"Heuristics of {paper}, with its own words for them, counted apart from its theorems:"
            console.print(Text(words, style="bold"))
            for claim in heuristics:
                _print_claim(console, claim)
        console.print()
    console.print(Text(counts(claims)), soft_wrap=True)


def print_whole(claims: list[Claim]) -> None:
    """Claims with everything they declare before a run."""
    console = wide_console()
    for number, claim in enumerate(claims):
        if number:
            console.print()
        _print_claim(console, claim)
        for name, text in _details(claim):
            console.print(Padding(Text.assemble((f"{name}: ", "dim"), text), (0, 0, 0, 4)))


def _print_claim(console: Console, claim: Claim) -> None:
    words = f"  {claim.kind}; {_standing(claim)}  "
    console.print(Text.assemble((claim.id, "bold"), words, (claim.source, "dim")), soft_wrap=True)
    console.print(Padding(Text(claim.statement), (0, 0, 0, 4)))


def _standing(claim: Claim) -> str:
    return standing_and_evidence(claim) + (", provisional" if provisional(claim) else "")


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in values)


def _details(claim: Claim) -> list[tuple[str, str]]:
    """Everything a claim declares before a run, as (name, words)."""
    rows = [("paper", claim.citation)] if claim.citation else []
    rows.append(("evidence", _evidence(claim)))
    text = recipe(claim)
    if text:
        rows.append(("recipe", text))
    rows += [
        (
            f"parameter {each.name}",
            f"{each.meaning}{f' ({each.assumption})' if each.assumption else ''}; {each.accepted}, "
            f"default {value_words(each.default)}",
        )
        for each in claim.parameters
    ]
    points = [
        "; ".join(f"{name} = {value_words(value)}" for name, value in point.items()) for point in claim.grid
    ]
    if any(points):
        rows.append(("tested at", " | ".join(points)))
    rows.append((f"sizes ({claim.size_name})", _numbers(claim.sizes)))
    if claim.outer is not None:
        rows.append((f"then {claim.outer[0]} grows", _numbers(claim.outer[1])))
    if claim.exponent is not None:
        sign = {"O": "at least", "Theta": "exactly of order", "power": "exactly"}[claim.relation]
        to = "" if claim.approached is None else " to the limit"
        rows.append(("stated decay", f"{sign} size^-{claim.exponent:.4g}{to}"))
    if claim.kind == "bound":
        what = {"value": "values", "mean": "mean", "probability": "probability"}[claim.of]
        rows.append(("sense", f"{what} {claim.sense} the bound{' (here at the largest size)' * claim.sized}"))
    if claim.kind not in ("identity", "bound"):
        depends = "; the slowest depends on the parameters" if claim.slowest is not None else ""
        rows.append(("finite-size exponents", f"{_numbers(claim.exponents)}, and a free one{depends}"))
        if claim.because:
            rows.append(("because", claim.because))
    if claim.coupled:
        rows.append(("coupled", "all sizes are measured on the same draw"))
    if claim.support is not None:
        rows.append(("values lie in", f"[{claim.support[0]:g}, {claim.support[1]:g}]"))
    rows.append(
        (
            "tolerance",
            f"absolute {claim.tolerance.absolute:g}, relative {claim.tolerance.relative:g} (the larger counts)",
        )
    )
    unit = "replicate" if claim.evidence == "simulated" else "value"
    rows.append((f"nominal seconds per {unit}", _numbers(costs(claim))))
    for name, text in (
        ("recorded verdict", record_words(claim)),
        ("cause", declared_cause(claim) or ""),
        ("note", claim.note),
        ("in the paper's favour", claim.credit),
        ("weak, if confirmed, because", claim.weak),
        ("corrected", claim.correction.id if claim.correction is not None else ""),
        ("the same statement as", claim.same_as),
    ):
        if text:
            rows.append((name, text))
    return rows


def _evidence(claim: Claim) -> str:
    if claim.accuracy is not None:
        chain = f"; compared with simulation by {', '.join(claim.chain)}" if claim.chain else ""
        return f"computed, without random numbers, to a relative error of {claim.accuracy:g}{chain}"
    used = f"; it uses theory: {claim.theory_in_sampler}" if claim.theory_in_sampler else ""
    once = "; provisional: no second implementation has repeated it yet" if provisional(claim) else ""
    return f"simulated{used}{once}"


def declared_cause(claim: Claim) -> str | None:
    """The cause of a refuted printed statement; None for other statements and for corrections."""
    return claim.cause or None if claim.form == "printed" else None


def costs(claim: Claim) -> list[float]:
    """Nominal seconds of a replicate at each size, at the first point of the grid."""
    point = claim.point(claim.grid[0])
    return [float(claim.cost(point, size)) for size in claim.sizes]
