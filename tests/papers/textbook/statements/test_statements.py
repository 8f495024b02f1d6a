"""Theorems known to be true are confirmed; the same ones with a constant, a law or an exponent changed are refuted."""

import numpy as np
import pytest

from rmtsim.claims import all_claims, find
from rmtsim.claims._declare import claim as declare
from rmtsim.claims._papers import PAPERS
from rmtsim.laws import Circular, GaudinMehta, Semicircle, Wachter
from rmtsim.verdicts import verify

CLAIMS = {claim.id: claim for claim in all_claims("textbook")}


def verdict(claim, budget=6.0, **options):
    (result,) = verify([claim], budget=budget, **options)
    return {point.verdict.name for point in result.points}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_samplers_satisfy_their_contract(claim):
    for parameters in claim.grid:
        point = claim.point(parameters)
        first, second = (claim.sample(point, claim.sizes[0], np.random.default_rng(1), 2) for _ in range(2))
        assert first.shape == (2,)
        assert np.isfinite(first).all()
        np.testing.assert_array_equal(first, second)


def test_quick_sets_exist():
    paper = PAPERS["textbook"]
    assert set(paper.headlines) <= set(paper.quick) <= set(CLAIMS)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["textbook.wigner", "textbook.bbp.above"])
def test_true_statements_are_confirmed(name):
    assert verdict(find(name), budget=15.0) == {"CONFIRMED"}


def falsified(name, **changes):
    """The claim of that name with what is stated changed: same sampler, sizes, tolerance, exponents."""
    true = find(name)
    same = {
        "tolerance": true.tolerance, "sizes": true.sizes, "exponents": true.exponents, "because": true.because,
        "parameters": true.parameters, "cost": (lambda size: true.cost(true.point({}), size)),
    }  # fmt: skip
    return declare(f"false.{name}", true.measured, **{**same, **changes})


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("textbook.wigner", {"law": Semicircle(1.15)}),
        ("textbook.wachter", {"law": Wachter(2.0, 2.5)}),
        ("textbook.bbp.above", {"limit": lambda ratio, spike: spike}),
        ("textbook.bbp.below", {"limit": 2.4}),
        ("textbook.gaudin.cue", {"limit": lambda gap: GaudinMehta(1).cdf(gap)}),
        ("textbook.circular-law", {"law": lambda r: np.sqrt(Circular().radial_cdf(r))}),
        ("textbook.edge.exponent", {"rate": 0.25}),
    ],
)
def test_the_same_falsified_are_not_confirmed(name, changes):
    found = verdict(falsified(name, **changes))
    assert "CONFIRMED" not in found
    if name in ("textbook.wigner", "textbook.bbp.above", "textbook.gaudin.cue", "textbook.wachter"):
        assert found == {"REFUTED"}
