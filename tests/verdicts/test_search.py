"""Search for counterexamples: it finds rare ones, respects rounding, and leaves true bounds alone."""

import json

import numpy as np
import pytest

from rmtsim.claims import Bound, Parameter, Plan, claim
from rmtsim.cli import main
from rmtsim.verdicts import search
from rmtsim.verdicts._precise import precise_value, rounded_values
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


def test_a_quotient_of_rounding_errors_is_no_counterexample():
    """The sine's slope on [1, 1.5] is at most 0.55; differences over steps of 1e-15 are rounding errors."""

    def slope(size, rng):
        x = np.asarray(rng.uniform(1.0, 1.5, 3), dtype=float)
        moved = x + 1e-15 * float(rng.uniform(0.2, 1))
        steps = moved - x
        return float(np.max((np.sin(moved) - np.sin(x)) / np.where(steps > 0, steps, np.inf)))

    assert max(slope(1, np.random.default_rng(seed)) for seed in range(500)) > 0.7
    assert not search(_bound(slope, limit=0.55), seconds=2.0).violated


def test_a_counterexample_is_evaluated_again_in_fifty_digits():
    def norm(size, rng):
        matrix = rng.standard_normal((2, 2))
        return float(np.linalg.norm(matrix, 2) / np.linalg.norm(matrix))

    found = search(_bound(norm, limit=0.9), seconds=1.0)
    assert (found.violated, found.rechecked) == (True, "mpmath, 50 digits")
    rng = np.random.default_rng(1)
    entries = rng.standard_normal(4)
    precise = precise_value(lambda generator: norm(1, generator), lambda kind: kind(entries))
    assert float(precise) == pytest.approx(norm(1, Tape(entries)), rel=1e-13)


def test_where_arrays_are_float64_the_rounding_mode_is_changed():
    def total(size, rng):
        return float(np.sum(np.asarray(rng.standard_normal(20), dtype=float) ** 2)) / 20

    found = search(_bound(total, limit=2.0), seconds=1.0)
    assert found.violated
    assert found.rechecked == ("three rounding modes" if rounded_values(lambda: 1.0) else "float64 alone")


@pytest.mark.skipif(not rounded_values(lambda: 1.0), reason="the rounding mode cannot be set here")
def test_rounding_modes_differ_and_the_usual_one_returns():
    third = np.array([1.0, 3.0])
    down, up, zero = rounded_values(lambda: float(third[0] / third[1]))
    assert down == zero < up
    assert third[0] / third[1] == 1 / 3


def test_a_likely_bound_keeps_the_law_of_its_draws():
    shift = Parameter("shift", "shift", default=1.0, draw_range=(0.1, 10.0))

    def mean(size, rng, shift):
        return float(np.mean(rng.standard_normal(100) ** 2)) * shift

    likely = {"of": {"likely": True}, "over": (shift,)}
    assert not search(_bound(mean, limit=20.0, **likely), seconds=1.0).violated
    assert search(_bound(mean, limit=20.0, over=(shift,)), seconds=1.0).violated
    found = search(_bound(mean, limit=5.0, **{"of": {"likely": True}, "over": (shift,)}), seconds=1.0)
    assert found.violated
    assert found.parameters["shift"] > 4


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
