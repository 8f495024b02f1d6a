"""``rmtsim claims``: what is stated, where, of which kind, and what a run of it would rest on."""

from __future__ import annotations

import argparse
import math
from typing import Any

from rmtsim.claims.detectability import detectable_shift
from rmtsim.claims.model import Claim
from rmtsim.claims.registry import all_claims
from rmtsim.cli.common import add_json, print_json, wide_console

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
        description="List every registered claim with its statement, its source and its kind; or show named claims "
        "with everything they declare before a run.",
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
        claims = [claim for target in arguments.claims for claim in resolve(target)]
    else:
        claims = all_claims(arguments.paper)
    if arguments.json:
        print_json([_as_dict(claim) for claim in claims])
        return 0
    from rich.padding import Padding
    from rich.text import Text

    console = wide_console()
    for number, claim in enumerate(claims):
        if number and arguments.claims:
            console.print()
        console.print(
            Text.assemble((claim.id, "bold"), f"  {claim.kind}  ", (claim.source, "dim")), soft_wrap=True
        )
        console.print(Padding(Text(claim.statement), (0, 0, 0, 4)))
        if arguments.claims:
            for name, text in _details(claim):
                console.print(Padding(Text.assemble((f"{name}: ", "dim"), text), (0, 0, 0, 4)))
    return 0


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in values)


def _details(claim: Claim) -> list[tuple[str, str]]:
    """Everything a claim declares before a run, as (name, words)."""
    rows = [
        (
            f"parameter {each.name}",
            f"{each.meaning}{f' ({each.assumption})' if each.assumption else ''}; {each.accepted}, "
            f"default {each.default:g}",
        )
        for each in claim.parameters
    ]
    points = ["; ".join(f"{name} = {value:g}" for name, value in point.items()) for point in claim.grid]
    if any(points):
        rows.append(("tested at", " | ".join(points)))
    rows.append((f"sizes ({claim.size_name})", _numbers(claim.sizes)))
    if claim.outer is not None:
        rows.append((f"then {claim.outer[0]} grows", _numbers(claim.outer[1])))
    if claim.exponent is not None:
        sign = {"O": "at least", "Theta": "exactly of order", "power": "exactly"}[claim.relation]
        rows.append(("stated decay", f"{sign} size^-{claim.exponent:.4g}"))
    if claim.kind == "bound":
        rows.append(("sense", f"values {claim.sense} the bound"))
    if claim.kind not in ("identity", "bound"):
        depends = "; the slowest depends on the parameters" if claim.slowest is not None else ""
        rows.append(("finite-size exponents", f"{_numbers(claim.exponents)}, and a free one{depends}"))
    if claim.coupled:
        rows.append(("coupled", "all sizes are measured on the same draw"))
    if claim.support is not None:
        rows.append(("values lie in", f"[{claim.support[0]:g}, {claim.support[1]:g}]"))
    if claim.accuracy is not None:
        rows.append(("computed without chance", f"relative error {claim.accuracy:g}"))
    rows.append(
        (
            "tolerance",
            f"absolute {claim.tolerance.absolute:g}, relative {claim.tolerance.relative:g} (the larger counts)",
        )
    )
    rows.append(("nominal seconds per replicate", _numbers(_costs(claim))))
    found = detectable_shift(claim)
    rows.append(
        (
            "smallest shift of the prediction it detects",
            "computed in its run (`rmtsim verify --explain`)" if found is None else found.in_words(),
        )
    )
    if claim.note:
        rows.append(("note", claim.note))
    return rows


def _costs(claim: Claim) -> list[float]:
    point = claim.point(claim.grid[0])
    return [float(claim.cost(point, size)) for size in claim.sizes]


def _as_dict(claim: Claim) -> dict[str, Any]:
    found = detectable_shift(claim)
    return {
        "claim": claim.id,
        "source": claim.source,
        "paper": claim.paper,
        "kind": claim.kind,
        "statement": claim.statement,
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
        "exponent": claim.exponent,
        "relation": claim.relation if claim.kind == "rate" else None,
        "tolerance": {"absolute": claim.tolerance.absolute, "relative": claim.tolerance.relative},
        "seconds_per_replicate": _costs(claim),
        "detectable": None if found is None else found.as_json(),
        "quick": claim.quick,
        "note": claim.note,
    }
