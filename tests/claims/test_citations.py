"""Every paper is cited in full, in the same words everywhere."""

from pathlib import Path

import pytest

from rmtsim.claims import all_claims
from rmtsim.claims._papers import PAPERS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("paper", PAPERS.values(), ids=lambda paper: paper.key)
@pytest.mark.parametrize("page", ["README.md", "docs/errata.md"])
def test_pages_cite_every_paper(paper, page):
    assert paper.citation in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("key", PAPERS)
def test_claims_carry_the_citation(key):
    paper = PAPERS[key]
    assert {claim.citation for claim in all_claims(key)} == {paper.citation}
    assert all((paper.authors, paper.title, paper.venue or paper.year))
