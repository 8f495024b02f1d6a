"""``rmtsim claims``: statements, their places and kinds, and what they declare before a run."""

from __future__ import annotations

import argparse
import math
from typing import Any

from rmtsim.claims._model import Claim
from rmtsim.claims._recipes import provisional, recipe
from rmtsim.cli._common import add_json, command, nothing_else_printed, print_json, wide_console
from rmtsim.cli._options import add_selection, add_store_option, names_several, selected
from rmtsim.cli._stored import VERDICTS, newest_verdicts

_HELP = """\
list the statements that can be verified, or show some of them whole

List every registered claim under its paper's citation: statement, place, kind, standing (theorem, lemma, equation,
remark, heuristic) and evidence (simulated, or computed without chance); or show named claims with everything they
declare before a run.

examples:
  rmtsim claims
  rmtsim claims --paper dong
  rmtsim claims dong.thm1 --kind limit           those whose names start with dong.thm1.
  rmtsim claims -k eigenvalue --standing theorem
  rmtsim claims --verdict refuted                what earlier runs found (from the store)
  rmtsim claims dong.thm1.ratio                  one claim whole: domain, sizes, tolerance, recorded verdict
  rmtsim claims my_claims.py::goe.edge           the same for a claim of your own
  rmtsim claims --coverage --paper sparse        sentences of the paper, with their claims or why there is none
  rmtsim claims --json | python -m json.tool
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "claims", _HELP)
    add_selection(parser, targets="(those named one by one are shown whole)")
    parser.add_argument(
        "--verdict",
        choices=VERDICTS,
        help="only claims whose newest result in the store is this (new: those without one)",
    )
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="the inventory of papers instead: statements, those with claims, and why others have none (whole with "
        "--paper KEY)",
    )
    add_store_option(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the selected claims."""
    if arguments.coverage:
        from rmtsim.cli._coverage import show_coverage

        return show_coverage(arguments.paper, as_json=arguments.json)
    with nothing_else_printed():
        claims = selected(arguments)
    if arguments.verdict:
        known = newest_verdicts(arguments.store)
        claims = [claim for claim in claims if known.get(claim.id, "new") == arguments.verdict]
    if arguments.json:
        print_json([_as_dict(claim) for claim in claims])
        return 0
    from rmtsim.cli._claims_words import print_lines, print_list, print_whole

    if not arguments.claims or any(map(names_several, arguments.claims)):
        console = wide_console()
        # A reader that is a program gets one line per claim; people get citations and wrapped statements.
        if console.is_terminal:
            print_list(claims, console)
        else:
            print_lines(claims)
    else:
        print_whole(claims)
    return 0


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def _as_dict(claim: Claim) -> dict[str, Any]:
    from rmtsim.cli._claims_words import costs, declared_cause
    from rmtsim.verdicts._results import without_chance
    from rmtsim.verdicts._severity import record_words

    declared = {
        "claim": claim.id,
        "source": claim.source,
        "paper": claim.paper,
        "citation": claim.citation or None,
        "kind": claim.kind,
        "statement": claim.statement,
        "standing": claim.standing,
        "evidence": claim.evidence,
        "recipe": recipe(claim) or None,
        "provisional": provisional(claim),
        "form": claim.form,
        "qualifier": claim.qualifier.strip("“”") or None,
        "cause": declared_cause(claim),
        "credit": claim.credit or None,
        "weak": claim.weak or None,
        "correction": None if claim.correction is None else claim.correction.id,
        "accuracy": claim.accuracy,
        "theory_in_sampler": claim.theory_in_sampler or None,
        "chain": list(claim.chain),
        "same_as": claim.same_as or None,
        "parameters": {
            parameter.name: {
                "meaning": parameter.meaning,
                "default": parameter.default,
                "accepted": parameter.accepted,
                "lowest": _finite(getattr(parameter, "lowest", math.inf)),
                "highest": _finite(getattr(parameter, "highest", math.inf)),
                "assumption": parameter.assumption,
            }
            for parameter in claim.parameters
        },
        "grid": [dict(point) for point in claim.grid],
        "sizes": list(claim.sizes),
        "size_name": claim.size_name,
        "outer": None
        if claim.outer is None
        else {"parameter": claim.outer[0], "values": list(claim.outer[1])},
        "coupled": claim.coupled,
        "exponents": list(claim.exponents),
        "because": claim.because or None,
        "exponent": claim.exponent,
        "relation": claim.relation if claim.kind == "rate" else None,
        "tolerance": {"absolute": claim.tolerance.absolute, "relative": claim.tolerance.relative},
        "seconds_per_replicate": costs(claim),
        "recorded": record_words(claim) or None,
        "quick": claim.quick,
        "note": claim.note,
    }
    return declared if claim.evidence == "simulated" else without_chance(declared)
