"""Statements that a paper does not make."""

import pytest

from rmtsim.claims import all_claims, find
from rmtsim.claims._checks import checked_options
from rmtsim.claims._declare import _DEFAULTS
from rmtsim.verdicts._words.numbers import standing_and_evidence
from rmtsim.verdicts._words.summary import counts


def test_statements_of_ours_are_a_form_of_their_own():
    claim = find("liu.thm4.1.law")
    assert claim.form == "ours"
    assert standing_and_evidence(claim).startswith("equation (ours)")
    assert counts([claim]).splitlines()[1].startswith("statements of ours")


def test_no_place_outside_the_paper_is_called_printed():
    wrong = [each.id for each in all_claims() if "not in the paper" in each.equation and each.form != "ours"]
    assert wrong == []


@pytest.mark.parametrize("changes", [{"form": "mine"}, {"form": "ours", "cause": "a slip"}])
def test_a_form_ischecked_options(changes):
    options = {**_DEFAULTS, "limit": 1.0, "tolerance": 0.1, "sizes": (10, 20, 40), **changes}
    with pytest.raises(ValueError, match="form="):
        checked_options("some.claim", options)
