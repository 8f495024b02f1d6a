"""Verification: verdicts, determinism, budgets, interrupts."""

import dataclasses

import numpy as np
import pytest

from rmtsim.claims._model import Parameter, Tolerance
from rmtsim.runs._work import Runner
from rmtsim.verdicts import verify
from tests.verdicts.synthetic import synthetic


@pytest.mark.parametrize(("predicted", "verdict"), [(1.0, "CONFIRMED"), (1.06, "REFUTED"), (0.94, "REFUTED")])
def test_limit_verdicts(predicted, verdict):
    (result,) = verify(synthetic(predicted=predicted), seed=1)
    assert result.verdict == verdict


def test_the_same_seed_gives_the_same_digest_and_another_seed_another():
    one, two, other = (verify(synthetic(), seed=seed)[0] for seed in (3, 3, 4))
    assert one.digest == two.digest != other.digest
    assert one.as_json()["digest"] == one.digest


def test_a_refuted_point_refutes_the_claim_and_is_named():
    gamma = Parameter("gamma", "a shift", default=0.0, draw_range=(0.1, 0.2))

    def sample(parameters, size, rng, replicates):
        return 1 + parameters["gamma"] + 0.1 * rng.standard_normal(replicates)

    claim = synthetic(sample=sample, parameters=(gamma,), grid=({"gamma": 0.0}, {"gamma": 0.3}))
    (result,) = verify(claim)
    assert result.verdict == "REFUTED"
    assert result.deciding.parameters == {"gamma": 0.3}


def test_interrupt_returns_verdicts_so_far():
    class Interrupted(Runner):
        def run(self, keys):
            raise KeyboardInterrupt

    (result,) = verify(synthetic(), runner=Interrupted())
    assert result.interrupted
    assert result.verdict == "INCONCLUSIVE"
    assert "interrupted" in result.deciding.needs


@pytest.mark.parametrize(
    ("claims", "options", "match"),
    [
        (None, {}, "claims=None"),
        (3, {}, "claims=3"),
        ([3], {}, "3 is not a claim"),
        ("dong.eq5", {"points": {"classes": 3}}, "expected one or more parameter points"),
        ("dong.eq5", {"points": "classes"}, "expected one or more parameter points"),
        ("dong.eq5", {"points": []}, "expected one or more parameter points"),
        ("dong.eq5", {"points": [3]}, "expected one or more parameter points"),
    ],
)
def test_wrong_arguments_are_named(claims, options, match):
    with pytest.raises((TypeError, ValueError), match=match):
        verify(claims, **options)


@pytest.mark.parametrize(
    ("relation", "stated", "verdict"),
    [("Theta", 0.5, "CONFIRMED"), ("Theta", 0.35, "REFUTED"), ("O", 0.3, "CONFIRMED"), ("O", 0.7, "REFUTED")],
)
def test_rates_by_relation(relation, stated, verdict):
    def sample(parameters, size, rng, replicates):
        return 3 * size**-0.5 * (1 + 0.2 * rng.standard_normal(replicates))

    claim = synthetic(kind="rate", sample=sample, predict=None, tolerance=Tolerance(absolute=0.05))
    (result,) = verify(dataclasses.replace(claim, exponent=stated, relation=relation))
    assert result.verdict == verdict


@pytest.mark.parametrize(
    ("argument", "value", "match"),
    [
        ("level", 1.5, "level=1.5"),
        ("budget", -1, "budget=-1"),
        ("seed", -1, "seed=-1"),
        ("draw", 0.5, "draw=0.5"),
    ],
)
def test_bad_arguments_are_refused(argument, value, match):
    with pytest.raises((ValueError, TypeError), match=match):
        verify(synthetic(), **{argument: value})


def test_values_are_finite_json():
    (result,) = verify(synthetic())
    assert np.isfinite(result.as_json()["interval"]).all()
