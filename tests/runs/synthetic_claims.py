"""A user's file of claims, small and quick, some of them malicious. Loaded by tests and by their workers."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from rmtsim.claims._model import Claim, Parameter, Tolerance

DEATHS_FILE = "RMTSIM_TEST_DEATHS"
"""Environment variable that names a file with a byte for each process that poison has killed."""

PAUSE = Parameter("pause", "milliseconds slept per batch", default=0.0, lowest=0.0)


def _means(parameters, size, rng, replicates):
    """Means of ``size`` normals: tend to zero. The sum goes through BLAS, whose bits depend on threads."""
    if parameters.get("pause"):
        time.sleep(parameters["pause"] / 1000)
    draws = rng.standard_normal((replicates, size))
    return 1.0 + draws @ np.ones(size) / size


def _poison(parameters, size, rng, replicates):
    """Size 13 kills the process that computes it."""
    if size == 13:
        time.sleep(parameters.get("pause", 0.0) / 1000)
        if DEATHS_FILE in os.environ:
            with open(os.environ[DEATHS_FILE], "ab") as graves:
                graves.write(b"x")
        os.kill(os.getpid(), signal.SIGKILL)
    return _means(parameters, size, rng, replicates)


def _once(parameters, size, rng, replicates):
    """Kills the first process that computes it, and no other (a file remembers)."""
    mark = Path(os.environ["RMTSIM_TEST_MARK"])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return _means(parameters, size, rng, replicates)


def _broken(parameters, size, rng, replicates):
    if size == 13:
        raise ZeroDivisionError("thirteen")
    return _means(parameters, size, rng, replicates)


def _spectra(parameters, size, rng, replicates):
    """Means of absolute eigenvalues: their last bits depend on the number of BLAS threads."""
    values = []
    for _ in range(replicates):
        x = rng.standard_normal((size, size))
        values.append(np.abs(np.linalg.eigvalsh(x + x.T)).mean() / np.sqrt(size))
    return np.array(values)


def _make(name, sampler):
    return Claim(
        id=f"synthetic.{name}",
        paper="synthetic",
        equation="(1)",
        statement="Means of standard normals, moved by one, tend to one.",
        kind="limit",
        sample=sampler,
        predict=lambda parameters: 1.0,
        tolerance=Tolerance(absolute=0.1),
        sizes=(8, 16, 32),
        exponents=(1.0,),
        parameters=(PAUSE,),
        cost=lambda parameters, size: 1e-5 + parameters.get("pause", 0.0) / 1000 / 64,
    )


MEANS = _make("means", _means)
POISON = _make("poison", _poison)
ONCE = _make("once", _once)
BROKEN = _make("broken", _broken)
SPECTRA = _make("spectra", _spectra)
