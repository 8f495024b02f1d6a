"""A real cluster on this machine: two worker processes, one of them killed in the middle."""

import dataclasses
import os
import signal
import threading

import pytest

from rmtsim import errors
from rmtsim.claims._model import Tolerance
from rmtsim.cli import main
from rmtsim.runs._pools import dask as dask_pool
from rmtsim.runs._pools.pool import SerialPool, open_pool
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import LostBatch
from rmtsim.verdicts import verify
from tests.runs.helpers import claim, digest, keys, run_all
from tests.runs.synthetic_claims import DEATHS_FILE

distributed = pytest.importorskip("distributed")

# The cluster is torn down with killed workers in it; warnings of its own sockets are ignored then.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def graves(tmp_path_factory):
    """A file that gets a byte for each worker that the poisonous batch kills."""
    path = tmp_path_factory.mktemp("dask") / "graves"
    os.environ[DEATHS_FILE] = str(path)
    yield path
    del os.environ[DEATHS_FILE]


@pytest.fixture(scope="module")
def client(graves):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def _kill_one(client):
    process = next(iter(client.run(os.getpid).values()))
    os.kill(process, signal.SIGKILL)


def test_a_worker_killed_in_the_middle_changes_nothing(client):
    wanted = keys(batches=40, pause=30.0)
    killer = threading.Timer(0.5, _kill_one, [client])
    killer.start()
    outcomes = list(StoredRunner(open_pool(client)).run(wanted))
    killer.join()
    assert digest(outcomes) == digest(run_all(SerialPool(), wanted)[0])


@pytest.mark.thorough
def test_a_verification_with_a_killed_worker_has_the_serial_digest(client, tmp_path):
    # A tolerance out of reach: the budget is spent to its end, and the kill falls into the middle.
    hard = dataclasses.replace(claim("means"), tolerance=Tolerance(absolute=1e-4))
    options = {"points": [{"pause": 50.0}], "budget": 3.0, "seed": 1}
    (serial,) = verify(hard, **options)
    killer = threading.Timer(0.6, _kill_one, [client])
    killer.start()
    (clustered,) = verify(hard, executor=client, store=tmp_path / "runs.sqlite", **options)
    killer.join()
    assert clustered.digest == serial.digest
    with Store(tmp_path / "runs.sqlite", read_only=True) as store:
        assert store.count() > 20


def test_the_command_line_reaches_a_scheduler(client, capsys, tmp_path):
    common = [
        "verify",
        "dong.thm1.diagonal-limit",
        "dong.thm1.ratio",
        "--budget",
        "0.5",
        "--json",
        "--no-store",
    ]
    assert main([*common, "--dask", client.scheduler.address]) == 0
    clustered = capsys.readouterr().out
    assert main(common) == 0

    def digests(text):
        return [line for line in text.splitlines() if '"digest"' in line]

    assert digests(clustered) == digests(capsys.readouterr().out)
    assert len(digests(clustered)) == 2


def test_an_address_without_a_scheduler(capsys, monkeypatch):
    monkeypatch.setattr(dask_pool, "_CONNECT_SECONDS", 1)
    assert main(["verify", "dong.thm1.ratio", "--dask", "tcp://127.0.0.1:9", "--no-store"]) == 1
    assert "no scheduler answers there" in capsys.readouterr().err


def test_a_cluster_without_workers_is_given_up_in_the_end(client, monkeypatch):
    pool = dask_pool.DaskPool(client)
    monkeypatch.setattr(client, "nthreads", dict)
    monkeypatch.setattr(dask_pool, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(dask_pool, "_GLANCE_SECONDS", 0.1)
    with pytest.raises(errors.ExecutorError, match="no workers for"):
        list(pool.completed(keys(batches=1, sizes=(8,), pause=3000.0)))


# Last, because the cluster may give up workers that keep dying (its lost-worker-timeout).
@pytest.mark.slow
def test_a_batch_that_kills_three_workers_is_named_and_the_rest_goes_on(client, graves):
    # Half a second each: Dask's nanny does not restart a worker that dies while it is still being greeted.
    wanted = keys("poison", 3, (8, 16), pause=500.0) + keys("poison", 1, (13,), pause=500.0)
    outcomes, tally = run_all(open_pool(client), wanted)
    assert [isinstance(outcome, LostBatch) for outcome in outcomes] == [False] * 6 + [True]
    assert tally.lost[0].deaths == 3
    assert graves.stat().st_size == 3
    assert "size 13, batch 0 at pause=500.0" in tally.notices()[0]


@pytest.mark.thorough
@pytest.mark.parametrize("asked", [False, True])
def test_a_closed_client_is_named(asked):
    """Closed before the run, or after the environments of the workers were read."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
    ) as cluster:
        client = distributed.Client(cluster)
        pool = dask_pool.DaskPool(client)
        if asked:
            pool.environments()
        client.close()
        with pytest.raises(errors.ExecutorError, match="Dask client or its cluster is closed"):
            run_all(pool, keys(batches=1))
        with pytest.raises(errors.ExecutorError, match="connect to a running cluster and run again"):
            verify(keys(batches=1)[0].claim, executor=client)


@pytest.mark.thorough
def test_a_closed_cluster_is_named():
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
    )
    client = distributed.Client(cluster)
    cluster.close()
    with pytest.raises(errors.ExecutorError, match="Dask client or its cluster is closed"):
        run_all(dask_pool.DaskPool(client), keys(batches=1))
    client.close()
