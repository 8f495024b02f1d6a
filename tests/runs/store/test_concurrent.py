"""Many processes that open a store which does not exist yet: all of them find it complete."""

import multiprocessing
import os
import sqlite3

import pytest

from rmtsim.errors import StoreBusyError
from rmtsim.runs._store import schema
from rmtsim.runs._store.store import Store

PROCESSES, ROUNDS = 4, 150


def opened(barrier, folder, replies):
    failures = []
    for number in range(ROUNDS):
        barrier.wait()
        try:
            with Store(folder / f"{number}.sqlite") as store:
                store.count()
            with Store(folder / f"{number}.sqlite", read_only=True) as store:
                store.count()
        except Exception as error:
            failures.append(repr(error))
    replies.put(failures)


@pytest.mark.thorough
def test_600_concurrent_openings_of_new_stores(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, replies = context.Barrier(PROCESSES), context.Queue()
    processes = [context.Process(target=opened, args=(barrier, tmp_path, replies)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    found = [failure for _ in processes for failure in replies.get(timeout=300)]
    for process in processes:
        process.join()
    assert found == []
    with Store(tmp_path / "0.sqlite") as store:
        assert store.journal == "wal"
        assert store.query("PRAGMA user_version") == [(len(schema.MIGRATIONS),)]


def locked(path, ready, done):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    ready.set()
    done.wait(60)


def test_a_lock_that_stays_is_reported_with_who_has_it(tmp_path, monkeypatch):
    path = tmp_path / "runs.sqlite"
    with Store(path):
        pass
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=locked, args=(path, ready, done))
    other.start()
    try:
        assert ready.wait(60)
        monkeypatch.setattr(schema, "_WAIT_SECONDS", 0.3)
        holder = (
            f"another process (number {other.pid})" if os.path.exists("/proc/locks") else "another process"
        )
        with pytest.raises(StoreBusyError) as raised, Store(path) as store, store.transaction():
            pass
        assert "waited 0 s for the lock that another process" in str(raised.value)
        assert holder in str(raised.value)
    finally:
        done.set()
        other.join()
