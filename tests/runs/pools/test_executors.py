import concurrent.futures
import dataclasses
import os
import random
import signal
import threading

import numpy as np
import pytest

from rmtsim import errors
from rmtsim.claims._registry import find
from rmtsim.runs._pools import messages as shipping
from rmtsim.runs._pools.futures import FuturesPool
from rmtsim.runs._pools.pool import AutoPool, SerialPool, open_pool
from rmtsim.runs._pools.spawned import SpawnedPool, _Waiting
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.report import lost
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import FailedBatch, LostBatch
from rmtsim.verdicts import verify
from tests.runs.helpers import claim, digest, keys, run_all


class ShuffledPool(SerialPool):
    """Finishes batches in another order than requested."""

    def completed(self, wanted):
        arrivals = list(super().completed(wanted))
        random.Random(len(arrivals)).shuffle(arrivals)
        yield from arrivals


def test_batches_of_a_claim_that_another_worker_begins_are_passed_over():
    waiting = _Waiting()
    for number in range(5):
        waiting.add(number, 1.0)
    assert waiting.take(lambda number: number < 3) == 3
    assert waiting.take() == 0
    assert waiting.take(lambda number: True) == 1  # nothing else is left to do
    assert [waiting.take(), waiting.take()] == [2, 4]


@pytest.fixture(scope="module")
def pool():
    with SpawnedPool(2) as made:
        yield made


@pytest.fixture(scope="module")
def serial_digest():
    return digest(run_all(SerialPool(), keys())[0])


def test_one_digest_for_every_number_of_workers_and_order(serial_digest):
    digests = {
        name: digest(run_all(open_pool(executor), keys())[0])
        for name, executor in {
            "shuffled": ShuffledPool(),
            **{f"{n} workers": n for n in (1, 2, 3)},
        }.items()
    }
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        digests["threads"] = digest(run_all(FuturesPool(threads), keys())[0])
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        digests["processes"] = digest(run_all(FuturesPool(processes), keys())[0])
    assert set(digests.values()) == {serial_digest}, digests


@pytest.mark.thorough
@pytest.mark.parametrize(
    "make", [SerialPool, ShuffledPool, lambda: SpawnedPool(2), lambda: AutoPool(2), "threads"]
)
def test_requests_may_be_added_while_others_are_computed(make):
    """Each answer leads to a further request, as in a verification; every request is answered once, whole."""
    wanted = [keys(batches=batches, seed=seed) for seed, batches in enumerate((1, 7, 2, 5, 3))]
    expected = {digest(run_all(SerialPool(), some)[0]) for some in wanted}
    executor = concurrent.futures.ThreadPoolExecutor(2)
    pool = FuturesPool(executor) if make == "threads" else make()
    requests, found = [wanted[0], wanted[1]], []
    try:
        for answer in StoredRunner(pool).answers(requests):
            if answer is not None:
                found.append((answer.request, digest(answer.outcomes)))
            if len(requests) < len(wanted):  # also while there is only time to think
                requests.append(wanted[len(requests)])
    finally:
        pool.close()
        executor.shutdown()
    assert sorted(number for number, _ in found) == list(range(len(wanted)))
    assert {each for _, each in found} == expected


@pytest.mark.thorough
def test_verification_has_one_digest(pool, tmp_path):
    """The whole engine, on a user's claim and on a theorem: serial, workers, shuffled, stored, resumed."""
    claims = [claim("means"), find("dong.thm1.ratio")]
    store = tmp_path / "runs.sqlite"

    def digests(**how):
        return [result.digest for result in verify(claims, budget=1.0, seed=3, **how)]

    serial = digests()
    assert digests(executor=pool) == serial
    assert digests(executor=ShuffledPool()) == serial
    assert digests(executor=pool, store=store) == serial
    assert digests(store=store) == serial
    with Store(store) as opened:
        assert digests(store=opened) == serial


@pytest.mark.thorough
def test_a_worker_that_dies_is_replaced_and_its_batch_resubmitted(tmp_path, monkeypatch):
    monkeypatch.setenv("RMTSIM_TEST_MARK", str(tmp_path / "mark"))
    with SpawnedPool(2) as pool:
        outcomes = list(StoredRunner(pool).run(keys("once")))
        assert len(pool.processes()) == 2
    assert (tmp_path / "mark").exists()
    expected = [key.claim.sample for key in keys("once")]
    assert len(outcomes) == len(expected)
    serial, _ = run_all(SerialPool(), keys("once"))
    assert digest(outcomes) == digest(serial)


@pytest.mark.thorough
def test_workers_killed_from_outside_change_nothing(pool):
    wanted = keys(pause=20.0)
    runner = StoredRunner(pool)
    victims = threading.Timer(0.4, lambda: [os.kill(each, signal.SIGKILL) for each in pool.processes()])
    list(runner.run(keys(batches=2)))  # workers are up
    victims.start()
    outcomes = list(runner.run(wanted))
    victims.join()
    assert digest(outcomes) == digest(run_all(SerialPool(), wanted)[0])


@pytest.mark.thorough
def test_a_batch_that_kills_three_workers_is_named_and_the_rest_goes_on(tmp_path):
    wanted = keys("poison", batches=6, sizes=(8,)) + keys("poison", batches=1, sizes=(13,))
    with Store(tmp_path / "runs.sqlite") as store:
        outcomes, tally = run_all(SpawnedPool(2), wanted, store)
        (recorded,) = lost(store)
        assert store.count() == 6
    assert [isinstance(outcome, LostBatch) for outcome in outcomes] == [False] * 6 + [True]
    assert outcomes[-1].deaths == recorded["deaths"] == 3
    message = tally.notices()[0]
    assert "synthetic.poison, size 13, batch 0 at pause=0.0" in message
    assert "SIGKILL" in message


def test_a_lost_batch_leaves_its_claim_undecided_and_the_others_whole(pool):
    poisoned = dataclasses.replace(claim("poison"), sizes=(8, 13, 16))
    bad, good = verify([poisoned, claim("means")], budget=0.5, executor=pool)
    assert str(bad.verdict) == "INCONCLUSIVE"
    assert "killed 3 workers" in bad.deciding.needs
    assert "size 13" in bad.deciding.needs
    assert str(good.verdict) == "CONFIRMED"


def test_a_samplers_error_arrives_with_its_traceback(pool):
    outcomes = list(StoredRunner(pool).run(keys("broken", sizes=(8, 13))))
    failed = [outcome for outcome in outcomes if isinstance(outcome, FailedBatch)]
    assert failed
    assert len(failed) < len(outcomes)
    assert str(failed[0].error) == "thirteen"
    assert "synthetic_claims.py" in failed[0].error.__notes__[0]
    assert len(list(StoredRunner(pool).run(keys(batches=2)))) == 4  # the pool is usable after it


@pytest.mark.thorough
def test_a_broken_process_pool_is_succeeded(tmp_path, monkeypatch):
    monkeypatch.setenv("RMTSIM_TEST_MARK", str(tmp_path / "mark"))
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        pool = FuturesPool(processes)
        with pytest.warns(RuntimeWarning, match="going on with 2 workers"):
            outcomes = list(StoredRunner(pool).run(keys("once")))
        pool.close()
    assert digest(outcomes) == digest(run_all(SerialPool(), keys("once"))[0])


def test_workers_have_one_blas_thread_and_the_coordinators_path(pool):
    import cloudpickle

    def threads(parameters, size, rng, replicates):
        import threadpoolctl

        counts = [library["num_threads"] for library in threadpoolctl.threadpool_info()]
        return np.full(replicates, float(max(counts)))

    cloudpickle.register_pickle_by_value(__import__(__name__, fromlist=["x"]))
    made = dataclasses.replace(claim("means"), id="local.threads", sample=threads, origin=None)
    (values,) = StoredRunner(pool).run([dataclasses.replace(keys()[0], claim=made)])
    assert set(values) == {1.0}


@pytest.mark.thorough
def test_a_claim_in_memory_travels_by_value_or_is_refused(pool, monkeypatch):
    made = dataclasses.replace(
        claim("means"), id="local.square", origin=None, sample=lambda p, n, rng, r: np.full(r, float(n) ** 2)
    )
    key = dataclasses.replace(keys()[0], claim=made)
    (values,) = StoredRunner(pool).run([key])
    assert set(values) == {64.0}
    monkeypatch.setitem(__import__("sys").modules, "cloudpickle", None)
    monkeypatch.setattr(shipping, "_ADDRESSES", {})
    with pytest.raises(errors.UnshippableClaimError, match="put it in a file"):
        list(StoredRunner(pool).run([key]))


def test_a_worker_with_other_code_refuses(pool, monkeypatch):
    address = dataclasses.replace(shipping._address(find("dong.thm1.ratio")), code="another")
    with pytest.raises(errors.CodeMismatchError, match="same version everywhere"):
        shipping.resolve(address)


def test_a_users_file_that_a_worker_lacks_is_sent_along(tmp_path):
    address = shipping._address(claim("means"))
    elsewhere = dataclasses.replace(address, origin=str(tmp_path / "not" / "here" / "synthetic_claims.py"))
    found = shipping.resolve(elsewhere)
    assert found.id == "synthetic.means"
    assert found.origin != elsewhere.origin


@pytest.mark.parametrize(
    ("executor", "error"),
    [("two", TypeError), (0, ValueError), (-1, ValueError), (True, TypeError), (1.5, TypeError)],
)
def test_bad_executors_are_refused(executor, error):
    with pytest.raises(error, match="executor="):
        open_pool(executor)
    with pytest.raises(error, match="executor="):
        verify("dong.thm1.ratio", executor=executor)


def test_bad_stores_are_refused():
    with pytest.raises(TypeError, match="store=5"):
        verify("dong.thm1.ratio", store=5)


def test_dask_is_loaded_only_on_request():
    import subprocess
    import sys

    loaded = "rmtsim.verdicts, rmtsim.cli._verify, rmtsim.runs._pools.pool"
    code = f"import sys, {loaded}; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_long_batches_go_first_but_short_ones_are_not_left_for_the_end():
    waiting = _Waiting()
    for number, seconds in enumerate([0.1] * 100 + [3.0] * 10 + [0.1]):
        waiting.add(number, seconds)
    order = [waiting.take() for _ in range(len(waiting))]
    assert set(order[:10]) == set(range(100, 110))  # ten seconds of earlier work are overtaken
    late = _Waiting()
    late.add(0, 0.1)
    for number in range(1, 100):
        late.add(number, 3.0)
    assert [late.take() for _ in range(30)].index(
        0
    ) <= 20  # but never more than twenty times their own length
    late.give_back(7)
    assert late.take() == 7
