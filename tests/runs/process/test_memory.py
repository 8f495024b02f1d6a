"""Memory stays flat however many batches there are."""

import gc
import mmap

import pytest

from rmtsim.runs import _process as memory
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._process import PeakMemory
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import BatchKey
from tests.runs.helpers import claim


def _growth(store, batches, replicates):
    """Bytes the process holds more after ``batches`` batches than after a tenth of them."""
    means = claim("means")
    wanted = (BatchKey(means, (("pause", 0.0),), 2, batch, replicates, 0) for batch in range(batches))
    early = held = 0.0
    for done, _ in enumerate(StoredRunner(SerialPool(), store).run(wanted)):
        if done in (batches // 10, batches - 1):
            gc.collect()
            early, held = held, memory._status("VmRSS")
    return held - early


@pytest.mark.parametrize(
    ("batches", "replicates"),
    [
        pytest.param(600, 4000, id="large ones"),
        pytest.param(100_000, 64, id="hundred thousand", marks=pytest.mark.slow),
    ],
)
def test_memory_is_flat(tmp_path, batches, replicates):
    """All values together would take 19 MB or 51 MB, and their arrays more."""
    with Store(tmp_path / "runs.sqlite") as store:
        assert _growth(store, batches, replicates) < 10e6
        assert store.count() == batches


def test_peak_memory_is_that_of_the_batch():
    peak = PeakMemory()
    # An anonymous map is always fresh memory; an array may live in pages that the heap has kept.
    with mmap.mmap(-1, 32_000_000) as pages:
        pages.write(b"x" * len(pages))
    assert peak.extra() > 30e6
    assert PeakMemory().extra() < 5e6


def test_a_long_run_of_requests_forgets_what_is_answered():
    """Keys of answered batches must not be kept: they take as much memory as their values."""
    means = claim("means")
    requests = [[BatchKey(means, (("pause", 0.0),), 2, batch, 64, 0) for batch in range(50)]]
    runner = StoredRunner(SerialPool())
    sizes = []
    for answer in runner.answers(requests):
        if answer is not None:
            requests[answer.request] = ()
            gc.collect()
            sizes.append(sum(type(each) is BatchKey for each in gc.get_objects()))
            if len(requests) < 6:
                start = 50 * len(requests)
                requests.append([BatchKey(means, (("pause", 0.0),), 2, start + n, 64, 0) for n in range(50)])
    assert len(sizes) == 6
    assert max(sizes[1:]) <= sizes[0] + 50
