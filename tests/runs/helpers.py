"""What the tests of runs share: claims of a user's file, batches of them, one digest over all values."""

import functools
import hashlib
from pathlib import Path

from rmtsim.claims._files import load_file
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._work import BatchKey, FailedBatch, LostBatch

CLAIM_FILE = Path(__file__).with_name("synthetic_claims.py")


@functools.cache
def claim(name):
    return next(each for each in load_file(CLAIM_FILE) if each.id == f"synthetic.{name}")


def keys(name="means", batches=20, sizes=(8, 700), pause=0.0, replicates=64, seed=0):
    return [
        BatchKey(claim(name), (("pause", pause),), size, batch, replicates, seed)
        for batch in range(batches)
        for size in sizes
    ]


def digest(outcomes):
    total = hashlib.sha256()
    for outcome in outcomes:
        if isinstance(outcome, FailedBatch):
            raise AssertionError(f"{outcome.key}: {outcome.error!r}") from outcome.error
        total.update(outcome.message.encode() if isinstance(outcome, LostBatch) else outcome.tobytes())
    return total.hexdigest()


def run_all(pool, wanted, store=None):
    runner = StoredRunner(pool, store)
    try:
        return list(runner.run(wanted)), runner.tally
    finally:
        pool.close()
