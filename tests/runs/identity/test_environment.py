"""Where a batch was computed: what changes its last bits changes the digest, and old descriptions stay readable."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rmtsim.runs._identity.environment import Environment, this_environment

OLD = (
    '{"blas":"openblas 0.3","cpu":"x86_64 A","numba":"0.61","numpy":"2.2","package":"0.1.0","python":"3.11.7",'
    '"scipy":"1.15"}'
)


def numerics(**variables):
    code = "from rmtsim.runs._identity.environment import this_environment as e; print(e().numerics)"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), **variables}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NPY_DISABLE_CPU_FEATURES", "X86_V4"),
        ("OPENBLAS_CORETYPE", "Prescott"),
        ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2"),
        ("NUMBA_CPU_NAME", "generic"),
        ("NUMBA_DISABLE_JIT", "1"),
    ],
)
def test_variables_that_choose_other_instructions_count(name, value):
    assert numerics(**{name: value}) != this_environment().numerics


def test_variables_that_choose_folders_and_threads_do_not():
    assert (
        numerics(NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="3", HOME="/nowhere") == this_environment().numerics
    )


@pytest.mark.parametrize(
    "field", ["python", "numpy", "scipy", "numba", "blas", "cpu", "features", "settings"]
)
def test_every_field_counts(field):
    here = this_environment()
    assert dataclasses.replace(here, **{field: "other"}).numerics != here.numerics


def test_descriptions_of_older_stores_are_read_as_they_are():
    old = Environment.parse(OLD)
    assert old.text == OLD
    assert old.numerics == "2b4b94f43b431254"
    assert Environment.parse(this_environment().text) == this_environment()
