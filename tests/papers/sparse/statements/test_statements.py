"""Statements of sparse: every place of the chapter is declared, corrections name cause and step, verdicts are known."""

import numpy as np
import pytest

from rmtsim.claims import all_claims, find
from rmtsim.papers.sparse import PAPER
from rmtsim.verdicts import verify

CLAIMS = {claim.id: claim for claim in all_claims("sparse")}


@pytest.mark.parametrize(
    "place",
    ["sec2.2.3", "remark2.3.3", "remark2.3.7", "thm2.3.2", "cor2.3.4", "thm2.3.6", "thmA.1.1", "lemmaA.1.2", "eqA.3",
     "eqA.6", "eqA.7", "eqA.11", "eqA.15", "eqA.16", "eqA.17", "eqA.22", "eqA.23"],
)  # fmt: skip
def test_every_place_is_declared(place):
    assert any(name.startswith(f"sparse.{place}") for name in CLAIMS)


def test_quick_sets_name_claims():
    assert set(PAPER.headlines) <= set(PAPER.quick) <= set(CLAIMS)


@pytest.mark.parametrize("name", [name for name, claim in CLAIMS.items() if claim.correction is not None])
def test_a_refuted_statement_names_its_cause(name):
    assert CLAIMS[name].cause
    assert CLAIMS[name].note
    assert CLAIMS[f"{name}/corrected"].form == "corrected"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("sparse.sec2.2.3.gershgorin", "CONFIRMED"),
        ("sparse.eqA.20", "CONFIRMED"),
        ("sparse.thm2.3.6.minimisers", "REFUTED"),
        ("sparse.sec2.4.3.levels", "REFUTED"),
        ("sparse.sec2.4.3.levels/corrected", "CONFIRMED"),
        ("sparse.thm2.3.2.columns", "REFUTED"),
        ("sparse.thm2.3.2.columns/corrected", "CONFIRMED"),
        ("sparse.thm2.3.2.distance", "REFUTED"),
        ("sparse.thm2.3.2.distance/corrected", "CONFIRMED"),
        ("sparse.thm2.3.2.tail", "REFUTED"),
        ("sparse.cor2.3.4.distance", "CONFIRMED"),
        ("sparse.cor2.3.4.net", "REFUTED"),
        ("sparse.eqA.15", "REFUTED"),
        ("sparse.eqA.15/corrected", "CONFIRMED"),
        ("sparse.eqA.16", "REFUTED"),
        ("sparse.eqA.23", "REFUTED"),
        ("sparse.thmA.1.1", "REFUTED"),
        ("sparse.thmA.1.1/corrected", "CONFIRMED"),
    ],
)
def test_cheap_verdicts(name, verdict):
    assert str(verify(name, budget=4)[0].verdict) == verdict


@pytest.mark.parametrize(
    ("name", "size"),
    [("sparse.eqA.22", 64), ("sparse.eqA.23/corrected", 64), ("sparse.thm2.3.6.rate", 64), ("sparse.thm2.3.2", 40),
     ("sparse.cor2.3.4", 40)],
)  # fmt: skip
def test_a_moved_constant_is_noticed(name, size):
    """Simulated means agree with the closed forms, and not with forms 10 % larger (four standard errors)."""
    claim = find(name)
    point = claim.point(claim.grid[0])
    values = claim.sample(point, size, np.random.default_rng(3), 40_000) * size ** (claim.exponent or 0)
    right = claim.prediction(point)
    error = 4 * values.std() / np.sqrt(values.size) + 0.02 * right
    assert abs(values.mean() - right) < error
    assert abs(values.mean() - 1.2 * right) > error
