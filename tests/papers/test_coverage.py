"""Inventories of papers: ids exist, every claim has a row, and every row has claims or a reason."""

import pytest

from rmtsim.claims import all_claims
from rmtsim.claims._coverage import coverage
from rmtsim.claims._papers import PAPERS
from rmtsim.cli import main

LISTED = [key for key in PAPERS if coverage(key) is not None]


@pytest.mark.parametrize("key", LISTED)
def test_ids_exist_and_every_claim_has_a_row(key):
    named = {name for row in coverage(key) for name in row.claims}
    claims = {claim.id for claim in all_claims(key) if not claim.id.endswith("/corrected")}
    assert named == claims


@pytest.mark.parametrize("key", LISTED)
def test_places_and_statements_are_written(key):
    assert all(row.at and row.says for row in coverage(key))


def test_the_command_shows_counts_and_reasons(capsys):
    assert main(["claims", "--coverage", "--paper", "sparse"]) == 0
    shown = capsys.readouterr().out
    assert "sparse.eqA.24" in shown
    assert str(len(coverage("sparse"))) in shown


def test_the_command_refuses_an_unknown_paper(capsys):
    assert main(["claims", "--coverage", "--paper", "nothing"]) == 2
    assert "expected one of" in capsys.readouterr().err
