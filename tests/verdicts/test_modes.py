"""Convergence of the mean, in probability, and almost surely along one growing object; warnings of the first line."""

import numpy as np
import pytest

from rmtsim import claim, verify
from rmtsim.verdicts import Verdict
from rmtsim.verdicts._collection import from_record, to_record
from rmtsim.verdicts._needs import Caution

SIZES = (40, 80, 160, 320, 640)
OPTIONS = {"sizes": SIZES, "exponents": (1.0,), "cost": lambda size: 1e-6 * size}


def _urn(size, rng, replicates):
    """Share of a colour in Pólya's urn, whose limit is random with mean one half."""
    return rng.binomial(size, rng.random(replicates)) / size


def _mean(size, rng, replicates):
    return 0.5 + rng.standard_normal(replicates) / np.sqrt(size)


def _verdict(function, **options):
    (result,) = verify(
        claim("mode", function, limit=0.5, **{**OPTIONS, **options}), budget=60, progress=False
    )
    return result


@pytest.mark.parametrize(
    ("function", "mode", "verdict"),
    [
        (_urn, "mean", Verdict.CONFIRMED),
        (_urn, "in probability", Verdict.REFUTED),
        (_mean, "mean", Verdict.CONFIRMED),
        (_mean, "in probability", Verdict.CONFIRMED),
    ],
)
def test_the_mode_is_tested_as_it_is_stated(function, mode, verdict):
    result = _verdict(function, tolerance=0.05, mode=mode)
    assert result.verdict is verdict
    assert not result.deciding.warnings


def test_a_spread_that_does_not_vanish_is_said_in_the_first_line():
    random_limit, point = _verdict(_urn, tolerance=0.05), _verdict(_mean, tolerance=0.05)
    assert [each.caution for each in random_limit.deciding.warnings] == [Caution.MEAN_ONLY]
    assert "of the mean only" in str(random_limit).splitlines()[0]
    assert "of the mean only" in random_limit.as_json()["warnings"]
    assert "Warning: of the mean only" in random_limit.explain()
    assert not point.deciding.warnings
    assert point.as_json()["evidence_base"]["spread_exponent"] == pytest.approx(0.5, abs=0.1)
    assert from_record(to_record(random_limit)) == random_limit


def test_almost_surely_along_one_growing_object():
    def walk(sizes, rng):
        path = rng.standard_normal((64, sizes[-1])).cumsum(axis=1)
        return np.stack([path[:, n - 1] / n for n in sizes], axis=1)

    def urn(sizes, rng):
        share = rng.random(64)
        return np.stack([rng.binomial(n, share) / n for n in sizes], axis=1)

    options = {**OPTIONS, "coupled": True, "mode": "almost surely", "cost": 1e-5}
    assert verify(claim("walk", walk, limit=0.0, tolerance=0.1, **options), budget=10)[0].verdict is (
        Verdict.CONFIRMED
    )
    (result,) = verify(claim("urn", urn, limit=0.5, tolerance=0.1, **options), budget=2)
    assert result.verdict is not Verdict.CONFIRMED


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"limit": 1.0, "mode": "surely"}, "mode='surely': expected one of"),
        ({"limit": 1.0, "mode": "almost surely"}, "declare coupled=True"),
        ({"rate": 1.0, "mode": "mean"}, "belongs to a simulated limit"),
        ({"limit": 1.0, "mode": "in probability", "support": (0, 1)}, "support="),
    ],
)
def test_modes_that_cannot_be_tested_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        claim("mode", _mean, tolerance=0.1, **OPTIONS, **options)


def test_a_size_beyond_the_budget_is_named_in_the_first_line():
    def value(size, rng):
        return 1 + 0.01 * rng.standard_normal()

    options = {**OPTIONS, "cost": lambda size: 1e-3 if size < 640 else 100.0}
    (result,) = verify(claim("dear", value, limit=1.0, tolerance=0.1, **options), budget=10, progress=False)
    (warned,) = (each for each in result.deciding.warnings if each.caution is Caution.UNMEASURED_SIZES)
    assert warned.sizes == (640,)
    assert "size 640 not measured" in str(result).splitlines()[0]
    base = result.as_json()["evidence_base"]
    assert base["sizes_declared"] == list(SIZES)
    assert base["sizes_measured"] == list(SIZES[:-1])
