"""Write rmtsim/claims/detectable.json: the smallest shift each registered claim detects in the default budget.

    PYTHONPATH=. python benchmarks/detectable.py --store runs.sqlite --workers 2       every claim, default allowance
    PYTHONPATH=. python benchmarks/detectable.py --from dong.json wu.json              from `rmtsim verify --json`
    PYTHONPATH=. python benchmarks/detectable.py --missing --store runs.sqlite         only claims without an entry
    PYTHONPATH=. python benchmarks/detectable.py --rounds 2                            a first figure, in minutes

A claim runs at the level it has in a run of all registered claims. Claims that are gone are dropped. With
--missing, an entry whose declared tolerance no longer fits its claim counts as missing. With --rounds, claims stop
after that many rounds, and their half-width is extrapolated to the whole allowance by the square root of the time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import Any

from rmtsim.claims import Claim, all_claims, detectability
from rmtsim.verify import verify
from rmtsim.verify.engine import DEFAULT_SECONDS

FILE = Path(detectability.__file__).with_name("detectable.json")
FAMILY = 0.05


def entry(result: dict[str, Any], budget: float) -> dict[str, Any]:
    """What one claim's JSON result says: its point with the smallest detectable share of the prediction."""

    def share(point: dict[str, Any]) -> float:
        if point["detectable"] is None:
            return float("inf")
        return float(point["detectable"] / (abs(point["predicted"]) or 1.0))

    best = min(result["points"], key=share)
    shift, predicted = best["detectable"], best["predicted"]
    return {
        "parameters": best["parameters"],
        "quantity": best["quantity"],
        "predicted": predicted,
        "tolerance": best["tolerance"],
        "shift": None if shift is None else float(f"{shift:.4g}"),
        "relative": None if shift is None or not predicted else float(f"{shift / abs(predicted):.4g}"),
        "level": float(f"{best['level']:.4g}"),
        "budget": budget,
    }


def write(entries: dict[str, dict[str, Any]], claims: list[Claim]) -> None:
    kept = {claim.id: entries[claim.id] for claim in claims if claim.id in entries}
    lines = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(known, ensure_ascii=False)}" for name, known in kept.items()
    )
    FILE.write_text(f'{{"schema": 1, "claims": {{\n{lines}\n}}}}\n', encoding="utf-8")
    print(f"{FILE.name}: {len(kept)} of {len(claims)} registered claims", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--from", nargs="+", default=[], metavar="JSON", dest="files", help="results of verify --json"
    )
    parser.add_argument("--missing", action="store_true", help="run only claims without an entry that fits")
    parser.add_argument("--paper", help="run only claims of this paper")
    parser.add_argument("--store", help="keep and reuse batches there")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--rounds", type=int, default=0, help="stop after so many rounds (default: at the end)"
    )
    arguments = parser.parse_args()
    claims = all_claims()
    by_name = {claim.id: claim for claim in claims}
    entries: dict[str, dict[str, Any]] = {}
    if FILE.exists():
        entries = json.loads(FILE.read_text(encoding="utf-8"))["claims"]
    if arguments.files:
        for file in arguments.files:
            for result in json.loads(Path(file).read_text(encoding="utf-8")):
                claim = by_name.get(result["claim"])
                if claim is not None:
                    entries[claim.id] = entry(result, DEFAULT_SECONDS)
        write(entries, claims)
        return
    wanted = [
        claim
        for claim in (all_claims(arguments.paper) if arguments.paper else claims)
        if not arguments.missing
        or claim.id not in entries
        or not detectability.DetectableShift(**entries[claim.id]).belongs_to(claim)
    ]
    for paper in dict.fromkeys(claim.paper for claim in wanted):
        mine = [claim for claim in wanted if claim.paper == paper]
        rounds = itertools.count()
        results = verify(
            mine,
            level=FAMILY * len(mine) / len(claims),
            executor=arguments.workers if arguments.workers > 1 else None,
            store=arguments.store,
            stop=lambda rounds=rounds: 0 < arguments.rounds <= next(rounds),
        )
        entries.update((result.claim, entry(result.as_json(), DEFAULT_SECONDS)) for result in results)
        write(entries, claims)


if __name__ == "__main__":
    main()
