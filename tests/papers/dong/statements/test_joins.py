"""Computed limits are compared with simulated networks; a formula wrong on both sides is detected."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rmtsim.claims import all_claims, find
from rmtsim.papers.dong.theory import hidden_finite, hidden_limits, orthant, relu_pairs

COMPUTED = [claim for claim in all_claims("dong") if claim.evidence == "computed"]
POINT = {"gamma": 0.1, "hidden": 8, "classes": 1000}


@pytest.mark.parametrize("claim", COMPUTED, ids=lambda claim: claim.id)
def test_every_computed_statement_rests_on_a_simulated_one(claim):
    assert claim.chain
    for name in claim.chain:
        link = find(name)
        assert link.evidence == "simulated"
        assert not link.theory_in_sampler
        # Beyond the few classes of the paper's figures: at least 10⁴.
        assert max(point["classes"] for point in link.grid) >= 10**4


def test_a_chain_belongs_to_a_computed_quantity():
    from rmtsim.claims import Computed, Limit, Plan, claim

    with pytest.raises(TypeError, match="or accuracy= of the short form"):
        claim(
            "mine",
            lambda size, rng: 0.0,
            states=Limit(0.0, within=0.1),
            plan=Plan(sizes=(2, 4)),
            evidence=Computed(1e-9, chain=("dong.eq5",)),
        )


def _mean(measured, replicates, seed):
    """Mean and standard error over networks at d = N/γ = 2560, where what is left of 1/d is far below the error."""
    rng = np.random.default_rng(seed)
    values = np.array([measured(2560, rng, **POINT) for _ in range(replicates)])
    return values.mean(), values.std(ddof=1) / math.sqrt(replicates)


def _forget():
    for cached in (
        hidden_finite._shared_diagonal,
        hidden_finite._shared_offdiagonal,
        hidden_finite.output_ce_diagonal,
        hidden_finite.output_ce_offdiagonal,
    ):
        cached.cache_clear()


@pytest.fixture
def wrong_quadrant_integrals(monkeypatch):
    """I_k(ρ) times 1.3 wherever it is used: in the functions at finite C, and in their limits."""
    right = orthant.orthant_moment

    def wrong(power, coupling):
        return 1.3 * right(power, coupling)

    for module in (orthant, relu_pairs, hidden_finite, hidden_limits):
        monkeypatch.setattr(module, "orthant_moment", wrong)
    _forget()
    yield
    _forget()


CASES = [
    find(f"dong.thm2.{energy}.join")
    for energy in ("hidden-ce-offdiagonal", "output-ce-diagonal", "output-ce-offdiagonal")
]


@pytest.mark.thorough
@pytest.mark.parametrize("join", CASES, ids=lambda join: join.id)
def test_networks_agree_with_the_functions_at_a_thousand_classes(join):
    mean, error = _mean(join, 250, seed=11)
    assert error < 0.03 * mean
    assert abs(mean - join.prediction(POINT)) < 4 * error + 5e-3 * mean


@pytest.mark.thorough
@pytest.mark.parametrize("join", CASES, ids=lambda join: join.id)
def test_networks_notice_wrong_quadrant_integrals(wrong_quadrant_integrals, join):
    mean, error = _mean(join, 100, seed=12)
    assert abs(mean - join.prediction(POINT)) > 6 * error


def test_theory_alone_does_not_notice_them(wrong_quadrant_integrals):
    """Why the chain is needed: with the same wrong integrals on both sides the limit is reached all the same."""
    value = find("dong.thm2.hidden-ce-offdiagonal/corrected")(10**8, 0.1, 8)
    assert value == pytest.approx(hidden_limits.hidden_ce_offdiagonal_limit(0.1, 8), rel=5e-3)
