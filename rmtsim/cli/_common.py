"""What several commands share: ``--set``, ``--json``, exit codes, safe text and writable outputs."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from rmtsim.claims import Claim

FAILED = 1
"""Exit code: the work could not be completed (memory, disk, workers, the store), or ``--check`` found damage."""
BAD_USAGE = 2
"""Exit code: an unknown claim, a value outside its range, a file that is not a store."""
UNWANTED = 3
"""Exit code: the run completed, with a verdict that ``--fail-on`` names."""


def command(subparsers: Any, name: str, text: str) -> argparse.ArgumentParser:
    """The parser of a command from its help: a line for the list of commands, a description, and what follows."""
    words, description, epilog = text.split("\n\n", 2)
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=" ".join(words.split()),
        description=" ".join(description.split()),
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_json(parser: argparse.ArgumentParser) -> None:
    """The ``--json`` switch."""
    parser.add_argument("--json", action="store_true", help="print JSON for machines instead of text")


def add_set(parser: argparse.ArgumentParser) -> None:
    """The repeatable ``--set name=value`` option."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="value of a parameter, repeatable (for instance --set gamma=0.5 --set classes=1000)",
    )


def settings(texts: list[str], claims: list[Claim]) -> dict[str, Any]:
    """Values of ``--set``, each parsed by the parameter of this name in the selected claims."""
    known = {parameter.name: parameter for claim in claims for parameter in claim.parameters}
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ValueError(f"--set {text}: expected NAME=VALUE")
        if name not in known:
            accepted = ", ".join(known) or "none"
            raise ValueError(f"--set {text}: no such parameter (the chosen claims have: {accepted})")
        if name in values:
            raise ValueError(f"--set {text}: {name} was set already")
        values[name] = known[name].parse(value)
    return values


def print_json(value: Any) -> None:
    """One JSON document on standard output; NaN and infinity are refused, JSON has none."""
    # Where the encoding lacks letters, JSON escapes are used; control characters are always escaped.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    ascii_only = not encoding.lower().replace("-", "").startswith("utf")
    print(json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False))


@contextlib.contextmanager
def own_standard_output() -> Iterator[None]:
    """While the block runs, descriptor 1 is standard error, and ``sys.stdout`` alone writes to standard output.

    So the output of a command does not contain what a compiled library or another program writes to descriptor 1.
    """
    before = sys.stdout
    try:
        replaceable = before is not None and before.fileno() == 1
    except (OSError, ValueError, AttributeError):
        replaceable = False
    if not replaceable:
        yield
        return
    before.flush()
    own = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout = open(  # noqa: SIM115
        own, "w", encoding=before.encoding, errors="backslashreplace", buffering=1 if os.isatty(own) else -1
    )
    try:
        yield
    finally:
        stream, sys.stdout = sys.stdout, before
        os.dup2(own, 1)
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), own)  # discard the buffer when the stream is closed
            raise
        finally:
            stream.close()


@contextlib.contextmanager
def nothing_else_printed() -> Iterator[None]:
    """While code of claims runs, what it prints goes to standard error: standard output is the command's own."""
    if sys.stderr is None:
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield


def wide_console() -> Console:
    """Standard output for tables: as wide as the terminal, or 120 columns where there is none (a file, a pipe)."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            # rich would exit with code 1; a pipe closed by its reader is not a failure and is handled in `main`.
            raise BrokenPipeError

    console = Output(file=sys.stdout)
    if console.is_terminal or "COLUMNS" in os.environ:
        return console
    return Output(file=sys.stdout, width=120)


def output_path(text: str | None) -> Path | None:
    """A file to be written at the end of the work, checked at its beginning."""
    if text is None:
        return None
    path = Path(text)
    folder = path.parent
    if not folder.is_dir():
        raise ValueError(f"{text}: the folder {folder} does not exist")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{text}: cannot be written")
    return path
