"""``rmtsim claims``: what is stated, where, and of which kind."""

from __future__ import annotations

import argparse
from typing import Any

from rmtsim.claims.model import Claim
from rmtsim.claims.registry import all_claims
from rmtsim.cli.common import add_json, print_json

_EPILOG = """\
examples:
  rmtsim claims
  rmtsim claims --paper dong
  rmtsim claims --json | python -m json.tool
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "claims",
        help="list the statements that can be verified",
        description="List every registered claim with its statement, its source and its kind.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--paper", metavar="KEY", help="only the claims of one paper (for instance dong)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the claims asked for."""
    claims = all_claims(arguments.paper)
    if arguments.json:
        print_json([_as_dict(claim) for claim in claims])
        return 0
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console()
    for claim in claims:
        console.print(
            Text.assemble((claim.id, "bold"), f"  {claim.kind}  ", (claim.source, "dim")), soft_wrap=True
        )
        console.print(Padding(Text(claim.statement), (0, 0, 0, 4)))
    return 0


def _as_dict(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim.id,
        "source": claim.source,
        "paper": claim.paper,
        "kind": claim.kind,
        "statement": claim.statement,
        "parameters": {
            parameter.name: {"meaning": parameter.meaning, "default": parameter.default}
            for parameter in claim.parameters
        },
        "sizes": list(claim.sizes),
        "size_name": claim.size_name,
        "tolerance": {"absolute": claim.tolerance.absolute, "relative": claim.tolerance.relative},
        "quick": claim.quick,
        "note": claim.note,
    }
