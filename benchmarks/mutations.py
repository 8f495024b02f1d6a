"""Mutation trial: is a wrong constant in a closed form noticed by a test, or by a verdict?

    PYTHONPATH=. python benchmarks/mutations.py list                        constants that would be tried
    PYTHONPATH=. python benchmarks/mutations.py run trial.json              one constant of every function, resumable
    PYTHONPATH=. python benchmarks/mutations.py run trial.json --all        every constant
    PYTHONPATH=. python benchmarks/mutations.py run trial.json --again --wide   those that were not noticed, all tests
    PYTHONPATH=. python benchmarks/mutations.py verdicts trial.json [--recorded results.json ...]
    PYTHONPATH=. python benchmarks/mutations.py table trial.json --into docs/calibration-statements.md

Every function of rmtsim/papers/*/theory and rmtsim/laws with a number in its arithmetic is tried: the number is
multiplied by 1.03 in the code of the function itself, so that everything that uses it, on both sides of a comparison,
uses the wrong one. Tests are collected once and mapped (which functions each enters, how long it takes; kept beside the
trial's file); a forked process then runs those that call the function, quickest first, up to the first failure or
--longest.

Verdicts: computed claims that reach the function are run again with the wrong number; the recorded intervals of
simulated ones (the papers' verdicts.json, or results of `rmtsim verify … --json`), into which no theory enters, are
compared with the wrong predictions.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mutants import ROOT, Constant, constants, modules
from mutation_reasons import reason
from noticing import run_trial
from verdict_changes import changed, map_claims, questions, read_records

# Numbers of terms of a quadrature or an iteration are integers, which a factor 1.03 does not give.
_NO_COUNT = ("'float' object cannot be interpreted as an integer", "object cannot be interpreted as an integer",
             "slice indices must be integers", "expected a whole number", "must be an integer",
             "can't multiply sequence by non-int")  # fmt: skip


def counts(entry: dict[str, Any]) -> bool:
    """Whether the number counts something, so that nothing but a whole number makes sense."""
    return any(words in entry["how"] for words in _NO_COUNT)


def _chosen(constant: Constant, only: str) -> bool:
    return any(word in constant.module for word in only.split(","))


def _warm_up() -> None:
    """Load what every process needs once, without calling any theory (its caches would survive the fork)."""
    for name in ("numpy", "scipy.special", "scipy.stats", "scipy.integrate", "scipy.optimize", "mpmath", "matplotlib",
                 "matplotlib.pyplot", "rmtsim.cli", "rmtsim.verdicts"):  # fmt: skip
        importlib.import_module(name)
    from rmtsim.claims import all_claims

    all_claims()
    for module, _ in modules():
        importlib.import_module(module)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    return {entry["name"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}


def _write(path: Path, entries: dict[str, dict[str, Any]]) -> None:
    path.write_text(json.dumps(list(entries.values()), indent=1, ensure_ascii=False), encoding="utf-8")


def run(arguments: argparse.Namespace) -> None:
    """Run the tests on each mutant."""
    out = Path(arguments.file)
    done = _read(out)
    first = {each.name for each in constants(every=False)}
    wanted = [
        each for each in constants(every=arguments.all or arguments.again) if _chosen(each, arguments.only)
    ]
    if arguments.again:
        wanted = [
            each
            for each in wanted
            if each.name in done and not done[each.name]["test"] and not reason(asdict(each))
        ]
    else:
        # One a function first, so that a trial that is stopped has tried every function.
        wanted.sort(key=lambda each: each.name not in first)
        wanted = [each for each in wanted if each.name not in done or done[each.name]["value"] != each.value]
    start = time.monotonic()

    def keep(constant: Constant, found: dict[str, Any]) -> None:
        known = done.get(constant.name, {})
        done[constant.name] = {
            "name": constant.name, "first": constant.name in first, "claims": known.get("claims"),
            **asdict(constant), **found,
        }  # fmt: skip
        _write(out, done)
        words = (
            f"{found['test']} ({found['how'][:40]!r})"
            if found["test"]
            else f"no test of {found.get('asked')}"
        )
        print(
            f"{time.monotonic() - start:6.0f} s  {constant.name}  {constant.expression[:50]}  ->  {words}",
            flush=True,
        )

    if wanted:
        _warm_up()
        run_trial(
            wanted,
            out.with_suffix(".reach.json"),
            keep,
            arguments.wide,
            arguments.longest,
            arguments.map,
            arguments.tests,
        )


def verdicts(arguments: argparse.Namespace) -> None:
    """Run the claims on one mutant of every function, and on those that no test notices."""
    out = Path(arguments.file)
    done = _read(out)
    recorded = read_records(
        map(Path, arguments.recorded or sorted((ROOT / "rmtsim" / "papers").glob("*/verdicts.json")))
    )
    _warm_up()
    asked = questions(recorded, runs=not arguments.records)
    kept = out.with_suffix(".claims.json")
    reach = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for name in asked:
        map_claims({name: asked[name]}, reach)
        kept.write_text(json.dumps(reach), encoding="utf-8")
    for constant in constants(every=True):
        entry = done.get(constant.name)
        wanted = entry and (entry["first"] or not entry["test"]) and not counts(entry)
        if not wanted or not _chosen(constant, arguments.only) or entry["claims"] is not None:
            continue
        entry.update(changed(constant, asked, reach, arguments.claims))
        print(f"{constant.name}  ->  {entry['claims']} of {entry['asked_claims']}", flush=True)
        _write(out, done)


def _package(module: str) -> str:
    """The package of a module in the table: a paper's theory, or the first folder.

    >>> _package("rmtsim.papers.wu.theory.limits"), _package("rmtsim.laws._free.bands")
    ('papers.wu.theory', 'laws')
    """
    parts = module.removeprefix("rmtsim.").split(".")
    return ".".join(parts[:3] if parts[0] == "papers" else parts[:1])


def _markdown(entries: list[dict[str, Any]]) -> list[str]:
    """The table: packages with what was tried and noticed, totals, and why constants are excused."""
    numbers = [entry for entry in entries if not counts(entry)]
    # Columns of verdicts only if verdicts were computed.
    asked_of_claims = any(entry.get("asked_claims") for entry in numbers)
    titles = ["package", "functions", "constants", "noticed by a test"]
    titles += ["asked of verdicts", "noticed by one"] if asked_of_claims else []
    titles += ["excused", "open"]
    rows = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]

    def row(title: str, own: list[dict[str, Any]]) -> str:
        asked = [each for each in own if each.get("asked_claims")]
        silent = [each for each in own if not each["test"] and not each["claims"]]
        cells = [
            len({(each["module"], each["function"]) for each in own}),
            len(own),
            sum(bool(each["test"]) for each in own),
        ]
        cells += [len(asked), sum(bool(each["claims"]) for each in asked)] if asked_of_claims else []
        excused = sum(bool(reason(each)) for each in silent)
        cells += [excused, len(silent) - excused]
        return f"| {title} | {' | '.join(map(str, cells))} |"

    for package in dict.fromkeys(_package(entry["module"]) for entry in numbers):
        own = [entry for entry in numbers if _package(entry["module"]) == package]
        rows.append(row(f"`{package}`", own))
    rows.append(row("all", numbers))
    silent = [entry for entry in numbers if not entry["test"] and not entry["claims"]]
    rows += ["", f"{len(entries) - len(numbers)} more numbers count something (a float is an error at once) and are "
             "left out. Reasons for which a number is excused:", ""]  # fmt: skip
    grouped: dict[str, list[dict[str, Any]]] = {}
    for entry in silent:
        grouped.setdefault(reason(entry) or "**no reason**", []).append(entry)
    for why, own in sorted(grouped.items(), key=lambda item: -len(item[1])):
        named = ", ".join(f"`{e['module'].removeprefix('rmtsim.')}.{e['function']}`" for e in own)
        rows.append(f"- {len(own)}: {why}" + ("" if reason(own[0]) else f": {named}"))
    return rows


BEGIN, END = "<!-- mutations: begin -->", "<!-- mutations: end -->"


def table(arguments: argparse.Namespace) -> None:
    """Print the table, or write it into a page between its two marks."""
    day = datetime.date.today()
    head = f"Recorded on {day.day} {day:%B %Y}."
    text = "\n".join([head, "", *_markdown(list(_read(Path(arguments.file)).values()))])
    if not arguments.into:
        print(text)
        return
    page = Path(arguments.into)
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


def list_constants(arguments: argparse.Namespace) -> None:
    """Say what would be tried."""
    for each in constants(arguments.all):
        if _chosen(each, arguments.only):
            print(f"{each.name}  {each.value:g} in {each.expression}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("list", "run", "verdicts", "table"))
    parser.add_argument("file", nargs="?", default="mutations.json")
    parser.add_argument("--all", action="store_true", help="every constant, not one a function")
    parser.add_argument("--again", action="store_true", help="those that no test noticed, once more")
    parser.add_argument("--wide", action="store_true", help="tests of claims and spectra as well")
    parser.add_argument(
        "--tests", nargs="*", default=[], help="only these tests, instead of all of the theory"
    )
    parser.add_argument(
        "--map", type=float, default=20.0, help="longest test that is asked, in seconds of processor"
    )
    parser.add_argument("--longest", type=float, default=60.0, help="seconds of tests a constant is given")
    parser.add_argument("--claims", type=float, default=25.0, help="seconds of claims a constant is given")
    parser.add_argument("--only", default="", help="modules whose name contains this, or one of these: a,b")
    parser.add_argument(
        "--recorded",
        nargs="*",
        default=[],
        help="results of rmtsim verify --json (default: the papers' verdicts.json)",
    )
    parser.add_argument("--records", action="store_true", help="recorded intervals only, no claim is run")
    parser.add_argument("--into", default="", help="page whose table is written anew")
    arguments = parser.parse_args()
    {"list": list_constants, "run": run, "verdicts": verdicts, "table": table}[arguments.action](arguments)


if __name__ == "__main__":
    main()
