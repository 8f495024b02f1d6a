"""Did a change of the code change a verdict? Values, intervals and verdicts of two runs, compared to the last digit.

Record the verdicts of a tree, change it, and compare:

    python benchmarks/same_verdicts.py record before.json
    python benchmarks/same_verdicts.py compare before.json

Compared are the quick set and one full claim per paper under one seed, without a store. Words, code versions and times
may differ; numbers may not. Exit code 1 and a line for each difference if any does.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FULL = ("dong.thm1.ratio", "wu.thm4.2.overlap", "li.lemmaF.2")
RUNS = (("--quick",), (*FULL, "--budget", "60"))
COMPARED = (
    "parameters", "verdict", "predicted", "estimate", "interval", "quantity", "level", "tolerance", "sizes",
    "replicates", "values", "standard_errors", "error_budget", "models", "best_model", "richardson_weights",
    "nominal_seconds", "looks",
)  # fmt: skip


def verdicts(seed: int) -> dict[str, Any]:
    """Numbers of this tree by claim and parameter point."""
    found: dict[str, Any] = {}
    for options in RUNS:
        command = [sys.executable, "-m", "rmtsim", "verify", *options, "--json", "--no-store", "--quiet"]
        done = subprocess.run([*command, "--seed", str(seed)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr or f"rmtsim ended with code {done.returncode}")
        for result in json.loads(done.stdout):
            name = f"{result['claim']}{'' if options == RUNS[0] else ' (full)'}"
            found[name] = [{key: point[key] for key in COMPARED} for point in result["points"]]
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """One line for each claim that is not the same in both."""
    lines = []
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            lines.append(f"{name}: only {'before' if name in before else 'after'}")
        elif before[name] != after[name]:
            points = zip(before[name], after[name], strict=False)
            fields = {key for old, new in points for key in COMPARED if old[key] != new[key]}
            lines.append(f"{name}: {', '.join(sorted(fields)) or 'number of points'}")
    return lines


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    now = verdicts(arguments.seed)
    if arguments.action == "record":
        arguments.file.write_text(json.dumps(now, indent=1), encoding="utf-8")
        print(f"{len(now)} claims written to {arguments.file}")
        return 0
    lines = differences(json.loads(arguments.file.read_text(encoding="utf-8")), now)
    print("\n".join([*lines, f"{len(now)} claims compared, {len(lines)} differ"]))
    return bool(lines)


if __name__ == "__main__":
    raise SystemExit(main())
