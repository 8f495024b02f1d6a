"""``rmtsim report``: one HTML page of everything that a store has verdicts on."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rmtsim._internal import plain
from rmtsim.cli._common import command, nothing_else_printed, output_path
from rmtsim.cli._options import add_store_option
from rmtsim.errors import NotAStoreError

if TYPE_CHECKING:
    from rmtsim.report._entries import Contents

_HELP = """\
write one HTML page of all verdicts kept in the store

Write one self-contained HTML page of the finished results that a store holds.

examples:
  rmtsim verify --quick && rmtsim report            then open rmtsim-report.html in a browser
  rmtsim report --out li.html                       under another name
  rmtsim report --store cluster.sqlite              of a store from elsewhere
  rmtsim verify --quick --report now.html           of one run alone, with or without a store

The page needs no network and no server: counts by standing, refutations by cause, a table that sorts and filters, and
for each claim the printed and the corrected statement, a figure, the reasoning, the erratum, sizes and error budget,
the command and seed that give it again, and the paper's citation. Text from a store is escaped. A claim that was
tested several times is shown with the result at the most parameter points, the newest of these; its card lists the
others.
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "report", _HELP)
    add_store_option(parser)
    parser.add_argument(
        "--out",
        metavar="FILE.html",
        default="rmtsim-report.html",
        help="page to write (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def report_path(text: str | None, option: str) -> Path | None:
    """Where a page goes, checked before any work: a name that a browser opens, and no file of another kind."""
    if text is None:
        return None
    if Path(text).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{option} {text}: expected a file name that ends with .html")
    return output_path(text)


def run(arguments: argparse.Namespace) -> int:
    """Read the store, write the page, say where it is."""
    from rmtsim.runs._store.schema import default_path
    from rmtsim.runs._store.store import Store

    path = report_path(arguments.out, "--out")
    if arguments.store == "":
        raise ValueError("--store '': expected the path of a file")
    place = Path(arguments.store or default_path())
    assert path is not None  # --out has a default
    if path.exists() and place.exists() and path.samefile(place):
        raise ValueError(f"--out {path}: this is the store itself")
    option = f" --store {plain(arguments.store)}" if arguments.store else ""
    first = f"run `rmtsim verify --quick{option}` first (a minute or two), then this again"
    from rmtsim.report._entries import entries_of_store

    try:
        with nothing_else_printed(), Store(place, read_only=True) as store:
            contents = entries_of_store(store)
    except NotAStoreError:
        if place.exists():
            raise
        raise ValueError(f"{place}: there is no store yet; {first}") from None
    if not contents.entries:
        unread = f" that can be read ({len(contents.left_out)} cannot)" if contents.left_out else ""
        raise ValueError(f"{place}: it holds no finished results{unread}; {first}")
    print(write_page(contents, path))
    return 0


def write_page(contents: Contents, path: Path) -> str:
    """Write a page atomically; returns a line that describes it."""
    from rmtsim.report import report_page
    from rmtsim.verdicts._words.numbers import counted

    with nothing_else_printed():
        data = report_page(contents).encode("utf-8", errors="backslashreplace")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes a private file; the page gets the permissions of the user's mask.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    left = f"; {counted(len(contents.left_out), 'result')} could not be read" if contents.left_out else ""
    size = f"{len(data) / 1e6:.1f} MB" if len(data) > 1e5 else f"{len(data) / 1e3:.0f} kB"
    return plain(f"{path}: {counted(len(contents.entries), 'claim')}, {size}{left}; open it in a browser")
