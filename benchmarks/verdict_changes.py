"""Whose verdict a wrong number changes (for mutations.py)."""

from __future__ import annotations

import cProfile
import functools
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mutants import Constant, forget, mutate
from noticing import in_a_process, watched

CLOSE = 1e-9
"""Recorded and computed predictions agree within this share: the record belongs to this code."""


def read_records(files: Iterable[Path]) -> list[dict[str, Any]]:
    """Results of `rmtsim verify --json`, or of a paper's verdicts.json, which has the deciding point of each claim."""
    found: list[dict[str, Any]] = []
    for file in files:
        content = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(content, list):
            found += content
            continue
        for name, record in content["claims"].items():
            kept = {key: record[key] for key in ("parameters", "interval", "verdict")}
            found.append({"claim": name, "points": [{**kept, "predicted": None}]})
    return found


def _from_record(result: dict[str, Any], check: bool) -> str:
    """The verdict of recorded intervals on the predictions of this process."""
    from rmtsim.claims import find

    claim = find(result["claim"])
    words = []
    for point in result["points"]:
        predicted = claim.prediction(point["parameters"])
        width = claim.tolerance.width(predicted)
        low, high = point["interval"]
        inside = predicted - width <= low and high <= predicted + width
        outside = high < predicted - width or low > predicted + width
        words.append("CONFIRMED" if inside else "REFUTED" if outside else "INCONCLUSIVE")
        known = point["predicted"]
        moved = known is not None and abs(predicted - known) > CLOSE * abs(known)
        if check and (moved or words[-1] != point["verdict"]):
            raise ValueError(f"{claim.id}: the record belongs to another declaration")
    return " ".join(words)


def _from_run(name: str, check: bool) -> str:
    """The verdict of a short run in this process."""
    from rmtsim.verdicts import verify

    (result,) = verify(name, quick=True, progress=False)
    if result.failed:
        return "no verdict"
    return " ".join(str(point.verdict) for point in result.points)


def questions(recorded: list[dict[str, Any]], runs: bool = True) -> dict[str, Callable[[bool], str]]:
    """Claim -> what gives its verdict: a decided record of a simulation without theory, or (with ``runs``) a run."""
    from rmtsim.claims import all_claims

    known: dict[str, dict[str, Any]] = {}
    for result in recorded:
        decided = all(point["verdict"] != "INCONCLUSIVE" for point in result["points"])
        bounded = all(point["interval"] and None not in point["interval"] for point in result["points"])
        if decided and bounded:
            known.setdefault(result["claim"], result)
    found: dict[str, Callable[[bool], str]] = {}
    for claim in all_claims():
        plain = claim.evidence == "simulated" and claim.kind in ("limit", "rate", "probability")
        if plain and claim.id in known and claim.predict is not None and claim.outer is None:
            found[claim.id] = functools.partial(_from_record, known[claim.id])
        elif runs and (
            claim.evidence == "computed"
            or (claim.kind == "law" and claim.id in {r["claim"] for r in recorded})
        ):
            found[claim.id] = functools.partial(_from_run, claim.id)
    return found


def _profiled(ask: Callable[[bool], str]) -> tuple[float, list[str], str]:
    codes = watched()
    forget()
    start = time.monotonic()
    profile = cProfile.Profile(builtins=False)
    profile.enable()
    verdict = ask(True)
    profile.disable()
    entered = [codes[entry.code] for entry in profile.getstats() if entry.code in codes]
    return round(time.monotonic() - start, 3), entered, verdict


def map_claims(asked: dict[str, Callable[[bool], str]], reach: dict[str, Any]) -> None:
    """Add (seconds, functions, verdict) of every claim that is not in ``reach`` yet."""
    for name, ask in asked.items():
        if name not in reach:
            found = in_a_process(lambda ask=ask: _profiled(ask), 150)
            reach[name] = found if not isinstance(found, dict) else (1e9, [], found["error"])


def changed(
    constant: Constant, asked: dict[str, Callable[[bool], str]], reach: dict[str, Any], longest: float
) -> dict[str, Any]:
    """The first claim, the quickest asked first, whose verdict this constant changes, within ``longest`` seconds."""
    key = f"{constant.module}:{constant.function}"
    names = [name for name in asked if key in reach[name][1] and reach[name][0] < longest]
    names.sort(key=lambda name: reach[name][0])

    def work() -> dict[str, Any]:
        mutate(constant)
        left = longest
        for count, name in enumerate(names):
            left -= reach[name][0]
            if left < 0 and count:
                return {"claims": [], "asked_claims": count}
            try:
                verdict = asked[name](False)
            except (ValueError, TypeError, ArithmeticError, RuntimeError):
                verdict = "no verdict"
            if verdict != reach[name][2]:
                return {"claims": [name], "asked_claims": count + 1}
        return {"claims": [], "asked_claims": len(names)}

    found = in_a_process(work, 3 * longest) if names else {"claims": [], "asked_claims": 0}
    return found if "error" not in found else {"claims": [], "asked_claims": len(names)}
