"""Every measured size has a vote, and a verdict holds with one term more than the data need."""

import math
from dataclasses import replace

import numpy as np
import pytest

from rmtsim import claim, verify
from rmtsim.verdicts import Verdict
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.analysis import analyse_limit
from rmtsim.verdicts._models.stability import contradicting, voteless
from rmtsim.verdicts._needs import Caution, Lack
from rmtsim.verdicts._question import Question
from tests.verdicts.calibration.families import ROWS, limit_of, naive_verdict_of
from tests.verdicts.calibration.further import ROWS as FURTHER
from tests.verdicts.calibration.hostile import ROWS as HOSTILE
from tests.verdicts.calibration.mixed import ROWS as MIXED

SIZES = (40, 80, 160, 320, 640)
TRICKY = {
    row.name: row
    for row in ROWS
    if not row.clear
    and row.name.startswith(
        ("cubic", "exp", "0 below", "jumps", "transition", "n^-1/2", "oscillation", "parity")
    )
}
FITTED = [name for name in TRICKY if name.startswith(("cubic", "exp(-3√(40", "transition", "n^-1/2"))]


@pytest.mark.thorough
@pytest.mark.parametrize("name", TRICKY)
def test_no_wrong_verdict(name):
    row = TRICKY[name]
    for seed in range(3):
        (result,) = verify(row.make(seed), seed=seed, budget=row.budget, progress=False)
        assert result.verdict is not row.wrong


@pytest.mark.thorough
@pytest.mark.parametrize("row", [*HOSTILE, *FURTHER, *MIXED], ids=lambda row: row.name)
def test_no_unwarned_wrong_verdict_on_hostile_claims(row):
    for seed in range(2):
        (result,) = verify(
            row.make(seed), seed=seed, budget=min(row.budget, 20.0), plan="declared", progress=False
        )
        assert result.verdict is not row.wrong or result.deciding.warnings


@pytest.mark.parametrize(
    ("stated", "verdict"), [(1.0, Verdict.CONFIRMED), (1.08, Verdict.REFUTED)], ids=["true", "false"]
)
def test_undeclared_exponents_are_named_in_the_first_line(stated, verdict):
    item = limit_of(lambda n: 1 + 4 / n, stated, 0.02)(0)
    (result,) = verify(item, seed=0, budget=60.0, plan="declared", progress=False)
    (warned,) = result.deciding.warnings
    assert result.verdict is verdict
    assert warned.caution is Caution.UNDECLARED
    assert 0.1 < warned.numbers[0] <= 0.25


@pytest.mark.parametrize(
    "slow", [lambda n: (40 / n) ** 0.15, lambda n: 1 / np.log(n)], ids=["power", "logarithm"]
)
def test_a_slow_correction_that_describes_the_values_alone_is_not_refuted(slow):
    item = limit_of(lambda n: 1 + 0.5 * float(slow(n)), 1.0, 0.02)(0)
    (result,) = verify(item, seed=0, budget=20.0, plan="declared", progress=False)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.deciding.lacks


def test_a_refutation_whose_models_cross_the_stated_zone_is_open_without_a_reason():
    # On a line in n^-1/2 within a hundredth, whose end lies five tolerances beyond the truth, zero.
    means = MeanSet(SIZES, np.exp(-1.1 * np.sqrt(np.array(SIZES) / 40)), axes=np.full(5, 0.02), sigmas=4.5)
    asked = Question("limit", 0.0, 0.02, exponents=(0.5,))
    errors, counts = np.full(5, 0.02 / 4.5), np.full(5, 10_000)
    found = asked.examined(means, errors, counts)
    assert asked.decided(found) is Verdict.REFUTED
    assert [need.lack for need in found.objections] == [Lack.CROSSED]
    reasoned = replace(asked, reasoned=True)
    assert reasoned.verdict(reasoned.examined(means, errors, counts)) is Verdict.REFUTED


def test_a_plain_fit_is_wrong_on_them():
    wrong = [naive_verdict_of(TRICKY[name], 0) is TRICKY[name].wrong for name in FITTED]
    assert sum(wrong) >= 3


@pytest.mark.thorough
@pytest.mark.parametrize("row", [row for row in ROWS if row.clear], ids=lambda row: row.name)
def test_clear_claims_are_decided(row):
    right = Verdict.CONFIRMED if row.truth == "true" else Verdict.REFUTED
    found = [
        verify(row.make(seed), seed=seed, budget=row.budget, progress=False)[0].verdict for seed in range(4)
    ]
    assert found.count(right) >= 3


def _means(values, axis=1e-3):
    return MeanSet(SIZES, np.asarray(values, dtype=float), axes=np.full(5, axis))


def test_models_have_one_term_more_than_the_data_need():
    x = np.sqrt(40 / np.array(SIZES))
    assert analyse_limit(_means(np.ones(5)), (0.5,)).needed == 0
    assert analyse_limit(_means(1 + 0.3 * x), (0.5,)).needed == 1
    curved = analyse_limit(_means(1 + 0.3 * (x - 2 * x**2)), (0.5,))
    assert curved.needed == 2
    assert any("three free terms" in row.name for row in curved.rows)
    # A cubic lies in the family of what needs two terms, so its limit is covered.
    cubic = analyse_limit(_means(1 + 0.3 * (x - 2 * x**2 + 1.5 * x**3), 3e-3), (0.5,))
    assert cubic.interval[0] <= 1 <= cubic.interval[1]


@pytest.mark.thorough
def test_too_few_sizes_for_one_term_more():
    x = np.sqrt(40 / np.array(SIZES[:3]))
    means = MeanSet(SIZES[:3], 1 + 0.3 * (x - 2 * x**2), axes=np.full(3, 1e-4))
    found = analyse_limit(means, (0.5,))
    assert not found.described
    assert found.needed == 2

    @claim("two.sizes", limit=1.0, tolerance=0.1, sizes=(40, 80), exponents=(1,), cost=1e-5)
    def two_sizes(size, rng):
        return 1 + 0.1 * rng.standard_normal()

    (result,) = verify(two_sizes, budget=5)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.points[0].lacks[0].lack is Lack.MORE_SIZES
    assert "at least 3 sizes" in result.points[0].needs


def test_a_size_that_excludes_nothing_has_no_vote_and_blocks():
    means = MeanSet(SIZES, np.ones(5), axes=np.array([0.01, 0.01, 0.01, 0.01, np.inf]))
    assert voteless(means, 0.02) == (640,)
    assert voteless(MeanSet(SIZES, np.ones(5), axes=np.array([np.inf, 9.0, 9.0, 0.01, 0.06])), 0.02) == (640,)
    assert voteless(MeanSet(SIZES, np.ones(5), axes=np.full(5, 0.04)), 0.02) == ()


def test_a_size_that_contradicts_the_band_is_named():
    values = np.array([1.0, 1.0, 1.0, 1.0, 3.0])
    axes = np.array([0.01, 0.01, 0.01, 0.01, np.inf])
    found = analyse_limit(MeanSet(SIZES, values, axes=axes), (1.0,))
    assert found.interval[1] < 1.1  # that size does not enter the fit
    counts = np.array([640, 640, 640, 640, 20])
    assert contradicting(found, np.full(5, 0.002), counts) == (640,)
    assert contradicting(found, np.array([0.002, 0.002, 0.002, 0.002, 2.0]), counts) == ()


@pytest.mark.parametrize(
    ("amplitude", "stated", "verdict"),
    [
        (0.002, 1.0, Verdict.CONFIRMED),  # a fiftieth of the tolerance, twenty standard errors and more
        (0.002, 1.5, Verdict.REFUTED),
        (0.02, 1.0, Verdict.INCONCLUSIVE),  # beyond the allowance of one per cent
    ],
)
def test_small_deviations_from_every_series_do_not_matter(amplitude, stated, verdict):
    item = limit_of(
        lambda n: 1 + amplitude * math.cos(7 * math.log(n)), stated, 0.001, exponents=(1.0,), tolerance=0.1
    )(0)
    (result,) = verify(item, seed=0, budget=20.0, plan="declared", progress=False)
    assert result.verdict is verdict
