"""Search for counterexamples of every bound of the papers that is not refuted: a table for the documentation.

    python benchmarks/searches.py run FILE [--seconds 5] [--minutes 14]
    python benchmarks/searches.py table FILE

``run`` appends one line of JSON per claim to FILE and leaves out claims that are there, so that it can be stopped and
continued. Times are those of the clock: a busy machine tries fewer vectors.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from rmtsim.claims import Claim, all_claims
from rmtsim.claims._papers import PAPERS
from rmtsim.verdicts import search


def bounds(*, refuted: bool = False) -> list[Claim]:
    """Bounds of values whose recorded verdict is not REFUTED, or those whose verdict is."""
    recorded = {key: PAPERS.records(key, "verdicts.json") for key in PAPERS}
    return [
        claim
        for claim in all_claims()
        if claim.kind == "bound" and claim.of == "value" and not claim.coupled
        and (recorded[claim.paper].get(claim.id, {}).get("verdict") == "REFUTED") == refuted
    ]  # fmt: skip


def run(file: Path, seconds: float, minutes: float, *, refuted: bool) -> None:
    """Search the bounds that the file does not have."""
    until = time.monotonic() + 60 * minutes
    known = {each["claim"] for each in read(file)}
    for claim in bounds(refuted=refuted):
        if claim.id in known:
            continue
        if time.monotonic() > until:
            break
        found = {**search(claim, seconds=seconds).as_json(), "likely": claim.likely, "paper": claim.paper}
        found["entries"] = found["entries"] if found["violated"] else []
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(found) + "\n")


def read(file: Path) -> list[dict[str, Any]]:
    """Results in a file."""
    return (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    )


def table(results: list[dict[str, Any]]) -> str:
    """Counts by paper, in Markdown."""
    titles = (
        "paper",
        "for all inputs",
        "likely",
        "within 1 %",
        "within a factor 2",
        "counterexamples",
        "vectors tried",
    )
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for key in PAPERS:
        own = [each for each in results if each["paper"] == key]
        if not own:
            continue
        gaps = [_gap(each) for each in own]
        counts = (
            sum(not each["likely"] for each in own),
            sum(each["likely"] for each in own),
            sum(gap < 0.01 for gap in gaps),
            sum(gap < 0.5 for gap in gaps),
            sum(each["violated"] for each in own),
            sum(each["evaluations"] for each in own),
        )
        lines.append(f"| `{key}` | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def _gap(result: dict[str, Any]) -> float:
    """Distance to the bound over its size; infinite without a value."""
    if result["value"] is None or result["bound"] is None:
        return float("inf")
    return abs(result["value"] - result["bound"]) / (abs(result["bound"]) or 1.0)


def main() -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("run", "table"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds for each claim")
    parser.add_argument(
        "--minutes", type=float, default=14.0, help="minutes after which no further claim is begun"
    )
    parser.add_argument(
        "--refuted", action="store_true", help="search the refuted bounds: how many are found"
    )
    given = parser.parse_args()
    if given.command == "run":
        run(given.file, given.seconds, given.minutes, refuted=given.refuted)
    results = read(given.file)
    print(table(results))
    for each in results:
        if each["violated"] or each["rechecked"]:
            print({key: value for key, value in each.items() if key != "entries"})


if __name__ == "__main__":
    main()
