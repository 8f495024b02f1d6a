"""What is computed at once, or only as far as needed, is to the last bit what is computed one by one, in full."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._examinations.conclude import _LADDER, Exclusions, e_value
from rmtsim.verdicts._models.box import project_box
from rmtsim.verdicts._models.family import _curved, _tau_range, limit_families, rate_families
from rmtsim.verdicts._models.fit import fitted, project
from rmtsim.verdicts._models.richardson import _extrapolated
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import Verdict

EXPONENTS = ((1.0,), (0.5, 1.0), (0.5, 2 / 3, 1.0))


def families(count, exponents):
    sizes = tuple(10 * 2**k for k in range(count))
    return [*limit_families(sizes, exponents, min(3, len(sizes) - 2)), *rate_families(sizes, exponents)]


def naive_around(family, members):
    ratio, step = family.spacing[0] / 4, family.spacing[1] / 4
    rows = []
    for member in dict.fromkeys(members):
        number = int(family.branch[member])
        branch = family.branches[number]
        p, tau = np.array([family.exponents[member]]), np.array([family.taus[member]])
        if branch.exponent is None:
            low, high = family.exponents.min(), family.exponents.max()
            p = np.clip(p * np.exp(np.arange(-4, 5) * ratio), low, high)
        if _curved(family.form, branch):
            tau = np.clip(tau + np.arange(-4, 5) * step, *_tau_range(family.form))
        rows += [(number, *pair) for pair in itertools.product(p.tolist(), tau.tolist())]
    return rows


@pytest.mark.parametrize("exponents", EXPONENTS)
@pytest.mark.parametrize("count", [2, 3, 5])
def test_finer_grids(count, exponents):
    rng = np.random.default_rng(count)
    for family in families(count, exponents):
        for _ in range(3):
            members = rng.integers(0, len(family), 5).tolist()
            wanted = naive_around(family, members)
            family = family.around(members)
            found = zip(family.branch.tolist(), family.exponents.tolist(), family.taus.tolist(), strict=True)
            assert list(found) == wanted


def naive_box(low, high, family):
    """Corner by corner."""
    unknowns = 1 + family.forms.shape[1]
    columns = np.concatenate((family.leads[:, None], family.forms), axis=1)
    least, greatest = np.full(len(family), math.inf), np.full(len(family), -math.inf)
    slack = 1e-9 * np.maximum(np.where(np.isfinite(high - low), high - low, 1.0), 1e-12)
    for sizes in itertools.combinations(range(len(low)), unknowns):
        chosen = columns[:, :, sizes].transpose(0, 2, 1)
        usable = np.abs(np.linalg.det(chosen)) > 1e-13 * np.abs(chosen).max(axis=(1, 2)) ** unknowns
        inverse = np.linalg.inv(np.where(usable[:, None, None], chosen, np.eye(unknowns)))
        for corner in itertools.product(*((low[k], high[k]) for k in sizes)):
            if not np.isfinite(corner).all():
                continue
            found = np.einsum("mab,mb->ma", inverse, np.array(corner) - family.offsets[:, sizes])
            value = family.offsets + np.einsum("ma,mak->mk", found, columns)
            good = usable & ((value >= low - slack) & (value <= high + slack)).all(axis=1)
            least = np.where(good, np.minimum(least, found[:, 0]), least)
            greatest = np.where(good, np.maximum(greatest, found[:, 0]), greatest)
    return np.where(least <= greatest, least, np.nan), np.where(least <= greatest, greatest, np.nan)


@pytest.mark.parametrize("at_once", [1, 2**17])
@pytest.mark.parametrize("exponents", EXPONENTS)
@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_corners_of_a_box(monkeypatch, count, exponents, at_once):
    monkeypatch.setattr("rmtsim.verdicts._models.box._AT_ONCE", at_once)
    rng = np.random.default_rng(count)
    for family in families(count, exponents):
        middle = 1 + 0.3 * (np.array(family.sizes) / 10) ** -0.7
        low, high = middle - rng.uniform(0, 0.02, count), middle + rng.uniform(0, 0.02, count)
        found, (least, greatest) = project_box(low, high, family), naive_box(low, high, family)
        # Sums of three terms may be taken in another order on another machine.
        np.testing.assert_allclose(found.low, least, rtol=1e-12)
        np.testing.assert_allclose(found.high, greatest, rtol=1e-12)


def test_corners_of_a_box_that_is_open_somewhere():
    family = families(4, (0.5, 1.0))[0]
    middle = 1 + 0.3 * (np.array(family.sizes) / 10) ** -0.7
    low, high = middle - 0.02, middle + 0.02
    low[0], high[1] = -math.inf, math.inf
    found, (least, greatest) = project_box(low, high, family), naive_box(low, high, family)
    closed = np.isfinite(found.low) & np.isfinite(found.high)
    assert closed.any()
    np.testing.assert_allclose(found.low[closed], least[closed], rtol=1e-12)
    np.testing.assert_allclose(found.high[closed], greatest[closed], rtol=1e-12)


@pytest.mark.parametrize("count", range(2, 8))
def test_many_corrections_of_a_sequence(count):
    rng = np.random.default_rng(count)
    sizes = np.cumsum(rng.integers(1, 50, count)).astype(float)
    values = 1 + sizes**-0.7 + 1e-9 * rng.standard_normal(count)
    errors = np.full(count, 1e-9)
    x = np.stack([(sizes / sizes[-1]) ** -p for p in (0.02, 0.3, 0.5, 1.0, 3.0)])
    together = _extrapolated(x, values, errors, range(5))
    for k, found in enumerate(together):
        assert [found] == _extrapolated(x[k : k + 1], values, errors, [k])
        used = np.flatnonzero(found.weights)
        for j in used:
            factors = [x[k, i] / (x[k, i] - x[k, j]) for i in used if i != j]
            assert found.weights[j] == np.prod(factors)


def random_means(rng, count, box):
    sizes = tuple(10 * 2**k for k in range(count))
    exponent, scale = rng.uniform(0.4, 1.5), 10.0 ** rng.uniform(-4, -1)
    values = 1 + rng.normal() * (np.array(sizes) / 10) ** -exponent + 0.3 * scale * rng.standard_normal(count)
    spread = scale * rng.uniform(0.3, 1.0, count)

    def mean_set(level):
        axes = spread * math.sqrt(max(1e-6, 2 * math.log(1e5 / level)))
        if box:
            return MeanSet(sizes, values, low=values - axes, high=values + axes)
        return MeanSet(sizes, values, axes=axes)

    return mean_set


def excluded_in_full(asked, mean_set, wanted, level):
    return asked.excludes(asked.judged(mean_set(level), needed=1), wanted)


@pytest.mark.thorough
@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("rate", [True, False])
@pytest.mark.parametrize("box", [True, False])
def test_e_values_by_as_little_refinement_as_they_need(box, rate, declared):
    rng = np.random.default_rng(17)
    told = set()
    for _ in range(8):
        mean_set = random_means(rng, int(rng.integers(3, 6)), box)
        asked = Question(
            "limit",
            1 + rng.choice([0.0, 0.0, 0.3, -0.1]),
            10.0 ** rng.uniform(-2.5, -0.5),
            at_least=rate,
            rate=rate,
            exponents=EXPONENTS[int(rng.integers(3))],
            declared=declared,
        )
        short = Exclusions(asked, mean_set, 1)
        for wanted in (Verdict.REFUTED, Verdict.CONFIRMED):
            in_full = e_value(partial(excluded_in_full, asked, mean_set, wanted))
            assert e_value(partial(short.at, wanted)) == in_full
            told.add(in_full)
    assert len(told) > 2


def test_answers_do_not_depend_on_earlier_requests():
    rng = np.random.default_rng(3)
    for _ in range(6):
        mean_set = random_means(rng, 4, box=False)
        asked = Question("limit", 1.0, 0.05, exponents=(0.5, 1.0), declared=False)
        once, levels = Exclusions(asked, mean_set, 1), [1 / value for value in _LADDER[::8]]
        for level in levels:
            for wanted in (Verdict.REFUTED, Verdict.CONFIRMED):
                assert once.at(wanted, level) is Exclusions(asked, mean_set, 1).at(wanted, level)


def test_a_hull_that_settles_the_question_is_part_of_the_whole_one():
    rng = np.random.default_rng(5)
    for _ in range(10):
        means = random_means(rng, int(rng.integers(3, 6)), box=False)(1e-3)
        models = limit_families(means.sizes, (0.5, 1.0), 1)
        coarse, whole = fitted(means, models, settled=lambda ends: True), fitted(means, models)
        if coarse.hull is None:
            assert whole.hull is None
            continue
        assert whole.hull is not None
        assert whole.hull[0] <= coarse.hull[0] <= coarse.hull[1] <= whole.hull[1]
        for (family, projection), (_, refined) in zip(coarse.parts, whole.parts, strict=True):
            assert np.array_equal(projection.low, refined.low[: len(family)], equal_nan=True)
            again = project(means, family)
            assert np.array_equal(again.quality, projection.quality)
