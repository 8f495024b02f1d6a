"""A moved statement must not be confirmed: zones of controls, and every registered claim."""

import dataclasses
import json

import pytest

from rmtsim.claims import all_claims, claim, find
from rmtsim.claims._model import Tolerance
from rmtsim.verdicts import verify
from rmtsim.verdicts._examinations.design import Setting
from rmtsim.verdicts._question import question
from tests.verdicts.synthetic import synthetic

CHEAP = (
    "dong.thm1.diagonal-limit",
    "dong.thm1.ratio-rate",
    "dong.eq8/corrected",
    "dong.eq15",
    "dong.prop6.diagonal-law",
    "dong.thm2.hidden-ce-diagonal",
    "li.lemmaD.3",
    "li.thm2.a",
    "li.thm2.law.wigner",
    "wu.lemmaB.3",
    "wu.lemmaB.9.activation",
    "wu.lemmaB.10.mean",
    "wu.lemmaB.12",
    "wu.lemmaB.15.bounds",
    "wu.lemmaB.25",
    "wu.eq80",
)


def _verdict(name, control):
    target = find(name)
    return str(verify(target, quick=True, points=[target.grid[0]], control=control)[0].verdict)


@pytest.mark.thorough
@pytest.mark.parametrize("control", [0.05, -0.05])
@pytest.mark.parametrize("name", CHEAP)
def test_a_cheap_claim_is_not_confirmed_when_moved(name, control):
    assert _verdict(name, control) != "CONFIRMED"


@pytest.mark.slow
@pytest.mark.parametrize("control", [0.05, -0.05])
@pytest.mark.parametrize("name", [item.id for item in all_claims()])
def test_no_claim_is_confirmed_when_moved(name, control):
    assert _verdict(name, control) != "CONFIRMED"


@pytest.mark.parametrize("name", CHEAP)
def test_the_zone_of_a_control_leaves_out_the_stated_value(name):
    target = find(name)
    if target.kind in ("identity", "bound"):
        return
    point = target.point(target.grid[0])
    stated = question(target, Setting(point, 0, 0.05, 1.0))
    for control in (0.05, -0.05, 0.001):
        asked = question(target, Setting(point, 0, 0.05, 1.0, control))
        assert abs(asked.predicted - stated.predicted) > 2 * asked.tolerance
        assert asked.tolerance <= stated.tolerance


def test_a_wide_tolerance_is_cut_and_the_moved_statement_refuted():
    wide = synthetic(tolerance=Tolerance(absolute=0.2))
    assert str(verify(wide, seed=1)[0].verdict) == "CONFIRMED"
    for control in (0.05, -0.05):
        (result,) = verify(wide, seed=1, control=control)
        assert str(result.verdict) == "REFUTED"
        assert result.deciding.tolerance < 0.025


def test_a_truth_within_the_tolerance_but_off_by_the_shift_is_an_alarm():
    """The test cannot tell the two apart, and says so: this is what a control is for."""
    (result,) = verify(synthetic(limit=1.05, tolerance=Tolerance(absolute=0.2)), seed=1, control=0.05)
    assert str(result.verdict) == "CONFIRMED"


def test_moving_a_false_statement_onto_the_truth_is_no_control():
    (result,) = verify(synthetic(limit=1.05), seed=1, control=0.05)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert "refute the statement itself" in result.deciding.reason


@pytest.mark.parametrize(("stated", "verdict"), [(0.5, "REFUTED"), (0.3, "INCONCLUSIVE")])
def test_an_upper_bound_on_a_rate_is_moved_to_the_faster_side(stated, verdict):
    def sample(parameters, size, rng, replicates):
        return 3 * size**-0.5 * (1 + 0.1 * rng.standard_normal(replicates))

    rate = synthetic(kind="rate", sample=sample, predict=None, tolerance=Tolerance(absolute=0.05))
    rate = dataclasses.replace(rate, exponent=stated, relation="O", exponents=(1.0,))
    (result,) = verify(rate, control=-0.2)
    assert str(result.verdict) == verdict
    if verdict == "INCONCLUSIVE":
        assert "not sharp enough" in result.deciding.reason


def test_a_loose_bound_is_left_open_and_a_sharp_one_refuted():
    @claim("bounded", bound=1.0, tolerance=1e-9, sizes=(4, 8), cost=1e-5)
    def largest(size, rng):
        return rng.random(size).max()

    @claim("loose", bound=2.0, tolerance=1e-9, sizes=(4, 8), cost=1e-5)
    def same(size, rng):
        return rng.random(size).max()

    assert [str(verify(each, budget=5, control=0.05)[0].verdict) for each in (largest, same)] == [
        "REFUTED",
        "INCONCLUSIVE",
    ]


def test_a_control_downwards_at_the_command_line(capsys):
    from rmtsim.cli import main

    assert (
        main(["verify", "dong.thm1.diagonal-limit", "--control", "-5%", "--json", "--no-store", "--quiet"])
        == 0
    )
    (result,) = json.loads(capsys.readouterr().out)
    assert (result["control"], result["verdict"]) == (-0.05, "REFUTED")
