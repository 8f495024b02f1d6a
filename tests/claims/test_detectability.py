"""Every registered claim names the smallest shift it detects, before any run."""

import json

import pytest

from rmtsim.claims import all_claims, claim, find
from rmtsim.claims._detectability import detectable_shift, recorded_shifts
from rmtsim.claims._papers import PAPERS
from rmtsim.cli import main
from rmtsim.verdicts import verify
from rmtsim.verdicts._words.explain import explain

NAMES = [item.id for item in all_claims()]


def test_every_registered_claim_has_a_figure_and_no_other():
    assert {name for key in PAPERS for name in recorded_shifts(key)} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_figures_belong_to_their_claims(name):
    target = find(name)
    found = detectable_shift(target)
    assert found.belongs_to(target)
    assert found.budget > 0
    # What is computed spends no level; records from before JSON said so have one.
    assert (found.level is None and target.evidence == "computed") or 0 < found.level <= 0.05
    if found.shift is not None:
        # The gap of a bound counts from the extreme value; everything else from the edge of the zone.
        assert found.shift >= found.tolerance
        if found.relative is not None:
            assert found.relative == pytest.approx(found.shift / abs(found.predicted), rel=1e-2)
    else:
        assert found.relative is None
    assert found.in_words()


def test_most_claims_detect_something():
    shifts = [found.shift for key in PAPERS for found in recorded_shifts(key).values()]
    assert sum(shift is not None for shift in shifts) >= 0.95 * len(shifts)


def test_a_changed_tolerance_no_longer_belongs():
    import dataclasses

    from rmtsim.claims._model import Tolerance

    target = find("dong.thm1.ratio")
    changed = dataclasses.replace(target, tolerance=Tolerance(relative=0.5))
    assert not detectable_shift(target).belongs_to(changed)


def test_a_claim_of_ones_own_has_none_on_record():
    @claim("dong.thm1.ratio", limit=0.5, tolerance=0.1, sizes=(4, 8, 16), cost=1e-5)
    def mine(size, rng):
        return rng.random()

    assert detectable_shift(mine) is None
    (result,) = verify(mine, budget=1)
    assert result.as_json()["declared"]["detectable"] is None
    assert result.deciding.detectable > 0.1


def test_the_record_is_shown_before_and_with_the_verdict(capsys):
    name = "dong.thm1.ratio-rate"
    words = detectable_shift(find(name)).in_words("computed")
    assert "level" not in words
    assert "seconds" not in words
    (result,) = verify(name)
    assert words in explain(result)
    assert result.as_json()["declared"]["detectable"]["shift"] == detectable_shift(find(name)).shift
    assert main(["claims", name, "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert shown["detectable"]["shift"] == detectable_shift(find(name)).shift
    assert shown["parameters"]["gamma"]["accepted"]


def test_one_claim_whole(capsys):
    assert main(["claims", "dong.thm1.ratio"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for phrase in (
        "parameter gamma",
        "sizes",
        "finite-size exponents",
        "tolerance",
        "nominal seconds",
        "smallest shift",
    ):
        assert phrase in text


def test_a_name_and_another_paper_leave_nothing(capsys):
    assert main(["claims", "dong.thm1.ratio", "--paper", "dong"]) == 0
    assert main(["claims", "dong.thm1.ratio", "--paper", "wu"]) == 2
    assert "--paper wu" in capsys.readouterr().err
