"""Every statement can be found by its id, and says what it is."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
import re

import pytest

from rmtsim.claims import all_claims, find
from rmtsim.claims._model import DEFAULT_EXPONENTS
from rmtsim.claims._papers import PAPERS


def _trees(paper: str) -> list[ast.Module]:
    statements = PAPERS[paper].folder / "statements"
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(statements.rglob("*.py"))]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_id_is_a_literal_in_exactly_one_declaration(paper):
    """`grep -rn '"dong.eq5"' rmtsim/papers` finds the declaration: the id as typed, first argument of a call.

    A family has one id with a choice in braces for all its members. If several literals match an id, the one with most
    text outside braces declares it, an id that is written out in full before any family. A correction is declared with
    its statement.
    """
    literals = [
        node.args[0].value
        for tree in _trees(paper)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
    ]
    pieces = [
        re.split(r"\{\w+\}", name)
        for name in literals
        if isinstance(name, str) and name.startswith(f"{paper}.")
    ]
    patterns = [(re.compile("[^./]+".join(map(re.escape, each))), len("".join(each))) for each in pieces]
    for claim in all_claims(paper):
        name = claim.id.removesuffix("/corrected")
        lengths = [length for pattern, length in patterns if pattern.fullmatch(name)]
        assert lengths.count(max(lengths, default=0)) == 1, claim.id


@pytest.mark.parametrize("paper", PAPERS)
def test_no_id_is_put_together(paper):
    """No id is made from pieces: whatever looks like one in the source is one that is registered."""
    known = {claim.id for claim in all_claims(paper)}
    for tree in _trees(paper):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.JoinedStr):
                start = node.args[0].values[0]
                assert not (isinstance(start, ast.Constant) and str(start.value).startswith(f"{paper}."))
    assert all(name.startswith(f"{paper}.") for name in known)


@pytest.mark.parametrize("paper", PAPERS)
def test_statements_say_what_they_are(paper):
    for claim in all_claims(paper):
        assert all((claim.statement, claim.equation, claim.citation)), claim.id
        if claim.kind in ("limit", "rate", "law") and claim.exponents != DEFAULT_EXPONENTS:
            assert claim.because, f"{claim.id}: why no other exponent?"
        assert (claim.form == "corrected") == claim.id.endswith("/corrected")
        if claim.standing == "heuristic":
            assert claim.qualifier, f"{claim.id}: in the paper's own words"
        if claim.correction is not None:
            assert all((claim.cause, claim.note)), f"{claim.id}: what fails?"
            assert claim.correction.cause == claim.cause
        else:
            assert claim.form == "corrected" or not claim.cause, (
                f"{claim.id}: a cause belongs to a refuted statement"
            )


def test_a_claim_of_a_paper_is_pickled_by_its_id():
    claim = find("dong.thm1.diagonal")
    for each in (claim, claim.correction):
        assert pickle.loads(pickle.dumps(each)) is each
        assert copy.deepcopy(each) is each
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(dataclasses.replace(claim, sizes=(40, 80)))
