"""One page a paper: its citation, what it claims, printed and corrected side by side with the recorded verdicts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from rmtsim.claims import Claim, all_claims
from rmtsim.claims._papers import PAPERS, Paper
from site_pages.text import cell, escaped

__all__ = ["paper_pages", "recorded"]

DOCS = Path(__file__).resolve().parent.parent


def recorded(key: str) -> dict[str, dict[str, Any]]:
    """Verdicts of the last recorded run of a paper (``docs/record_verdicts.py``), by claim."""
    return PAPERS.records(key, "verdicts.json")


def _verdict(found: dict[str, Any] | None) -> str:
    if found is None:
        return "not recorded"
    interval = found["interval"]
    where = ""
    if interval is not None and None not in interval:
        where = f" [{interval[0]:.4g}, {interval[1]:.4g}]"
    return f"**{found['verdict']}**{escaped(where)}"


def _row(claim: Claim, correction: Claim | None, verdicts: dict[str, dict[str, Any]]) -> str:
    right = ""
    if correction is not None:
        right = f"{cell(correction.statement)}<br>{_verdict(verdicts.get(correction.id))}"
    standing = f"{claim.standing}, {claim.evidence}"
    left = f"`{claim.id}`<br>{cell(claim.equation)}; {standing}"
    return f"| {left} | {cell(claim.statement)}<br>{_verdict(verdicts.get(claim.id))} | {right} |"


def _page(paper: Paper) -> str:
    claims = {claim.id: claim for claim in all_claims(paper.key)}
    printed = [claim for name, claim in claims.items() if not name.endswith("/corrected")]
    verdicts = recorded(paper.key)
    counts = Counter(found["verdict"] for found in verdicts.values())
    lines = [
        f"# `{paper.key}`",
        "",
        escaped(paper.citation) + ".",
        "",
        f"{len(printed)} statements are encoded, {len(claims) - len(printed)} of them with a correction.",
    ]
    if verdicts:
        told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        lines.append(
            f"Recorded verdicts, printed and corrected together: {told}; `rmtsim/papers/{paper.key}/verdicts.json` says"
        )
        lines.append(
            "with which seed and in how many nominal seconds. A verdict not recorded is a command away: "
            "`rmtsim verify NAME`."
        )
    names = {page.stem for page in (DOCS / "papers" / paper.key).glob("*.md")}
    written = sorted(names, key=lambda name: (name == "errata", name != "index", name))
    if written:  # derivations, studies, errata
        lines += [
            "",
            "```{toctree}",
            ":maxdepth: 1",
            "",
            *(f"/papers/{paper.key}/{name}" for name in written),
            "```",
        ]
    lines += ["", "| statement | as printed | corrected |", "|---|---|---|"]
    lines += [_row(claim, claims.get(f"{claim.id}/corrected"), verdicts) for claim in printed]
    return "\n".join(lines) + "\n"


def paper_pages() -> dict[str, str]:
    """File names with their text."""
    listed = "\n".join(f"- [`{key}`]({key}.md): {escaped(paper.citation)}." for key, paper in PAPERS.items())
    toc = "\n".join(f"{key}" for key in PAPERS)
    index = (
        "# Papers\n\nWhat each states, what was found, printed and corrected side by side.\n\n"
        f"{listed}\n\n```{{toctree}}\n:hidden:\n\n{toc}\n```\n"
    )
    return {f"papers/{key}.md": _page(paper) for key, paper in PAPERS.items()} | {"papers/index.md": index}
