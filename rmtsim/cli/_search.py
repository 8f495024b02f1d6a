"""``rmtsim search``: counterexamples of bounds by optimisation."""

from __future__ import annotations

import argparse
from typing import Any

from rmtsim.cli._common import add_json, command, nothing_else_printed, print_json
from rmtsim.cli._options import add_selection, selected

SECONDS = 10.0
"""Default time for each claim."""

_HELP = """\
search for counterexamples of bounds

Search for counterexamples of bounds, or for the nearest approach to them. The exit code is 3 if one is found.

examples:
  rmtsim search liu.eq60                         one bound
  rmtsim search --paper l2l --seconds 5          all bounds of values of a paper
  rmtsim search my_claims.py --json

The draws of the sampler are chosen by an optimiser, with the parameters and the declared sizes: zeros, equal and
aligned entries, tiny and huge scales, then differential evolution and a simplex. Bounds that are stated with high
probability keep the law of the draws. A counterexample is evaluated again in 50 digits, or with other rounding, and
printed with 17 digits.
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "search", _HELP)
    add_selection(parser, targets="(those that bound every value)")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"seconds for each claim (default {SECONDS:g})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="root seed (default 0)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Search, and print what was found."""
    from rmtsim.verdicts import search

    if not (arguments.claims or arguments.paper or arguments.search):
        raise ValueError("search: expected one or more claims")
    found = []
    with nothing_else_printed():
        claims = selected(arguments, quick=False)
    bounds = [
        claim for claim in claims if claim.kind == "bound" and claim.of == "value" and not claim.coupled
    ]
    if not bounds:
        raise ValueError("search: none of these claims bounds every value")
    for claim in bounds:
        with nothing_else_printed():
            result = search(claim, seconds=arguments.seconds, seed=arguments.seed)
        found.append(result)
        if not arguments.json:
            print(result, flush=True)
    if arguments.json:
        print_json([result.as_json() for result in found])
    return 3 if any(result.violated for result in found) else 0
