"""Search for counterexamples: it finds rare ones, respects rounding, and leaves true bounds alone."""

import json

import numpy as np
import pytest

from rmtsim.claims import Bound, Parameter, Plan, claim
from rmtsim.cli import main
from rmtsim.verdicts import search
from rmtsim.verdicts._tape import Tape


def _bound(function, limit=1.0, **options):
    plan = Plan(sizes=(1, 3), cost=1e-6)
    return claim("demo.bound", function, states=Bound(limit, **options.pop("of", {})), plan=plan, **options)


def test_a_counterexample_that_draws_never_meet_is_found_and_made_simple():
    def corner(size, rng):
        x = rng.uniform(-1, 1, 6)
        return float(np.prod(x)) / 0.9  # exceeds 1 with probability below 1e-7

    found = search(_bound(corner), seconds=4.0)
    assert found.violated
    assert found.value > 1
    again = corner(found.size, Tape(np.array(found.entries), found.scale, found.seed))
    assert again == found.value
    assert "counterexample" in str(found)


def test_a_true_bound_is_approached_and_not_refuted():
    found = search(_bound(lambda size, rng: float(np.prod(rng.uniform(-1, 1, 4)))), seconds=2.0)
    assert not found.violated
    assert 0.9 < found.value <= 1


def test_rounding_is_no_counterexample():
    def cancelled(size, rng):
        x = rng.standard_normal()
        return 1.0 + 1e9 * ((x + 1e9) - 1e9 - x)

    found = search(_bound(cancelled), seconds=1.0)
    assert not found.violated
    assert found.noise > 0


def test_huge_scales_and_parameters_are_searched():
    shift = Parameter("shift", "shift", default=1.0, draw_range=(0.1, 10.0))

    def saturated(size, rng, shift):
        return float(np.tanh(1e-6 * rng.standard_normal())) * shift

    found = search(_bound(saturated, limit=5.0, over=(shift,)), seconds=3.0)
    assert found.violated
    assert found.parameters["shift"] > 5


def test_only_bounds_of_values_can_be_searched():
    with pytest.raises(ValueError, match="no bound of values"):
        search("dong.eq5")
    with pytest.raises(ValueError, match="seconds"):
        search("liu.thm3.1.count", seconds=-1.0)


def test_the_command(capsys):
    assert main(["search", "liu.thm3.1.count", "--seconds", "0.5", "--json"]) == 3
    (found,) = json.loads(capsys.readouterr().out)
    assert found["violated"]
    assert main(["search", "dong.eq5"]) == 2
    assert "none of these claims" in capsys.readouterr().err


def test_a_tape_of_normal_numbers_gives_the_usual_draws():
    tape = Tape(np.array([0.5, -1.0, 0.0, 8.0]))
    assert tape.standard_normal() == 0.5
    assert tape.random() == pytest.approx(0.15865525393145707)
    assert tape.uniform(2, 4) == 3.0
    assert tape.integers(5) == 4
    assert tape.used == 4
    assert tape.standard_normal((2, 3)).shape == (2, 3)
    assert tape.choice(["a", "b"]) in ("a", "b")
    assert tape.exponential(2.0, 3).shape == (3,)
    assert tape.permutation(4).shape == (4,)
