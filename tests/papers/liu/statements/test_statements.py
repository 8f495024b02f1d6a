"""Statements of liu: samplers run, corrections name cause and step, quick sets exist."""

import math

import numpy as np
import pytest

from rmtsim.claims import all_claims
from rmtsim.claims._papers import PAPERS

CLAIMS = {claim.id: claim for claim in all_claims("liu")}
REFUTED = {name.removesuffix("/corrected") for name in CLAIMS if name.endswith("/corrected")}


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_samplers_give_finite_numbers_at_their_smallest_size(name):
    claim = CLAIMS[name]
    for point in claim.grid[:1]:
        values = claim.sample(claim.point(point), claim.sizes[0], np.random.default_rng(1), 2)
        assert np.isfinite(values).all()
        if claim.predict is not None:
            assert math.isfinite(claim.prediction(point))


@pytest.mark.parametrize("name", sorted(REFUTED))
def test_refutations_name_cause_and_step(name):
    assert CLAIMS[name].cause
    assert CLAIMS[name].note


def test_quick_sets_name_claims():
    assert set(PAPERS["liu"].headlines) <= set(PAPERS["liu"].quick) <= set(CLAIMS)


@pytest.mark.parametrize(("name", "parameter"), [("liu.eq9", "activation"), ("liu.sec4.hessian", "output")])
def test_functions_are_chosen_by_name_and_keep_the_random_streams_of_their_numbers(name, parameter):
    claim = CLAIMS[name]
    choice = next(each for each in claim.parameters if each.name == parameter)
    assert choice.parse("gelu") == choice.parse("3") == "gelu"
    assert claim.stream_point(claim.point({parameter: "gelu"}))[parameter] == 3
    with pytest.raises(ValueError, match=f"{parameter}='relu': expected one of tanh, sigmoid, softplus"):
        choice.parse("relu")
