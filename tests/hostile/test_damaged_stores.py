"""Stores damaged at random: never a wrong verdict, and what can be read is saved."""

import random

import pytest

from rmtsim import errors
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._store.report import check
from rmtsim.runs._store.salvage import salvage
from rmtsim.runs._store.store import Store
from rmtsim.verdicts import verify
from tests.runs.helpers import claim, keys, run_all
from tests.runs.store.test_salvage import _records_outside, readable

PAGE = 4096
ENVIRONMENT = 4
"""Fields of a row of the table of environments; no other table has as many."""
DAMAGES = ("zeroed pages", "noise", "flipped bits", "cut", "swapped pages", "header")


def damaged(data, kind, rng):
    """The file with one kind of damage, and the numbers of the pages that are not as they were."""
    data = bytearray(data)
    count = len(data) // PAGE
    chosen = sorted(rng.sample(range(1, count + 1), min(count, rng.choice((1, 2, 3, 8)))))
    if kind in ("zeroed pages", "noise"):
        for number in chosen:
            data[(number - 1) * PAGE : number * PAGE] = (
                bytes(PAGE) if kind == "zeroed pages" else rng.randbytes(PAGE)
            )
    elif kind == "flipped bits":
        for number in chosen:
            data[(number - 1) * PAGE + rng.randrange(PAGE)] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        kept = rng.randrange(PAGE, len(data))
        chosen = range(kept // PAGE + 1, count + 1)
        data = data[:kept]
    elif kind == "swapped pages" and len(chosen) > 1:
        first, second = chosen[:2]
        a, b = (slice((number - 1) * PAGE, number * PAGE) for number in (first, second))
        data[a], data[b] = data[b], data[a]
    else:
        chosen = [1]
        place = rng.randrange(100)
        data[place] ^= 1 << rng.randrange(8)
    return bytes(data), set(chosen)


def run(folder, count, seed=0):
    """Damage ``count`` copies of a store; returns the least share of readable batches that salvage kept."""
    options = {"points": [{"pause": 0.0}], "budget": 0.2, "seed": 1}
    path = folder / "whole.sqlite"
    (expected,) = verify(claim("means"), store=path, **options)
    with Store(path) as store:
        run_all(SerialPool(), keys(batches=120, sizes=(8, 9)), store)
        run_all(SerialPool(), keys(batches=20, sizes=(8,), replicates=900, seed=3), store)
    data = path.read_bytes()
    least = 1.0
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        broken, bad = damaged(data, DAMAGES[number % len(DAMAGES)], rng)
        victim = folder / f"{number}.sqlite"
        victim.write_bytes(broken)
        new = folder / f"{number}-saved.sqlite"
        with Store(new) as sound:
            found = salvage(victim, sound)
            assert not list(check(sound))
            saved = {row.key for row in sound.rows()}
        # Without the row of its environment no batch may be used again.
        environment = any(len(record) == ENVIRONMENT for record in _records_outside(path, bad))
        whole = readable(path, bad) if environment else set()
        least = min(least, len(saved & whole) / len(whole) if whole else 1.0)
        assert found.copied == len(saved)
        for store in (victim, new):
            try:
                (result,) = verify(claim("means"), store=store, **options)
            except errors.StoreError:
                assert store is victim  # refused, with advice
                continue
            assert result.digest == expected.digest
        for file in folder.glob(f"{number}*"):
            file.unlink()
    return least


@pytest.mark.thorough
def test_a_few_damaged_stores(tmp_path):
    assert run(tmp_path, 12) >= 0.99


@pytest.mark.slow
def test_two_hundred_damaged_stores(tmp_path):
    assert run(tmp_path, 200, seed=1) >= 0.99
