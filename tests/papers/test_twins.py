"""Second implementations agree with the samplers, and the records say so."""

import json
import re
import zlib

import numpy as np
import pytest

from rmtsim.claims import all_claims, find
from rmtsim.claims._papers import PAPERS
from rmtsim.claims._recipes import TWINS, agrees, digest, provisional, recipe, shared_recipes
from rmtsim.cli import main
from tests.papers.twinning import Twin, compare, load

RECORDED = {key: PAPERS.records(key, TWINS) for key in PAPERS}
NAMES = [(key, name) for key in PAPERS for name in load(key)]
ALWAYS = {"dong.thm1.diagonal", "dong.eq28.diagonal/corrected"}
WITHOUT = {"li.sec3.3": "the mean of the quotient by products of single Gaussian numbers is infinite"}
"""Provisional statements of the papers, with the reason."""


def _mark(name):
    """Few twins in every run, one of four among the thorough tests, the others with ``-m slow``."""
    if name in ALWAYS:
        return ()
    return pytest.mark.thorough if zlib.crc32(name.encode()) % 4 == 0 else pytest.mark.slow


# At the small sizes of twins a saturated network may divide by zero, which its sampler counts as no event.
@pytest.mark.filterwarnings("default::RuntimeWarning")
@pytest.mark.parametrize(("key", "name"), [pytest.param(*each, marks=_mark(each[1])) for each in NAMES])
def test_the_twin_agrees_with_the_sampler(key, name):
    points = compare(name, load(key)[name])
    assert len(points) >= 2
    assert all(map(agrees, points)), points


@pytest.mark.parametrize("key", [key for key in PAPERS if load(key)])
def test_every_twin_is_recorded_with_the_present_recipe(key):
    assert set(RECORDED[key]) == set(load(key))
    stale = [name for name, entry in RECORDED[key].items() if entry["recipe"] != digest(recipe(find(name)))]
    assert not stale, f"python -m tests.papers.twinning {key}"


@pytest.mark.parametrize("key", [key for key in PAPERS if shared_recipes(key)])
def test_recipes_belong_to_simulated_statements_and_have_no_empty_passage(key):
    claims = [claim for claim in all_claims(key) if claim.evidence == "simulated"]
    used = {recipe(claim) for claim in claims}
    for _, text in shared_recipes(key):
        assert text in used, text
        assert not re.search(r"\{[a-z_]{3,}\}", text), text


@pytest.mark.parametrize("key", PAPERS)
def test_every_simulated_statement_is_repeated_by_a_twin(key):
    claims = [claim for claim in all_claims(key) if claim.evidence == "simulated"]
    assert claims
    assert {claim.id for claim in claims if provisional(claim)} == {
        name for name in WITHOUT if name.startswith(f"{key}.")
    }


def test_a_wrong_constant_is_noticed():
    right = load("dong")["dong.thm1.diagonal"]
    wrong = Twin(
        lambda size, rng, **point: 1.05 * right.measure(size, rng, **point),
        right.points,
        right.replicates,
        0.0,
    )
    assert not all(map(agrees, compare("dong.thm1.diagonal", wrong)))


def test_a_statement_is_provisional_without_a_record_of_its_recipe(monkeypatch):
    claim = find("dong.thm1.diagonal")
    assert not provisional(claim)
    own = dict(RECORDED["dong"])
    monkeypatch.setitem(PAPERS._records, ("dong", TWINS), own)
    own["dong.thm1.diagonal"] = {**own["dong.thm1.diagonal"], "recipe": "another"}
    assert provisional(claim)
    del own["dong.thm1.diagonal"]
    assert provisional(claim)


def test_the_command_shows_recipe_and_state(capsys):
    assert main(["claims", "dong.thm1.diagonal", "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert "mean over the classes" in shown["recipe"]
    assert shown["provisional"] is False


def test_values_of_a_twin_are_independent_of_the_global_state():
    one = load("dong")["dong.thm1.ratio"].measure(10, np.random.default_rng(3), gamma=1.0, classes=4)
    two = load("dong")["dong.thm1.ratio"].measure(10, np.random.default_rng(3), gamma=1.0, classes=4)
    assert one == two
