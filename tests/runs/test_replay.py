"""Stored batches are reused only after some of them, computed again, gave the same bytes."""

import collections
import dataclasses
import json
import math

import pytest

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
    """Also one that is felt at the largest size alone."""
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


def test_one_of_each_size_and_one_replicate_where_that_can_be():
    assert [replay.key.replicates for replay in chosen(keys(hidden_claims.plain), Check())] == [1, 1, 1]
    assert [replay.key.replicates for replay in chosen(keys(hidden_claims.whole), Check())] == [8, 8, 8]
    assert [replay.key.replicates for replay in chosen(keys(hidden_claims.coupled), Check())] == [3]
    assert {replay.key.size for replay in chosen(keys(hidden_claims.plain), Check())} == set(SIZES)


def test_the_cost_is_limited_and_the_cheapest_is_never_left_out():
    dear = dataclasses.replace(hidden_claims.whole, cost=lambda parameters, size: float(size))
    replays = chosen(keys(dear, batches=1), Check())
    assert [replay.key.size for replay in replays] == [4]
    assert [replay.key.size for replay in chosen(keys(dear, batches=40), Check())] == [4, 8, 16]


@pytest.mark.parametrize(("batches", "wanted"), [(1, 3), (2, 6), (math.inf, 30), (99, 30)])
def test_more_with_check(store, batches, wanted):
    assert len(chosen(keys(hidden_claims.plain, batches=10), Check(batches=batches))) == wanted
    run(keys(hidden_claims.plain, batches=10), store)
    _, tally = run(keys(hidden_claims.plain, batches=10), store, Check(batches=batches))
    assert tally.replayed == wanted
