"""Statements of loglinear: every place is declared, corrections name cause and step, verdicts are as known."""

import math

import numpy as np
import pytest

from rmtsim import verify
from rmtsim.claims import all_claims, find

CLAIMS = {claim.id: claim for claim in all_claims("loglinear")}
PLACES = ["Theorem 3.3.1", "Theorem 3.3.2", "(B.8)", "(B.9)"]
REFUTED = {name.removesuffix("/corrected") for name in CLAIMS if name.endswith("/corrected")}


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_declared(place):
    assert any(place in claim.equation for claim in CLAIMS.values())


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_samplers_give_finite_numbers_at_their_smallest_size(name):
    claim = CLAIMS[name]
    for point in claim.grid:
        values = claim.sample(claim.point(point), claim.sizes[0], np.random.default_rng(1), 1)
        assert np.isfinite(values).all()
        if claim.predict is not None:
            assert math.isfinite(claim.prediction(point))


@pytest.mark.parametrize("name", sorted(REFUTED))
def test_refutations_name_cause_and_step(name):
    claim = CLAIMS[name]
    assert claim.cause
    assert claim.note
    assert CLAIMS[f"{name}/corrected"].form == "corrected"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("loglinear.eqB.8", "REFUTED"),
        ("loglinear.eqB.8/corrected", "CONFIRMED"),
        ("loglinear.eqB.9", "REFUTED"),
        ("loglinear.thm3.3.2", "CONFIRMED"),
    ],
)
def test_verdicts_as_known(name, verdict):
    assert str(verify(find(name), budget=2)[0].verdict) == verdict
