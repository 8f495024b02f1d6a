"""The papers' errata and the registry agree."""

import re
from pathlib import Path

import pytest

from rmtsim.claims import all_claims
from rmtsim.claims._papers import PAPERS
from rmtsim.verdicts._words.numbers import PLURALS

INDEX = Path(__file__).parents[2] / "docs" / "errata.md"
PAGES = [page for paper in PAPERS.values() if (page := paper.folder / "errata.md").is_file()]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
NAMES = {claim.id for claim in all_claims()}


def _named() -> set[str]:
    """Claims the page names, `dong.eq28.*` and ", `.18`" written out."""
    found: set[str] = set()
    last = ""
    for name in re.findall(rf"`((?:{'|'.join(PAPERS)})?\.[\w./*-]+)`", TEXT):
        last = name if not name.startswith(".") else f"{last.rpartition('.')[0]}{name}"
        pattern = re.compile(re.escape(last).replace(r"\*", r"[\w-]+") + "$")
        matching = {known for known in NAMES if pattern.match(known)}
        found |= matching or {last}
    return found


def test_every_claim_named_exists():
    assert _named() <= NAMES


def test_every_statement_with_a_correction_is_explained():
    refuted = {name.removesuffix("/corrected") for name in NAMES if name.endswith("/corrected")}
    assert refuted <= NAMES
    assert refuted - _named() == set()


def refuted_places(paper: str) -> tuple[dict[str, str], set[str]]:
    """Standing of each refuted place of a paper, and the causes: counted as the summary of a run counts them.

    A statement is a place: claims that try it on several ensembles count once, and so does one that stands twice.
    """
    claims = all_claims(paper)
    sources = {claim.id: claim.source for claim in claims}
    refuted = [claim for claim in claims if claim.form == "printed" and f"{claim.id}/corrected" in sources]
    standings: dict[str, str] = {}
    for claim in refuted:
        standings.setdefault(sources.get(claim.same_as, claim.source), claim.standing)
    return standings, {claim.cause for claim in refuted}


@pytest.mark.parametrize("paper", list(PAPERS))
def test_the_index_counts_what_the_registry_holds(paper):
    """docs/errata.md says of each paper: N statements refuted, from K causes, and what these statements are."""
    standings, causes = refuted_places(paper)
    kinds = [
        f"{count} in {plural}"
        if standing in ("theorem", "lemma")
        else f"{count} {plural if count > 1 else standing}"
        for standing, plural in PLURALS.items()
        if (count := list(standings.values()).count(standing))
    ]
    some = "statement" if len(standings) == 1 else "statements"
    why = "cause" if len(causes) == 1 else "causes"
    line = f"{len(standings)} {some} refuted, from {len(causes)} {why}: {', '.join(kinds)}."
    if not standings:
        line = "No statement refuted."
    index = INDEX.read_text(encoding="utf-8")
    entry = "".join(each for each in index.splitlines() if each.startswith(f"- [`{paper}`]"))
    if not entry and not standings:
        return  # without errata, as the textbook
    assert line in entry, f"docs/errata.md, entry {paper}: expected the sentence “{line}”"


def test_every_refutation_has_a_cause_and_no_proof_step_is_called_a_lemma():
    for claim in all_claims():
        if f"{claim.id}/corrected" in NAMES:
            assert claim.cause, claim.id
            assert claim.standing not in ("lemma", "theorem") or "proof" not in claim.source.lower(), claim.id
