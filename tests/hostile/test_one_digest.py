"""One digest from every kind of executor, with a worker killed in the middle and without."""

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import threading
import warnings

import pytest

from rmtsim.runs._pools.pool import SerialPool, open_pool
from rmtsim.runs._runner import StoredRunner
from tests.runs.helpers import digest, keys, run_all

WANTED = {"batches": 24, "sizes": (8, 700), "pause": 20.0}


@contextlib.contextmanager
def spawned(workers):
    pool = open_pool(workers)
    try:
        yield pool, pool.processes
    finally:
        pool.close()


@contextlib.contextmanager
def threads(workers):
    with concurrent.futures.ThreadPoolExecutor(workers) as executor:
        yield open_pool(executor), list


@contextlib.contextmanager
def processes(workers):
    with concurrent.futures.ProcessPoolExecutor(workers) as executor:
        pool = open_pool(executor)
        try:
            yield pool, lambda: list(executor._processes)
        finally:
            pool.close()


@contextlib.contextmanager
def dask(threads_per_worker):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=threads_per_worker,
            processes=True,
            dashboard_address=":0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield open_pool(client), lambda: list(client.run(os.getpid).values())


WAYS = {
    **{f"spawn {n}": (spawned, n) for n in (1, 2, 3)},
    "threads": (threads, 3),
    "processes": (processes, 2),
    "dask, 1 thread": (dask, 1),
    "dask, 4 threads": (dask, 4),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("killed", [False, True], ids=["whole", "a worker killed"])
@pytest.mark.parametrize("way", WAYS)
def test_one_digest(way, killed):
    make, size = WAYS[way]
    if killed and make is threads:
        pytest.skip("a thread cannot be killed without its process")
    expected = digest(run_all(SerialPool(), keys(**WANTED))[0])
    with make(size) as (pool, workers):
        timer = threading.Timer(0.5, lambda: [os.kill(each, signal.SIGKILL) for each in workers()[:1]])
        if killed:
            list(StoredRunner(pool).run(keys(batches=2)))  # workers are up
            timer.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes = list(StoredRunner(pool).run(keys(**WANTED)))
        if killed:
            timer.join()
    assert digest(outcomes) == expected


@pytest.mark.thorough
def test_threads_and_a_second_thread_agree_with_serial_runs_in_a_process_of_many_blas_threads():
    """In a fresh process, because the tests' own is pinned to one BLAS thread."""
    program = """
import concurrent.futures, threading
from rmtsim.runs._pools.pool import open_pool
from rmtsim.runs._pools.pool import SerialPool
from tests.runs.helpers import digest, keys, run_all
wanted = keys("spectra", batches=3, sizes=(600,), replicates=2)
expected = digest(run_all(SerialPool(), wanted)[0])
found = []
with concurrent.futures.ThreadPoolExecutor(3) as executor:
    found.append(digest(run_all(open_pool(executor), wanted)[0]))
other = threading.Thread(target=lambda: found.append(digest(run_all(SerialPool(), wanted)[0])))
other.start(); other.join()
print(set(found) == {expected})
"""
    clean = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=clean
    )
    assert done.stdout.strip() == "True", done.stderr


def _die_when_asked():
    """On a worker: the next request for its environment ends it."""
    from rmtsim.runs._identity import environment

    environment.this_environment = lambda: os._exit(1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_real_worker_that_dies_while_its_environment_is_read():
    """The other worker answers, the run continues, and its bytes are those of a serial run."""
    distributed = pytest.importorskip("distributed")
    expected = digest(run_all(SerialPool(), keys(**WANTED))[0])
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        victim = next(iter(client.scheduler_info()["workers"]))
        client.run(_die_when_asked, workers=[victim])
        pool = open_pool(client)
        assert pool.environments()
        assert victim not in client.scheduler_info()["workers"]  # it did die
        assert digest(list(StoredRunner(pool).run(keys(**WANTED)))) == expected
