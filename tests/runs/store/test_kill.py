"""kill -9 of the coordinator at random instants: nothing acknowledged is lost or doubled, and the resumed run
gives the bytes of an uninterrupted one."""

import contextlib
import hashlib
import json
import math
import os
import random
import select
import signal
import subprocess
import sys
import time

import pytest

from rmtsim.runs._identity.environment import this_environment
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._store.report import check
from rmtsim.runs._store.store import Store
from tests.runs.helpers import keys, run_all

BATCHES, PAUSE = 30, 3.0
_LINE = 68
"""Bytes of a line by which a coordinator acknowledges a batch: a number of two digits and a digest."""
_LOOK = 0.001
"""Seconds between two looks at what is acknowledged."""


class Zygote:
    """A process with everything imported that forks coordinators."""

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.runs.store.kill_zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # so that select sees what readline would
        )
        return self

    def __exit__(self, *details):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def run(self, order, seconds, lines=math.inf):
        """Start a coordinator, kill it ``seconds`` later or after ``lines`` batches; whether it had ended by itself."""
        before = _size(order["acknowledged"])
        self._process.stdin.write(f"{json.dumps(order)}\n".encode())
        coordinator = int(self._process.stdout.readline())
        until = time.monotonic() + seconds
        while not self._has_ended(min(until - time.monotonic(), seconds if math.isinf(lines) else _LOOK)):
            if time.monotonic() > until or _size(order["acknowledged"]) - before >= lines * _LINE:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(coordinator, signal.SIGKILL)
                break
        code = int(self._process.stdout.readline())
        assert code in (0, -signal.SIGKILL)
        return code == 0

    def _has_ended(self, seconds):
        return bool(select.select([self._process.stdout], [], [], max(seconds, 0.0))[0])


def _size(name):
    return os.path.getsize(name) if os.path.exists(name) else 0


def acknowledged(path):
    """Lines written before the kill; a half line was never finished, so its batch not acknowledged."""
    if not path.exists():
        return {}
    lines = path.read_text().split("\n")[:-1]
    return {int(index): digest for index, digest in (line.split() for line in lines)}


def _uninterrupted_seconds(zygote, folder, workers):
    """How long a run takes now, on this machine with all that it has to do: kills are spread over that time."""
    place = folder / "undisturbed"
    place.mkdir()
    order = {
        "store": str(place / "runs.sqlite"), "acknowledged": str(place / "acknowledged"), "batches": BATCHES,
        "pause": PAUSE, "workers": workers,
    }  # fmt: skip
    started = time.monotonic()
    assert zygote.run(order, 600.0)
    return time.monotonic() - started


def run_kills(folder, kills, workers, seed):
    """Kill coordinators ``kills`` times, at most three times on one store.

    Half of the kills are spread over the time of a run (start-up, opening, computing, committing and closing), half
    over its batches, because the start of workers takes most of the time of a run with workers.

    Returns for every kill the share of the batches that were acknowledged by then.
    """
    wanted = keys(batches=BATCHES, sizes=(8, 16), pause=PAUSE)
    plain = [hashlib.sha256(values.tobytes()).hexdigest() for values in run_all(SerialPool(), wanted)[0]]
    here = {this_environment().numerics}
    rng = random.Random(seed)
    shares, completed = [], 0
    with Zygote() as zygote:
        usual = _uninterrupted_seconds(zygote, folder, workers)
        while len(shares) < kills:
            place = folder / str(completed)
            place.mkdir()
            store, acks = place / "runs.sqlite", place / "acknowledged"
            order = {
                "store": str(store), "acknowledged": str(acks), "batches": BATCHES, "pause": PAUSE,
                "workers": workers,
            }  # fmt: skip
            seen = {}
            for attempt in range(4):
                if attempt == 3 or len(shares) == kills:
                    assert zygote.run(order, 60.0 + 20 * usual)
                    break
                if rng.random() < 0.5:
                    ended = zygote.run(order, rng.uniform(0.0, 1.2 * usual))
                else:
                    ended = zygote.run(order, 60.0 + 20 * usual, rng.randrange(len(wanted)))
                seen |= acknowledged(acks)
                if store.exists() and store.stat().st_size:
                    with Store(store) as opened:
                        assert not list(check(opened))
                        for index, digest in seen.items():
                            stored, _ = opened.get(wanted[index], here)
                            assert stored is not None, f"acknowledged batch {index} is lost"
                            assert hashlib.sha256(stored.payload).hexdigest() == digest == plain[index]
                        assert opened.count() <= len(wanted)
                        assert opened.query("SELECT count(DISTINCT key) FROM batches") == [(opened.count(),)]
                else:
                    assert not seen
                if ended:
                    break
                shares.append(len(seen) / len(wanted))
            assert [acknowledged(acks)[index] for index in range(len(wanted))] == plain
            completed += 1
    return shares


def in_quarters(shares):
    """How many kills happened before a quarter, a half, three quarters and all of the batches were acknowledged."""
    return [sum(low <= share < low + 0.25 for share in shares) for low in (0.0, 0.25, 0.5, 0.75)]


def test_ten_kills(tmp_path):
    for folder, kills, workers, seed in (("serial", 8, None, 1), ("workers", 2, 2, 2)):
        (tmp_path / folder).mkdir()
        assert len(run_kills(tmp_path / folder, kills, workers, seed)) == kills


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "workers", "seed"), [*((100, None, seed) for seed in (3, 4, 5, 6)), (50, 2, 7), (50, 2, 8)]
)
def test_five_hundred_kills(tmp_path, kills, workers, seed):
    """Spread over the whole run: every quarter of it sees a twentieth of them at least."""
    quarters = in_quarters(run_kills(tmp_path, kills, workers, seed))
    assert min(quarters) >= kills / 20, quarters
