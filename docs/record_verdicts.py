"""Record verdicts for the papers' pages of the site.

    rmtsim verify --quick --paper dong --json > results.json
    python docs/record_verdicts.py results.json [more.json ...]

Writes rmtsim/papers/PAPER/verdicts.json: verdict, interval, grade and severity of each claim, with its seed and the
nominal seconds that it took. A claim's newer record takes the place of its older one; claims that are gone are dropped.
Without files, grades of records that have none are added: they follow from the interval and, for a stated zero, from
the scale of a few draws at the smallest size.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.claims import Claim, all_claims
from rmtsim.claims._papers import PAPERS
from rmtsim.verdicts._severity import recorded_severity, severity

SCALE_DRAWS = 8
"""Draws that give the scale of a stated zero."""
SCALE_SECONDS = 0.5
"""Nominal seconds that they may cost; a dearer claim keeps its record until it is run again."""


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


def graded(claim: Claim, entry: dict[str, Any]) -> dict[str, Any]:
    """A record with grade and severity, those of the run if it has them."""
    if ((entry.get("severity") or {}).get("grade") is not None and not claim.vacuous) or entry[
        "verdict"
    ] not in (
        "CONFIRMED",
        "UNTESTED",
    ):
        return entry
    found = recorded_severity(claim, entry)
    if found is not None and found.grade is None and not found.untested and claim.kind in ("limit", "bound"):
        point = claim.point(entry["parameters"])
        if SCALE_DRAWS * claim.cost(point, claim.sizes[0]) > SCALE_SECONDS:
            return entry
        rng = stream(0, f"{claim.id}#scale", point, claim.sizes[0], 0)
        drawn = np.ravel(claim.at(point).sample(point, claim.sizes[0], rng, SCALE_DRAWS))
        limit = claim.kind == "limit"
        found = severity(
            claim.at(point),
            point,
            tuple(entry["interval"]),
            values=[drawn.mean()] if limit else [],
            spread=float(drawn.std() if limit else np.sqrt(np.mean(drawn**2))),
        )
    if found is None:
        return entry
    verdict = "UNTESTED" if found.untested else entry["verdict"]
    told = {"grade": None if found.grade is None else str(found.grade), "severity": found.as_json()}
    return {**entry, "verdict": verdict, **told}


def main(files: list[str]) -> None:
    """Take over the results in these files."""
    found: dict[str, dict[str, Any]] = {}
    for name in files:
        for result in json.loads(Path(name).read_text(encoding="utf-8")):
            found[result["claim"]] = record(result)
    for key, paper in PAPERS.items():
        file = paper.folder / "verdicts.json"
        known = PAPERS.records(key, file.name)
        kept = {
            claim.id: graded(claim, found.get(claim.id) or known[claim.id])
            for claim in all_claims(key)
            if claim.id in found or claim.id in known
        }
        if kept:
            lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in kept.items())
            file.write_text(f'{{"claims": {{\n{lines}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
