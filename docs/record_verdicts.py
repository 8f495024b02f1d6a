"""Record verdicts for the papers' pages of the site.

    rmtsim verify --quick --paper dong --json > results.json
    python docs/record_verdicts.py results.json [more.json ...]

Writes rmtsim/papers/PAPER/verdicts.json: verdict and interval of each claim, with its seed and the nominal
seconds that it took. A claim's newer record takes the place of its older one; claims that are gone are dropped.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rmtsim.claims import all_claims
from rmtsim.claims._papers import PAPERS


def record(result: dict[str, Any]) -> dict[str, Any]:
    """What a page shows of one result: the point that decides."""
    point = next(
        (each for each in result["points"] if each["verdict"] == result["verdict"]), result["points"][0]
    )
    return {
        "verdict": result["verdict"],
        "interval": point.get("interval"),
        "parameters": point["parameters"],
        "grade": result.get("grade"),
        "severity": result.get("severity"),
        "seed": result.get("seed"),
        "nominal_seconds": _rounded(sum(each.get("nominal_seconds") or 0.0 for each in result["points"])),
    }


def _rounded(seconds: float) -> float:
    return float(f"{seconds:.3g}")


def main(files: list[str]) -> None:
    """Take over the results in these files."""
    found: dict[str, dict[str, Any]] = {}
    for name in files:
        for result in json.loads(Path(name).read_text(encoding="utf-8")):
            found[result["claim"]] = record(result)
    for key, paper in PAPERS.items():
        file = paper.folder / "verdicts.json"
        known = PAPERS.records(key, file.name)
        names = [claim.id for claim in all_claims(key)]
        kept = {name: found.get(name, known.get(name)) for name in names if name in found or name in known}
        if kept:
            lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in kept.items())
            file.write_text(f'{{"claims": {{\n{lines}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
