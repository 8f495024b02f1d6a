"""``rmtsim new-paper``: a package for the statements of a paper, ready to be installed and verified."""

from __future__ import annotations

import argparse
import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from rmtsim._internal import plain
from rmtsim.cli._common import command

if TYPE_CHECKING:
    from rmtsim.claims import Paper

_HELP = """\
write a package for the statements of a paper of your own

Write a Python package with two example statements about random matrices, its tests and its pyproject.toml. Once
installed, it is verified, listed and reported like a built-in paper.

examples:
  rmtsim new-paper smith
  rmtsim new-paper smith --authors "A. Smith, B. Jones" --title "On Hessians" --year 2026 --arxiv 2601.00001
  rmtsim new-paper smith --dir papers/smith

then:
  cd rmtsim-smith
  pip install -e .                    makes the paper known to rmtsim
  rmtsim verify smith                 a true example, a false one and its correction
  pytest                              tests of theory, ids, errata and verdicts

KEY is the first part of every claim's id (smith.thm1.bound). The package has the layout of the built-in papers: theory/
holds the numbers that the paper states, simulation/ what is drawn and measured, statements/ the claims that compare the
two, statements.toml the words of the paper. Replace the examples by statements of your paper, and add each statement
module to `modules` of PAPER in __init__.py. docs/your-own-paper.md explains every file.
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "new-paper", _HELP)
    parser.add_argument(
        "key", metavar="NEW_KEY", help="short name of the paper: lower-case letters, digits, _"
    )
    parser.add_argument("--dir", metavar="DIR", help="folder to make (default: rmtsim-KEY)")
    parser.add_argument(
        "--authors", metavar="NAMES", default="Authors of the paper", help="as printed in the paper"
    )
    parser.add_argument(
        "--title", metavar="TITLE", default="Title of the paper", help="as printed in the paper"
    )
    parser.add_argument("--year", metavar="YEAR", default="", help="date of the paper")
    parser.add_argument("--arxiv", metavar="ID", default="", help="arXiv identifier, for instance 2601.00001")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the files, say what to do with them."""
    from rmtsim.claims._papers import PAPERS, Paper

    key = arguments.key
    if not key.isidentifier() or key != key.lower() or not key.isascii():
        raise ValueError(f"key={key!r}: expected lower-case letters, digits and _, starting with a letter")
    if key in PAPERS:
        raise ValueError(f"key={key!r}: a paper of this key is installed ({', '.join(PAPERS)})")
    given: dict[str, Any] = {
        name: _line(name, getattr(arguments, name)) for name in ("authors", "title", "year", "arxiv")
    }
    paper = Paper(key=key, package=f"rmtsim_{key}", **given)
    folder = Path(arguments.dir or f"rmtsim-{key}")
    if folder.exists():
        raise ValueError(f"{folder}: exists already; choose another folder with --dir")
    if not folder.parent.is_dir():
        raise ValueError(f"{folder}: the folder {folder.parent} does not exist")
    files = skeleton(paper)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(plain(f"{folder}: {len(files)} files, the package {paper.package} with the paper {key}"))
    print(plain(f"next: cd {folder} && pip install -e . && rmtsim verify {key}"))
    return 0


def _line(name: str, text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"--{name} {text!r}: expected one line of text without control characters")
    return text


def skeleton(paper: Paper) -> dict[str, str]:
    """The files of a new package, by their place in its folder.

    >>> from rmtsim import Paper
    >>> files = skeleton(Paper(key="k", package="rmtsim_k", authors="A. Author", title="On means"))
    >>> sorted(files)[:3]
    ['.gitignore', 'README.md', 'pyproject.toml']
    """
    # JSON's text literals are literals of Python and of TOML too.
    texts = {name: getattr(paper, name) for name in ("authors", "title", "year", "arxiv")}
    texts["description"] = f"Statements of {paper.title}, tested with rmtsim"
    words = {name: json.dumps(text, ensure_ascii=False) for name, text in texts.items()}
    words |= {
        "key": paper.key,
        "package": paper.package,
        "distribution": paper.package.replace("_", "-"),
        "citation": paper.citation,
    }
    return {
        name.replace("package/", f"{paper.package}/"): Template(text).substitute(words)
        for name, text in _templates(resources.files("rmtsim.cli") / "skeleton", "")
    }


def _templates(folder: Traversable, place: str) -> list[tuple[str, str]]:
    """Templates with their places; they end in .txt so that no tool takes them for source."""
    found: list[tuple[str, str]] = []
    for each in sorted(folder.iterdir(), key=lambda item: item.name):
        if each.is_dir():
            found += _templates(each, f"{place}{each.name}/")
        else:
            name = each.name.removesuffix(".txt")
            found.append(
                (f"{place}{'.gitignore' if name == 'gitignore' else name}", each.read_text(encoding="utf-8"))
            )
    return found
