"""Severity of the recorded verdicts, and a blind trial on their intervals. Nothing is simulated.

    python benchmarks/severity.py

Every confirmed statement is weakened and strengthened: exponents by ±0.05, constants ×1.1 and ×0.9, bounds ×0.5. The
recorded interval then decides the altered statement by the rule of the verdict. An alteration is noticed if the altered
statement is not confirmed; refuted ones are counted apart. Prints Markdown tables.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

from rmtsim.claims import Claim, all_claims
from rmtsim.claims._papers import PAPERS
from rmtsim.verdicts import Verdict
from rmtsim.verdicts._question import decide
from rmtsim.verdicts._severity import recorded_severity

GRADES = ("sharp", "weak", "no grade", "UNTESTED")


def confirmed() -> Iterator[tuple[Claim, dict[str, Any], str]]:
    """Confirmed claims with their records and grades."""
    for key in PAPERS:
        records = PAPERS.records(key, "verdicts.json")
        for claim in all_claims(key):
            found = recorded_severity(claim, records.get(claim.id, {}))
            if found is not None:
                yield (
                    claim,
                    records[claim.id],
                    "UNTESTED" if found.untested else str(found.grade or GRADES[2]),
                )


def altered(claim: Claim, record: dict[str, Any]) -> Iterator[tuple[str, Verdict]]:
    """Alterations of a statement, with the verdict of the recorded interval on each."""
    low, high = record["interval"]
    tolerance = claim.tolerance
    if claim.kind == "rate" and claim.predict is None and claim.exponent is not None:
        for step in (0.05, -0.05):
            stated = claim.exponent + step
            upper = claim.relation == "O"
            found = decide((low, high), stated, tolerance.width(stated), at_least=upper)
            if not (upper and step < 0):  # a weaker bound follows from the stated one
                yield f"exponent {step:+}", found
        return
    if claim.kind not in ("limit", "rate", "bound") or claim.mode in ("in probability", "almost surely"):
        return
    stated = claim.prediction(record["parameters"])
    if stated == 0:
        return
    if claim.kind == "bound":
        if claim.of != "value" or claim.sized:
            return
        sign = 1.0 if claim.sense == "<=" else -1.0
        extreme = max((low, high), key=lambda end: abs(end - stated))
        tighter = stated * (0.5 if (stated > 0) == (sign > 0) else 2.0)
        broken = sign * (extreme - tighter) > tolerance.width(tighter)
        yield "bound ×0.5", Verdict.REFUTED if broken else Verdict.CONFIRMED
        return
    for factor in (1.1, 0.9):
        yield f"constant ×{factor}", decide((low, high), factor * stated, tolerance.width(factor * stated))


def table(counts: dict[str, collections.Counter[str]], columns: tuple[str, ...], title: str) -> None:
    """A Markdown table."""
    print(f"\n| {title} | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for name, row in counts.items():
        print(f"| {name} | " + " | ".join(str(row[column]) for column in columns) + " |")


def main() -> None:
    """Print the tables."""
    papers: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    kinds: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    trial: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for claim, record, grade in confirmed():
        papers[f"`{claim.paper}`"][grade] += 1
        kinds[claim.kind if claim.relation != "O" or claim.kind != "rate" else "rate O(.)"][grade] += 1
        if claim.standing == "theorem" and not claim.same_as:
            kinds["theorems, repeated ones once"][grade] += 1
        for name, verdict in altered(claim, record):
            row = trial[f"{claim.kind}: {name}"]
            row["altered"] += 1
            row["refuted"] += verdict is Verdict.REFUTED
            row["noticed"] += verdict is not Verdict.CONFIRMED
    table(papers, GRADES, "confirmed, by paper")
    table(dict(sorted(kinds.items())), GRADES, "by kind")
    for row in trial.values():
        row["share noticed (%)"] = round(100 * row["noticed"] / row["altered"])
    table(dict(sorted(trial.items())), ("altered", "noticed", "refuted", "share noticed (%)"), "alteration")


if __name__ == "__main__":
    main()
