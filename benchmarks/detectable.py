"""Write rmtsim/papers/PAPER/detectable.json: the smallest shift each registered claim detects in the default budget.

    PYTHONPATH=. python benchmarks/detectable.py --store runs.sqlite --workers 2       every claim, default allowance
    PYTHONPATH=. python benchmarks/detectable.py --from dong.json wu.json              from `rmtsim verify --json`
    PYTHONPATH=. python benchmarks/detectable.py --missing --store runs.sqlite         only claims without an entry
    PYTHONPATH=. python benchmarks/detectable.py --budget 6                            a first figure, in minutes
    PYTHONPATH=. python benchmarks/detectable.py --tolerances                          after changes of tolerances alone

A claim runs at the level it has in a run of all registered claims. Claims that are gone are dropped. With
--missing, an entry whose declared tolerance no longer fits its claim counts as missing. With --budget, claims get that
many nominal seconds and their half-width is extrapolated to the default allowance by the square root of the time.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from rmtsim.claims import Claim, all_claims
from rmtsim.claims import _detectability as detectability
from rmtsim.claims._model import LEVEL, SECONDS
from rmtsim.claims._papers import PAPERS
from rmtsim.verdicts import verify


def _up(value: float) -> float:
    """Rounded upwards to four digits, so that a shift never falls below what it must exceed."""
    step = 10.0 ** (math.floor(math.log10(value)) - 3)
    return float(f"{math.ceil(value / step) * step:.4g}")


def entry(claim: Claim, result: dict[str, Any], spent: float = SECONDS) -> dict[str, Any]:
    """What one claim's JSON result says: its point with the smallest detectable share of the prediction."""
    # Values without chance, identities and bounds do not sharpen with time.
    sharper = 1.0
    if claim.accuracy is None and claim.kind not in ("identity", "bound"):
        sharper = math.sqrt(spent / SECONDS)

    def shift(point: dict[str, Any]) -> float:
        if point["detectable"] is None:
            return math.inf
        return float(point["tolerance"] + (point["detectable"] - point["tolerance"]) * sharper)

    best = min(result["points"], key=lambda point: shift(point) / (abs(point["predicted"]) or 1.0))
    found, predicted = shift(best), best["predicted"]
    known = math.isfinite(found)
    return {
        "parameters": best["parameters"],
        "quantity": best["quantity"],
        "predicted": predicted,
        "tolerance": best["tolerance"],
        "shift": _up(found) if known else None,
        "relative": float(f"{found / abs(predicted):.4g}") if known and predicted else None,
        "level": None if best["level"] is None else float(f"{best['level']:.4g}"),
        "budget": SECONDS,
    }


def with_tolerance(claim: Claim, known: dict[str, Any]) -> dict[str, Any]:
    """The entry with the tolerance that the claim declares now: a shift is the tolerance plus the half-width."""
    width = claim.tolerance.width(known["predicted"])
    if known["shift"] is None or math.isclose(width, known["tolerance"], rel_tol=1e-9):
        return known
    half = known["shift"] - known["tolerance"]
    if claim.kind == "identity":  # counted in tolerances
        half *= width / known["tolerance"]
    shift, predicted = _up(width + half), known["predicted"]
    relative = float(f"{shift / abs(predicted):.4g}") if predicted else None
    return {**known, "tolerance": width, "shift": shift, "relative": relative}


def write(entries: dict[str, dict[str, Any]], claims: list[Claim]) -> None:
    kept = {claim.id: entries[claim.id] for claim in claims if claim.id in entries}
    for key, paper in PAPERS.items():
        mine = {claim.id: kept[claim.id] for claim in claims if claim.paper == key and claim.id in kept}
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(known, ensure_ascii=False)}" for name, known in mine.items()
        )
        text = f'{{"schema": 1, "claims": {{\n{lines}\n}}}}\n'
        (paper.folder / detectability.FILE).write_text(text, encoding="utf-8")
    print(f"{detectability.FILE}: {len(kept)} of {len(claims)} registered claims", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--from", nargs="+", default=[], metavar="JSON", dest="files", help="results of verify --json"
    )
    parser.add_argument("--tolerances", action="store_true", help="run nothing; take over changed tolerances")
    parser.add_argument("--missing", action="store_true", help="run only claims without an entry that fits")
    parser.add_argument("--paper", help="run only claims of this paper")
    parser.add_argument("--store", help="keep and reuse batches there")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--budget", type=float, help="nominal seconds per claim, to be extrapolated")
    arguments = parser.parse_args()
    claims = all_claims()
    by_name = {claim.id: claim for claim in claims}
    entries = {
        name: known.as_json() for key in PAPERS for name, known in detectability.recorded_shifts(key).items()
    }
    if arguments.tolerances:
        entries = {name: with_tolerance(by_name[name], entries[name]) for name in entries if name in by_name}
        write(entries, claims)
        return
    if arguments.files:
        for file in arguments.files:
            for result in json.loads(Path(file).read_text(encoding="utf-8")):
                claim = by_name.get(result["claim"])
                if claim is not None:
                    entries[claim.id] = entry(claim, result)
        write(entries, claims)
        return
    wanted = [
        claim
        for claim in (all_claims(arguments.paper) if arguments.paper else claims)
        if not arguments.missing
        or claim.id not in entries
        or not detectability.DetectableShift(**entries[claim.id]).belongs_to(claim)
    ]
    # With a budget of its own each claim runs alone: a budget is shared by all claims of a run.
    groups = [[claim] for claim in wanted]
    if arguments.budget is None:
        papers = dict.fromkeys(claim.paper for claim in wanted)
        groups = [[claim for claim in wanted if claim.paper == paper] for paper in papers]
    for group in groups:
        results = verify(
            group,
            level=LEVEL * len(group) / len(claims),
            budget=arguments.budget,
            executor=arguments.workers if arguments.workers > 1 else None,
            store=arguments.store,
        )
        for claim, result in zip(group, results, strict=True):
            entries[claim.id] = entry(claim, result.as_json(), arguments.budget or SECONDS)
        write(entries, claims)


if __name__ == "__main__":
    main()
