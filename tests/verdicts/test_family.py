"""Error levels over many claims."""

import numpy as np

from rmtsim import claim, verify
from rmtsim.verdicts._family import thresholds


def _claim(name, shift, tolerance=0.05, deviation=1.0):
    def value(size, rng, replicates):
        return 1 + shift + deviation * rng.standard_normal(replicates)

    return claim(
        name,
        value,
        limit=1.0,
        tolerance=tolerance,
        sizes=(10, 20, 40),
        exponents=(1.0,),
        cost=1e-4,
        mode="mean",
    )


def test_the_threshold_of_discoveries_keeps_the_false_discovery_rate():
    rng = np.random.default_rng(3)
    shares = []
    for _ in range(4000):
        # Half of the hypotheses are true: e-values exp(z·y - z²/2) with y normal, all of them dependent.
        common = rng.standard_normal()
        true = np.exp(2.0 * common - 2.0) * np.ones(10)
        false = rng.choice([1e3, 0.1], 10)
        least = thresholds([*true, *false], 0.1)
        wrong, right = (true >= least).sum(), (false >= least).sum()
        shares.append(wrong / max(1, wrong + right))
    assert np.mean(shares) <= 0.1


def test_computed_claims_spend_no_level():
    def exact(size):
        return 1 + 1 / size

    computed = claim(
        "exact", exact, limit=1.0, tolerance=0.1, sizes=(10, 20, 40), exponents=(1.0,), accuracy=1e-9
    )
    results = verify([computed, _claim("noise", 0.0)], budget=10, progress=False)
    assert results[1].points[0].level == 0.05
    assert results[1].family_size == 1


def test_a_false_discovery_rate_costs_less_than_a_family_wise_level():
    claims = [_claim(f"claim{number}", 1.0 * (number % 2), 0.4, 1.0) for number in range(4)]
    strict = verify(claims, budget=20, progress=False)
    shared = verify(claims, budget=20, fdr=True, progress=False)
    assert [result.verdict for result in shared] == [result.verdict for result in strict]
    assert "INCONCLUSIVE" not in map(str, (result.verdict for result in shared))
    assert shared[0].points[0].level == 0.025
    assert strict[0].points[0].level == 0.0125
    assert shared[0].as_json()["error_rate"] == "false discovery"
    assert "false discovery rate" in shared[0].explain()


def test_too_few_decided_claims_are_no_discoveries():
    def certain(size, rng, replicates):
        return 0.5 + 0.01 * rng.random(replicates)

    decided = claim("decided", certain, bound=1.0, tolerance=1e-9, sizes=(10, 20), cost=1e-3)
    still_open = [_claim(f"open{number}", 0.0, 1e-5) for number in range(5)]
    found = verify([decided, *still_open], fdr=True, budget=15, progress=False)
    assert str(found[0].verdict) == "INCONCLUSIVE"
    assert found[0].deciding.excluded_rate is not None
    assert "too few claims of this run are decided" in found[0].deciding.needs
    assert str(verify(decided, fdr=True, budget=40, progress=False)[0].verdict) == "CONFIRMED"
