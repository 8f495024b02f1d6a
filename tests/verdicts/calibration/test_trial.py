"""The engine on trial, at a tenth of the size of docs/calibration.md, with a naive engine beside it."""

import numpy as np
import pytest

from rmtsim.verdicts import Verdict, verify
from tests.verdicts.calibration.synthetic import coverage_claims, falsified
from tests.verdicts.calibration.trial import (
    TrialRunner,
    fixed_size_cost,
    naive_verdict,
    synthetic_claims,
    try_engine,
    upper_limit,
)

pytestmark = pytest.mark.thorough

LEVEL = 0.05
BUDGET = 20_000.0
"""Nominal seconds for each claim; the fixed-size test needs more than that for the costliest."""


def _run(count, budget, seed, step=1):
    items = synthetic_claims(count, seed=seed)[::step]
    results = [try_engine(item, seed=seed, level=LEVEL, budget=budget) for item in items]
    return items, results


def _wrong(items, verdicts):
    return sum(item.wrong(verdict) for item, verdict in zip(items, verdicts, strict=True))


def _decided(items, results):
    clear = [result for item, result in zip(items, results, strict=True) if item.kind != "edge"]
    return np.mean([result.verdict is not Verdict.INCONCLUSIVE for result in clear])


@pytest.fixture(
    scope="module",
    params=[pytest.param(7, id="12 claims"), pytest.param(1, id="80 claims", marks=pytest.mark.slow)],
)
def trial(request):
    # All 80: every kind with every noise and exponent once.
    return _run(80, BUDGET, seed=3, step=request.param)


def test_wrong_verdicts_stay_within_the_promised_level(trial):
    items, results = trial
    # None at all: of 80 claims, the upper 95 % limit of the error rate is then below the level.
    assert _wrong(items, [result.verdict for result in results]) == 0


def test_nine_of_ten_clear_claims_are_decided(trial):
    assert _decided(*trial) >= 0.9


def test_the_naive_engine_fails_such_a_trial():
    items = synthetic_claims(80, seed=3)[::2]
    verdicts = [naive_verdict(item, seed=3, level=LEVEL, budget=BUDGET)[0] for item in items]
    wrong = _wrong(items, verdicts)
    # Lower 95 % limit of its error rate, far above the level.
    assert 1 - upper_limit(len(items) - wrong, len(items)) > 2 * LEVEL


def test_the_cost_is_at_most_two_and_a_half_times_that_of_a_fixed_size_test(trial):
    items, results = trial
    # Every fifth of 80: exponents come in fours, and all of them should be among these.
    clear = [pair for pair in zip(items, results, strict=True) if pair[0].kind != "edge"]
    clear = clear[:: 5 if len(items) > 40 else 2]
    ratios = [
        result.points[0].nominal / fixed_size_cost(item, seed=3, level=LEVEL, looks=20)
        for item, result in clear
    ]
    assert np.median(ratios) <= 2.5


@pytest.mark.slow
@pytest.mark.xfail(reason="the forecast of time does not know the objections to a verdict", strict=False)
def test_the_time_that_open_verdicts_name_is_of_the_right_size(trial):
    """Half of the claims that 100 nominal seconds leave INCONCLUSIVE need between half and twice what they name."""
    ratios = []
    for item, late in zip(*(part[::3] for part in trial), strict=True):
        cost = late.points[0].nominal
        if item.kind == "edge" or late.verdict is Verdict.INCONCLUSIVE or cost < 150:
            continue
        (early,) = try_engine(item, seed=3, level=LEVEL, budget=100.0).points
        if early.more is not None:
            ratios.append(early.more / (cost - early.nominal))
    assert len(ratios) >= 6
    assert 0.5 <= np.median(ratios) <= 2
    assert np.median(np.abs(np.log2(ratios))) <= 1


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[pytest.mark.slow] if kind.startswith("noise") else [])
        for kind in coverage_claims()
    ],
)
def test_printed_intervals_cover_the_truth(kind):
    missed = 0
    for seed in range(15):
        claim, truth = coverage_claims(seed)[kind]
        (result,) = verify(claim, seed=1000 + seed, level=LEVEL, budget=1.5, runner=TrialRunner())
        low, high = result.points[0].interval
        missed += not low <= truth <= high
    # Two of fifteen would have probability 0.17 at a miss rate of five per cent; the measured rate is far lower.
    assert missed <= 2


def test_falsified_theorems_are_not_confirmed():
    from rmtsim.claims import find

    names = ("dong.thm1.diagonal-limit", "dong.thm1.offdiagonal-limit", "dong.thm1.ratio-rate")
    versions = [version for name in names for version in falsified(find(name))]
    assert len(versions) >= 14
    verdicts = [verify(claim, points=[claim.grid[0]])[0].verdict for _, claim in versions]
    assert set(verdicts) == {Verdict.REFUTED}


@pytest.mark.slow
def test_the_full_trial():
    items, results = _run(1000, 2000.0, seed=20)
    assert upper_limit(_wrong(items, [result.verdict for result in results]), len(items)) <= LEVEL
    assert _decided(items, results) >= 0.9
