"""BLAS uses one thread in every thread of the process; each test runs in a fresh process."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import concurrent.futures, hashlib, threading
import numpy as np, threadpoolctl
from rmtsim.runs._process import single_threaded_blas
x = np.random.default_rng(0).standard_normal((900, 900))
x = x + x.T
def digest():
    return hashlib.sha256(np.linalg.eigvalsh(x).tobytes()).hexdigest()
def pinned(_=None):
    with single_threaded_blas():
        assert all(each["num_threads"] == 1 for each in threadpoolctl.threadpool_info())
        return digest()
def counts():
    return [each["num_threads"] for each in threadpoolctl.threadpool_info()]
import scipy.linalg
before = counts()
assert max(before) > 1, before
expected = pinned()
found = []
other = threading.Thread(target=lambda: found.append(pinned()))
other.start(); other.join()
with concurrent.futures.ThreadPoolExecutor(3) as threads:
    found += threads.map(pinned, range(6))
with threadpoolctl.threadpool_limits(2):        # somebody else holds OpenBLAS in this thread
    other = threading.Thread(target=lambda: found.append(pinned()))
    other.start(); other.join()
assert set(found) == {expected}, found
assert counts() == before
print("one digest")
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="with one core there is nothing to pin")
def test_one_digest_from_every_thread():
    clean = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, env=clean
    )
    assert done.stdout.strip() == "one digest", done.stderr


def test_a_library_that_stays_loose_is_an_error(monkeypatch):
    from rmtsim import errors
    from rmtsim.runs import _process as threads

    class Loose:
        user_api, filepath = "blas", "/lib/libloose.so"

        def get_num_threads(self):
            return 8

        def set_num_threads(self, count):
            pass

    pin = threads._Pin()
    monkeypatch.setattr(pin, "_libraries", lambda: [Loose()])
    with pytest.raises(errors.ExecutorError, match=r"libloose.so.*OPENBLAS_NUM_THREADS=1"):
        pin.take()
    assert pin._holders == 0
