"""Page of statements that were changed after a first look, and of verdicts with an earlier seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rmtsim.claims._papers import PAPERS
from site_pages.text import cell

__all__ = ["first_looks_page"]

FILE = Path(__file__).resolve().parent.parent / "first_looks.json"
_INTRODUCTION = """# First look and final design

A statement that is redesigned after its first verdict has been tested twice, and the second verdict alone would
hide that. This page lists the known changes with the first verdict, and every statement that was recorded earlier with
another seed or another verdict. The verdicts of the papers' pages are taken with the seed 0, those of redesigned
statements with a fresh one.
"""
_LONGER = 1.25
"""An earlier run counts as longer from this multiple of the present one's nominal seconds on."""


def explanation(earlier: dict[str, Any], now: dict[str, Any]) -> str:
    """Why two recorded verdicts differ, from their data.

    >>> explanation({"verdict": "CONFIRMED"}, {"verdict": "CONFIRMED"})
    'agrees'
    """
    if earlier["verdict"] == now["verdict"]:
        return "agrees"
    if "INCONCLUSIVE" not in (earlier["verdict"], now["verdict"]):
        return "contradicts: the statement itself was changed, see the first table"
    if earlier["verdict"] == "INCONCLUSIVE":
        return "decided since"
    before, spent = earlier.get("nominal_seconds") or 0.0, now.get("nominal_seconds") or 0.0
    if before > _LONGER * spent:
        return f"INCONCLUSIVE: the earlier run had {before:.0f} nominal seconds, the present one {spent:.0f}"
    if now["interval"] is None or None in now["interval"]:
        return "INCONCLUSIVE: the values do not bound the quantity under every admitted series"
    return "INCONCLUSIVE: the interval under all admitted corrections is not yet inside the tolerance"


def _interval(record: dict[str, Any]) -> str:
    found = record.get("interval")
    if found is None or None in found:
        return ""
    return f" [{found[0]:.4g}, {found[1]:.4g}]"


def first_looks_page() -> str:
    """The page as Markdown."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    lines = [_INTRODUCTION, "## Statements that were changed", ""]
    lines += ["| statements | first look | final design |", "|---|---|---|"]
    for row in data["changed"]:
        names = "<br>".join(f"`{name}`" for name in row["claims"])
        lines.append(f"| {names} | {cell(row['first'])} | {cell(row['final'])} |")
    now = {name: found for key in PAPERS for name, found in PAPERS.records(key, "verdicts.json").items()}
    rows, counts = [], dict.fromkeys(("agrees", "decided", "INCONCLUSIVE", "contradicts"), 0)
    for name, looks in data["earlier"].items():
        if name not in now:
            continue
        words = explanation(looks[-1], now[name])
        counts[words.split()[0].rstrip(":")] += 1
        before = "<br>".join(
            cell(f"{look['verdict']}, seed {look['seed']}{_interval(look)}") for look in looks
        )
        present = cell(f"{now[name]['verdict']}{_interval(now[name])}")
        rows.append(f"| `{name}` | {before} | {present} | {words} |")
    lines += [
        "",
        "## Earlier and present verdicts",
        "",
        f"{len(rows)} statements: {counts['agrees']} agree with the last one, {counts['decided']} were INCONCLUSIVE "
        f"and are decided, {counts['INCONCLUSIVE']} were decided and are INCONCLUSIVE now, "
        f"{counts['contradicts']} contradict it.",
        "",
        "| statement | earlier | seed 0 | |",
        "|---|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"
