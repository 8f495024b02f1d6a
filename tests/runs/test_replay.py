"""Stored batches are reused only after some of them, computed again, gave the same bytes."""

import collections
import dataclasses
import itertools
import json
import math

import pytest

from rmtsim.claims import find
from rmtsim.errors import SamplerError
from rmtsim.runs._identity import environment
from rmtsim.runs._identity.code_version import forget_versions
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._replay import Check, chosen
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import BatchKey, FailedBatch
from rmtsim.verdicts import verify
from tests.runs import hidden_claims

SIZES = hidden_claims.SIZES


@pytest.fixture
def change(monkeypatch):
    return lambda value, name="shift": monkeypatch.setattr(json, "rmtsim_test_" + name, value, raising=False)


SHAPES = [
    hidden_claims.plain,
    hidden_claims.several,
    hidden_claims.whole,
    hidden_claims.coupled,
    hidden_claims.computed,
]


def keys(of, batches=3, points=((),)):
    sizes = (16,) if of.coupled else SIZES
    length = 12 if of.coupled else 8
    return [
        BatchKey(of, tuple(point), size, batch, length, 0)
        for point in points
        for batch in range(batches)
        for size in sizes
    ]


def run(wanted, store=None, check=None):
    """All outcomes, and what became of the batches."""
    forget_versions()
    runner = StoredRunner(SerialPool(), store, check=check)
    return list(runner.run(wanted)), runner.tally


def same(one, other):
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "runs.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("of", SHAPES, ids=lambda of: of.id)
def test_what_has_not_changed_is_reused(store, of):
    first, tally = run(keys(of), store)
    assert (tally.reused, tally.replayed) == (0, 0)
    second, tally = run(keys(of), store)
    assert same(first, second)
    assert tally.reused == len(first)
    assert tally.computed == 0
    assert tally.replayed == (1 if of.coupled else 3)
    assert tally.notices() == []


@pytest.mark.parametrize("name", ["shift", "large"])
@pytest.mark.parametrize("of", SHAPES, ids=lambda of: of.id)
def test_a_change_that_no_digest_covers_is_noticed(store, of, name, change):
    """Also one that affects the largest size alone."""
    run(keys(of), store)
    change(5.0, name)
    fresh, _ = run(keys(of))
    found, tally = run(keys(of), store)
    assert same(found, fresh)
    assert (tally.reused, tally.computed) == (0, len(fresh))
    (line,) = tally.notices()
    assert line.startswith(f"{len(fresh)} stored batches of {of.id} were discarded: size ")
    again, tally = run(keys(of), store)
    assert same(again, fresh)
    assert (tally.reused, tally.computed) == (len(fresh), 0)


def test_a_change_at_one_parameter_point_discards_all_points(store, change):
    points = ((("x", 1.0),), (("x", 2.0),))
    run(keys(hidden_claims.raw, points=points), store)
    change(5.0, "point")
    fresh, _ = run(keys(hidden_claims.raw, points=points))
    found, tally = run(keys(hidden_claims.raw, points=points), store)
    assert same(found, fresh)
    assert tally.reused == 0
    assert len(tally.discarded) == 1


def test_a_point_that_comes_too_late_ends_the_claim(store, change):
    points = ((("x", 1.0),), (("x", 2.0),))
    run(keys(hidden_claims.raw, points=points), store)
    change(5.0, "point")
    runner = StoredRunner(SerialPool(), store)
    forget_versions()
    assert len(list(runner.run(keys(hidden_claims.raw, points=points[:1])))) == 9
    late = list(runner.run(keys(hidden_claims.raw, points=points[1:])))
    assert all(isinstance(outcome, FailedBatch) for outcome in late)
    assert "run the same command again" in str(late[0].error)
    found, _ = run(keys(hidden_claims.raw, points=points), store)
    assert same(found, run(keys(hidden_claims.raw, points=points))[0])


def test_a_sampler_that_fails_now_gives_no_stored_values(store, change):
    run(keys(hidden_claims.plain), store)
    change("not a number")
    found, tally = run(keys(hidden_claims.plain), store)
    assert all(isinstance(outcome, FailedBatch) for outcome in found)
    assert isinstance(found[0].error, SamplerError)
    assert (tally.reused, tally.discarded, store.count()) == (0, [], 9)


def test_a_sampler_that_does_not_repeat_itself_is_named(store, change):
    """Not as one that uses something that has changed."""
    run(keys(hidden_claims.plain), store)
    numbers = itertools.count()

    class Moving:
        def __radd__(self, other):
            return other + next(numbers)

    change(Moving())
    found, _ = run(keys(hidden_claims.plain), store)
    assert all(isinstance(outcome, FailedBatch) for outcome in found)
    assert "the same batch computed twice, with the same seed, gave other values" in str(found[0].error)
    assert store.count() == 0


@pytest.mark.thorough
def test_a_verdict_is_not_taken_from_stale_batches(store, change):
    assert str(verify(hidden_claims.plain, store=store)[0].verdict) == "CONFIRMED"
    change(5.0)
    stale, fresh = verify(hidden_claims.plain, store=store), verify(hidden_claims.plain)
    assert str(stale[0].verdict) == str(fresh[0].verdict) == "REFUTED"
    assert stale[0].digest == fresh[0].digest


def test_batches_of_other_environments_are_not_compared(store, monkeypatch, change):
    here = environment.this_environment()
    there = dataclasses.replace(here, cpu="another")
    monkeypatch.setattr("rmtsim.runs._pools.pool.this_environment", lambda: there)
    stored, _ = run(keys(hidden_claims.plain), store)
    monkeypatch.undo()
    forget_versions()
    runner = StoredRunner(SerialPool(), store, any_environment=True)
    assert same(list(runner.run(keys(hidden_claims.plain))), stored)
    assert (runner.tally.reused, runner.tally.replayed) == (9, 0)


# ---- The choice --------------------------------------------------------------------------------------------------


def test_the_choice_is_by_hash_and_differs_from_run_to_run():
    stored = keys(hidden_claims.plain, batches=50)
    first = collections.Counter(chosen(stored, Check())[0].stored.batch for _ in range(200))
    assert len(first) > 20
    assert chosen(stored, Check(salt=b"1")) == chosen(stored, Check(salt=b"1"))


def costing(seconds, of=hidden_claims.plain):
    """A claim with this cost of a replicate, as a function of the size."""
    return dataclasses.replace(of, cost=lambda parameters, size: seconds(size))


def replicates(claim, batches=3, check=None):
    return {each.key.size: each.key.replicates for each in chosen(keys(claim, batches), check or Check())}


def test_whole_batches_of_every_size_as_far_as_they_cost_little():
    assert replicates(costing(lambda size: 1e-6)) == {4: 8, 8: 8, 16: 8}
    # Eight replicates of size 8 take 16 s, a fifth of what is stored 4 * 32 s.
    assert replicates(costing(lambda size: 0.25 * size**2), 1) == {4: 8, 8: 1, 16: 1}
    assert replicates(costing(lambda size: 1e3), 1) == {4: 1, 8: 1, 16: 1}
    assert replicates(costing(lambda size: 1e3, hidden_claims.coupled), 1) == {16: 3}


def test_an_expensive_size_of_a_claim_outside_of_rmtsim_is_never_left_out(store, change):
    """Where a sampler measures a whole batch at once, that is the whole batch."""
    dear = costing(lambda size: 1e-6 * size**9, hidden_claims.whole)
    assert replicates(dear, 1) == {4: 8, 8: 8, 16: 8}
    run(keys(dear, 1), store)
    change(5.0, "large")
    found, tally = run(keys(dear, 1), store)
    assert same(found, run(keys(dear, 1))[0])
    assert tally.reused == 0


def test_the_cost_can_be_limited_and_the_cheapest_is_never_left_out():
    dear = costing(float, hidden_claims.whole)
    assert list(replicates(dear, 1, Check(batches=0))) == [4]
    assert list(replicates(dear, 100, Check(batches=0))) == [4, 8, 16]
    assert replicates(costing(lambda size: 1e-6), 1, Check(batches=0)) == {4: 1, 8: 1, 16: 1}


def test_the_cost_is_limited_for_claims_of_rmtsim():
    claim = find("dong.thm1.diagonal")
    point = tuple(sorted(claim.point({}).items()))
    stored = [BatchKey(claim, point, size, 0, 64, 0) for size in claim.sizes]
    assert chosen(stored, Check(salt=b"1")) == chosen(stored, Check(0, salt=b"1"))
    assert len(chosen(stored, Check(1))) == len(claim.sizes)


@pytest.mark.parametrize(("batches", "wanted"), [(1, 3), (2, 6), (math.inf, 30), (99, 30)])
def test_more_with_check(store, batches, wanted):
    assert len(chosen(keys(hidden_claims.plain, batches=10), Check(batches=batches))) == wanted
    run(keys(hidden_claims.plain, batches=10), store)
    _, tally = run(keys(hidden_claims.plain, batches=10), store, Check(batches=batches))
    assert tally.replayed == wanted
