"""``rmtsim studies`` and ``rmtsim study``: the figures of the docs, their data, and how they are made."""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
import time
from pathlib import Path
from typing import Any

import rmtsim
from rmtsim.cli._common import add_json, print_json

_EPILOG = """\
examples:
  rmtsim studies
  rmtsim study dong_figure8 --quick
  rmtsim study dong_figure8 --out figures
  rmtsim study dong_figure8 --out figures -- --size 200     options of the study itself (-- --help lists them)

A study measures, then draws: NAME.json (and NAME.csv) hold the data of NAME.png.
"""


def add_parser(subparsers: Any) -> None:
    """Register both commands."""
    listed = subparsers.add_parser(
        "studies",
        help="list the studies: what each shows and how long it takes",
        description="List the studies: what each shows and how long it takes on one core.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_json(listed)
    listed.set_defaults(run=run_list)
    parser = subparsers.add_parser(
        "study",
        help="run a study: a figure of the docs with its data",
        description="Run a study: measure, then draw; data and figure go to one folder.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="of a study (`rmtsim studies` lists them)")
    parser.add_argument("--quick", action="store_true", help="small sizes: seconds instead of minutes")
    parser.add_argument(
        "--out",
        metavar="DIR",
        default="rmtsim-studies",
        help="folder for data and figure (default: %(default)s)",
    )
    parser.add_argument("options", nargs="*", metavar="OPTION", help="options of the study itself, after --")
    parser.set_defaults(run=run)


def study_folder() -> Path:
    """Where the scripts are: in an installed package, or beside it in a source tree."""
    package = Path(rmtsim.__file__).parent
    for folder in (package / "_studies", package.parent / "studies"):
        if (folder / "catalogue.py").is_file():
            return folder
    raise ValueError("studies: this installation has none; they are in the source distribution of rmtsim")


def _script_folders() -> list[Path]:
    """Folders with scripts: the folder of studies and one of each paper (packages hold what scripts import)."""
    top = study_folder()
    inside = sorted(path for path in top.iterdir() if any(path.glob("*.py")))
    return [top, *(path for path in inside if not (path / "__init__.py").exists())]


def _catalogue() -> dict[str, Any]:
    for folder in map(str, _script_folders()):
        if folder not in sys.path:  # studies import modules of their own folder and of the one above
            sys.path.append(folder)
    found: dict[str, Any] = importlib.import_module("catalogue").STUDIES
    return found


def study_names() -> list[str]:
    """Names of all studies.

    >>> "dong_figure8" in study_names()
    True
    """
    return list(_catalogue())


def _script(name: str) -> Path:
    """The file of a study: in the folder of its paper, or beside the shared modules."""
    return next(path for folder in _script_folders() if (path := folder / f"{name}.py").is_file())


def _shows(name: str) -> str:
    """The first paragraph of a study's docstring, read without importing it."""
    text = _script(name).read_text(encoding="utf-8")
    return " ".join((ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0].split())


def run_list(arguments: argparse.Namespace) -> int:
    """Print the list."""
    rows = [
        {
            "study": name,
            "shows": _shows(name),
            "time": study.time,
            "quick_time": study.quick_time,
            "needs": f"rmtsim[{study.extra}]" if study.extra else None,
        }
        for name, study in _catalogue().items()
    ]
    if arguments.json:
        print_json(rows)
        return 0
    for row in rows:
        needs = f"; needs {row['needs']}" if row["needs"] else ""
        print(f"{row['study']:<18}  about {row['time']}, --quick {row['quick_time']}{needs}")
        print(f"    {row['shows']}")
    print("\nnext: rmtsim study dong_figure8 --quick")
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Measure and draw one study."""
    import difflib

    catalogue = _catalogue()
    name = arguments.name
    if name not in catalogue:
        near = difflib.get_close_matches(name, catalogue, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else "`rmtsim studies` lists them"
        raise ValueError(f"study={name!r}: no such study; {hint}")
    study = catalogue[name]
    expected = study.quick_time if arguments.quick else study.time
    print(f"{name}: {_shows(name)}\nabout {expected} on one core", flush=True)
    words = ["--out", arguments.out, *(study.quick.split() if arguments.quick else ()), *arguments.options]
    started = time.monotonic()
    try:
        harness, module = importlib.import_module("harness"), importlib.import_module(name)
        harness.run(name, module.__doc__ or "", module.measure, module.draw, module.options, words)
    except ModuleNotFoundError as error:
        extra = (
            f"; it comes with the extra {study.extra}: pip install 'rmtsim[{study.extra}]'"
            if study.extra
            else ""
        )
        raise ValueError(f"study {name} needs {error.name}, which is not installed{extra}") from error
    except SystemExit as stop:  # argparse exits after --help and after an unknown option of the study
        if not stop.code:
            return 0
        shown = " ".join(arguments.options)
        raise ValueError(
            f"study {name}: {shown!r} is not understood (`rmtsim study {name} -- --help` lists its options)"
        ) from None
    print(f"{time.monotonic() - started:.0f} s")
    return 0
