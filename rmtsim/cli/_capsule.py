"""``rmtsim capsule``: everything that is needed to repeat a run, in one folder."""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import json
import math
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rmtsim import __version__
from rmtsim.cli._common import FAILED, nothing_else_printed
from rmtsim.cli._preregister import add_settings, file_of, now, settings_of

if TYPE_CHECKING:
    from rmtsim.verdicts import ClaimResult

__all__ = ["add_parser"]

_EPILOG = """\
examples:
  rmtsim capsule my_claims.py -o capsule --budget 60     run the claims and write the folder
  rmtsim capsule --repeat capsule                        repeat the run and compare (exit code 1 if it differs)
  cd capsule && pip install -r requirements.txt && python repeat.py

The folder holds the claims with the modules beside them that they import, the record of their declarations, seed, level
and budget, the versions of all packages, results, tables, figures and a page of the run.
"""

_REPEAT = '''"""Repeat the run of this capsule and compare: identical results, or the same verdicts."""

import sys
from pathlib import Path

from rmtsim.cli import main

sys.exit(main(["capsule", "--repeat", str(Path(__file__).resolve().parent)]))
'''


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "capsule",
        help="write a folder from which others can repeat a run, or repeat one",
        description="Run the claims of a file and write a folder from which others can repeat the run and compare.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
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
    for module in _with_neighbours(path.resolve()):
        target = folder / "claims" / module.relative_to(path.resolve().parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(module, target)
    made = {**now(claims, settings), "file": path.name}
    _dump(folder / "preregistration.json", {name: value for name, value in made.items() if name != "file"})
    _dump(folder / "capsule.json", {"file": path.name, "settings": settings, "rmtsim": __version__})
    (folder / "requirements.txt").write_text(_requirements(), encoding="utf-8")
    (folder / "repeat.py").write_text(_REPEAT, encoding="utf-8")
    results = _verify(claims, settings)
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
    (folder / "README.md").write_text(_readme(path.name, examined), encoding="utf-8")
    print(f"{folder}: {len(results)} claims; repeat with: python {folder / 'repeat.py'}")
    return 0


def _with_neighbours(path: Path) -> list[Path]:
    """The file and the modules and packages beside it that it imports, directly or not."""
    found, waiting = [path], [path]
    while waiting:
        tree = ast.parse(waiting.pop().read_text(encoding="utf-8"))
        names = [
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        ]
        names += [
            str(node.module) if not node.level else f"{node.module or ''}.{alias.name}".strip(".")
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if node.module or node.level
        ]
        for name in dict.fromkeys(str(each).partition(".")[0] for each in names):
            package = path.parent / name
            files = sorted(package.rglob("*.py")) if (package / "__init__.py").is_file() else []
            module = path.parent / f"{name}.py"
            new = [each for each in ([module] if module.is_file() else files) if each not in found]
            found += new
            waiting += new
    if (path.parent / "__init__.py").is_file() and path.parent / "__init__.py" not in found:
        found.append(path.parent / "__init__.py")
    return found


def _requirements() -> str:
    """Versions of rmtsim and of everything that it requires, directly or not."""
    wanted, seen = ["rmtsim"], {}
    while wanted:
        name = wanted.pop()
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if found.metadata["Name"] in seen:
            continue
        seen[found.metadata["Name"]] = found.version
        for text in found.requires or ():
            if "extra ==" not in text:
                wanted.append(
                    "".join(
                        letter if letter.isalnum() or letter in "-_." else " " for letter in text
                    ).split()[0]
                )
    seen.setdefault("rmtsim", __version__)
    python = ".".join(map(str, sys.version_info[:3]))
    return "".join(
        [f"# Python {python}\n", *(f"{name}=={seen[name]}\n" for name in sorted(seen, key=str.lower))]
    )


def _readme(file: str, results: Sequence[ClaimResult]) -> str:
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
        return "not in the claims any more", True
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
