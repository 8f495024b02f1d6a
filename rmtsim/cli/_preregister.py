"""``rmtsim preregister``: a dated, hashed record of declarations, before they are tested."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rmtsim.claims._model import LEVEL, Claim
from rmtsim.cli._common import command, nothing_else_printed, output_path

_HELP = """\
write a dated, hashed record of claims before they are tested

Write a dated, hashed record of what the claims of a file declare, before they are tested.

examples:
  rmtsim preregister my_claims.py                                    writes my_claims.preregistration.json
  rmtsim preregister my_claims.py --seed 7 --budget 60 -o plan.json
  rmtsim verify my_claims.py --seed 7 --budget 60 --preregistration plan.json

The record holds every declaration (statement, prediction, tolerance, sizes, exponents), the settings of the run,
digests of the file, the date, and a SHA-256 of all of it. Publish the record, or its SHA-256, before you run the
claims. A later `verify --preregistration` says whether the run matches it.
"""


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Options of a run that a record contains."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="root seed (default 0)")
    parser.add_argument(
        "--level", type=float, default=LEVEL, help=f"family-wise error probability (default {LEVEL})"
    )
    parser.add_argument(
        "--budget", type=float, metavar="SECONDS", help="nominal seconds, shared by all claims"
    )


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "preregister", _HELP)
    parser.add_argument("file", metavar="FILE.py", help="file of claims")
    parser.add_argument(
        "-o", "--out", metavar="FILE.json", help="record (default: FILE.preregistration.json)"
    )
    add_settings(parser)
    parser.set_defaults(run=run)


def settings_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings of a run that decide its result."""
    return {name: getattr(arguments, name) for name in ("seed", "level", "budget")}


def file_of(text: str) -> tuple[Path, list[Claim]]:
    """A file of claims, and its claims."""
    from rmtsim.claims._files import resolve

    path = Path(text)
    if path.suffix != ".py" or not path.is_file():
        raise ValueError(f"{text}: expected a Python file with claims")
    with nothing_else_printed():
        return path, resolve(text)


def now(claims: Sequence[Claim], settings: dict[str, Any]) -> dict[str, Any]:
    """The record of these claims as they are now."""
    from rmtsim.claims._preregistration import record

    paths = dict.fromkeys(Path(claim.origin) for claim in claims if claim.origin)
    return record(claims, settings, {path.name: path.read_bytes() for path in paths if path.is_file()})


def run(arguments: argparse.Namespace) -> int:
    """Write the record; an existing one is not replaced."""
    path, claims = file_of(arguments.file)
    out = output_path(arguments.out or str(path.with_suffix(".preregistration.json")))
    assert out is not None
    if out.exists():
        raise ValueError(f"{out}: exists already, and a record is not replaced; choose another name with -o")
    made = now(claims, settings_of(arguments))
    out.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{out}: {len(claims)} claims, {made['date']}, SHA-256 {made['sha256']}")
    return 0
