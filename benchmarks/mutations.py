"""Mutation trial: is a wrong constant in a closed form noticed by a test, or by a verdict?

    PYTHONPATH=. python benchmarks/mutations.py list                        constants that would be tried
    PYTHONPATH=. python benchmarks/mutations.py run trial.json              one constant of every function, resumable
    PYTHONPATH=. python benchmarks/mutations.py run trial.json --all        every constant
    PYTHONPATH=. python benchmarks/mutations.py run trial.json --again --wide   those that nobody noticed, all tests
    PYTHONPATH=. python benchmarks/mutations.py verdicts trial.json --recorded results.json ...
    PYTHONPATH=. python benchmarks/mutations.py table trial.json --into docs/calibration.md

Every function of rmtsim/predict and rmtsim/laws with a number in its arithmetic is tried: the number is multiplied by
1.03 in the code of the function itself, so that everything that uses it, on both sides of a comparison, uses the wrong
one. Tests are collected once and mapped (which functions each enters, how long it takes; kept beside the trial's file);
a forked process then asks those that reach the function, the quickest first, up to the first failure or a minute of them.

Verdicts: computed claims that reach the function are run again with the wrong number; the recorded intervals of
simulated ones (`rmtsim verify … --json`), into which no theory enters, are compared with the wrong predictions.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mutants import ROOT, Constant, constants, modules, mutate
from mutation_reasons import reason
from noticing import in_a_process, run_trial

# A quadrature or an iteration is cut off by a number of terms; made 1.03 times as large it is no number of terms.
_NO_COUNT = ("'float' object cannot be interpreted as an integer", "object cannot be interpreted as an integer",
             "slice indices must be integers", "expected a whole number", "must be an integer",
             "can't multiply sequence by non-int")  # fmt: skip


def counts(entry: dict[str, Any]) -> bool:
    """Whether the number counts something, so that nothing but a whole number makes sense."""
    return any(words in entry["how"] for words in _NO_COUNT)


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
    """Ask the tests."""
    out = Path(arguments.file)
    done = _read(out)
    first = {each.name for each in constants(every=False)}
    wanted = [
        each for each in constants(every=arguments.all or arguments.again) if arguments.only in each.module
    ]
    if arguments.again:
        wanted = [each for each in wanted if each.name in done and not done[each.name]["test"]]
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
        run_trial(wanted, out.with_suffix(".reach.json"), keep, arguments.wide)


def verdicts(arguments): ...


def table(arguments): ...


def list_constants(arguments: argparse.Namespace) -> None:
    """Say what would be tried."""
    for each in constants(arguments.all):
        if arguments.only in each.module:
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
    parser.add_argument("--only", default="", help="modules whose name contains this")
    parser.add_argument("--recorded", nargs="*", default=[], help="results of rmtsim verify --json")
    parser.add_argument("--into", default="", help="page whose table is written anew")
    arguments = parser.parse_args()
    {"list": list_constants, "run": run, "verdicts": verdicts, "table": table}[arguments.action](arguments)


if __name__ == "__main__":
    main()
