"""Memory freed by a batch is reused by the next one without system calls."""

import platform
import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
from rmtsim.runs._process import keep_freed_memory


def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        arrays = [np.ones(60_000) for _ in range(20)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


faults()
given_back = faults()
keep_freed_memory()
faults()
print(given_back, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_arrays_of_half_a_mebibyte_are_not_fetched_anew():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    given_back, kept = map(int, done.stdout.split())
    assert kept < given_back / 4
