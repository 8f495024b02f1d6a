"""``rmtsim predict``: the number a statement gives at a parameter point."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from rmtsim._internal import plain
from rmtsim.claims._files import resolve
from rmtsim.cli._common import add_json, add_set, command, nothing_else_printed, print_json, settings

_HELP = """\
print the number a claim predicts

Print what a claim predicts at a parameter point; parameters not set take their defaults.

examples:
  rmtsim predict dong.thm1.diagonal --set gamma=0.5 --set classes=1000
  rmtsim predict dong.thm1.ratio-rate --set gamma=2 --json

A limit claim gives the stated limit of its scaled quantity; a rate claim that states a constant gives the
limit of quantity × size^exponent. Of a statement that evidence refutes as printed, a note says so and names the
corrected one.
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "predict", _HELP)
    parser.add_argument(
        "claim", metavar="CLAIM", help="name of a claim (`rmtsim claims` lists them), or FILE.py[::NAME]"
    )
    add_set(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the prediction."""
    with nothing_else_printed():
        claim, *others = resolve(arguments.claim)
    if others:
        names = ", ".join(item.id for item in (claim, *others))
        raise ValueError(f"{arguments.claim}: expected one claim, FILE.py::NAME (the file has {names})")
    point = claim.point(settings(arguments.settings, [claim]))
    with nothing_else_printed():
        value = claim.prediction(point)
    # A printed statement is declared with its correction only where evidence refuted it.
    refuted = claim.form == "printed" and claim.correction is not None
    if arguments.json:
        result: dict[str, Any] = {"claim": claim.id, "parameters": point, "value": value}
        if claim.exponent is not None:
            result["exponent"] = claim.exponent
        result |= {"form": claim.form, "cause": claim.cause if refuted else None}
        result["correction"] = claim.correction.id if claim.correction is not None else None
        print_json(result)
        return 0
    shown = "  ".join(f"{name}={number}" for name, number in point.items())
    print("  ".join(part for part in (claim.id, shown, repr(value)) if part))
    if refuted and claim.correction is not None:
        options = "".join(f" --set {text}" for text in arguments.settings)
        own = f"{arguments.claim}/corrected" if claim.origin else claim.correction.id
        why = f"refuted ({plain(claim.cause) or 'see its note'})"
        print(
            f"rmtsim: note: the printed statement is {why}; the right number: rmtsim predict {own}{options}",
            file=sys.stderr,
        )
    return 0
