"""``rmtsim capsule``: everything that is needed to repeat a run, in one folder."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rmtsim import __version__
from rmtsim.cli._common import FAILED, command, nothing_else_printed
from rmtsim.cli._preregister import add_settings, file_of, now, settings_of

if TYPE_CHECKING:
    from rmtsim.claims import Claim
    from rmtsim.verdicts import ClaimResult

_HELP = """\
write a folder from which others can repeat a run, or repeat one

Run the claims of a file and write a folder from which others can repeat the run and compare.

examples:
  rmtsim capsule my_claims.py -o capsule --budget 60     run the claims and write the folder
  rmtsim capsule --repeat capsule                        repeat the run and compare (exit code 1 if it differs)
  cd capsule && pip install -r requirements.txt && python repeat.py

The folder holds the claims with the modules and data files of their folder that they use, the record of their
declarations, seed, level and budget, the versions of all packages, results, tables, figures and a page of the run.
What the claims read from elsewhere (files, environment variables) is named.
"""

_REPEAT = '''"""Repeat the run of this capsule and compare: identical results, or the same verdicts."""

import sys
from pathlib import Path

from rmtsim.cli import main

sys.exit(main(["capsule", "--repeat", str(Path(__file__).resolve().parent)]))
'''


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "capsule", _HELP)
    parser.add_argument("file", nargs="?", metavar="FILE.py", help="file of claims")
    parser.add_argument("-o", "--out", metavar="DIR", help="folder to make")
    parser.add_argument("--repeat", metavar="DIR", help="repeat the run of a capsule and compare")
    add_settings(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write a capsule or repeat one."""
    if arguments.repeat is not None:
        if arguments.file or arguments.out:
            raise ValueError("--repeat: expected neither a file nor -o beside it")
        return _repeat(Path(arguments.repeat))
    if not arguments.file or not arguments.out:
        raise ValueError("capsule: expected FILE.py and -o DIR, or --repeat DIR")
    return _write(arguments.file, Path(arguments.out), settings_of(arguments))


def _verify(claims: Sequence[Any], settings: dict[str, Any]) -> Any:
    from rmtsim.verdicts import verify

    with nothing_else_printed():
        return verify(claims, progress=False, **settings)


def _write(file: str, folder: Path, settings: dict[str, Any]) -> int:
    from rmtsim import report
    from rmtsim.plots._style import save
    from rmtsim.plots._verdict import verdict_figure

    path, claims = file_of(file)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder}: expected a new or an empty folder")
    (folder / "figures").mkdir(parents=True)
    (folder / "claims").mkdir()
    packages = _copy_code(claims, path.resolve(), folder / "claims")
    made = {**now(claims, settings), "file": path.name}
    _dump(folder / "preregistration.json", {name: value for name, value in made.items() if name != "file"})
    _dump(folder / "capsule.json", {"file": path.name, "settings": settings, "rmtsim": __version__})
    (folder / "requirements.txt").write_text(_requirements(packages), encoding="utf-8")
    (folder / "repeat.py").write_text(_REPEAT, encoding="utf-8")
    results = _verify(claims, settings)
    elsewhere = _copy_data(claims, path.resolve(), folder / "claims")
    _dump(folder / "results.json", [result.as_json() for result in results])
    examined = [result for result in results if not result.failed]
    for name, text in {
        "table.tex": report.latex_table(examined),
        "refs.bib": report.bibtex(examined),
        "values.csv": report.csv_table(examined),
        "table.md": report.markdown_table(examined),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    page = report.report_page(report.entries_of_results(examined, settings=settings))
    (folder / "report.html").write_text(str(page), encoding="utf-8")
    for result in examined:
        if any(point.values for point in result.points):
            save(verdict_figure(result), folder / "figures" / f"{result.claim.replace('/', '-')}.pdf")
    (folder / "README.md").write_text(_readme(path.name, examined, elsewhere), encoding="utf-8")
    for each in elsewhere:
        print(f"warning: not in the capsule, although the claims read it: {each}", file=sys.stderr)
    print(f"{folder}: {len(results)} claims; repeat with: python {folder / 'repeat.py'}")
    return 0


def _copy_code(claims: Sequence[Claim], source: Path, target: Path) -> set[str]:
    """Copy the claims and the modules beside them that they import; return the installed packages they use."""
    from rmtsim.runs._identity.code_version import dependencies_of

    shutil.copyfile(source, target / source.name)
    packages = set()
    for claim in claims:
        files, found, _ = dependencies_of(claim)
        packages |= found
        for found_at, content in files.items():
            # A module with the same name and content in another folder may have been loaded first.
            beside = source.parent / Path(found_at).name
            equal = beside.is_file() and beside.read_bytes() == content
            name = beside.name if found_at.startswith("..") and equal else found_at
            if not name.startswith(".."):
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).write_bytes(content)
    if (source.parent / "__init__.py").is_file():
        shutil.copyfile(source.parent / "__init__.py", target / "__init__.py")
    return packages


def _copy_data(claims: Sequence[Claim], source: Path, target: Path) -> list[str]:
    """Copy the files that the claims read from their folder; what they read from elsewhere, in words."""
    from rmtsim.runs._identity.code_version import dependencies_of

    elsewhere = set()
    for claim in claims:
        for kind, name, _ in dependencies_of(claim)[2]:
            file = Path(name)
            if kind == "file" and file.is_file() and file.is_relative_to(source.parent):
                inside = target / file.relative_to(source.parent)
                inside.parent.mkdir(parents=True, exist_ok=True)
                if not inside.exists():
                    shutil.copyfile(file, inside)
            elif kind in ("file", "variable") and (kind == "variable" or file.is_file()):
                elsewhere.add(f"{'environment variable' if kind == 'variable' else 'file'} {name}")
    return sorted(elsewhere)


def _requirements(packages: set[str]) -> str:
    """Versions of rmtsim, of the packages that the claims import, and of everything that these require."""
    from rmtsim.runs._identity.sources import versions_of

    # An editable installation does not list its modules, so the requirements of rmtsim are named here.
    required = [text for text in importlib.metadata.requires("rmtsim") or () if "extra ==" not in text]
    names = {match[0] for text in required if (match := re.match(r"[A-Za-z0-9_]+", text))}
    found = {**versions_of({*names, *packages}), "rmtsim": __version__}
    python = ".".join(map(str, sys.version_info[:3]))
    return "".join(
        [f"# Python {python}\n", *(f"{name}=={version}\n" for name, version in sorted(found.items()))]
    )


def _readme(file: str, results: Sequence[ClaimResult], elsewhere: Sequence[str]) -> str:
    from rmtsim.report import sentence

    lines = [
        f"# Capsule of {file}",
        "",
        "Repeat: `pip install -r requirements.txt`, then `python repeat.py`. It computes everything again and compares",
        "with `results.json`. Same versions and processor family give identical results; others give the same verdicts",
        "up to the stated level.",
        "",
        *(f"- {sentence(result)}" for result in results),
        "",
        *(f"Not in this folder, although the claims read it: {each}." for each in elsewhere),
        *([""] if elsewhere else []),
        "`claims/` statements and code, `preregistration.json` declarations and settings, `results.json`,",
        "`values.csv`, `table.*`, `refs.bib`, `figures/`, `report.html` results, `requirements.txt` versions.",
    ]
    return "\n".join(lines) + "\n"


def _repeat(folder: Path) -> int:
    """Run the capsule's claims again and compare."""
    from rmtsim.claims._preregistration import differences, read

    for name in ("capsule.json", "preregistration.json", "results.json"):
        if not (folder / name).is_file():
            raise ValueError(f"{folder}: not a capsule ({name} is missing)")
    capsule = json.loads((folder / "capsule.json").read_text(encoding="utf-8"))
    kept = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    recorded = read((folder / "preregistration.json").read_text(encoding="utf-8"), "preregistration.json")
    _, claims = file_of(str(folder / "claims" / Path(str(capsule["file"])).name))
    settings = {name: recorded["settings"][name] for name in ("seed", "level", "budget")}
    changed = differences(recorded, now(claims, settings))
    for line in changed:
        print(f"differs from the record: {line}")
    results = {result.claim: result.as_json() for result in _verify(claims, settings)}
    bad = bool(changed)
    for old in kept:
        new = results.get(old["claim"])
        words, wrong = _compared(old, new)
        bad |= wrong
        print(f"{old['claim']}: {words}")
    print("not repeated" if bad else "repeated")
    return FAILED if bad else 0


def _compared(old: dict[str, Any], new: dict[str, Any] | None) -> tuple[str, bool]:
    """How a result compares with the recorded one, in words, and whether it contradicts it."""
    if new is None:
        return "no longer declared", True
    if new["digest"] == old["digest"]:
        return f"identical ({new['verdict']})", False
    if new["verdict"] != old["verdict"]:
        return f"recorded {old['verdict']}, now {new['verdict']}", True
    if old["estimate"] is None or new["estimate"] is None:
        return f"same verdict ({new['verdict']})", False
    change = abs(new["estimate"] - old["estimate"])
    ends = [end for end in old["interval"] if end is not None]
    inside = len(ends) < 2 or ends[0] - change * 1e-9 <= new["estimate"] <= ends[1] + change * 1e-9
    words = f"same verdict ({new['verdict']}), estimate moved by {change:.2g}"
    return (
        (words, False)
        if inside or math.isclose(new["estimate"], old["estimate"])
        else (f"{words}, out of the interval", True)
    )


def _dump(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
