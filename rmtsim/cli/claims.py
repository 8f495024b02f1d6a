"""``rmtsim claims``: what is stated, where, of which kind, and what a run of it would rest on."""

from __future__ import annotations

import argparse
import math
from typing import Any

from rmtsim.claims.detectability import detectable_shift
from rmtsim.claims.model import Claim
from rmtsim.claims.registry import all_claims
from rmtsim.cli.common import add_json, nothing_else_printed, print_json

_EPILOG = """\
examples:
  rmtsim claims
  rmtsim claims --paper dong
  rmtsim claims dong.thm1.ratio                  one claim whole: domain, sizes, tolerance, detectable shift
  rmtsim claims my_claims.py::goe.edge           the same for a claim of your own
  rmtsim claims --json | python -m json.tool
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "claims",
        help="list the statements that can be verified, or show some of them whole",
        description="List every registered claim under its paper's citation: statement, place, kind, standing "
        "(theorem, lemma, equation, remark, heuristic) and evidence (simulated, or computed without chance); or show "
        "named claims with everything they declare before a run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "claims", nargs="*", metavar="CLAIM", help="names of claims, or FILE.py[::NAME], to be shown whole"
    )
    parser.add_argument("--paper", metavar="KEY", help="only the claims of one paper (for instance dong)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the claims asked for."""
    if arguments.claims:
        from rmtsim.claims.files import resolve

        if arguments.paper is not None:
            raise ValueError(
                f"--paper {arguments.paper}: expected either names of claims or --paper, not both"
            )
        with nothing_else_printed():
            claims = [claim for target in arguments.claims for claim in resolve(target)]
    else:
        claims = all_claims(arguments.paper)
    if arguments.json:
        print_json([_as_dict(claim) for claim in claims])
        return 0
    from rmtsim.cli.claims_words import print_list, print_whole

    (print_whole if arguments.claims else print_list)(claims)
    return 0


def _as_dict(claim: Claim) -> dict[str, Any]:
    from rmtsim.cli.claims_words import costs, declared_cause

    found = detectable_shift(claim)
    return {
        "claim": claim.id,
        "source": claim.source,
        "paper": claim.paper,
        "citation": claim.citation or None,
        "kind": claim.kind,
        "statement": claim.statement,
        "standing": claim.standing,
        "evidence": claim.evidence,
        "form": claim.form,
        "qualifier": claim.qualifier.strip("“”") or None,
        "cause": declared_cause(claim),
        "credit": claim.credit or None,
        "correction": None if claim.correction is None else claim.correction.id,
        "accuracy": claim.accuracy,
        "theory_in_sampler": claim.theory_in_sampler or None,
        "parameters": {
            parameter.name: {
                "meaning": parameter.meaning,
                "default": parameter.default,
                "accepted": parameter.accepted,
                "lowest": parameter.lowest if math.isfinite(parameter.lowest) else None,
                "highest": parameter.highest if math.isfinite(parameter.highest) else None,
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
        "detectable": None if found is None else found.as_json(),
        "quick": claim.quick,
        "note": claim.note,
    }
